#include <gtest/gtest.h>

#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>
#include <bloomtime/published/dynamic_count/sizes.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/soaking.hpp"

namespace bloomtime {
namespace dynamic_count_filter_test {

using namespace published;
using support::expect_error;

// A filter of eight cells, one per item, and for each of them an item.
struct eight_cells {
  explicit eight_cells(double lambda, shrinking how)
      : f({.items = 1,
           .error = 0.125,
           .k = 1,
           .base_bits = 4,
           .threshold = lambda,
           .shrinking = how}) {
    for (std::uint64_t x = 0, found = 0; found < 8; ++x) {
      std::uint64_t& item = items.at(f.position(digest_of(x), 0));
      if (item == none) {
        item = x;
        ++found;
      }
    }
  }
  void add(std::size_t cell, std::uint64_t amount) {
    ASSERT_EQ(f.add(items[cell], amount), outcome::added);
  }
  void remove(std::size_t cell, std::uint64_t amount) {
    ASSERT_EQ(f.remove(items[cell], amount), outcome::added);
  }

  static constexpr std::uint64_t none = ~std::uint64_t{0};
  dynamic_count_filter f;
  std::array<std::uint64_t, 8> items{none, none, none, none, none, none, none, none};
};

constexpr std::array<std::uint64_t, 8> figure_3{0, 2, 7, 31, 9, 28, 17, 60};

eight_cells as_in_figure_3(shrinking how) {
  eight_cells e(0.5, how);
  for (std::size_t i = 0; i < figure_3.size(); ++i) e.add(i, figure_3[i]);
  return e;
}

TEST(dynamic_count_filter, is_figure_3_of_the_paper) {
  const eight_cells e = as_in_figure_3(shrinking::published);
  ASSERT_EQ(e.f.cells(), 8U);
  for (std::size_t i = 0; i < figure_3.size(); ++i) EXPECT_EQ(e.f.cell(i), figure_3[i]);
  EXPECT_EQ(e.f.overflow_bits(), 2U);
  EXPECT_EQ(e.f.threshold(), 24U);
  EXPECT_EQ(e.f.above(), 3U);
  EXPECT_EQ(e.f.levels(), (std::vector<level_count>{{3, 1}, {1, 2}, {0, 1}}));
  EXPECT_EQ(dynamic_count_filter::load(e.f.serialize()).levels(), e.f.levels());
}

// With the level 0 that shrinking can use, 4 and 0 instead of 3 and 1.
TEST(dynamic_count_filter, splits_level_0_where_the_vector_may_vanish) {
  std::array<level_count, 3> levels;
  for (const std::uint64_t v : figure_3) {
    const unsigned l = published::overflow_level(v >> 4);
    ++(v < published::level_threshold(4, l, 0.5) ? levels.at(l).below : levels.at(l).above);
  }
  EXPECT_EQ(levels, (std::array<level_count, 3>{{{4, 0}, {1, 2}, {0, 1}}}));
}

TEST(dynamic_count_filter, shrinks_once_when_the_last_cell_falls_below_the_threshold) {
  for (const shrinking how : {shrinking::with_gap, shrinking::published}) {
    eight_cells e = as_in_figure_3(how);
    e.remove(7, 37);
    e.remove(3, 8);
    e.remove(5, 4);
    EXPECT_EQ(e.f.above(), 1U);
    EXPECT_EQ(e.f.shrinks(), 0U);  // 24 is not below 24
    e.remove(5, 1);
    EXPECT_EQ(e.f.shrinks(), 1U);
    EXPECT_EQ(e.f.overflow_bits(), 1U);
    EXPECT_EQ(e.f.threshold(), 12U);
    e.remove(7, 3);
    EXPECT_EQ(e.f.shrinks(), 1U);
    EXPECT_EQ(e.f.cell(7), 20U);
  }
}

// The printed threshold of level 0 would leave the vector at one bit for ever if lambda is 0.
TEST(dynamic_count_filter, loses_its_vector_whatever_the_threshold) {
  for (const double lambda : {0.0, 0.25, 1.0}) {
    for (const shrinking how : {shrinking::with_gap, shrinking::published}) {
      eight_cells e(lambda, how);
      const std::uint64_t empty = e.f.memory();
      e.add(0, 1000);
      EXPECT_EQ(e.f.overflow_bits(), 6U);
      EXPECT_EQ(e.f.growths(), 1U);
      e.remove(0, 993);
      EXPECT_EQ(e.f.overflow_bits(), 0U) << lambda;
      EXPECT_EQ(e.f.memory(), empty);
    }
  }
}

std::uint64_t rebuilds_of_toggling(double lambda, shrinking how, std::uint64_t boundary,
                                   int times) {
  eight_cells e(lambda, how);
  e.add(3, boundary - 1);
  const std::uint64_t before = e.f.growths() + e.f.shrinks();
  for (int i = 0; i < times; ++i) {
    if (e.f.add(e.items[3]) != outcome::added) return 0;
    if (e.f.remove(e.items[3]) != outcome::added) return 0;
  }
  return e.f.growths() + e.f.shrinks() - before;
}

TEST(dynamic_count_filter, does_not_go_back_and_forth) {
  const int times = support::soaking() ? 1'000'000 : 20'000;
  for (const double lambda : {0.0, 0.25, 0.5, 0.9, 1.0}) {
    for (const std::uint64_t boundary : {16U, 32U, 64U, 256U, 24U, 12U}) {
      EXPECT_LE(rebuilds_of_toggling(lambda, shrinking::with_gap, boundary, times / 10), 2U);
    }
    if (lambda > 0.5) continue;
    EXPECT_LE(rebuilds_of_toggling(lambda, shrinking::published, 16, times), 2U);
  }
}

// What the published rule does at its end: one rebuild per operation.
TEST(dynamic_count_filter, goes_back_and_forth_as_published) {
  EXPECT_EQ(rebuilds_of_toggling(1.0, shrinking::published, 16, 1000), 2000U);
  EXPECT_EQ(rebuilds_of_toggling(0.9, shrinking::published, 16, 1000), 2000U);
}

TEST(dynamic_count_filter, never_exceeds_its_memory) {
  for (const std::uint64_t memory : {100U, 1000U, 5000U}) {
    dynamic_count_filter f({.items = 300, .memory = memory, .k = 3, .base_bits = 3});
    EXPECT_LE(f.memory(), memory);
    support::allocations watch;
    bool saturated = false;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const outcome o = f.add(i % 300, i % 50);
      ASSERT_TRUE(o == outcome::added || o == outcome::saturated);
      saturated = saturated || o == outcome::saturated;
    }
    EXPECT_EQ(watch.asked(), 0U);
    EXPECT_EQ(saturated, f.saturating());
    for (std::uint64_t i = 0; i < 300; ++i) {
      const counted answer = f.count(i);
      std::uint64_t truth = 0;
      for (std::uint64_t j = i; j < 3000; j += 300) truth += j % 50;
      EXPECT_GE(answer.upper, truth);
    }
  }
}

TEST(dynamic_count_filter, saturates_when_memory_does_not_allow_to_grow) {
  // 8 cells of 4 bits, and 2 more for each.
  dynamic_count_filter f({.items = 1, .error = 0.125, .memory = 6, .k = 1, .base_bits = 4});
  ASSERT_EQ(f.cells(), 8U);
  EXPECT_EQ(f.memory(), 6U);
  EXPECT_EQ(f.add("x", 60), outcome::added);
  EXPECT_EQ(f.overflow_bits(), 2U);
  EXPECT_EQ(f.add("x", 3), outcome::added);
  EXPECT_FALSE(f.saturating());
  EXPECT_EQ(f.count("x").value, 63U);
  EXPECT_EQ(f.add("x"), outcome::saturated);
  EXPECT_TRUE(f.saturating());
  EXPECT_EQ(f.count("x"), (counted{63, 0, 64, true}));
  EXPECT_EQ(f.remove("x", 10), outcome::saturated);
  EXPECT_EQ(f.count("x"), (counted{63, 0, 63, true}));
  EXPECT_EQ(f.overflow_bits(), 2U);
  EXPECT_EQ(f.statistics().saturated, 1U);
  const dynamic_count_filter again = dynamic_count_filter::load(f.serialize());
  EXPECT_TRUE(again.serialize() == f.serialize());
  EXPECT_EQ(again.memory(), f.memory());
  dynamic_count_filter sum({.items = 1, .error = 0.125, .memory = 6, .k = 1, .base_bits = 4});
  ASSERT_EQ(sum.add("x", 2), outcome::added);
  sum.merge(f);
  EXPECT_TRUE(sum.count("x").saturated);
}

TEST(dynamic_count_filter, plans_its_cells_for_given_memory) {
  const dynamic_count_filter f({.items = 1000, .memory = 20'000, .k = 3, .total = 100'000});
  EXPECT_EQ(f.base_bits(), 6U);
  EXPECT_NEAR(static_cast<double>(f.cells()), 17'777, 3);  // of 9 bits
}

TEST(dynamic_count_filter, refuses_what_means_nothing) {
  for (const unsigned x : {0U, 58U}) {
    expect_error(
        errc::invalid_argument,
        [&] { dynamic_count_filter({.items = 9, .error = 0.1, .base_bits = x}); }, "1 to 57 bits");
  }
  for (const double lambda : {-0.01, 1.01}) {
    expect_error(
        errc::invalid_argument,
        [&] { dynamic_count_filter({.items = 9, .error = 0.1, .threshold = lambda}); },
        "from 0 to 1");
  }
  expect_error(
      errc::invalid_argument,
      [] { dynamic_count_filter({.items = 99, .error = 0.1, .memory = 9}); }, "needs at least");
  expect_error(
      errc::invalid_argument, [] { dynamic_count_filter({.items = 99}); }, "neither");
  expect_error(errc::too_large, [] { dynamic_count_filter({.memory = ~std::uint64_t{0}}); });
  dynamic_count_filter f({.items = 9, .error = 0.1, .base_bits = 5});
  for (const dynamic_count_config& c :
       {dynamic_count_config{.items = 9, .error = 0.1, .base_bits = 6},
        dynamic_count_config{.items = 9, .error = 0.1, .base_bits = 5, .threshold = 0.5},
        dynamic_count_config{
            .items = 9, .error = 0.1, .base_bits = 5, .shrinking = shrinking::published},
        dynamic_count_config{.items = 9, .error = 0.1, .memory = 1000, .base_bits = 5}}) {
    const dynamic_count_filter other(c);
    expect_error(errc::incompatible, [&] { f.merge(other); });
  }
}

}  // namespace dynamic_count_filter_test
}  // namespace bloomtime
