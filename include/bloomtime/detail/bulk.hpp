#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/digest.hpp>

namespace bloomtime {

// What a filter accepts as an item: bytes, an integer, or a digest.
template <class T>
concept item =
    std::same_as<T, digest> || integer_item<T> || std::convertible_to<const T&, std::string_view>;

namespace detail {

template <item T>
BLOOMTIME_INLINE constexpr digest as_digest(const T& x, hash_seed seed) noexcept {
  if constexpr (std::same_as<T, digest>) {
    return x;
  } else if constexpr (integer_item<T>) {
    return digest_of(x, seed);
  } else {
    return digest_of(std::string_view(x), seed);
  }
}

// Throws error(invalid_argument) unless a bulk call has as many `what` ("answers") as `items`.
void expect_as_many(std::size_t items, std::size_t given, std::string_view what = "answers");

// Bulk calls process one block of items while the cells of later blocks are prefetched.
inline constexpr std::size_t bulk_block = 16;

struct digest_block {
  std::array<std::uint64_t, bulk_block> lo;
  std::array<std::uint64_t, bulk_block> hi;
  std::size_t count = 0;

  digest operator[](std::size_t i) const noexcept { return {lo[i], hi[i]}; }
};

inline namespace BLOOMTIME_ISA {

template <item T>
void fill(digest_block& block, std::span<const T> items, hash_seed seed) noexcept {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const digest d = as_digest(items[i], seed);
    block.lo[i] = d.lo;
    block.hi[i] = d.hi;
  }
  block.count = items.size();
}

// Hashes all items, block by block, and calls step(now, next, first), which prefetches `next` and
// processes `now`. `now` was `next` `depth` steps before and begins with item number `first`. At
// the ends of the list one of them is empty. `depth` blocks should prefetch slightly more lines
// than one core keeps misses in flight; blocks are small so that prefetches are spread evenly.
template <std::size_t depth, item T, class Step>
void in_blocks(std::span<const T> items, hash_seed seed, Step&& step) {
  std::array<digest_block, depth + 1> ring;
  const digest_block none{};
  const std::size_t blocks = (items.size() + bulk_block - 1) / bulk_block;
  for (std::size_t i = 0, in = 0, out = 0; i < blocks + depth; ++i) {
    digest_block& next = ring[in];
    in = in == depth ? 0 : in + 1;
    const std::size_t first = std::min(i * bulk_block, items.size());
    fill(next, items.subspan(first, std::min(bulk_block, items.size() - first)), seed);
    if (i < depth) {
      step(none, next, std::size_t{0});
    } else {
      step(ring[out], next, (i - depth) * bulk_block);
      out = out == depth ? 0 : out + 1;
    }
  }
}

}  // namespace BLOOMTIME_ISA
}  // namespace detail
}  // namespace bloomtime
