#pragma once

#include <array>
#include <cstdint>

namespace bloomtime::published {

// Sums over the ages 0 to n - 1 of an item with r cells, of which every insertion touches each
// with the same probability: for every l from 0 to r, the sum of q^age times the probability that
// l given cells are touched by that age and the other r - l are not. q is the probability that an
// insertion is of another item.
//
// The sums of n and of m ages give those of n + m ages in positive terms only, so that the sums of
// any n take about log2(n) steps and keep their relative precision, however small q^n or the
// touched share is. Number l is kept as a multiple of (1 - x^n)^l, where x^n is the probability
// that a cell is untouched by all n: nothing leaves the range of a long double.
class touch_sums {
 public:
  static constexpr unsigned most_cells = 128;

  // rate: -ln q. touch: -ln of the probability that an insertion leaves a given cell alone, above
  // 0. ages: 1 or more.
  touch_sums(unsigned cells, double rate, double touch, std::uint64_t ages) noexcept;

  // The same sums over the ages from `by` on: by, by + 1, ..., by + n - 1.
  touch_sums shifted(std::uint64_t by) const noexcept;

  // The logarithm of sum number l; -infinity if no age has l cells touched.
  double log_sum(unsigned l) const noexcept;
  // The mean age among the terms of sum number l, which must not be empty.
  double mean_age(unsigned l) const noexcept;

 private:
  using number = long double;
  using row = std::array<number, most_cells + 1>;

  number reach(std::uint64_t ages) const noexcept;  // 1 - x^ages
  row untouched(number ages) const noexcept;
  void add_one_age() noexcept;
  void add_ages_of(const touch_sums& later) noexcept;
  touch_sums moved(std::uint64_t by, number scale) const noexcept;
  void rescale(number scale) noexcept;

  unsigned cells_;
  number rate_;
  number touch_;
  std::uint64_t ages_ = 1;
  number scale_;  // 1 - x^n
  row sums_{1};   // of the probability
  row aged_{};    // of the probability times the age
};

}  // namespace bloomtime::published
