#pragma once

#include <cstdint>

namespace bloomtime {

// The count of one item, with bounds. Engines that are one-sided promise truth <= upper as long as
// only what was added is removed, and lower <= truth with at least the probability confidence().
struct counted {
  std::uint64_t value = 0;
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
  bool saturated = false;  // every counter of the item overflowed: `value` is their limit

  friend bool operator==(const counted&, const counted&) = default;
};

// The answer of a filter that was moved from.
inline constexpr counted nothing_known{0, 0, ~std::uint64_t{0}, true};

// Sums over all cells of a filter, which take time in proportion to their number.
struct tally_statistics {
  double distinct = 0;          // different items, from the cells that are not zero
  std::uint64_t total = 0;      // the sum of all counts
  std::uint64_t largest = 0;    // an upper bound of every count, unless cells are saturated
  std::uint64_t saturated = 0;  // cells that overflowed and no longer count
};

}  // namespace bloomtime
