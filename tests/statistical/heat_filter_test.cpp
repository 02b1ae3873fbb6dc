#include <gtest/gtest.h>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/zipf.hpp>

#include <cstdint>
#include <set>

#include "support/oracle_heat.hpp"
#include "support/statistics.hpp"

// docs/math.md, Tolerances of statistical tests. Cells are not visible from outside, so answers are
// judged, and their spread is measured over seeds.
namespace bloomtime {
namespace heat_filter_statistical {

using namespace std::chrono_literals;
using support::over_seeds;

constexpr int heat_seeds = 30;
constexpr std::uint64_t warm_items = 3000;

heat_filter heat_of_seed(std::uint64_t seed) {
  return heat_filter({.memory = 18 * 1024, .lambda = 0.9, .seed = seed});
}

// Minimum increase leaves no cell empty that plain increments would fill.
TEST(heat_filter, mistakes_as_many_absent_items_as_its_size_says) {
  constexpr std::uint64_t asked = 20'000;
  double expected = 0;
  const auto wrong = over_seeds(heat_seeds, [&](std::uint64_t seed) {
    heat_filter f = heat_of_seed(seed);
    for (std::uint64_t i = 0; i < warm_items; ++i) f.add(i, instant{});
    expected = math::rows_error(warm_items, f.cells(), f.k());
    std::uint64_t warm = 0;
    for (std::uint64_t i = 0; i < asked; ++i) warm += f.at(1'000'000 + i, instant{}).value > 0;
    return static_cast<double>(warm) / asked;
  });
  EXPECT_NEAR(wrong.mean, expected, 5 * wrong.error);
}

// A skewed stream of many half-lives, and the truth about it.
struct warm_stream {
  heat_filter filter;
  support::oracle_heat exact;
  std::set<std::uint64_t> items;
  instant end;

  explicit warm_stream(std::uint64_t seed)
      : filter(heat_of_seed(seed)), exact(filter.decay(), filter.clock()), end{} {
    math::random_source random(seed);
    const math::zipf law(warm_items, 1.0);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t item = law(random);
      end = instant::from_seconds(i / 200);
      filter.add(item, end);
      exact.add(item, end);
      items.insert(item);
    }
  }

  double truth(std::uint64_t item) const { return static_cast<double>(exact.at(item, end)); }

  template <class Wrong>
  double share(Wrong&& wrong) const {
    std::uint64_t count = 0;
    for (const std::uint64_t item : items) count += wrong(filter.at(item, end), truth(item));
    return static_cast<double>(count) / static_cast<double>(items.size());
  }
};

// Minimum increase is exact at least as often as plain increments are, but for rounding: a unit of
// a cell is 1/256 of a hit or less, and each event of an item may be rounded up by one.
TEST(heat_filter, is_exact_at_least_as_often_as_its_size_says) {
  double expected = 0;
  const auto right = over_seeds(heat_seeds, [&](std::uint64_t seed) {
    const warm_stream s(seed);
    expected += 1 - math::rows_error(s.items.size() - 1, s.filter.cells(), s.filter.k());
    return s.share(
        [](const estimate& e, double truth) { return e.value <= truth * (1 + 1.0 / 64) + 0.05; });
  });
  EXPECT_GE(right.mean, expected / heat_seeds - 5 * right.error);
}

TEST(heat_filter, exceeds_its_bound_as_rarely_as_it_says) {
  double unsure = 0;
  const auto beyond = over_seeds(heat_seeds, [&](std::uint64_t seed) {
    const warm_stream s(seed);
    unsure = 1 - s.filter.confidence();
    return s.share([](const estimate& e, double truth) { return e.lower > truth; });
  });
  EXPECT_LE(beyond.mean, unsure + 5 * beyond.error);
}

TEST(heat_filter, is_never_below_the_truth_of_a_skewed_stream) {
  const auto below = over_seeds(heat_seeds, [](std::uint64_t seed) {
    return warm_stream(seed).share(
        [](const estimate& e, double truth) { return e.upper < truth * (1 - 1e-14); });
  });
  EXPECT_EQ(below.mean, 0);
}

}  // namespace heat_filter_statistical
}  // namespace bloomtime
