#pragma once

#include <string>

#include "cli/command.hpp"

namespace bloomtime::cli {

// Summary, examples, usage, commands, options by group, details.
std::string help_text(const command& about);

}  // namespace bloomtime::cli
