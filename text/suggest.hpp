#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomtime::text {

// The number of insertions, deletions, replacements and swaps of neighbours between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The most likely candidate: the only one with this beginning, or one that is a few edits away.
std::optional<std::string> nearest(std::string_view typed,
                                   const std::vector<std::string>& candidates);

// The same for the end of an error message: " Did you mean x?", or nothing.
std::string suggestion(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace bloomtime::text
