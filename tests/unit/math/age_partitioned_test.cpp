#include <gtest/gtest.h>

#include <bloomtime/math/age_partitioned.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime::math {
namespace math_age_partitioned_test {

constexpr double half_full = std::numbers::ln2;

// F(i, a) of docs/math.md, Error of an age-partitioned filter, for independent slices.
double recursion(const std::vector<double>& fills, unsigned k, std::size_t i = 0, unsigned a = 0) {
  if (a == k) return 1;
  if (i == fills.size()) return 0;
  return fills[i] * recursion(fills, k, i + 1, a + 1) + (1 - fills[i]) * recursion(fills, k, i + 1);
}

std::vector<double> young_fills(unsigned k, unsigned l) {
  std::vector<double> fills;
  for (unsigned i = 0; i < k + l; ++i)
    fills.push_back(-std::expm1(-half_full * std::min(i + 1, k) / k));
  return fills;
}

TEST(math_age_partitioned, bands_err_a_little_more_than_independent_slices) {
  // docs/math.md, Error of an age-partitioned filter.
  EXPECT_NEAR(recursion(young_fills(4, 8), 4), .2566, 2e-4);
  EXPECT_NEAR(recursion(young_fills(6, 13), 6), .0935, 2e-4);
  for (const auto& [k, l] : {std::pair{1U, 1U}, {2U, 5U}, {4U, 8U}, {6U, 13U}, {7U, 14U}}) {
    const double independent = recursion(young_fills(k, l), k);
    const double banded = shared_bits_error(k, l, half_full);
    // Fewer than 8 % for words of 44 items on average, whose fill has a standard deviation of a
    // tenth: E f^k = f^k (1 + k (k - 1) / 2 * 0.0108), and a little less for words that fill up.
    EXPECT_GT(banded, 0.98 * independent) << k;
    EXPECT_LT(banded, independent * (1 + k * (k - 1) / 2 * 0.0115 + 0.01)) << k;
  }
}

// One line has all items: nothing is spread, and every generation is found independently.
TEST(math_age_partitioned, generations_with_own_bits_err_independently) {
  for (const auto& [k, l] : {std::pair{1U, 1U}, {4U, 8U}, {7U, 14U}, {20U, 100U}}) {
    std::vector<double> fills;
    for (unsigned i = 0; i < k + l; ++i) {
      const double items = slice_word_bits * half_full * std::min(i + 1, k) / k;
      fills.push_back(1 - std::pow(1 - 1. / slice_word_bits, items));
    }
    double none = 1;
    for (unsigned back = 0; back <= l; ++back) {
      double all = 1;
      for (unsigned i = back; i < back + k; ++i) all *= fills[i];
      none *= 1 - all;
    }
    EXPECT_NEAR(age_partitioned_error(k, l, half_full, 1) / (1 - none), 1, 1e-6) << k;
    const double spread = age_partitioned_error(k, l, half_full, 1'000'000);
    EXPECT_GT(spread, 0.98 * (1 - none)) << k;
    EXPECT_LT(spread, (1 - none) * (1 + k * 7. / 2 * 0.0115 + 0.05)) << k;
  }
}

TEST(math_age_partitioned, the_load_of_words_is_told_by_their_bits) {
  for (const std::uint64_t lines : {1U, 10U, 1000U}) {
    const double bits = 64. * static_cast<double>(lines);
    for (const double load : {0.5, 20., 44., 100.}) {
      const double set = bits * (1 - std::pow(1 - 1 / bits, load * static_cast<double>(lines)));
      const auto ones = static_cast<std::uint64_t>(std::llround(set));
      // Half a bit more or less.
      EXPECT_NEAR(word_load(ones, lines), load, 0.6 * 64 / (bits - set) + 0.01) << lines;
    }
    EXPECT_EQ(word_load(0, lines), 0);
    EXPECT_EQ(word_load(64 * lines, lines), word_load(64 * lines - 1, lines));
  }
}

TEST(math_age_partitioned, settled_bands_are_extrapolated) {
  for (const unsigned k : {5U, 12U, 20U}) {
    const unsigned l = 400;
    std::vector<double> loads;
    for (unsigned i = 0; i < k + l; ++i) loads.push_back(64 * half_full * std::min(i + 1, k) / k);
    const double whole = run_error(loads, 0, k);
    EXPECT_NEAR(shared_bits_error(k, l, half_full) / whole, 1, 1e-3) << k;
    const std::vector<double> ascending(loads.rbegin(), loads.rend());
    const double any = any_generation_error(ascending, 0, k, 1000);
    EXPECT_NEAR(age_partitioned_error(k, l, half_full, 1000) / any, 1, 2e-3) << k;
  }
  EXPECT_EQ(shared_bits_error(20, 100, 0), 0);
  EXPECT_NEAR(shared_bits_error(20, 100, 100), 1, 1e-9);
  EXPECT_EQ(age_partitioned_error(20, 100, 0, 10), 0);
  EXPECT_NEAR(age_partitioned_error(20, 100, 100, 10), 1, 1e-9);
}

TEST(math_age_partitioned, half_full_slices_take_what_the_formula_says) {
  for (const double error : {1e-2, 1e-4, 1e-6}) {
    const age_partitioned_size s = age_partitioned_for_error({.items = 10'000'000}, error);
    const double l = static_cast<double>(s.generations);
    const double each = static_cast<double>(s.bits()) / 1e7;
    // k (k + l) / (l ln 2), and the slices that whole bands have beyond k + l.
    EXPECT_NEAR(each, s.k * 8. * static_cast<double>(s.bands) / (l * half_full), 0.01 * each);
    EXPECT_LE(s.error, error);
    EXPECT_GT(s.error, error / 4);
    EXPECT_GE(s.quota * s.generations, 10'000'000U);
  }
}

TEST(math_age_partitioned, sizes_by_error_and_by_memory_are_inverse) {
  for (const std::uint64_t ticks : {0U, 50U}) {
    for (const double error : {0.1, 1e-3, 1e-6}) {
      const auto planned = age_partitioned_for_error({.items = 100'000, .ticks = ticks}, error);
      const auto again =
          age_partitioned_for_memory({.items = 100'000, .ticks = ticks}, planned.bits() / 8);
      EXPECT_LE(again.bits(), planned.bits());
      EXPECT_LE(again.error, planned.error * (1 + 1e-9));
    }
  }
  const auto smallest = age_partitioned_for_memory({.items = 1}, 640);
  EXPECT_EQ(smallest.quota, 1U);
  support::expect_error(errc::invalid_argument, [] { (void)age_partitioned_error(0, 1, 1, 1); });
  support::expect_error(errc::invalid_argument, [] { (void)age_partitioned_error(65, 1, 1, 1); });
}

TEST(math_age_partitioned, enough_bands_for_every_alignment) {
  for (unsigned k = 1; k <= 64; ++k) {
    for (std::uint64_t l = 1; l < 40; ++l) {
      for (std::uint64_t first = 0; first < 8; ++first) {
        const std::uint64_t last = first + k + l - 1;
        ASSERT_GE(bands_for(k, l), last / 8 - first / 8 + 1);
      }
    }
  }
}

}  // namespace math_age_partitioned_test
}  // namespace bloomtime::math
