#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <bloomtime/detail/cpu.hpp>

namespace bloomtime {

// An item hashed once: 128 bits that depend on the item and a seed and on nothing else, on every
// machine. All filters take a digest; equal seeds are what makes filters mergeable. A seeded hash
// is not a cryptographic one: whoever learns the seed can make items collide.
struct digest {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;

  friend bool operator==(const digest&, const digest&) = default;
};

// Written into every file, so that a later hash can be told from this one.
enum class hash_id : std::uint8_t { xxh3_128 = 1 };

namespace detail {

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd

struct product {
  std::uint64_t low;
  std::uint64_t high;
};

constexpr product multiply(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide p = static_cast<wide>(a) * b;
  return {static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(p >> 64)};
}

// Both halves of a product, so that every bit of either factor reaches the top bits.
constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide p = static_cast<wide>(a) * b;  // not multiply(): g++ 12 would send it through memory
  return static_cast<std::uint64_t>(p ^ (p >> 64));
}

// A bijection of 64 bits in which every input bit flips every output bit with chance near 1/2, in
// two steps (constants: D. Stafford's Mix13).
constexpr std::uint64_t premix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return x ^ (x >> 27);
}
constexpr std::uint64_t postmix(std::uint64_t x) noexcept {
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
constexpr std::uint64_t mix(std::uint64_t x) noexcept { return postmix(premix(x)); }

// Another second step. Its factor is chosen with that of postmix: the points (postmix(x),
// other_postmix(x)) are a lattice whose shortest vector has 91 % of the longest possible length
// before the shifts, and the shifts differ so that the low bits do not follow each other either.
constexpr std::uint64_t other_postmix(std::uint64_t x) noexcept {
  x *= 0xe7037ed1a0b428db;
  return x ^ (x >> 32);
}

}  // namespace detail

// Bytes: XXH3, 128 bits. The empty item is an item like any other.
digest digest_of(std::span<const std::byte> item, std::uint64_t seed = 0) noexcept;

BLOOMTIME_INLINE digest digest_of(std::string_view item, std::uint64_t seed = 0) noexcept {
  return digest_of(std::as_bytes(std::span(item.data(), item.size())), seed);
}

template <class T>
concept integer_item = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

// Integers have a cheaper hash of their own: two bijections of the value, so that two integers
// never share a digest; side by side rather than one after the other, so that hi, which picks the
// line, is known early. Integers of different width or sign are the same item if they have the same
// value in 64-bit two's complement. An integer and the text of its digits are different items. The
// seed counts from 1 here, lest the integer 0 with seed 0, the commonest of all, have the one
// digest that hashes poorly: {0, 0}.
template <integer_item T>
BLOOMTIME_INLINE constexpr digest digest_of(T item, std::uint64_t seed = 0) noexcept {
  std::uint64_t value = 0;
  if constexpr (std::is_signed_v<T>) {
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(item));
  } else {
    value = item;
  }
  const std::uint64_t x = detail::premix(value + (seed + 1) * detail::golden);
  return {detail::postmix(x), detail::other_postmix(x)};
}

// The digest of the pair (item, n), for a bucket number, a tick or any other integer: the one way
// in which bloomtime combines the two. It treats them differently on purpose: with a symmetric
// mix such as h(x) ^ h(n), item 3 at tick 5 would collide with item 5 at tick 3. n is mixed before
// it meets the digest: the products of evenly spaced numbers are evenly spaced, and some items
// would fill some lines many times more than others.
BLOOMTIME_INLINE constexpr digest derive(digest d, std::uint64_t n) noexcept {
  const std::uint64_t mixed = detail::mix(n ^ 0xa0761d6478bd642f);
  return {detail::fold(d.lo + mixed, d.hi | 1), detail::fold(d.hi ^ mixed, d.lo | 1)};
}

}  // namespace bloomtime
