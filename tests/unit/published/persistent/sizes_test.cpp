#include <gtest/gtest.h>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/published/persistent/levels.hpp>
#include <bloomtime/published/persistent/sizes.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime::published {
namespace sizes_test {

using math::bound_bits_per_pair;
using support::expect_error;

constexpr history_counts edgar{.pairs = 2'127'749, .items = 25'497, .ticks = 86'400};

double bits_per_pair(const history_size& size, const history_counts& counts) {
  return static_cast<double>(size.bits) / static_cast<double>(counts.pairs);
}

TEST(guessed_keys, lead_from_pairs_to_items) {
  const auto keys = guessed_keys(edgar);
  ASSERT_EQ(keys.size(), 18U);
  EXPECT_EQ(keys.front(), 2'127'749);
  EXPECT_NEAR(keys.back(), 25'497, 1e-6);
  EXPECT_EQ(keys, chained_keys(keys));
  EXPECT_EQ(guessed_keys({.pairs = 3, .items = 3, .ticks = 1}), std::vector<double>{3});
  // Every item in every tick: each level has half as many.
  const auto full = guessed_keys({.pairs = 80, .items = 10, .ticks = 8});
  EXPECT_EQ(full, (std::vector<double>{80, 40, 20, 10}));
}

// docs/math.md, Size of a history: 4.19e7 bits, 19.7 per pair; the bound is 13.6.
TEST(history_size, of_a_single_filter_is_known) {
  const auto size = single_size(edgar, 0.01, 128);
  EXPECT_NEAR(static_cast<double>(size.bits), 4.19e7, 0.01e7);
  EXPECT_NEAR(bits_per_pair(size, edgar), 19.7, 0.05);
  EXPECT_NEAR(bits_per_pair(single_size(edgar, 0.001, 8192), edgar), 34.7, 0.5);
  EXPECT_EQ(size.probes, 128);
  EXPECT_LE(size.error, 0.01 * (1 + 1e-9));
  EXPECT_NEAR(bound_bits_per_pair(0.01, 128), 13.6, 0.05);
  EXPECT_NEAR(bound_bits_per_pair(0.001, 8192), 23.0, 0.05);
}

TEST(history_size, of_levels_keeps_the_error_and_needs_what_it_says) {
  for (const double error : {0.1, 0.01, 1e-4}) {
    for (const std::uint64_t length : {1, 128, 5000}) {
      const auto uniform = level_size(level_rule::uniform, edgar, error, length);
      const auto optimal = level_size(level_rule::optimal, edgar, error, length);
      const auto planned = level_size(level_rule::planned, edgar, error, length);
      for (const auto& size : {uniform, optimal, planned}) {
        EXPECT_LE(size.error, error);
        EXPECT_GT(size.error, 0.9 * error);  // a thousandth of the bits is worth less
      }
      EXPECT_LE(optimal.bits, uniform.bits);
      EXPECT_LE(planned.bits, optimal.bits + optimal.bits / 512);
      const auto cover = cover_profile(length, 18);
      EXPECT_NEAR(optimal.probes, std::accumulate(cover.begin(), cover.end(), 0.0), 1e-9);
      EXPECT_LE(planned.probes, 16);
    }
  }
}

// The filters that plan_levels() would make with so many bits, and with 1 % fewer.
TEST(history_size, of_levels_is_the_inverse_of_planning) {
  const auto size = level_size(level_rule::planned, edgar, 0.001, 128);
  const auto keys = guessed_keys(edgar);
  const auto profile = cover_profile(128, 18);
  EXPECT_LE(plan_levels(keys, profile, size.bits, 16).error, 0.001);
  EXPECT_GT(plan_levels(keys, profile, size.bits / 100 * 99, 16).error, 0.001);
}

TEST(tree_cover_profile, is_what_counting_gives) {
  constexpr std::uint64_t g = 4;
  for (std::uint64_t length = 1; length <= 40; ++length) {
    double parts = 0;
    double ticks = 0;
    for (std::uint64_t s = 0; s < g; ++s) {
      std::set<std::uint64_t> some;
      for (std::uint64_t leaf = s / g; leaf <= (s + length - 1) / g; ++leaf) {
        const std::uint64_t from = std::max(s, leaf * g);
        const std::uint64_t to = std::min(s + length, (leaf + 1) * g);
        if (to - from < g) {
          parts += 1;
          ticks += static_cast<double>(to - from);
        }
      }
    }
    const tree_profile mean = tree_cover_profile(length, g, 5);
    EXPECT_DOUBLE_EQ(mean.parts, parts / g) << length;
    EXPECT_DOUBLE_EQ(mean.part_ticks, ticks / g) << length;
    double whole = 0;
    for (unsigned h = 0; h < 5; ++h) whole += mean.nodes[h] * static_cast<double>(g << h);
    EXPECT_NEAR(whole + mean.part_ticks, static_cast<double>(length), 1e-9) << length;
  }
}

TEST(history_size, of_trees_keeps_the_error) {
  for (const std::uint64_t length : {1, 3, 128, 8192}) {
    const auto size = tree_size(edgar, 4, 0.01, length);
    EXPECT_LE(size.error, 0.01);
    EXPECT_GT(size.error, 0.009);
    EXPECT_GT(size.bits, std::uint64_t{43'206} * 64);
  }
  // Few pairs: a word for each filter, and that is more than enough.
  const auto few = tree_size({.pairs = 10, .items = 10, .ticks = 86'400}, 4, 0.01, 128);
  EXPECT_LE(few.error, 0.01);
  EXPECT_EQ(few.bits, std::uint64_t{43'206} * 64);
}

TEST(history_size, goes_to_the_limits) {
  const history_counts one{.pairs = 1, .items = 1, .ticks = 1};
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t length : {std::uint64_t{1}, most}) {
    EXPECT_LE(single_size(one, 0.01, length).error, 0.01);
    EXPECT_LE(level_size(level_rule::planned, one, 0.01, length).error, 0.01);
    EXPECT_LE(tree_size(one, 4, 0.01, length).error, 0.01);
  }
  expect_error(
      errc::too_large,
      [] {
        (void)level_size(level_rule::uniform, {.pairs = most, .items = most, .ticks = 2}, 0.01, 1);
      },
      "");
}

TEST(history_size, refuses_nonsense) {
  const auto refused = [](const history_counts& counts, const char* mention) {
    expect_error(
        errc::invalid_argument, [&] { (void)guessed_keys(counts); }, mention);
  };
  refused({.pairs = 1, .items = 2, .ticks = 9}, "at least one of the pairs");
  refused({.pairs = 9, .items = 2, .ticks = 4}, "one pair per tick");
  refused({.pairs = 9, .items = 0, .ticks = 9}, "at least one item");
  refused({.pairs = 9, .items = 9, .ticks = 0}, "1 to 2^62 ticks");
  expect_error(
      errc::invalid_argument, [] { (void)single_size(edgar, 0, 1); }, "between 0 and 1");
  expect_error(
      errc::invalid_argument, [] { (void)tree_cover_profile(1, 3, 1); }, "power of two");
}

}  // namespace sizes_test
}  // namespace bloomtime::published
