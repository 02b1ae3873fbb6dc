#pragma once

#include <cstdint>

// The binomial distribution, for the tolerances of tests and for averaging an error over the load
// of a line. The relative error is below 1e-10 for n up to 1e10 and tails down to 1e-18. Throws if
// p is outside [0, 1].
namespace bloomtime::math {

double log_binomial_pmf(std::uint64_t n, std::uint64_t k, double p);
double binomial_pmf(std::uint64_t n, std::uint64_t k, double p);

double binomial_upper_tail(std::uint64_t n, std::uint64_t k, double p);  // P(X >= k)
double binomial_lower_tail(std::uint64_t n, std::uint64_t k, double p);  // P(X <= k)

struct count_range {
  std::uint64_t low;
  std::uint64_t high;

  bool contains(std::uint64_t count) const noexcept { return low <= count && count <= high; }
};

// The narrowest low..high with P(X < low) <= tail and P(X > high) <= tail, for 0 < tail < 1/2.
count_range binomial_range(std::uint64_t n, double p, double tail);

}  // namespace bloomtime::math
