#include <gtest/gtest.h>

#include <bloomtime/published/persistent/detail/dyadic.hpp>
#include <bloomtime/published/persistent/levels.hpp>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime::published {
namespace levels_test {

using support::expect_error;
using support::nan;

// Every place where a question may begin, counted.
std::vector<double> counted_profile(std::uint64_t length, unsigned heights) {
  std::vector<double> counts(heights);
  const std::uint64_t places = std::uint64_t{1} << heights;
  for (std::uint64_t s = 0; s < places; ++s) {
    const detail::dyadic_cover cover(s, s + length - 1, detail::most_height);
    for (const detail::dyadic_node& node : cover.nodes()) {
      if (node.height < heights) counts[node.height] += 1;
    }
  }
  for (double& count : counts) count /= static_cast<double>(places);
  return counts;
}

TEST(cover_profile, is_what_counting_gives) {
  constexpr unsigned heights = 9;
  for (std::uint64_t length = 1; length <= 300; ++length) {
    const auto profile = cover_profile(length, heights);
    const auto counted = counted_profile(length, heights);
    for (unsigned h = 0; h < heights; ++h) {
      ASSERT_DOUBLE_EQ(profile[h], counted[h]) << length << " " << h;
    }
  }
}

// docs/math.md, Dyadic cover: j + 2^-j nodes for 2^j ticks.
TEST(cover_profile, has_its_known_values) {
  for (unsigned j = 0; j < 60; ++j) {
    const auto profile = cover_profile(std::uint64_t{1} << j, 63);
    const double sum = std::accumulate(profile.begin(), profile.end(), 0.0);
    EXPECT_DOUBLE_EQ(sum, j + std::ldexp(1, -static_cast<int>(j)));
  }
}

TEST(level_probes, go_down_to_the_next_level_that_exists) {
  const std::vector<double> profile{1, 1, 1, 0.5};
  EXPECT_EQ(level_probes(profile, {true, true, true, true}), profile);
  EXPECT_EQ(level_probes(profile, {true, false, false, false}),
            (std::vector<double>{1 + 2 + 4 + 4, 0, 0, 0}));
  EXPECT_EQ(level_probes(profile, {true, false, true, false}), (std::vector<double>{3, 0, 2, 0}));
}

std::vector<double> dense_keys() {
  return {2127749, 1129054, 579018, 302633, 164418, 95325, 60778, 43495};
}

std::vector<double> bursty_keys() {
  return {2127749, 1589027, 999122, 547317, 293905, 166308, 102485, 70440};
}

std::vector<std::size_t> active(const level_plan& plan) {
  std::vector<std::size_t> heights;
  for (std::size_t h = 0; h < plan.levels.size(); ++h) {
    if (plan.levels[h].bits != 0) heights.push_back(h);
  }
  return heights;
}

// docs/math.md, Choice of levels: 5e7 bits, queries of 128 ticks.
TEST(plan_levels, has_its_known_values) {
  const auto profile = cover_profile(128, 8);
  const auto few = plan_levels(dense_keys(), profile, 50'000'000, 16);
  EXPECT_EQ(active(few), (std::vector<std::size_t>{0, 3, 6}));
  EXPECT_NEAR(few.error, 0.00070, 0.00003);
  EXPECT_LE(few.probes, 16);
  EXPECT_NEAR(plan_levels(bursty_keys(), profile, 50'000'000, 16).error, 0.0022, 0.0001);
  const auto more = plan_levels(dense_keys(), profile, 50'000'000, 32);
  EXPECT_EQ(active(more), (std::vector<std::size_t>{0, 4}));
  EXPECT_NEAR(more.error, 0.00052, 0.00002);
  EXPECT_NEAR(plan_levels(bursty_keys(), profile, 50'000'000, 32).error, 0.00098, 0.00005);
}

TEST(plan_levels, finds_no_worse_when_levels_leave_one_by_one) {
  std::vector<double> keys;
  for (unsigned h = 0; h < 18; ++h) keys.push_back(std::max(25'497.0, 2'127'749 / std::exp2(h)));
  const auto profile = cover_profile(8192 * 3, 18);
  const auto plan = plan_levels(keys, profile, 50'000'000, 40);
  std::vector<filter_load> all;
  for (unsigned h = 0; h < 18; ++h) all.push_back({keys[h], profile[h]});
  EXPECT_LE(plan.error, query_error(all, allocate_bits(all, 50'000'000)));
  EXPECT_LE(plan.probes, 40);
}

TEST(errors_of_probes, are_each_others_inverse) {
  for (const double error : {1e-12, 0.001, 0.5, 0.999}) {
    for (const double probes : {1.0, 7.0, 8192.0}) {
      EXPECT_NEAR(error_of_probes(error_of_one_probe(error, probes), probes) / error, 1, 1e-9);
    }
  }
}

// docs/math.md, Size of a history: 2 127 749 pairs, 128 ticks, 1 %: 4.19e7 bits.
TEST(single_size_for_error, has_its_known_value) {
  const auto size = single_size_for_error(2'127'749, 0.01, 128);
  EXPECT_NEAR(static_cast<double>(size.bits), 4.19e7, 0.01e7);
}

TEST(history_math, refuses_nonsense) {
  const auto refused = [](auto&& action, const char* mention) {
    expect_error(errc::invalid_argument, action, mention);
  };
  refused([] { (void)cover_profile(0, 3); }, "one tick");
  refused([] { (void)cover_profile(1, 64); }, "63 levels");
  refused([] { (void)level_probes(std::vector<double>{1, 1}, {false, true}); }, "level 0");
  refused([] { (void)error_of_one_probe(nan, 1); }, "between 0 and 1");
  refused([] { (void)single_size_for_error(1, 0.5, 0); }, "one tick");
}

TEST(chained_keys, halve_at_most_and_never_grow) {
  const std::vector<double> estimated{100, 110, 40, 10, 10};
  EXPECT_EQ(chained_keys(estimated), (std::vector<double>{100, 100, 50, 25, 12.5}));
  EXPECT_TRUE(chained_keys({}).empty());
}

}  // namespace levels_test
}  // namespace bloomtime::published
