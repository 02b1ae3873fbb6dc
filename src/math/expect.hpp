#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <bloomtime/error.hpp>

namespace bloomtime::math {

// Shortest text that reads back as the same number; std::to_string would show 1e-15 as 0.000000.
inline std::string text_of(double value) {
  char digits[32];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end.ptr};
}

inline std::string text_of(std::uint64_t value) { return std::to_string(value); }
inline std::string text_of(unsigned value) { return std::to_string(value); }

template <class T>
void expect(bool holds, std::string_view what_was_expected, T came) {
  if (!holds) {
    throw error(errc::invalid_argument, std::string(what_was_expected) + ", got " + text_of(came));
  }
}

// A sentence with numbers in it is made only if it is needed: queries neither allocate nor throw.
template <std::invocable Sentence, class T>
void expect(bool holds, const Sentence& what_was_expected, T came) {
  if (!holds) expect(false, what_was_expected(), came);
}

}  // namespace bloomtime::math
