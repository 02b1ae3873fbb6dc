#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <bloomtime/error.hpp>
#include <bloomtime/math/bloom.hpp>

namespace bloomtime::math {

// The shortest text that parses to the same number; std::to_string would print 1e-15 as 0.000000.
inline std::string text_of(double value) {
  char digits[32];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end.ptr};
}

inline std::string text_of(std::uint64_t value) { return std::to_string(value); }
inline std::string text_of(unsigned value) { return std::to_string(value); }

template <class T>
void expect(bool holds, std::string_view rule, T given) {
  if (!holds) {
    throw error(errc::invalid_argument, std::string(rule) + ", got " + text_of(given));
  }
}

// The sentence is built only if it is needed, so that queries do not allocate.
template <std::invocable Sentence, class T>
void expect(bool holds, const Sentence& rule, T given) {
  if (!holds) expect(false, rule(), given);
}

inline void expect_items(std::uint64_t items) {
  expect(items >= 1, "a filter must be sized for at least one item", items);
}

inline void expect_error(double error) {
  expect(error > 0 && error < 1, "an error must lie strictly between 0 and 1", error);
}

inline void expect_k(unsigned k, unsigned most) {
  const auto range = [&] { return "k must be from 1 to " + text_of(most); };
  expect(k >= 1 && k <= most, range, k);
}

[[noreturn]] inline void refuse_cells(std::uint64_t items, double error) {
  throw bloomtime::error(errc::too_large, "a filter may have at most " + text_of(max_bits) +
                                              " cells, but " + text_of(items) +
                                              " items at an error of " + text_of(error) +
                                              " need more");
}

// Of several ways to configure something, exactly one may be given.
inline void expect_one(int given, std::string_view rule) {
  if (given == 1) return;
  throw error(errc::invalid_argument, std::string(rule) + "; got " +
                                          (given == 0   ? "neither"
                                           : given == 2 ? "both"
                                                        : "all"));
}

}  // namespace bloomtime::math
