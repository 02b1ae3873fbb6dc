#include <gtest/gtest.h>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/tally.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <tuple>

#include "support/expect_error.hpp"

namespace bloomtime::math {
namespace math_tally_test {

using support::expect_error;

constexpr std::uint64_t most_count = std::numeric_limits<std::uint64_t>::max();

TEST(math_tally, refuses_sizes_that_mean_nothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double error : {0.0, 1.0, -1.0, 2.0, nan}) {
    expect_error(
        errc::invalid_argument, [&] { lines_for_error(1, error, 64, 8); }, "error");
  }
  expect_error(errc::too_large, [] { lines_for_error(most_count, 0.01, 64, 8); });
}

// The common formula of docs/math.md, Error of a line, is a little too low: 6.50 and 6.77 cells per
// item for 5 % in lines of 128 and 64 cells.
TEST(math_tally, sizes_lines) {
  for (const auto& [cells, per_item] : {std::pair{128U, 6.5}, {64U, 6.77}}) {
    const line_size size = lines_for_error(100'000, 0.05, cells, 8);
    EXPECT_EQ(size.k, 4U);
    EXPECT_NEAR(static_cast<double>(size.lines) * cells / 1e5, per_item, 0.25);
    EXPECT_LE(line_cells_error(100'000, size.lines, cells, size.k), 0.05);
    for (unsigned k = 1; k <= 8; ++k) {
      EXPECT_GT(line_cells_error(100'000, size.lines - 1, cells, k), 0.05);
    }
    EXPECT_EQ(k_for_lines(100'000, size.lines, cells, 8), size.k);
  }
  EXPECT_EQ(lines_for_error(1, 0.5, 64, 8).lines, 1U);
}

TEST(math_tally, bounds_counts_from_below) {
  EXPECT_EQ(count_at_least(0, 100, 10), 0U);
  EXPECT_EQ(count_at_least(7, 7, 10), 7U);  // nobody else is there
  EXPECT_EQ(count_at_least(7, 5, 10), 7U);
  EXPECT_EQ(count_at_least(1000, 2000, 2), 0U);  // rows too short to say anything
  EXPECT_EQ(count_at_least(7, 7, 2), 0U);
  EXPECT_EQ(count_at_least(7, 7, 1), 0U);
  const std::uint64_t lower = count_at_least(1000, 101'000, 1000);
  EXPECT_EQ(lower, 1000U - 273U);  // 100 000 e / (1000 - e), rounded up
  // It solves value = f + e (mass - f) / row.
  const auto f = static_cast<double>(lower);
  EXPECT_NEAR(f + std::numbers::e * (101'000 - f) / 1000, 1000, 1);
  EXPECT_EQ(count_at_least(most_count - 1, most_count, 1 << 20), most_count - 2);
  EXPECT_EQ(count_at_least(1, most_count, 1000), 0U);
}

// A cell of 4 bits moves into the table at 12, one of 8 bits at 192. With one item per cell at
// most, the table has the cells of items that are as frequent: of Poisson(6) 2.0 % are.
TEST(math_tally, predicts_the_table_of_large_counts) {
  const auto size = [](std::uint64_t items, std::uint64_t total, unsigned bits) {
    return tally_size_for({.items = items, .total = total, .memory = items << 16}, bits);
  };
  for (const auto& [total, bits, share] : {std::tuple{11'000U, 4U, 0.4207},
                                           {12'000U, 4U, 1.},
                                           {11'900U, 4U, 0.9},
                                           {191'000U, 8U, 0.480},
                                           {192'000U, 8U, 1.},
                                           {6000U, 4U, 0.0201}}) {
    const tally_size s = size(1000, total, bits);
    EXPECT_NEAR(s.large, share * s.k * 1000, 0.01 * s.k * 1000) << total;
    EXPECT_GE(static_cast<double>(s.large_bytes), s.large * 16 * 4 / 3) << total;
    EXPECT_LE(s.large_bytes, s.most_large_bytes) << total;
  }
  // Crowded lines: every cell, however many items there are.
  for (const std::uint64_t items : {1000U, 100'000U, 1'000'000'000U}) {
    EXPECT_NEAR(tally_size_for({.items = items, .total = 20 * items, .memory = 64}, 4).large, 128,
                0.1);
  }
  // Nothing is known of the counts: ten of each.
  EXPECT_EQ(size(1000, 0, 4).large, size(1000, 10'000, 4).large);
  EXPECT_EQ(size(1000, 0, 8).large_bytes, 0U);
  EXPECT_EQ(tally_cell_bits({.items = 1000, .memory = 1 << 20}), 8U);
  EXPECT_EQ(tally_cell_bits({.total = 1000, .memory = 1 << 20}), 8U);
}

TEST(math_tally, sizes_a_tally_in_time_for_any_load) {
  const std::uint64_t huge = ~std::uint64_t{0};
  for (const std::uint64_t items : {std::uint64_t{1}, std::uint64_t{1} << 40, huge}) {
    for (const std::uint64_t total : {std::uint64_t{1}, items, huge}) {
      for (const std::uint64_t memory :
           {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{1} << 40}) {
        const tally_load load{.items = items, .total = total, .memory = memory};
        for (const unsigned bits : {4U, 8U}) {
          const tally_size s = tally_size_for(load, bits);
          EXPECT_GE(s.large, 0);
          EXPECT_LE(s.large, static_cast<double>(s.cell_bytes) * 8 / bits * (1 + 1e-12));
          EXPECT_GE(s.most_large_bytes, s.large_bytes);
        }
        const unsigned chosen = tally_cell_bits(load);
        EXPECT_TRUE(chosen == 4 || chosen == 8);
      }
    }
  }
}

}  // namespace math_tally_test
}  // namespace bloomtime::math
