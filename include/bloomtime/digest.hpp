#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/mix.hpp>
#include <bloomtime/detail/short_hash.hpp>

namespace bloomtime {

// The 128-bit hash of an item. It depends on the item and a hash_seed only and is the same on every
// machine. All filters accept a digest in place of an item. The hash is not cryptographic: anyone
// who knows the seed can make items collide.
struct digest {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;

  friend bool operator==(const digest&, const digest&) = default;
};

// The hash function of byte strings. Every file stores it; ids are added and never change their
// meaning. Integers have the same digest with each.
enum class hash_id : std::uint8_t {
  xxh3_128 = 1,   // XXH3 with 128 bits
  short_128 = 2,  // detail/short_hash.hpp up to 64 bytes, XXH3 with 128 bits above
};
inline constexpr hash_id newest_hash = hash_id::short_128;

// How a filter hashes its items: a function, and the seed of it. An integer converts to a seed of
// the newest function. A filter that was loaded keeps the function that its file names. Filters can
// be merged only if both are equal.
class hash_seed {
 public:
  BLOOMTIME_INLINE constexpr hash_seed(std::uint64_t value = 0, hash_id id = newest_hash) noexcept
      : value_(value),
        of_integers_((value + 1) * detail::golden),
        keys_(detail::keys_of(value)),
        id_(id) {}

  BLOOMTIME_INLINE constexpr std::uint64_t value() const noexcept { return value_; }
  BLOOMTIME_INLINE constexpr hash_id id() const noexcept { return id_; }
  // What is added to an integer before it is mixed. 1 is added to the seed, because the integer 0
  // with seed 0 would otherwise have the one digest that hashes poorly: {0, 0}.
  BLOOMTIME_INLINE constexpr std::uint64_t of_integers() const noexcept { return of_integers_; }
  BLOOMTIME_INLINE constexpr const detail::short_keys& keys() const noexcept { return keys_; }

  friend bool operator==(const hash_seed&, const hash_seed&) = default;

 private:
  std::uint64_t value_;
  // Both derived from the value, once.
  std::uint64_t of_integers_;
  detail::short_keys keys_;
  hash_id id_;
};

std::string to_string(const hash_seed& seed);  // "7, hash 2"

namespace detail {

// Up to 64 bytes. The size is added last, so that overlapping words of another size do not collide.
BLOOMTIME_INLINE digest short_hash(const std::byte* p, std::size_t size,
                                   const short_keys& keys) noexcept {
  const product_sum sum = size <= 16 ? up_to_16(p, size, keys) : from_17_to_64(p, size, keys);
  const auto low = static_cast<std::uint64_t>(sum);
  const std::uint64_t high = static_cast<std::uint64_t>(sum >> 64) ^ size;
  const std::uint64_t first = keys.of_word[0];
  const std::uint64_t second = keys.of_word[1];
  return {fold(low ^ first, high ^ second), fold(low + second, high + first)};
}

digest xxh3_128(std::span<const std::byte> item, std::uint64_t seed) noexcept;

}  // namespace detail

// Bytes. The empty string is a valid item.
BLOOMTIME_INLINE digest digest_of(std::span<const std::byte> item, hash_seed seed = {}) noexcept {
  if (item.size() <= detail::short_bytes && seed.id() == hash_id::short_128) {
    return detail::short_hash(item.data(), item.size(), seed.keys());
  }
  return detail::xxh3_128(item, seed.value());
}

BLOOMTIME_INLINE digest digest_of(std::string_view item, hash_seed seed = {}) noexcept {
  return digest_of(std::as_bytes(std::span(item.data(), item.size())), seed);
}

template <class T>
concept integer_item = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

// Integers have a cheaper hash: two bijections of the value, so two integers never share a digest.
// The two are computed in parallel, so that hi, which selects the line, is available early.
// Integers of different width or sign are the same item if they have the same value in 64-bit two's
// complement. An integer and the text of its digits are different items.
template <integer_item T>
BLOOMTIME_INLINE constexpr digest digest_of(T item, hash_seed seed = {}) noexcept {
  std::uint64_t value = 0;
  if constexpr (std::is_signed_v<T>) {
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(item));
  } else {
    value = item;
  }
  const std::uint64_t x = detail::premix(value + seed.of_integers());
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
