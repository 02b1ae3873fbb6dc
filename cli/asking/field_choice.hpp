#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bloomtime::cli {

// The number of the field that --field names; without it the only one. Else an error that lists
// them.
std::size_t chosen_field(const std::vector<std::string>& names, const std::string& typed);

}  // namespace bloomtime::cli
