#include <gtest/gtest.h>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/heat.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime::math {
namespace math_heat_test {

using support::expect_error;
using support::nan;

// All placements of two other items into two rows of two cells, by hand: a row is shared by none
// with 1/4, by one with 1/2, by two with 1/4; the mean of the smaller of two rows is
// P(>= 1)^2 + P(>= 2)^2 = (3/4)^2 + (1/4)^2.
TEST(heat_excess, of_three_items_is_counted_by_hand) {
  EXPECT_NEAR(heat_excess(3, 1, {2, 2}), 10.0 / 16, 1e-15);
  EXPECT_NEAR(heat_excess(3, 7, {2, 2}), 70.0 / 16, 1e-14);
  EXPECT_NEAR(heat_excess(3, 1, {1, 2}), 1, 1e-15);
}

TEST(heat_excess, of_one_row_is_the_mean_load) {
  for (const std::uint64_t row : {1, 10, 999}) {
    EXPECT_NEAR(heat_excess(500, 2, {1, row}), 2 * 499.0 / static_cast<double>(row), 1e-9);
  }
}

// An answer is above the truth if all k cells are shared, and by at least one item's heat then.
TEST(heat_excess, is_at_least_the_chance_that_all_cells_are_shared) {
  for (const unsigned k : {1u, 2u, 3u, 4u}) {
    for (const std::uint64_t row : {100, 1000, 100'000}) {
      const double shared = rows_error(999, k * row, k);
      EXPECT_GE(heat_excess(1000, 1, {k, row}), shared * (1 - 1e-9));
      if (row == 100'000) {
        EXPECT_LE(heat_excess(1000, 1, {k, row}), 1.1 * shared);
      }
    }
  }
}

TEST(heat_excess, of_nobody_else_is_nothing) {
  EXPECT_EQ(heat_excess(0, 5, {3, 10}), 0);
  EXPECT_EQ(heat_excess(1, 5, {3, 10}), 0);
  EXPECT_EQ(heat_excess(1'000'000, 0, {3, 10}), 0);
}

TEST(heat_excess, of_a_crowd_ends) {
  EXPECT_NEAR(heat_excess(1'000'000'000'000, 1, {4, 1}), 1e12, 1);
  EXPECT_LE(heat_excess(999'000, 1, {4, 1000}), 999);
  EXPECT_GE(heat_excess(999'000, 1, {4, 1000}), 950);
}

TEST(heat_share, is_e_over_the_row_at_e_to_the_minus_k) {
  for (const unsigned k : {1u, 2u, 4u}) {
    EXPECT_NEAR(heat_share({k, 1000}, std::exp(-static_cast<double>(k))), std::exp(1) / 1000,
                1e-12);
  }
}

TEST(heat_size_for_share, keeps_its_word_with_the_fewest_cells) {
  for (const double epsilon : {0.1, 1e-3, 1e-6}) {
    for (const double delta : {0.5, 0.1, 0.02, 1e-6}) {
      const heat_size size = heat_size_for_share(epsilon, delta, 4);
      EXPECT_LE(heat_share(size, delta), epsilon);
      EXPECT_GT(heat_share({size.k, size.row - 1}, delta), epsilon * (1 - 1e-9));
      for (unsigned k = 1; k <= 4; ++k) {
        const auto row = static_cast<std::uint64_t>(std::pow(delta, -1.0 / k) / epsilon);
        EXPECT_LE(size.k * (size.row - 1), k * (row + 1)) << k;
      }
    }
  }
}

TEST(heat_size_for_share, refuses_what_makes_no_filter) {
  for (const double bad : {0.0, 1.0, -1.0, nan}) {
    expect_error(
        errc::invalid_argument, [&] { (void)heat_size_for_share(bad, 0.1, 4); }, "epsilon");
    expect_error(
        errc::invalid_argument, [&] { (void)heat_size_for_share(0.1, bad, 4); }, "delta");
  }
  expect_error(
      errc::invalid_argument, [&] { (void)heat_size_for_share(1e-300, 0.1, 4); }, "2^43");
  expect_error(
      errc::invalid_argument,
      [] {
        (void)heat_excess(2, nan, {1, 1});
      },
      "heat");
  expect_error(
      errc::invalid_argument,
      [] {
        (void)heat_excess(2, 1, {0, 1});
      },
      "row");
}

}  // namespace math_heat_test
}  // namespace bloomtime::math
