#pragma once

#include <cstdint>

#include <bloomtime/math/posterior.hpp>

namespace bloomtime {

// What is known about an item before the filter is queried. A filter combines it with its cells
// into the probability that the item was inserted (Theorem 1 of Dautrich & Ravishankar 2019). Both
// factories throw unless the number lies in [0, 1].
class prior {
 public:
  // The probability that the item was inserted at all.
  static prior membership(double probability);

  // The probability that any one insertion is this item; after n insertions it was inserted with
  // probability 1 - (1 - p)^n. n counts insertions, repeated ones included.
  static prior share(double p);

  // g: the probability that the filter answers "yes" for an item that was not inserted.
  math::masses of(std::uint64_t insertions, double g) const noexcept;

 private:
  prior(bool per_insertion, double p) noexcept : per_insertion_(per_insertion), p_(p) {}

  bool per_insertion_;
  double p_;
};

}  // namespace bloomtime
