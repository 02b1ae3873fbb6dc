#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/random.hpp>

#include "support/statistics.hpp"

namespace bloomtime::math {
namespace random_test {

using support::tail;
constexpr std::uint64_t draws = 1'000'000;

TEST(random_source, every_value_below_n_is_equally_likely) {
  for (const std::uint64_t n : {2U, 3U, 7U, 100U}) {
    random_source random(n);
    std::vector<std::uint64_t> counts(n);
    for (std::uint64_t i = 0; i < draws; ++i) ++counts[random.below(n)];
    const count_range range = binomial_range(draws, 1 / static_cast<double>(n), tail);
    for (const std::uint64_t count : counts) EXPECT_TRUE(range.contains(count)) << count;
  }
}

// For n = 3/4 of 2^64 plain multiply-shift or modulo would make a third of the values twice as
// likely as the others.
TEST(random_source, has_no_bias_where_the_reduction_would_show_it) {
  random_source random(3);
  const std::uint64_t n = std::uint64_t{3} << 62;
  std::uint64_t by_third[3] = {};
  std::uint64_t by_residue[3] = {};
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t value = random.below(n);
    ++by_third[value >> 62];
    ++by_residue[value % 3];
  }
  const count_range range = binomial_range(draws, 1. / 3, tail);
  for (const std::uint64_t count : by_third) EXPECT_TRUE(range.contains(count)) << count;
  for (const std::uint64_t count : by_residue) EXPECT_TRUE(range.contains(count)) << count;
}

TEST(random_source, every_bit_is_fair_and_independent_of_its_neighbour) {
  random_source random(4);
  std::uint64_t ones[64] = {};
  std::uint64_t pairs[64] = {};
  std::uint64_t last = random();
  constexpr std::uint64_t words = 100'000;
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint64_t word = random();
    for (unsigned bit = 0; bit < 64; ++bit) {
      ones[bit] += (word >> bit) & 1;
      pairs[bit] += ((word & last) >> bit) & 1;
    }
    last = word;
  }
  const count_range half = binomial_range(words, 0.5, tail);
  for (const std::uint64_t count : ones) EXPECT_TRUE(half.contains(count)) << count;
  // Each word is in two pairs, which adds 1/8 to the variance 3/16 of one and makes the deviation
  // 1.29 times as large; allow 1.5 times.
  const count_range quarter = binomial_range(words, 0.25, tail);
  for (const std::uint64_t count : pairs) {
    EXPECT_GE(count, quarter.low - (words / 4 - quarter.low) / 2) << count;
    EXPECT_LE(count, quarter.high + (quarter.high - words / 4) / 2) << count;
  }
}

TEST(random_source, unit_is_uniform) {
  random_source random(5);
  std::uint64_t tenths[10] = {};
  for (std::uint64_t i = 0; i < draws; ++i) ++tenths[static_cast<int>(random.unit() * 10)];
  const count_range range = binomial_range(draws, 0.1, tail);
  for (const std::uint64_t count : tenths) EXPECT_TRUE(range.contains(count)) << count;
}

}  // namespace random_test
}  // namespace bloomtime::math
