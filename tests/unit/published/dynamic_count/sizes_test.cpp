#include <gtest/gtest.h>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/published/dynamic_count/sizes.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <tuple>

#include "support/expect_error.hpp"

namespace bloomtime::published {
namespace dynamic_count_sizes_test {

using namespace math;
using support::expect_error;

constexpr std::uint64_t most_count = std::numeric_limits<std::uint64_t>::max();

// The setup of the paper: 6.529 cells per item, in three rows of whole cells.
TEST(math_tally, sizes_rows_as_published) {
  EXPECT_EQ(3 * row_for_error(1000, 0.05, 3), 6531U);
  EXPECT_NEAR(3e-6 * static_cast<double>(row_for_error(1'000'000, 0.05, 3)), 6.529, 0.001);
  for (const double error : {0.5, 0.05, 1e-3, 1e-9}) {
    for (const unsigned k : {1U, 3U, 8U, 32U}) {
      const std::uint64_t row = row_for_error(777, error, k);
      EXPECT_LE(rows_error(777, k * row, k), error);
      EXPECT_TRUE(row == 1 || rows_error(777, k * (row - 1), k) > error);
    }
  }
}

TEST(math_tally, predicts_how_many_counts_are_exact) {
  EXPECT_NEAR(exact_share(1000, 6531, 3), 0.95, 0.0005);
  EXPECT_NEAR(exact_share(1000, 7000, 3), 0.958, 0.0005);
  EXPECT_EQ(exact_share(1, 3, 3), 1);
  EXPECT_EQ(exact_share(0, 3, 3), 1);
}

TEST(math_dynamic_count, starts_as_wide_as_the_mean_count) {
  EXPECT_EQ(base_bits_for(100'000, 1000), 6U);
  EXPECT_EQ(base_bits_for(64'000, 1000), 6U);
  EXPECT_EQ(base_bits_for(63'999, 1000), 5U);
  EXPECT_EQ(base_bits_for(1000, 1000), 1U);
  EXPECT_EQ(base_bits_for(1, 1000), 1U);  // fewer than one of each
  EXPECT_EQ(base_bits_for(0, 1000), 4U);
  EXPECT_EQ(base_bits_for(1000, 0), 4U);
  EXPECT_EQ(base_bits_for(most_count, 1), 63U);
}

// Figure 3: x = 4, y = 2, lambda = 1/2.
TEST(math_dynamic_count, has_the_thresholds_of_the_worked_example) {
  EXPECT_EQ(shrink_threshold(4, 2, 0.5), 24U);
  EXPECT_EQ(shrink_threshold(4, 1, 0.5), 12U);
  EXPECT_EQ(level_threshold(4, 0, 0.5), 12U);
  EXPECT_EQ(level_threshold(4, 1, 0.5), 24U);
  EXPECT_EQ(level_threshold(4, 2, 0.5), 48U);
  EXPECT_EQ(published_level_threshold(4, 0, 0.5), 8U);  // 7.5
  EXPECT_EQ(published_level_threshold(4, 1, 0.5), 24U);
}

TEST(math_dynamic_count, leaves_a_gap_below_what_a_narrower_vector_holds) {
  EXPECT_EQ(shrink_threshold(4, 1, 0.9), 16U);  // 15.2: no gap at all
  EXPECT_EQ(shrink_threshold_with_gap(4, 1, 0.9), 12U);
  EXPECT_EQ(shrink_threshold_with_gap(4, 2, 0.5), 24U);
  EXPECT_EQ(shrink_threshold_with_gap(1, 1, 1), 1U);
  for (unsigned x = 1; x <= 57; ++x) {
    for (unsigned y = 1; y <= 64 - x; ++y) {
      const std::uint64_t narrower = std::uint64_t{1} << (x + y - 1);
      for (const double lambda : {0.0, 0.25, 0.9, 1.0}) {
        EXPECT_LE(shrink_threshold(x, y, lambda), narrower);
        EXPECT_LT(shrink_threshold_with_gap(x, y, lambda), narrower);
        EXPECT_GE(shrink_threshold_with_gap(x, y, lambda), 1U);
      }
    }
  }
}

TEST(math_dynamic_count, levels_are_widths) {
  const std::array<std::uint64_t, 8> overflow{0, 0, 0, 1, 0, 1, 1, 3};
  const std::array<unsigned, 8> level{0, 0, 0, 1, 0, 1, 1, 2};
  for (std::size_t i = 0; i < overflow.size(); ++i)
    EXPECT_EQ(overflow_level(overflow[i]), level[i]);
  for (unsigned bit = 0; bit < 64; ++bit)
    EXPECT_EQ(overflow_level(std::uint64_t{1} << bit), bit + 1);
}

TEST(math_dynamic_count, refuses_thresholds_out_of_range) {
  for (const double lambda : {-0.1, 1.1, std::nan("")}) {
    expect_error(
        errc::invalid_argument, [&] { shrink_threshold(4, 1, lambda); }, "threshold");
    expect_error(
        errc::invalid_argument, [&] { level_threshold(4, 1, lambda); }, "threshold");
    expect_error(errc::invalid_argument, [&] { published_level_threshold(4, 0, lambda); });
  }
  expect_error(errc::invalid_argument, [] { shrink_threshold(4, 0, 0.5); });
  expect_error(errc::invalid_argument, [] { shrink_threshold(0, 4, 0.5); });
  expect_error(errc::invalid_argument, [] { shrink_threshold(60, 5, 0.5); });
}

// docs/math.md, Largest cell: mostly 8 rebuilds, that is 4 bits more than x = 6; with a thousand
// items, for one seed in four. A million of each need 23 bits with a probability of 0.445, that of
// a cell with five items in it.
TEST(math_dynamic_count, predicts_the_largest_cell) {
  for (const std::uint64_t n : {10'000U, 100'000U, 1'000'000U}) {
    const std::uint64_t largest = largest_cell(n, 100 * n, 3 * row_for_error(n, 0.05, 3), 3);
    EXPECT_EQ(overflow_level(largest >> 6), 4U) << n << ' ' << largest;
  }
  EXPECT_EQ(overflow_level(largest_cell(1000, 100'000, 6531, 3) >> 6), 3U);
  EXPECT_EQ(overflow_level(largest_cell(1000, 1'000'000'000, 7000, 3)), 22U);
  EXPECT_EQ(largest_cell(5, 0, 10, 2), 0U);
  // Where a cell has very many items it is the normal law: mean 4e9 and a spread of 9e4.
  const std::uint64_t crowded = largest_cell(1'000'000'000, 1'000'000'000, 1, 4);
  EXPECT_GE(crowded, 999'999'999U);
  EXPECT_LE(crowded, 1'000'000'000U);
}

// docs/math.md, Index of a spectral filter: 13 bits per counter in an array of 54 kbit.
TEST(math_spectral, has_the_index_of_the_paper) {
  const string_groups g = string_groups_for(54'000);
  EXPECT_EQ(g.group, 15U);
  EXPECT_EQ(g.chunk, 3U);
  EXPECT_EQ(g.offset_bits, 9U);
  EXPECT_NEAR(static_cast<double>(published_index_bits(7000, 54'000)) / 7000, 13, 0.01);
  EXPECT_EQ(compact_index_bits(128), 6U * 128 + 2 * 64);
  EXPECT_EQ(string_groups_for(0).group, 4U);
}

TEST(math_tally, refuses_rows_that_mean_nothing) {
  for (const double error : {0.0, 1.0, -1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    expect_error(
        errc::invalid_argument, [&] { row_for_error(1, error, 3); }, "error");
  }
  expect_error(
      errc::invalid_argument, [] { row_for_error(0, 0.1, 3); }, "item");
  for (const unsigned k : {0U, 33U}) {
    expect_error(
        errc::invalid_argument, [&] { row_for_error(1, 0.1, k); }, "k must be");
  }
  expect_error(errc::too_large, [] { row_for_error(most_count, 0.01, 3); });
}

}  // namespace dynamic_count_sizes_test
}  // namespace bloomtime::published
