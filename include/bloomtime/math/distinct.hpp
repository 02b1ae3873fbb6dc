#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bloomtime::math {

// D(j): how many different items are expected among j insertions
// (docs/math.md, Number of different items). Only the analytic likelihood needs it. Answers lie in
// [0, min(j, items)] and grow with j, which may be any real number.
class distinct_items {
 public:
  struct knot {
    double insertions;
    double distinct;
  };

  // All of `items` alike.
  static distinct_items uniform(std::uint64_t items);
  // Rank i of `items` has a share proportional to i^-z. The sum over all ranks, taken once at four
  // insertions per octave; the paper's formula for z = 1 is off by 20 % at j = 1, by 10 % at 4 *
  // items and negative beyond 18 * items.
  static distinct_items zipf(std::uint64_t items, double z = 1);
  // Measured. Knots must increase in insertions, from 1 on, and not decrease in distinct items, of
  // which there are 1 to as many as insertions. Powers in between, the last slope beyond. Four
  // knots per decade or more keep the error below 1 % for the usual streams.
  static distinct_items empirical(std::span<const knot> knots);

  double operator()(double insertions) const noexcept;

 private:
  distinct_items(std::vector<knot> knots, double items);

  std::vector<knot> knots_;  // their logarithms, the first of them (0, 0); none if uniform
  double items_;             // infinite if not known
};

// Between two knots, as a power of the insertions; both have at least one item.
double distinct_between(const distinct_items::knot& from, const distinct_items::knot& to,
                        double insertions) noexcept;

}  // namespace bloomtime::math
