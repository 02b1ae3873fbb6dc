#pragma once

#include <bit>
#include <cstdint>

namespace bloomtime {

// One of `count` parts that the items of a filter are divided into: shard `number`, from 0 on. The
// number of an item is some bits of its digest, those that the engine keeps and does not use as an
// address: so a filter can be divided without its items, and its shards fill evenly.
struct shard {
  static constexpr std::uint32_t most = 64;

  std::uint32_t number = 0;
  std::uint32_t count = 1;  // a power of two, at most `most`

  constexpr unsigned bits() const noexcept {
    return static_cast<unsigned>(std::bit_width(count)) - 1;
  }
  constexpr bool has(std::uint32_t shard_of_item) const noexcept { return shard_of_item == number; }

  friend bool operator==(const shard&, const shard&) = default;
};

// Throws error(invalid_argument) unless there can be such a shard.
void check(const shard& s);

}  // namespace bloomtime
