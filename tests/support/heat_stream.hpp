#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

namespace bloomtime::support {

struct step {
  std::uint64_t item;
  std::int64_t at;  // seconds
  std::uint64_t weight;
};

// A stream with bursts, gaps and late events over few items, so that cells are shared.
inline std::vector<step> draw_steps(std::int64_t longest_gap, std::uint64_t heaviest = 1'000'000) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 200);
  std::vector<step> steps;
  std::int64_t now = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  for (std::size_t i = 0; i < size; ++i) {
    if (*rc::gen::inRange(0, 4) == 0) now += *rc::gen::inRange<std::int64_t>(0, longest_gap);
    const bool late = *rc::gen::inRange(0, 5) == 0;
    const bool heavy = *rc::gen::inRange(0, 10) == 0;
    steps.push_back({*rc::gen::inRange<std::uint64_t>(0, 40),
                     late ? now - *rc::gen::inRange<std::int64_t>(0, 50) : now,
                     *rc::gen::inRange<std::uint64_t>(1, heavy ? heaviest : 4)});
  }
  return steps;
}

}  // namespace bloomtime::support
