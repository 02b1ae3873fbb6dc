#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace experiments {

template <class... Values>
void say(const char* verdict, fmt::format_string<Values...> what, Values&&... values) {
  fmt::print(stderr, "{}: {}\n", verdict, fmt::format(what, std::forward<Values>(values)...));
}

// A consequence of theory; experiments/run keeps these lines, and fails if one begins with FAILS.
template <class... Values>
void check(bool holds, fmt::format_string<Values...> what, Values&&... values) {
  say(holds ? "holds" : "FAILS", what, std::forward<Values>(values)...);
}

// A statement of the paper.
template <class... Values>
void claim(bool holds, fmt::format_string<Values...> what, Values&&... values) {
  say(holds ? "as published" : "not as published", what, std::forward<Values>(values)...);
}

// An expectation about times, which no theory gives.
template <class... Values>
void guess(bool holds, fmt::format_string<Values...> what, Values&&... values) {
  say(holds ? "as expected" : "not as expected", what, std::forward<Values>(values)...);
}

}  // namespace experiments
