#pragma once

#include <string>

#include "cli/command.hpp"

namespace bloomtime::cli {

// The manual page of a command, in the man macros of roff.
std::string man_page(const command& about);

}  // namespace bloomtime::cli
