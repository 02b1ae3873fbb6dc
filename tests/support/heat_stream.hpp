#pragma once

#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include <bloomtime/time.hpp>

namespace bloomtime::support {

inline constexpr std::array lambdas{0.0, 0x1p-20, 0.3, 0.5, 0.9, 0.99, 1 - 0x1p-20, 1.0};

struct heat_event {
  std::uint64_t item;
  std::int64_t at;  // seconds
  std::uint64_t weight;

  instant when() const { return instant::from_seconds(at); }
};

inline constexpr std::uint64_t heat_items = 40;
inline constexpr std::uint64_t heat_asked = heat_items + 2;  // and two that never come

// A stream with bursts, gaps and late events over few items, so that they share what there is.
inline std::vector<heat_event> draw_heat_events(std::int64_t longest_gap,
                                                std::uint64_t heaviest = 1'000'000) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 200);
  std::vector<heat_event> events;
  std::int64_t now = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  for (std::size_t i = 0; i < size; ++i) {
    if (*rc::gen::inRange(0, 4) == 0) now += *rc::gen::inRange<std::int64_t>(0, longest_gap);
    const bool late = *rc::gen::inRange(0, 5) == 0;
    const bool heavy = *rc::gen::inRange(0, 10) == 0;
    events.push_back({*rc::gen::inRange<std::uint64_t>(0, heat_items),
                      late ? now - *rc::gen::inRange<std::int64_t>(0, 50) : now,
                      *rc::gen::inRange<std::uint64_t>(1, heavy ? heaviest : 4)});
  }
  return events;
}

// libm errs by less than 1e-15 of a weight.
inline bool covers(double upper, long double truth) {
  return static_cast<long double>(upper) >= truth * (1 - 1e-14L);
}
inline bool is_covered(double lower, long double truth) {
  return static_cast<long double>(lower) <= truth * (1 + 1e-14L);
}

}  // namespace bloomtime::support
