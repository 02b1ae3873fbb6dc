#pragma once

#include <string>

#include "cli/command.hpp"

namespace bloomtime::cli {

// The error for a word or an option that `where` does not take, with the nearest one that it does.
std::string complaint_about(const std::string& typed, const command& where);
// The same for a word that may look like an option.
std::string complaint_about_word(const std::string& typed, const command& where);

}  // namespace bloomtime::cli
