#pragma once

namespace bloomtime::cli {

// The whole program: parses the command line, runs the command, and reports any error as one
// sentence on standard error. Returns the exit status: 0 yes, 1 no, 2 trouble,
// 3 overloaded.
int run(int argc, const char* const* argv);

}  // namespace bloomtime::cli
