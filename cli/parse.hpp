#pragma once

#include "cli/command.hpp"

namespace bloomtime::cli {

struct request {
  const command* what = nullptr;  // the innermost command that was named
  bool help = false;
};

// Fills the destinations of the options in the tree. Throws usage_error with a sentence that names
// the nearest thing that would have been right.
request parse(const command& root, int argc, const char* const* argv);

}  // namespace bloomtime::cli
