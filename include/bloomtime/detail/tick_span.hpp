#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::detail {

// Positions first..last of a span, both included.
struct tick_range {
  std::uint64_t first;
  std::uint64_t last;
};

// What a history of the ticks 0 to ticks - 1 says of an event: added, or why not.
constexpr outcome placed(tick t, std::uint64_t ticks) noexcept {
  if (t.number < 0) return outcome::dropped_late;
  return static_cast<std::uint64_t>(t.number) < ticks ? outcome::added : outcome::future;
}

// The part of an interval that lies in the span, if there is one.
constexpr std::optional<tick_range> clipped(interval asked, std::uint64_t ticks) noexcept {
  if (asked.empty() || asked.last.number < 0 || ticks == 0) return std::nullopt;
  const auto first = static_cast<std::uint64_t>(std::max<std::int64_t>(asked.first.number, 0));
  const auto last = std::min(static_cast<std::uint64_t>(asked.last.number), ticks - 1);
  if (first > last) return std::nullopt;
  return tick_range{first, last};
}

}  // namespace bloomtime::detail
