#pragma once

#include <string>

#include "cli/command.hpp"

namespace bloomtime::cli {

// The sentence for a word or an option that `where` does not take, with the nearest that it does.
std::string complaint_about(const std::string& typed, const command& where);
// The same for what is a word even if it looks like an option.
std::string complaint_about_word(const std::string& typed, const command& where);

}  // namespace bloomtime::cli
