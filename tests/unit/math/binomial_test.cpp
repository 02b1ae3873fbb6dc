#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <bloomtime/error.hpp>
#include <bloomtime/math/binomial.hpp>

#include "support/numbers.hpp"

namespace bloomtime::math {
namespace math_binomial_test {

using boost::multiprecision::cpp_rational;
using support::nan;

double share_off(double got, double truth) { return std::abs(got - truth) / truth; }

cpp_rational exact_pmf(unsigned n, unsigned k, const cpp_rational& p) {
  cpp_rational result = 1;
  for (unsigned i = 0; i < k; ++i) result *= p * cpp_rational(n - i, i + 1);
  for (unsigned i = k; i < n; ++i) result *= 1 - p;
  return result;
}

struct setting {
  std::uint64_t n;
  double p;
};

const std::vector<setting> large = {
    {1'000, 1e-3},         {1'000, 0.7},          {100'000, 0.02},        {1'000'000, 1e-9},
    {1'000'000, 0.999},    {100'000'000, 1e-4},   {10'000'000'000, 1e-8}, {10'000'000'000, 0.01},
    {10'000'000'000, 0.5}, {10'000'000'000, 0.97}};

// Counts from nine standard deviations below the mean to nine above.
std::vector<std::uint64_t> interesting(const setting& s) {
  const double mean = static_cast<double>(s.n) * s.p;
  const double deviation = std::sqrt(mean * (1 - s.p));
  std::vector<std::uint64_t> counts;
  for (double z = -9; z <= 9; z += 1.5) {
    const double k = std::floor(mean + z * deviation);
    if (k >= 0 && k <= static_cast<double>(s.n)) counts.push_back(static_cast<std::uint64_t>(k));
  }
  return counts;
}

TEST(binomial, equals_exact_rationals_for_small_n) {
  for (const unsigned n : {1U, 2U, 5U, 17U, 40U}) {
    for (const double p : {1. / 1024, 0.25, 0.5, 0.8125}) {
      cpp_rational upper = 1;
      cpp_rational lower = 0;
      for (unsigned k = 0; k <= n; ++k) {
        const cpp_rational pmf = exact_pmf(n, k, cpp_rational(p));
        lower += pmf;
        // Eight logarithms and an exponential of at most ln(1024^40) = 277: 277 half ulps.
        EXPECT_LT(share_off(binomial_pmf(n, k, p), double(pmf)), 5e-14);
        EXPECT_LT(share_off(binomial_upper_tail(n, k, p), double(upper)), 5e-14);
        EXPECT_LT(share_off(binomial_lower_tail(n, k, p), double(lower)), 5e-14);
        upper -= pmf;
      }
    }
  }
}

// What the header promises up to n = 1e10.
TEST(binomial, agrees_with_boost_for_large_n) {
  for (const setting& s : large) {
    const boost::math::binomial oracle(static_cast<double>(s.n), s.p);
    for (const std::uint64_t k : interesting(s)) {
      const auto x = static_cast<double>(k);
      EXPECT_LT(share_off(binomial_pmf(s.n, k, s.p), pdf(oracle, x)), 1e-10)
          << s.n << " " << s.p << " " << k;
      EXPECT_LT(share_off(binomial_lower_tail(s.n, k, s.p), cdf(oracle, x)), 1e-10)
          << s.n << " " << s.p << " " << k;
      if (k == 0) continue;
      const double upper = cdf(complement(oracle, x - 1));
      EXPECT_LT(share_off(binomial_upper_tail(s.n, k, s.p), upper), 1e-10)
          << s.n << " " << s.p << " " << k;
    }
  }
}

TEST(binomial, knows_the_ends) {
  EXPECT_EQ(binomial_pmf(0, 0, 0.3), 1);
  EXPECT_EQ(binomial_pmf(5, 6, 0.3), 0);
  EXPECT_EQ(binomial_pmf(5, 0, 0), 1);
  EXPECT_EQ(binomial_pmf(5, 1, 0), 0);
  EXPECT_EQ(binomial_pmf(5, 5, 1), 1);
  EXPECT_EQ(binomial_pmf(5, 4, 1), 0);
  EXPECT_EQ(binomial_upper_tail(5, 0, 0), 1);
  EXPECT_EQ(binomial_upper_tail(5, 1, 0), 0);
  EXPECT_EQ(binomial_upper_tail(5, 5, 1), 1);
  EXPECT_EQ(binomial_upper_tail(5, 6, 1), 0);
  EXPECT_EQ(binomial_lower_tail(5, 4, 1), 0);
  EXPECT_EQ(binomial_lower_tail(5, 4, 0), 1);
  EXPECT_EQ(binomial_lower_tail(5, 9, 0.5), 1);
  // A p that 1 - (1 - p) would lose.
  EXPECT_NEAR(binomial_upper_tail(1'000, 1, 1e-30), 1e-27, 1e-41);
  EXPECT_NEAR(log_binomial_pmf(1'000, 1'000, 1e-3), 1'000 * std::log(1e-3), 1e-11);
}

TEST(binomial, range_is_the_narrowest_that_keeps_both_tails) {
  for (const setting& s : large) {
    for (const double tail : {0.4, 0.05, 1e-3, 1e-9, 1e-15}) {
      const auto [low, high] = binomial_range(s.n, s.p, tail);
      ASSERT_LE(low, high);
      if (low > 0) {
        EXPECT_LE(binomial_lower_tail(s.n, low - 1, s.p), tail);
      }
      EXPECT_GT(binomial_lower_tail(s.n, low, s.p), tail);
      EXPECT_LE(binomial_upper_tail(s.n, high + 1, s.p), tail);
      if (high > 0) {
        EXPECT_GT(binomial_upper_tail(s.n, high, s.p), tail);
      }
    }
  }
}

TEST(binomial, range_of_a_certain_count_is_that_count) {
  for (const std::uint64_t n : {0U, 1U, 1'000U}) {
    EXPECT_EQ(binomial_range(n, 0, 1e-9).low, 0U);
    EXPECT_EQ(binomial_range(n, 0, 1e-9).high, 0U);
    EXPECT_EQ(binomial_range(n, 1, 1e-9).low, n);
    EXPECT_EQ(binomial_range(n, 1, 1e-9).high, n);
  }
  EXPECT_TRUE(binomial_range(10, 0.5, 0.01).contains(5));
  EXPECT_FALSE(binomial_range(10, 0.5, 0.01).contains(0));
}

TEST(binomial, refuses_what_is_no_probability) {
  for (const double p : {-1e-9, 1.5, nan}) {
    EXPECT_THROW(binomial_pmf(10, 2, p), error);
    EXPECT_THROW(binomial_upper_tail(10, 2, p), error);
    EXPECT_THROW(binomial_lower_tail(10, 2, p), error);
    EXPECT_THROW(binomial_range(10, p, 1e-3), error);
  }
  for (const double tail : {0., 0.5, -1., nan}) EXPECT_THROW(binomial_range(10, 0.1, tail), error);
}

}  // namespace math_binomial_test
}  // namespace bloomtime::math
