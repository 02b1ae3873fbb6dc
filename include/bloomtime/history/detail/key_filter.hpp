#pragma once

#include <cstdint>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/probes.hpp>

namespace bloomtime::detail {

// Whether an item may be in a structure, from one 64-bit word: a Bloom filter with three bits of
// one word for each key. It keeps most questions about absent items from reading the structure. It
// lies in memory only, because all of it follows from what is stored.
class key_filter {
 public:
  static constexpr std::uint64_t bits_per_key = 8;  // 3.7 % of absent keys pass

  key_filter() = default;
  // For so many different keys.
  explicit key_filter(std::uint64_t keys) : words_((keys * bits_per_key + 63) / 64 * word_bytes) {}

  // Whether a filter of the items of so many sightings takes at most half a bit for each of them.
  static constexpr bool is_worth_it(std::uint64_t items, std::uint64_t ticks) noexcept {
    return items > 0 && ticks / items >= 2 * bits_per_key;
  }

  bool empty() const noexcept { return words_.size() == 0; }
  std::uint64_t bytes() const noexcept { return words_.size(); }

  void add(std::uint64_t key) noexcept {
    std::byte* const word = words_.data() + place_of(key);
    store_le64(word, load_le64(word) | pattern_of(key));
  }

  // Never false for a key that was added; always true if the filter is empty.
  bool may_have(std::uint64_t key) const noexcept {
    if (empty()) return true;
    return (pattern_of(key) & ~load_le64(words_.data() + place_of(key))) == 0;
  }

 private:
  static constexpr std::uint64_t word_bytes = 8;

  // A key has 48 bits, and its first ones select the word.
  std::uint64_t place_of(std::uint64_t key) const noexcept {
    return reduce(key << 16, words_.size() / word_bytes) * word_bytes;
  }
  static std::uint64_t pattern_of(std::uint64_t key) noexcept {
    const std::uint64_t hash = key * golden;  // also if the last bits of all keys are the same
    return std::uint64_t{1} << (hash >> 58) | std::uint64_t{1} << (hash >> 52 & 63) |
           std::uint64_t{1} << (hash >> 46 & 63);
  }

  buffer words_;
};

}  // namespace bloomtime::detail
