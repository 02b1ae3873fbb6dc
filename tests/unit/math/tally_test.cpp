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
// most, the table has the cells of items that are as frequent.
tally_size sparse(std::uint64_t items, std::uint64_t total, unsigned bits) {
  return tally_size_for({.items = items, .total = total, .memory = items << 16}, bits);
}

TEST(math_tally, predicts_the_table_of_equal_and_of_random_counts) {
  for (const auto& [total, bits, share] : {std::tuple{11'000U, 4U, 0.4207},
                                           {12'000U, 4U, 1.},
                                           {11'900U, 4U, 0.9},
                                           {191'000U, 8U, 0.480},
                                           {192'000U, 8U, 1.},
                                           {9000U, 4U, 0.1970}}) {
    const tally_size s = sparse(1000, total, bits);
    EXPECT_NEAR(s.large, share * s.k * 1000, 0.01 * s.k * 1000) << total;
    EXPECT_GE(static_cast<double>(s.large_bytes), s.large * 16 * 4 / 3) << total;
    EXPECT_LE(s.large_bytes, s.most_large_bytes) << total;
  }
  // Crowded lines: every cell, however many items there are.
  for (const std::uint64_t items : {1000U, 100'000U, 1'000'000'000U}) {
    EXPECT_NEAR(tally_size_for({.items = items, .total = 20 * items, .memory = 64}, 4).large, 128,
                0.1);
  }
}

// Item r has one, and L / r more without the fraction: L / 11 items have 12, L / 191 have 192.
TEST(math_tally, predicts_the_table_of_skewed_counts) {
  for (const std::uint64_t items : {1U, 2U, 30U, 20'000U}) {
    for (const std::uint64_t scale : {2200U, 50'000U}) {
      std::uint64_t total = items;
      std::uint64_t twelve = 0;
      std::uint64_t hundreds = 0;
      for (std::uint64_t r = 1; r <= items; ++r) {
        total += scale / r;
        twelve += scale / r >= 11;
        hundreds += scale / r >= 191;
      }
      const tally_size narrow = sparse(items, total, 4);
      const tally_size wide = sparse(items, total, 8);
      EXPECT_GE(narrow.large, 0.99 * static_cast<double>(narrow.k * twelve)) << items << scale;
      EXPECT_GE(wide.large, 0.99 * static_cast<double>(wide.k * hundreds)) << items << scale;
      if (items < 20'000 || scale > 2200) continue;  // other laws need more
      EXPECT_LE(narrow.large, 1.01 * narrow.k * 200);
      EXPECT_LE(wide.large, 1.05 * wide.k * 11);
    }
  }
  EXPECT_EQ(sparse(1000, 1000, 4).large_bytes, 0U);  // one of each, so none is frequent
  // Nothing is known of the counts: ten of each.
  EXPECT_EQ(sparse(1000, 0, 4).large, sparse(1000, 10'000, 4).large);
  EXPECT_GT(sparse(1000, 0, 8).large, 0);
  EXPECT_EQ(tally_cell_bits({.items = 1000, .memory = 1 << 20}), 8U);
  EXPECT_EQ(tally_cell_bits({.total = 1000, .memory = 1 << 20}), 8U);
}

// Cells and table take the memory together. A line more would leave too little for the table that
// is expected, or there would be none.
TEST(math_tally, divides_memory_between_cells_and_table) {
  for (const std::uint64_t memory : {64U, 150U, 200U, 1000U, 4096U, 8256U, 50'000U, 1'000'000U}) {
    for (const std::uint64_t items : {1U, 100U, 3000U}) {
      for (const std::uint64_t mean : {1U, 3U, 20U, 150U, 1000U}) {
        for (const unsigned bits : {4U, 8U}) {
          SCOPED_TRACE(::testing::Message()
                       << memory << ' ' << items << ' ' << mean << ' ' << bits);
          const tally_load load{.items = items, .total = mean * items, .memory = memory};
          const tally_size s = tally_size_for(load, bits);
          EXPECT_LE(s.memory(), memory);
          EXPECT_LE(s.most_memory(), memory);
          EXPECT_LE(s.large_bytes, s.most_large_bytes);
          const line_size lines = tally_lines(load, bits);
          EXPECT_EQ(lines.lines, s.lines);
          EXPECT_EQ(lines.k, s.k);
          if (s.lines == 1) continue;
          // What is expected fits, unless not even one line has room for it.
          EXPECT_GE(static_cast<double>(s.large_bytes), std::floor(s.large) * 16 * 4 / 3);
        }
      }
    }
  }
  // A table of 128 bytes has room for six entries, and nothing smaller exists.
  EXPECT_EQ(tally_lines({.memory = 191}, 8).lines, 2U);
  EXPECT_EQ(tally_lines({.memory = 192}, 8).lines, 1U);
  EXPECT_EQ(tally_lines({.memory = 2047}, 8).lines, (2047U - 128) / 64);
  EXPECT_EQ(tally_lines({.memory = 2048}, 8).lines, (2048U - 256) / 64);
  EXPECT_EQ(tally_lines({.memory = 2048}, 8).k, 4U);
  EXPECT_EQ(tally_cells_in(2048, 0, 8).lines, 32U);
  // With 64 items of 1000 each all cells in use are in the table, and each entry takes 21 bytes.
  const tally_size crowded = tally_size_for({.items = 64, .total = 64'000, .memory = 8192}, 8);
  EXPECT_EQ(crowded.large_bytes, 4096U);
  EXPECT_NEAR(crowded.large, 135, 1);  // of 192 cells
}

TEST(math_tally, recommends_wide_cells_unless_narrow_ones_save_a_quarter) {
  const auto share = [](std::uint64_t mean) {  // of the memory of wide cells
    const tally_load load{.items = 100'000, .total = mean * 100'000, .error = 0.01};
    const double narrow = static_cast<double>(tally_size_for(load, 4).memory());
    const double saved = narrow / static_cast<double>(tally_size_for(load, 8).memory());
    EXPECT_EQ(tally_cell_bits(load), saved <= 0.75 ? 4U : 8U) << mean;
    return saved;
  };
  EXPECT_LT(share(1), 0.5);
  EXPECT_LT(share(2), 0.75);
  EXPECT_GT(share(3), 0.75);
  EXPECT_LT(share(3), 1);
  EXPECT_GT(share(6), 1);
  // Of equal memory. With two of each, wide cells need more than 4/3 of it for the same error.
  EXPECT_EQ(tally_cell_bits({.items = 100'000, .total = 200'000, .memory = 800'000}), 4U);
  EXPECT_EQ(tally_cell_bits({.items = 100'000, .total = 300'000, .memory = 400'000}), 8U);
  // A large part of the cells in use would be in the table.
  EXPECT_EQ(tally_cell_bits({.items = 100'000, .total = 780'000, .error = 1e-5}), 8U);
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
