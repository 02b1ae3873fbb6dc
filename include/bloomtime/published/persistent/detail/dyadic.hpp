#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/history/detail/tick_span.hpp>

namespace bloomtime::detail {

// The 2^height ticks from bucket * 2^height on. Height 0 is a single tick.
struct dyadic_node {
  unsigned height = 0;
  std::uint64_t bucket = 0;

  friend constexpr bool operator==(const dyadic_node&, const dyadic_node&) = default;
};

inline constexpr unsigned most_height = 62;

// Whether `ticks` ticks from `first` on are a node or begin at 0. Then every bucket counted from 0
// lies either inside or outside of them.
constexpr bool on_dyadic_grid(std::uint64_t first, std::uint64_t ticks) noexcept {
  return first == 0 || (std::has_single_bit(ticks) && first % ticks == 0 &&
                        first <= std::uint64_t{1} << most_height);
}

// Ticks first..last as the smallest set of disjoint nodes, at most two of each height and none
// above `top`. Needs first <= last < 2^top and top <= most_height. Finer nodes are first.
class dyadic_cover {
 public:
  constexpr dyadic_cover(std::uint64_t first, std::uint64_t last, unsigned top) noexcept {
    std::uint64_t low = first;
    std::uint64_t high = last + 1;
    for (unsigned height = 0; low < high; ++height) {
      if (height == top) {  // only if the query is about all ticks
        add(height, 0);
        return;
      }
      if (low & 1) add(height, low++);
      if (high & 1) add(height, --high);
      low >>= 1;
      high >>= 1;
    }
  }

  constexpr std::span<const dyadic_node> nodes() const noexcept {
    return std::span(nodes_).first(size_);
  }

 private:
  constexpr void add(unsigned height, std::uint64_t bucket) noexcept {
    nodes_[size_++] = {height, bucket};
  }

  std::array<dyadic_node, 2 * std::size_t{most_height}> nodes_{};
  std::size_t size_ = 0;
};

// Positions divided at the borders of leaves of 2^leaf_height ticks: whole leaves, and at either
// end the remaining ticks, which lie in one leaf each.
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
