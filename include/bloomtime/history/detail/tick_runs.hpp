#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/detail/hooked.hpp>

// The ticks of one item as runs of neighbours, in the order of time, which neither touch nor
// overlap. A run takes 8 bytes however long it is.
namespace bloomtime::detail {

struct tick_run {
  std::uint32_t first;
  std::uint32_t last;  // included

  constexpr std::uint64_t ticks() const noexcept { return std::uint64_t{last} - first + 1; }
};

using tick_runs = std::vector<tick_run, hooked<tick_run>>;

// Adds a run that does not begin before the last one of those that are there.
inline void append(tick_runs& runs, tick_run more) {
  if (!runs.empty() && more.first <= std::uint64_t{runs.back().last} + 1) {
    runs.back().last = std::max(runs.back().last, more.last);
  } else {
    runs.push_back(more);
  }
}

// What is in either of them.
inline void unite(std::span<const tick_run> a, std::span<const tick_run> b, tick_runs& united) {
  united.clear();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool take_a = j == b.size() || (i < a.size() && a[i].first <= b[j].first);
    append(united, take_a ? a[i++] : b[j++]);
  }
}

inline std::uint64_t count_ticks(std::span<const tick_run> runs) noexcept {
  std::uint64_t ticks = 0;
  for (const tick_run& r : runs) ticks += r.ticks();
  return ticks;
}

}  // namespace bloomtime::detail
