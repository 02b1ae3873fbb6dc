#pragma once

#include "cli/command.hpp"

namespace bloomtime::cli {

struct request {
  const command* what = nullptr;  // the innermost command that was named
  bool help = false;
};

// Stores the options of the tree. Throws usage_error with the nearest valid word or option.
request parse(const command& root, int argc, const char* const* argv);

}  // namespace bloomtime::cli
