#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomtime::cli {

// Insertions, deletions, replacements and exchanges of neighbours that turn one into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that was most likely meant: the beginning of exactly one, or few edits away.
std::optional<std::string> nearest(std::string_view typed,
                                   const std::vector<std::string>& candidates);

}  // namespace bloomtime::cli
