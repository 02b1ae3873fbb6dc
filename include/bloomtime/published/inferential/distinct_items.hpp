#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/math/timing.hpp>

namespace bloomtime::published {

// D(j): how many different items are expected among j insertions
// (docs/math.md, Number of different items). Only the analytic likelihood needs it. Answers lie in
// [0, min(j, items)] and grow with j, which may be any real number.
class distinct_items {
 public:
  using knot = math::distinct_knot;

  // All `items` have the same share.
  static distinct_items uniform(std::uint64_t items);
  // Rank i of `items` has a share proportional to i^-z. The sum over all ranks is computed once at
  // four points per octave. The paper's formula for z = 1 is off by 20 % at j = 1, by 10 % at
  // 4 * items, and negative beyond 18 * items.
  static distinct_items zipf(std::uint64_t items, double z = 1);
  // From measured knots, which must increase in insertions, from 1 on, and not decrease in distinct
  // items (1 to the number of insertions). Interpolates by powers and extrapolates with the last
  // slope. Four knots per decade or more keep the error below 1 % for the usual streams.
  static distinct_items empirical(std::span<const knot> knots);

  double operator()(double insertions) const noexcept;

 private:
  distinct_items(std::vector<knot> knots, double items);

  std::vector<knot> knots_;  // starting with (1, 1); empty if uniform
  double items_;             // infinite if unknown
};

}  // namespace bloomtime::published
