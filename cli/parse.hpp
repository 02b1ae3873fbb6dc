#pragma once

#include <string>

#include "cli/command.hpp"

namespace bloomtime::cli {

struct request {
  const command* what = nullptr;  // the innermost command that was named
  bool help = false;
};

// Stores the options of the tree. Throws usage_error with the nearest valid word or option.
request parse(const command& root, int argc, const char* const* argv);

// The error for a word or an option that `where` does not take, with the nearest one that it does.
std::string complaint_about(const std::string& typed, const command& where);

}  // namespace bloomtime::cli
