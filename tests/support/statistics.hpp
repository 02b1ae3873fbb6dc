#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

// Judging counts of random events. Seeds are fixed, so a test passes or fails for good; `tail` says
// how rare a count must be, on either side, to be taken for a fault and not for chance.
namespace bloomtime::support {

inline constexpr double tail = 1e-9;

// `hits` of n trials, each with chance p: inside all but the outermost `tail` on either side of the
// binomial distribution.
::testing::AssertionResult plausible(std::uint64_t hits, std::uint64_t n, double p,
                                     double outside = tail);

// Pearson's chi-square of counts against the chances of their cells (given up to a common factor).
// Its distribution is approximated by the continuous one, which holds in the tails used here as
// long as cells expect 100 or more; fewer fail at once.
::testing::AssertionResult plausible_chances(std::span<const std::uint64_t> counts,
                                             std::span<const double> chances);
::testing::AssertionResult plausible_uniform(std::span<const std::uint64_t> counts);

// Answers of one filter are not independent, so their spread is measured over filters.
struct spread {
  double mean;
  double error;  // of the mean
};

// Of value(seed), for as many seeds.
template <class Value>
spread over_seeds(int seeds, Value&& value) {
  double sum = 0;
  double squares = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const double x = value(static_cast<std::uint64_t>(seed));
    sum += x;
    squares += x * x;
  }
  const double mean = sum / seeds;
  return {mean, std::sqrt(std::max(0.0, squares / seeds - mean * mean) / (seeds - 1))};
}

// How many of the keys are equal to an earlier one.
std::uint64_t repeats(std::vector<std::uint64_t> keys);

// How many repeats random keys of this many bits would show: their number is nearly Poisson with
// mean n^2 / 2^(bits + 1) as long as that is small against n.
::testing::AssertionResult plausible_repeats(std::uint64_t found, std::uint64_t keys,
                                             unsigned bits);

}  // namespace bloomtime::support
