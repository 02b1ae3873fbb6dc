#pragma once

#include <cstdint>

namespace bloomtime {

// An answer about the count of one item, in whole numbers. Engines that are one-sided promise
// truth <= upper as long as only what was added is removed, and lower <= truth with at least the
// chance confidence().
struct counted {
  std::uint64_t value = 0;
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
  bool saturated = false;  // every counter of the item was too small: value is only what they hold

  friend bool operator==(const counted&, const counted&) = default;
};

// What a filter that was moved from answers.
inline constexpr counted nothing_known{0, 0, ~std::uint64_t{0}, true};

// About all items of a filter. Takes time in proportion to its cells.
struct tally_statistics {
  double distinct = 0;          // different items, from the cells that are not zero
  std::uint64_t total = 0;      // all items with their counts
  std::uint64_t largest = 0;    // no item has more, unless cells are saturated
  std::uint64_t saturated = 0;  // cells that were too small and count no more
};

}  // namespace bloomtime
