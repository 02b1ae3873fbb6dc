#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::detail {

// Neither the first tick of a span nor their number exceeds it, so that sums fit into a tick.
inline constexpr std::uint64_t most_ticks = std::uint64_t{1} << 62;

// Positions first..last of a span, both included.
struct tick_range {
  std::uint64_t first;
  std::uint64_t last;
};

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

// Positions cut at the borders of leaves of 2^leaf_height ticks: whole leaves, and the ticks that
// are left at either end, each inside of one leaf.
class leaf_cut {
 public:
  constexpr leaf_cut(tick_range range, unsigned leaf_height) noexcept {
    const std::uint64_t in_leaf = (std::uint64_t{1} << leaf_height) - 1;
    const std::uint64_t first = range.first >> leaf_height;
    const std::uint64_t last = range.last >> leaf_height;
    const bool starts_inside = (range.first & in_leaf) != 0;
    const bool ends_inside = (range.last & in_leaf) != in_leaf;
    if (first == last && (starts_inside || ends_inside)) {
      parts_[size_++] = range;
      return;
    }
    if (starts_inside) parts_[size_++] = {range.first, range.first | in_leaf};
    if (ends_inside) parts_[size_++] = {range.last & ~in_leaf, range.last};
    const std::uint64_t begin = first + starts_inside;
    const std::uint64_t end = last + !ends_inside;
    if (begin < end) leaves_ = {begin, end - 1};
  }

  constexpr const std::optional<tick_range>& leaves() const noexcept { return leaves_; }
  constexpr std::span<const tick_range> parts() const noexcept {
    return std::span(parts_).first(size_);
  }

 private:
  std::optional<tick_range> leaves_;
  std::array<tick_range, 2> parts_{};
  std::size_t size_ = 0;
};

}  // namespace bloomtime::detail
