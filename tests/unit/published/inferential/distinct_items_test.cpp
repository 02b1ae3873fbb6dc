#include <gtest/gtest.h>

#include <bloomtime/math/zipf.hpp>
#include <bloomtime/published/inferential/distinct_items.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime::published {
namespace distinct_items_test {

using support::expect_error;
using knot = distinct_items::knot;

// Over every rank, in long double.
double exact_distinct(std::uint64_t items, double z, double insertions) {
  const long double total = math::harmonic(items, z);
  long double sum = 0;
  for (std::uint64_t i = 1; i <= items; ++i) {
    const long double share = std::pow(static_cast<long double>(i), -z) / total;
    sum -= std::expm1(insertions * std::log1p(-std::min(share, 1 - 1e-18L)));
  }
  return static_cast<double>(sum);
}

TEST(distinct_items, uniform) {
  const auto d = distinct_items::uniform(1000);
  EXPECT_EQ(d(0), 0);
  EXPECT_EQ(d(1), 1);
  EXPECT_DOUBLE_EQ(d(2), 2 - 1e-3);
  EXPECT_DOUBLE_EQ(d(1000), 1000 * (1 - std::pow(0.999, 1000)));
  EXPECT_EQ(d(1e9), 1000);
  EXPECT_EQ(distinct_items::uniform(1)(5), 1);
}

// docs/math.md, Number of different items: with 2^16 items the published formula gives 1.197 for
// one insertion, is 9.8 % too low at 2^18 and negative at 2e6.
TEST(distinct_items, zipf_is_the_sum_over_all_ranks) {
  constexpr std::uint64_t items = 65536;
  const auto d = distinct_items::zipf(items, 1);
  EXPECT_EQ(d(1), 1);
  for (const double j : {2., 16., 1024., 65536., 262144., 2097152.}) {  // powers of two are knots
    EXPECT_NEAR(d(j) / exact_distinct(items, 1, j), 1, 1e-7) << j;
  }
  for (const double j : {10., 1000., 1e5, 1e6}) {
    EXPECT_NEAR(d(j) / exact_distinct(items, 1, j), 1, 2e-3) << j;
  }
  EXPECT_NEAR(d(1e12), items, 1e-3);
  EXPECT_EQ(d(1e300), items);
  EXPECT_EQ(d(support::infinite), items);
}

TEST(distinct_items, zipf_of_other_exponents) {
  for (const double z : {0., 0.5, 1.5, 3.}) {
    const auto d = distinct_items::zipf(5000, z);
    for (const double j : {8., 512., 8192.}) {
      EXPECT_NEAR(d(j) / exact_distinct(5000, z, j), 1, 1e-6) << z << ", " << j;
    }
  }
  const auto steep = distinct_items::zipf(1000, 64);
  EXPECT_NEAR(steep(1e9), 1, 1e-6);
  EXPECT_EQ(distinct_items::zipf(1, 1)(1e6), 1);
}

TEST(distinct_items, empirical_knots_are_joined_by_powers) {
  const std::vector<knot> knots{{10, 8}, {1000, 200}, {10000, 500}};
  const auto d = distinct_items::empirical(knots);
  EXPECT_EQ(d(0), 0);
  EXPECT_EQ(d(0.5), 0.5);
  EXPECT_DOUBLE_EQ(d(10), 8);
  EXPECT_DOUBLE_EQ(d(100), std::sqrt(8. * 200));
  EXPECT_DOUBLE_EQ(d(std::sqrt(10.)), std::sqrt(8.));  // from one insertion, one item
  EXPECT_DOUBLE_EQ(d(10000), 500);
  EXPECT_NEAR(d(100000), 500 * 2.5, 1e-9);  // the last slope
  EXPECT_EQ(distinct_items::empirical(std::vector<knot>{{1, 1}})(7), 7);
}

TEST(distinct_items, grow_and_stay_below_insertions_and_items) {
  const std::vector<knot> knots{{1, 1}, {50, 50}, {60, 50}, {61, 61}};
  for (const auto& d : {distinct_items::uniform(300), distinct_items::zipf(300, 1),
                        distinct_items::zipf(3000, 0.3), distinct_items::empirical(knots)}) {
    double before = 0;
    for (double j = 0; j < 1e7; j = j * 1.07 + 0.1) {
      EXPECT_GE(d(j), before * (1 - 1e-15)) << j;
      EXPECT_LE(d(j), j);
      before = d(j);
    }
  }
  EXPECT_LE(distinct_items::zipf(300, 1)(1e9), 300);
}

TEST(distinct_items, refuse_what_makes_no_sense) {
  const auto refused = [](std::vector<knot> knots) {
    expect_error(errc::invalid_argument, [&] { distinct_items::empirical(knots); });
  };
  refused({});
  refused({{0.5, 0.5}});
  refused({{10, 11}});
  refused({{10, 0.5}});
  refused({{10, 5}, {10, 6}});
  refused({{10, 5}, {9, 6}});
  refused({{10, 5}, {20, 4}});
  refused({{10, 5}, {support::nan, 6}});
  refused({{10, 5}, {support::infinite, 6}});
  refused({{10, support::nan}});
  expect_error(errc::invalid_argument, [] { distinct_items::uniform(0); });
  expect_error(errc::invalid_argument, [] { distinct_items::zipf(0, 1); });
  expect_error(errc::invalid_argument, [] { distinct_items::zipf(10, support::nan); });
  expect_error(errc::invalid_argument, [] { distinct_items::zipf(10, -1); });
}

}  // namespace distinct_items_test
}  // namespace bloomtime::published
