#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::detail {

// Neither the first tick of a span nor their number exceeds it, so that sums fit into a tick.
inline constexpr std::uint64_t most_ticks = std::uint64_t{1} << 62;

// Positions first..last of a span, both included.
struct tick_range {
  std::uint64_t first;
  std::uint64_t last;

  constexpr bool touches(const tick_range& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
  // From now on it has the other one in it.
  constexpr void widen(const tick_range& other) noexcept {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

// To be widened.
inline constexpr tick_range no_ticks{~std::uint64_t{0}, 0};

// What a history of so many ticks, from `first` on, says of an event: added, or why not.
constexpr outcome placed(tick t, std::uint64_t ticks, std::uint64_t first = 0) noexcept {
  const auto begin = static_cast<std::int64_t>(first);
  if (t.number < begin) return outcome::dropped_late;
  return static_cast<std::uint64_t>(t.number - begin) < ticks ? outcome::added : outcome::future;
}

// The positions of an interval that lie in the span, if there are any.
constexpr std::optional<tick_range> clipped(interval asked, std::uint64_t ticks,
                                            std::uint64_t first = 0) noexcept {
  const auto begin = static_cast<std::int64_t>(first);
  if (asked.empty() || asked.last.number < begin || ticks == 0) return std::nullopt;
  const auto low = static_cast<std::uint64_t>(std::max(asked.first.number, begin) - begin);
  const auto high = std::min(static_cast<std::uint64_t>(asked.last.number - begin), ticks - 1);
  if (low > high) return std::nullopt;
  return tick_range{low, high};
}

}  // namespace bloomtime::detail
