#include <gtest/gtest.h>

#include <bloomtime/detail/print_block.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/prints.hpp>

#include <cmath>
#include <cstdint>

#include "support/expect_error.hpp"

namespace bloomtime::math::prints_test {

constexpr print_widths widths{4, 5};

TEST(print_collision, is_the_probability_of_an_equal_print) {
  EXPECT_NEAR(print_collision(1, 8), 1. / 256, 1e-15);
  EXPECT_NEAR(print_collision(2, 8), 1 - std::pow(255. / 256, 2), 1e-15);
  EXPECT_NEAR(print_collision(30, 50), 30 * std::exp2(-50.), 1e-27);
  EXPECT_EQ(print_collision(0, 8), 0);
}

TEST(prints, are_long_enough_and_not_longer) {
  for (const double error : {0.01, 1e-3, 1e-6, 1e-9}) {
    for (const std::uint64_t items : {1000ULL, 100'000ULL, 10'000'000ULL}) {
      const auto n = static_cast<double>(items);
      const print_plan reserved = prints_reserved(items, error, widths);
      EXPECT_LE(print_error(reserved, widths, {}, n), error);
      EXPECT_GT(print_error(reserved, widths, {}, n), error / 2.5);
      const print_plan growing = prints_growing(items, error, widths, 64);
      EXPECT_EQ(growing.homes, 64U);
      EXPECT_LE(print_error(growing, widths, growth_for(growing, widths, n), n), error);
      EXPECT_GT(print_error(growing, widths, growth_for(growing, widths, n), n), error / 5);
    }
  }
}

// A hint of items is no limit, whatever the error: blocks split as long as prints have a bit more
// than their tag.
TEST(prints, are_long_enough_for_ten_times_the_items) {
  for (const print_widths& w : {print_widths{4, 5}, print_widths{11, 12}, print_widths{16, 11}}) {
    for (const double error : {0.9, 0.1, 0.03, 0.014, 0.01}) {
      for (std::uint64_t items = 1; items < 10'000'000; items = items * 3 / 2 + 1) {
        for (const print_plan& plan :
             {prints_reserved(items, error, w), prints_growing(items, error, w, 64)}) {
          const double most = std::ldexp(static_cast<double>(plan.homes),
                                         static_cast<int>(plan.print_bits) - detail::tag_bits);
          const unsigned slots = detail::print_form::of(0, w.payload_bits, w.mark_bits).slots;
          EXPECT_GE(grown_print_load * most * slots, 10 * static_cast<double>(items));
        }
      }
    }
  }
}

// Growth divides blocks and shortens prints: one undoes the other.
TEST(print_error, does_not_depend_on_growth) {
  const print_plan plan{64, 40};
  for (const double items : {1e3, 1e5, 1e7}) {
    const double here = print_error(plan, widths, growth_for(plan, widths, items), items);
    EXPECT_NEAR(here / print_share(plan, items), 1, 1e-3);
    EXPECT_NEAR(print_error(plan, widths, {20, 12'345}, items) / here, 1, 1e-3);
  }
}

TEST(print_share, counts_both_places_of_every_print) {
  EXPECT_DOUBLE_EQ(print_share({8, 8}, 100), 200. / 2048);
  EXPECT_EQ(print_share({8, 8}, 0), 0);
  EXPECT_EQ(print_share({1, 8}, 1000), 1);
}

TEST(growth_for, fills_a_table_as_it_would_fill) {
  const print_plan plan{64, 40};
  EXPECT_EQ(growth_for(plan, widths, 100).level, 0U);
  EXPECT_EQ(growth_for(plan, widths, 100).split, 0U);
  double before = 0;
  for (double items = 1000; items < 1e9; items *= 1.3) {
    const print_growth g = growth_for(plan, widths, items);
    const double blocks = std::ldexp(64., static_cast<int>(g.level)) + static_cast<double>(g.split);
    EXPECT_GE(blocks, before);
    EXPECT_LT(items / blocks, 30);
    EXPECT_GT(items / blocks, 8);
    before = blocks;
  }
}

TEST(prints, that_cannot_be_are_refused) {
  const auto refused = [](errc code, std::uint64_t items, double error) {
    support::expect_error(code, [&] { (void)prints_reserved(items, error, widths); });
    support::expect_error(code, [&] { (void)prints_growing(items, error, widths, 64); });
  };
  refused(errc::invalid_argument, 0, 0.1);
  refused(errc::invalid_argument, (1ULL << 40) + 1, 0.1);
  refused(errc::invalid_argument, 10, 0);
  refused(errc::invalid_argument, 10, 1);
  refused(errc::too_large, 10, 1e-30);
}

}  // namespace bloomtime::math::prints_test
