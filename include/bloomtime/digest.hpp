#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <bloomtime/detail/cpu.hpp>

namespace bloomtime {

// The 128-bit hash of an item. It depends on the item and a seed only and is the same on every
// machine. All filters accept a digest in place of an item. Filters can be merged only if their
// seeds are equal. The hash is not cryptographic: anyone who knows the seed can make items collide.
struct digest {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;

  friend bool operator==(const digest&, const digest&) = default;
};

// Stored in every file, so that a later hash function can be distinguished.
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

// The xor of both halves of a product: every bit of either factor affects the top bits.
constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide p = static_cast<wide>(a) * b;  // not multiply(): g++ 12 would send it through memory
  return static_cast<std::uint64_t>(p ^ (p >> 64));
}

// A bijection of 64 bits in two steps. Every input bit flips every output bit with probability near
// 1/2 (constants: D. Stafford's Mix13).
constexpr std::uint64_t premix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return x ^ (x >> 27);
}
constexpr std::uint64_t postmix(std::uint64_t x) noexcept {
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
constexpr std::uint64_t mix(std::uint64_t x) noexcept { return postmix(premix(x)); }

// An alternative second step. Its factor is chosen together with that of postmix: before the shifts
// the points (postmix(x), other_postmix(x)) are a lattice whose shortest vector has 91 % of the
// longest possible length. The shifts differ, so that the low bits are not correlated either.
constexpr std::uint64_t other_postmix(std::uint64_t x) noexcept {
  x *= 0xe7037ed1a0b428db;
  return x ^ (x >> 32);
}

}  // namespace detail

// Bytes: XXH3, 128 bits. The empty string is a valid item.
digest digest_of(std::span<const std::byte> item, std::uint64_t seed = 0) noexcept;

BLOOMTIME_INLINE digest digest_of(std::string_view item, std::uint64_t seed = 0) noexcept {
  return digest_of(std::as_bytes(std::span(item.data(), item.size())), seed);
}

template <class T>
concept integer_item = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

// Integers have a cheaper hash: two bijections of the value, so two integers never share a digest.
// The two are computed in parallel, so that hi, which selects the line, is available early.
// Integers of different width or sign are the same item if they have the same value in 64-bit two's
// complement. An integer and the text of its digits are different items. 1 is added to the seed,
// because the integer 0 with seed 0 would otherwise have the one digest that hashes poorly: {0, 0}.
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

// The digest of the pair (item, n), where n is a bucket number, a tick or any other integer. The
// combination is asymmetric: with h(x) ^ h(n), item 3 at tick 5 would collide with item 5 at tick
// 3. n is mixed before it is combined with the digest, because products of evenly spaced numbers
// are evenly spaced, and some items would fill some lines many times more than others.
BLOOMTIME_INLINE constexpr digest derive(digest d, std::uint64_t n) noexcept {
  const std::uint64_t mixed = detail::mix(n ^ 0xa0761d6478bd642f);
  return {detail::fold(d.lo + mixed, d.hi | 1), detail::fold(d.hi ^ mixed, d.lo | 1)};
}

}  // namespace bloomtime
