#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <bloomtime/digest.hpp>

namespace bloomtime {

// Whatever a filter can be asked about: bytes, integers, or a digest made before.
template <class T>
concept item = std::same_as<T, digest> || integer_item<T> ||
               std::convertible_to<const T&, std::string_view>;

namespace detail {

template <item T>
constexpr digest as_digest(const T& x, std::uint64_t seed) noexcept {
  if constexpr (std::same_as<T, digest>) {
    return x;
  } else if constexpr (integer_item<T>) {
    return digest_of(x, seed);
  } else {
    return digest_of(std::string_view(x), seed);
  }
}

// As many items as one core keeps cache misses in flight: while one block is worked on, the
// memory of the next is on its way.
inline constexpr std::size_t bulk_block = 16;

// Hashes all items block by block; prefetch(digest) is called for a block before
// use(digests, count, first) for the block before it.
template <item T, class Prefetch, class Use>
void in_blocks(std::span<const T> items, std::uint64_t seed, Prefetch&& prefetch, Use&& use) {
  std::array<std::array<digest, bulk_block>, 2> blocks;
  const auto load = [&](std::size_t first, std::array<digest, bulk_block>& block) {
    const std::size_t count = std::min(bulk_block, items.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      block[i] = as_digest(items[first + i], seed);
      prefetch(block[i]);
    }
  };
  if (!items.empty()) load(0, blocks[0]);
  for (std::size_t first = 0, turn = 0; first < items.size(); first += bulk_block, turn ^= 1) {
    const std::size_t next = first + bulk_block;
    if (next < items.size()) load(next, blocks[turn ^ 1]);
    use(blocks[turn].data(), std::min(bulk_block, items.size() - first), first);
  }
}

}  // namespace detail
}  // namespace bloomtime
