#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "logs/field.hpp"

namespace bloomtime::logs {

// Lines that begin with a time, in brackets or not:
//   2024-03-01T10:00:00Z message        2024-03-01 10:00:00,123 message
//   2024/03/01 10:00:00 message         [2024-03-01 10:00:00 +0100] message
// Columns: the time, what follows it, and then the words of the whole line.
std::size_t split_timed(std::string_view text, std::span<std::string_view> into);
const std::vector<field>& timed_fields();

inline constexpr std::size_t first_timed_word = 2;

}  // namespace bloomtime::logs
