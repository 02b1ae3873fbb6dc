#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/mix.hpp>

// The 128-bit hash of up to 64 bytes, inline (docs/decisions/0030-short-strings.md). The item is
// read as one, two or four pairs of 64-bit words. A key is added to each word, and the products of
// all pairs are summed modulo 2^128. Two more products make both halves of the digest from the sum.
namespace bloomtime::detail {

inline constexpr std::size_t short_bytes = 64;

// A key for each word of four pairs. Keys that were rotations of one another would not do: a key
// with r leading zeros is 2^-r of its rotation by r, and bits of one word could then replace bits
// of another with one seed in 2^r.
struct short_keys {
  std::array<std::uint64_t, 8> of_word;

  friend bool operator==(const short_keys&, const short_keys&) = default;
};

BLOOMTIME_INLINE constexpr short_keys keys_of(std::uint64_t seed) noexcept {
  short_keys keys{};
  std::uint64_t state = seed ^ 0x243f6a8885a308d3;
  for (std::uint64_t& key : keys.of_word) key = mix(state += golden);
  return keys;
}

__extension__ using product_sum = unsigned __int128;

// The product of the pair number `n` of an item.
template <std::size_t n>
BLOOMTIME_INLINE product_sum pair_product(std::uint64_t a, std::uint64_t b,
                                          const short_keys& keys) noexcept {
  return static_cast<product_sum>(a + keys.of_word[2 * n]) * (b + keys.of_word[2 * n + 1]);
}

BLOOMTIME_INLINE std::uint64_t word_at(const std::byte* p) noexcept {
  return load_le<std::uint64_t>(p);
}

// Up to 16 bytes are one pair. The words overlap if there are fewer than 16 bytes, or 8 if they
// have 4 bytes. The up to three bytes of shorter items are all in both words.
BLOOMTIME_INLINE product_sum up_to_16(const std::byte* p, std::size_t size,
                                      const short_keys& keys) noexcept {
  if (size >= 8) return pair_product<0>(word_at(p), word_at(p + size - 8), keys);
  if (size >= 4) {
    return pair_product<0>(load_le<std::uint32_t>(p), load_le<std::uint32_t>(p + size - 4), keys);
  }
  if (size == 0) return pair_product<0>(0, 0, keys);
  const auto bytes = std::to_integer<std::uint64_t>(p[0]) |
                     std::to_integer<std::uint64_t>(p[size / 2]) << 8 |
                     std::to_integer<std::uint64_t>(p[size - 1]) << 16;
  return pair_product<0>(bytes, bytes, keys);
}

// Pairs from both ends, which overlap in the middle.
BLOOMTIME_INLINE product_sum from_17_to_64(const std::byte* p, std::size_t size,
                                           const short_keys& keys) noexcept {
  const std::byte* const end = p + size;
  product_sum sum = pair_product<0>(word_at(p), word_at(p + 8), keys) +
                    pair_product<1>(word_at(end - 16), word_at(end - 8), keys);
  if (size > 32) {
    sum += pair_product<2>(word_at(p + 16), word_at(p + 24), keys) +
           pair_product<3>(word_at(end - 32), word_at(end - 24), keys);
  }
  return sum;
}

}  // namespace bloomtime::detail
