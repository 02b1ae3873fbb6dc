#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include <bloomtime/error.hpp>
#include <bloomtime/math/zipf.hpp>

#include "support/numbers.hpp"

namespace bloomtime::math {
namespace math_zipf_test {

using support::infinite;
using support::nan;

TEST(harmonic, equals_the_sum) {
  for (const double z : {0., 0.3, 0.8, 1., 1.0000001, 1.5, 3., 20., 300.}) {
    long double sum = 0;
    for (std::uint64_t n = 1; n <= 20'000; ++n) {
      sum += std::pow(static_cast<long double>(n), -static_cast<long double>(z));
      // Around the 100 terms that are added one by one, and here and there beyond.
      if (n < 110 || n % 1'999 == 0) {
        EXPECT_NEAR(harmonic(n, z) / static_cast<double>(sum), 1, 2e-15) << n << " " << z;
      }
    }
  }
}

TEST(harmonic, has_its_known_values) {
  EXPECT_EQ(harmonic(0, 1), 0);
  EXPECT_DOUBLE_EQ(harmonic(12'345, 0), 12'345);
  EXPECT_NEAR(harmonic(1 << 16, 1), 11.6676, 5e-5);
  constexpr double n = 1e15;
  EXPECT_NEAR(harmonic(1'000'000'000'000'000, 1), std::log(n) + std::numbers::egamma, 1e-13);
  EXPECT_NEAR(harmonic(1'000'000'000'000'000, 2), std::numbers::pi * std::numbers::pi / 6, 1e-14);
  EXPECT_NEAR(harmonic(1'000'000'000'000, 0.5) / 2e6, 1 - 0.7301770e-6, 1e-12);  // + zeta(1/2)/2e6
}

TEST(zipf, probabilities_are_in_proportion_and_sum_to_one) {
  for (const double z : {0., 0.7, 1., 2.5}) {
    const zipf law(1'000, z);
    double sum = 0;
    for (std::uint64_t rank = 1; rank <= 1'000; ++rank) {
      sum += law.probability(rank);
      EXPECT_NEAR(law.cumulative(rank), sum, 1e-13);
      EXPECT_NEAR(law.probability(rank) / law.probability(1),
                  std::pow(static_cast<double>(rank), -z), 1e-15);
    }
    EXPECT_NEAR(sum, 1, 1e-13);
    EXPECT_EQ(law.probability(0), 0);
    EXPECT_EQ(law.probability(1'001), 0);
    EXPECT_EQ(law.cumulative(5'000), 1);
  }
}

TEST(zipf, samples_stay_in_range_for_any_law) {
  random_source random(1);
  for (const double z : {0., 1e-9, 0.5, 1., 1 + 1e-12, 2., 30., 1e6}) {
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 53}) {
      const zipf law(n, z);
      for (int i = 0; i < 2'000; ++i) {
        const std::uint64_t rank = law(random);
        EXPECT_GE(rank, 1U);
        EXPECT_LE(rank, n);
      }
    }
  }
}

TEST(zipf, repeats_with_the_seed) {
  random_source one(3);
  random_source same(3);
  const zipf law(1'000'000, 0.9);
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(law(one), law(same));
}

TEST(zipf, refuses_what_is_no_law) {
  EXPECT_THROW(zipf(0, 1), error);
  EXPECT_THROW(zipf((std::uint64_t{1} << 53) + 1, 1), error);
  for (const double z : {-0.1, nan, infinite}) {
    EXPECT_THROW(zipf(10, z), error);
    EXPECT_THROW(harmonic(10, z), error);
  }
}

}  // namespace math_zipf_test
}  // namespace bloomtime::math
