#pragma once

#include <string>

#include "cli/command.hpp"

namespace bloomtime::cli {

// The fields of the JSON object that the command prints, after those that all have.
entries json_keys(const command& about);

// Summary, examples, usage, commands, options by group, details, keys.
std::string help_text(const command& about);

// "bloomtime-plan-bloom"
std::string page_name(const command& about);

// The manual page of a command, in the man macros of roff.
std::string man_page(const command& about);

}  // namespace bloomtime::cli
