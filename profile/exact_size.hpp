#pragma once

#include <cstdint>

namespace bloomtime::profile {

// What exact counting would take, for comparison: a std::unordered_map from the item to its decayed
// count and the time of that. Per item a node of 64 bytes (link, hash, a 32-byte string, count,
// time), 16 for its allocation, 1.5 bucket pointers on average between two growths, and the text
// with its allocation where it does not fit into the string itself.
constexpr std::uint64_t exact_bytes_per_item(std::uint64_t length) {
  constexpr std::uint64_t node = 64 + 16 + 12;
  constexpr std::uint64_t fits_inside = 15;
  return length <= fits_inside ? node : node + (length + 1 + 8 + 15) / 16 * 16;
}

// Of short items.
constexpr std::uint64_t exact_map_bytes(std::uint64_t items) {
  const std::uint64_t each = exact_bytes_per_item(0);
  return items > (std::uint64_t{1} << 63) / each ? std::uint64_t{1} << 63 : items * each;
}

}  // namespace bloomtime::profile
