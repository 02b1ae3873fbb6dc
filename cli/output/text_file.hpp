#pragma once

#include <string>

namespace bloomtime::cli {

// Replaces a file as a whole, readable by everyone.
void write_text_file(const std::string& name, const std::string& text);

}  // namespace bloomtime::cli
