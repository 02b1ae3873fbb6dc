#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "support/statistics.hpp"
#include "support/traffic.hpp"
#include "traffic/chance.hpp"
#include "traffic/draws.hpp"
#include "traffic/pairs.hpp"
#include "traffic/profile.hpp"
#include "traffic/repeats.hpp"
#include "traffic/visits.hpp"

namespace bloomtime::traffic {
namespace traffic_statistical {

using support::collect;
using support::plausible;
using support::plausible_chances;

TEST(traffic_chance, items_weigh_one_over_rank_plus_ten) {
  constexpr std::uint64_t items = 300;
  const item_law law(items);
  math::random_source random(1);
  std::vector<std::uint64_t> counts(items);
  for (int i = 0; i < 300'000; ++i) ++counts.at(law(random));
  std::vector<double> weights;
  for (std::uint64_t rank = 1; rank <= items; ++rank) {
    weights.push_back(1 / (static_cast<double>(rank) + 10));
  }
  EXPECT_TRUE(plausible_chances(counts, weights));
}

TEST(traffic_chance, exponential_has_its_tails) {
  constexpr std::uint64_t n = 200'000;
  constexpr std::uint64_t mean = 300;
  math::random_source random(2);
  std::vector<std::uint64_t> gaps;
  for (std::uint64_t i = 0; i < n; ++i) gaps.push_back(exponential(mean, random));
  for (const std::uint64_t x : {1, 10, 100, 300, 1000, 2000, 3000}) {
    const auto beyond = static_cast<std::uint64_t>(
        std::count_if(gaps.begin(), gaps.end(), [x](std::uint64_t gap) { return gap >= x; }));
    const double p = std::exp(-static_cast<double>(x) / static_cast<double>(mean));
    EXPECT_TRUE(plausible(beyond, n, p)) << x;
  }
}

TEST(traffic_chance, rounding_is_right_on_average) {
  math::random_source random(3);
  std::uint64_t ups = 0;
  for (int i = 0; i < 100'000; ++i) ups += rounded_by_chance(37, 10, random) - 3;
  EXPECT_TRUE(plausible(ups, 100'000, 0.7));
}

TEST(traffic_draws, follow_zipf) {
  constexpr std::uint64_t n = 300'000;
  for (const double z : {0., 1.}) {
    std::vector<std::uint64_t> counts(100);
    for (const event& e : collect(draws({n, 100, z}, 4))) ++counts.at(e.item);
    std::vector<double> weights;
    for (int rank = 1; rank <= 100; ++rank) weights.push_back(std::pow(rank, -z));
    EXPECT_TRUE(plausible_chances(counts, weights)) << z;
  }
}

TEST(traffic_repeats, gaps_have_their_law) {
  constexpr std::uint64_t repeated = 60'000;
  const auto all = collect(repeats({200'000, repeated, {gap_kind::exponential, 0, 300}}, 5));
  std::map<item_number, std::int64_t> last;
  std::uint64_t beyond_mean = 0;
  for (const event& e : all) {
    const auto [at, is_new] = last.try_emplace(e.item, e.second);
    if (!is_new && e.second - at->second >= 300) ++beyond_mean;
    at->second = e.second;
  }
  EXPECT_TRUE(plausible(beyond_mean, repeated, std::exp(-1.)));
}

// In so long a time runs of one item hardly ever touch, so a gap that no run has separates two.
// After a second that is seen the run either goes on to another such second or ends before: one
// trial for each pair but the last.
void expect_runs(time_model model, std::uint64_t drawn, double mean_length, double seen) {
  constexpr std::uint64_t items = 1'000;
  constexpr std::int64_t long_gap = 200;
  const pairs_config config{.records = items + drawn,
                            .items = items,
                            .pairs = items + drawn,
                            .model = model,
                            .zipf = 0,
                            .when = {.seconds = 300'000'000}};
  pairs stream(config, 6);
  std::vector<std::int64_t> last(items, -long_gap);
  std::uint64_t pieces = 0;
  while (const auto next = stream()) {
    if (next->second - last.at(next->item) > long_gap) ++pieces;
    last[next->item] = next->second;
  }
  const double goes_on = 1 - 1 / mean_length;
  const double stays = goes_on * seen / (1 - goes_on * (1 - seen));
  EXPECT_TRUE(plausible(pieces - items - 1, drawn - 1, 1 - stays));
}

TEST(traffic_pairs, runs_are_as_long_as_the_model_says) {
  expect_runs(time_model::dense, 3'000'000, 3000, 0.95);
  expect_runs(time_model::bursty, 300'000, 300, 0.5);
}

// Profiles of the same models by another program (heights 0 to 7). They come from one run, so an
// exact tail does not apply; runs differ by well under one percent.
struct reference {
  time_model model;
  pairs_config sizes;
  std::array<std::uint64_t, 8> pairs;
};

void expect_close(const reference& of, double tolerance) {
  pairs_config config = of.sizes;
  config.model = of.model;
  config.when.daily = false;
  profiler profiler(config.when.start);
  pairs stream(config, 1);
  while (const auto next = stream()) profiler.add(*next);
  const profile found = profiler.result();
  EXPECT_EQ(found.records, config.records);
  EXPECT_EQ(found.items, config.items);
  for (std::size_t level = 0; level < of.pairs.size(); ++level) {
    const auto expected = static_cast<double>(of.pairs[level]);
    EXPECT_NEAR(static_cast<double>(found.pairs[level]), expected, tolerance * expected) << level;
  }
  EXPECT_EQ(found.pairs[0], of.pairs[0]);
}

TEST(traffic_profiles, dense) {
  expect_close({time_model::dense,
                like_edgar(),
                {2127749, 1129054, 579018, 302633, 164418, 95325, 60778, 43495}},
               0.01);
}

TEST(traffic_profiles, bursty) {
  expect_close({time_model::bursty,
                like_edgar(),
                {2127749, 1589027, 999122, 547317, 293905, 166308, 102485, 70440}},
               0.01);
}

TEST(traffic_profiles, uniform) {
  expect_close({time_model::uniform,
                like_network(),
                {2199573, 2173518, 2126656, 2051570, 1946097, 1817535, 1675915, 1528070}},
               0.01);
}

TEST(traffic_visits, look_like_a_day_at_a_web_site) {
  const auto all = collect(visits({.records = 300'000, .clients = 50'000}, 1));
  std::vector<event> events;
  std::uint64_t by_crawlers = 0;
  std::uint64_t fine = 0;
  for (const visit& v : all) {
    events.push_back({v.second, v.client});
    by_crawlers += is_crawler(v.client) ? 1 : 0;
    fine += v.status == 200 || v.status == 304 ? 1 : 0;
  }
  const profile found = profile_of(std::move(events));
  EXPECT_GT(found.hours[11], 4 * found.hours[3]);
  EXPECT_GT(by_crawlers, all.size() / 40);
  EXPECT_LT(by_crawlers, all.size() / 2);
  EXPECT_GT(fine, all.size() * 9 / 10);
  EXPECT_LT(fine, all.size());
  // Sessions: an item that was seen is soon seen again, far more often than its share says.
  std::uint64_t within_two_minutes = 0;
  for (std::size_t c = 0; c <= 7; ++c) within_two_minutes += found.gaps[c];
  EXPECT_GT(within_two_minutes, found.records / 2);
}

}  // namespace traffic_statistical
}  // namespace bloomtime::traffic
