#pragma once

namespace bloomtime::cli {

// The whole program: reads the command line, runs what it asks for, and turns whatever goes wrong
// into one sentence on standard error. Returns the exit status: 0 yes, 1 no, 2 trouble,
// 3 overloaded.
int run(int argc, const char* const* argv);

}  // namespace bloomtime::cli
