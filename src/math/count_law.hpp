#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace bloomtime::math {

// How the counts of items are distributed, as far as it matters which of them, and which sums of
// them, reach a limit (docs/math.md, Table of large counts).
class count_law {
 public:
  // at_least(v): the probability that an item has at least v, for v = 1 to `limit`.
  count_law(unsigned limit, const std::function<double(unsigned)>& at_least);

  // The probability that an item has at least `limit`.
  double one_reaches() const noexcept { return at_least_.back(); }
  // The probability that a cell with Poisson(load) items has at least `limit`.
  double sum_reaches(double load) const;

 private:
  std::vector<double> at_least_;  // [v]
};

// Laws with the same mean count: equal counts (or one more), arrivals drawn at random, and one of
// each item with the rest by Zipf's law.
std::array<count_law, 3> count_laws(std::uint64_t items, double mean, unsigned limit);

}  // namespace bloomtime::math
