#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <bloomtime/detail/probes.hpp>

// Keys are made from numbers by bijections, so different numbers are different keys. Inserted keys
// have numbers from 0; absent ones have numbers from 2^63.
namespace bench {

using short_key = std::uint64_t;

template <std::size_t bytes>
struct text_key {
  std::array<char, bytes> text;

  operator std::string_view() const noexcept { return {text.data(), text.size()}; }
};
using long_key = text_key<40>;

inline constexpr std::uint64_t first_absent = std::uint64_t{1} << 63;

// Consecutive keys would favour a hash table, because they would visit its buckets in order.
template <class Key>
Key key_of(std::uint64_t number) noexcept {
  const std::uint64_t word = number * bloomtime::detail::golden;
  if constexpr (std::same_as<Key, short_key>) {
    return word;
  } else {
    Key key;
    for (std::size_t i = 0; i < key.text.size() / sizeof word; ++i) {
      const std::uint64_t part = word ^ (i * 0x0101010101010101);
      std::memcpy(key.text.data() + i * sizeof part, &part, sizeof part);
    }
    return key;
  }
}

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) noexcept : state_(bloomtime::detail::mix(seed)) {}

  std::uint64_t next() noexcept {
    state_ += bloomtime::detail::golden;
    return bloomtime::detail::mix(state_);
  }
  std::uint64_t below(std::uint64_t end) noexcept { return bloomtime::detail::reduce(next(), end); }

 private:
  std::uint64_t state_;
};

// Present and absent keys in random order. Absent ones never repeat within a query set.
class query_set {
 public:
  query_set(std::uint64_t present, unsigned percent_present, std::uint64_t seed) noexcept
      : present_(present), percent_(percent_present), random_(seed) {}

  template <class Key>
  void fill(std::span<Key> keys) noexcept {
    for (Key& key : keys) {
      const bool hit = random_.below(100) < percent_;
      key = key_of<Key>(hit ? random_.below(present_) : first_absent + absent_++);
    }
  }

 private:
  std::uint64_t present_;
  std::uint64_t percent_;
  std::uint64_t absent_ = 0;
  random_numbers random_;
};

}  // namespace bench
