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

// docs/math.md, Space of a digit pool: m = 120 000, links of 17 bits.
TEST(math_heat, counts_a_pool_in_four_ways) {
  const auto bits = math::pool_bits_per_cell(120'000, 15'600);  // 0.13 nodes per cell
  EXPECT_NEAR(bits.used, 5.52, 1e-9);
  EXPECT_EQ(bits.reserved, 7);
  EXPECT_NEAR(bits.used_linked, 9.94, 1e-9);
  EXPECT_EQ(bits.reserved_linked, 24);
  EXPECT_EQ(math::pool_bits_per_cell(1 << 17, 0).reserved_linked, 24);
  EXPECT_EQ(math::pool_bits_per_cell((1 << 17) + 1, 0).reserved_linked, 25);
  support::expect_error(errc::invalid_argument, [] { (void)math::pool_bits_per_cell(0, 0); });
}

// Section 4.3 of Cheng et al. 2005, rank by rank.
double counted_pool_nodes(const zipf_load& load, heat_size size) {
  std::vector<double> ranks(20);  // by digits: how many ranks have so many beyond the first
  for (std::uint64_t i = 1; i <= load.items; ++i) {
    double count = largest_count(load) * std::pow(static_cast<double>(i), -load.z);
    for (std::size_t digits = 1; count >= 16; ++digits, count /= 16) ++ranks[digits];
  }
  double nodes = 0;
  const auto row = static_cast<double>(size.row);
  for (const double n : ranks) nodes += size.k * row * (1 - std::pow(1 - 1 / row, n));
  return nodes;
}

TEST(math_heat, predicts_the_pool_of_a_zipf_stream) {
  for (const double z : {0.0, 0.6, 1.0, 1.5}) {
    for (const double lambda : {0.0, 0.5, 0.97}) {
      const zipf_load load{.items = 3000, .z = z, .hits = 50'000, .lambda = lambda};
      for (const heat_size size : {heat_size{4, 1}, heat_size{4, 4500}, heat_size{3, 1 << 20}}) {
        const double expected = counted_pool_nodes(load, size);
        EXPECT_NEAR(zipf_pool_nodes(load, size), expected, 1e-6 * (1 + expected))
            << "z " << z << ", lambda " << lambda << ", row " << size.row;
      }
    }
  }
}

TEST(math_heat, pool_of_a_zipf_stream_in_closed_form) {
  // 10 + 5 + 2.5 and so on.
  EXPECT_DOUBLE_EQ(largest_count({.items = 1, .z = 1, .hits = 10, .lambda = 0.5}), 20);
  // z = 1 and long rows: k A / 15, less what rounding ranks down takes, at most one for each digit.
  const zipf_load harmonic_load{.items = 1 << 20, .z = 1, .hits = 1e6, .lambda = 0.9};
  const double largest = largest_count(harmonic_load);
  const double all = zipf_pool_nodes(harmonic_load, {4, std::uint64_t{1} << 40});
  EXPECT_LE(all, 4 * largest / 15);
  EXPECT_GE(all, 4 * (largest / 15 - std::log(largest) / std::log(16) - 1));
  // Flat: all items or none. With 16 hits of each there is one node in every cell that is in use.
  const heat_size size{4, 30'000};
  EXPECT_EQ(zipf_pool_nodes({.items = 20'000, .z = 0, .hits = 300'000, .lambda = 0}, size), 0);
  EXPECT_NEAR(zipf_pool_nodes({.items = 20'000, .z = 0, .hits = 340'000, .lambda = 0}, size),
              120'000 * (1 - std::exp(-2.0 / 3)), 1);
}

TEST(math_heat, refuses_streams_without_a_steady_state) {
  const zipf_load good{.items = 10, .z = 1, .hits = 1, .lambda = 0.5};
  const auto refused = [](zipf_load load, const char* word) {
    expect_error(
        errc::invalid_argument,
        [&] {
          (void)zipf_pool_nodes(load, {4, 10});
        },
        word);
  };
  zipf_load bad = good;
  bad.items = 0;
  refused(bad, "item");
  bad = good;
  bad.lambda = 1;
  refused(bad, "lambda");
  bad = good;
  bad.hits = -1;
  refused(bad, "hits");
  bad = good;
  bad.z = -1;
  refused(bad, "Zipf");
  expect_error(
      errc::invalid_argument,
      [&] {
        (void)zipf_pool_nodes(good, {4, 0});
      },
      "row");
}

}  // namespace math_heat_test
}  // namespace bloomtime::math
