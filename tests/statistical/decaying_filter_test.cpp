#include <gtest/gtest.h>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/published/time_decaying/decaying_filter.hpp>
#include <bloomtime/published/time_decaying/detail/fade.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <vector>

#include "support/statistics.hpp"

// docs/math.md, Tolerances of statistical tests; rows in place of one array.
namespace bloomtime {
namespace decaying_filter_statistical {

using namespace published;
using namespace std::chrono_literals;

constexpr std::uint64_t cells = 20'000;
constexpr std::uint64_t row = cells / 4;

decaying_config of_seed(std::uint64_t seed, double lambda = 1) {
  return {.memory = 2 * cells, .lambda = lambda, .seed = seed};
}

instant epoch(int n) { return instant::from_seconds(n); }

std::uint64_t filled(const decaying_filter& f, unsigned which) {
  std::uint64_t count = 0;
  for (std::uint64_t i = which * row; i < (which + 1) * row; ++i) count += f.counters().get(i) != 0;
  return count;
}

TEST(decaying_filter, fills_as_random_hashes_would) {
  const double a = 1;  // items per cell of a row
  const auto items = static_cast<std::uint64_t>(a * row);
  const double sigma = std::sqrt((std::exp(-a) - (1 + a) * std::exp(-2 * a)) / double(row));
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    decaying_filter f(of_seed(seed));
    for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(f.add(i, epoch(0)), outcome::added);
    for (unsigned which = 0; which < 4; ++which) {
      const double empty = 1 - static_cast<double>(filled(f, which)) / double(row);
      EXPECT_NEAR(empty, std::exp(-a), 6 * sigma);
    }
  }
}

// An absent item is warm if its cell is filled in every row: a binomial count, given the fills.
TEST(decaying_filter, mistakes_as_many_absent_items_as_its_fill_says) {
  decaying_filter f(of_seed(1));
  for (std::uint64_t i = 0; i < row; ++i) ASSERT_EQ(f.add(i, epoch(0)), outcome::added);
  double chance = 1;
  for (unsigned which = 0; which < 4; ++which) {
    chance *= static_cast<double>(filled(f, which)) / double(row);
  }
  constexpr std::uint64_t asked = 100'000;
  std::uint64_t warm = 0;
  for (std::uint64_t i = 0; i < asked; ++i) warm += f.at(1'000'000 + i, epoch(0)).value > 0;
  EXPECT_TRUE(support::plausible(warm, asked, chance));
}

struct skewed {
  std::map<std::uint64_t, std::uint64_t> exact;
  decaying_filter filter;
};

skewed skewed_stream(std::uint64_t seed) {
  skewed s{{}, decaying_filter(of_seed(seed))};
  math::random_source random(seed);
  const math::zipf law(3000, 1.0);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t item = law(random);
    ++s.exact[item];
    s.filter.add(item, epoch(0));
  }
  return s;
}

TEST(decaying_filter, is_exact_as_often_as_the_error_says) {
  double expected = 0;
  const auto exact = support::over_seeds(30, [&](std::uint64_t seed) {
    const skewed s = skewed_stream(seed);
    std::uint64_t right = 0;
    for (const auto& [item, count] : s.exact) {
      right += s.filter.at(item, epoch(0)).value == static_cast<double>(count);
    }
    expected += 1 - math::rows_error(s.exact.size() - 1, cells, 4);
    return static_cast<double>(right) / static_cast<double>(s.exact.size());
  });
  EXPECT_GE(exact.mean, expected / 30 - 5 * exact.error);
  EXPECT_LE(exact.mean, expected / 30 + 5 * exact.error);  // plain increments: no better either
}

TEST(decaying_filter, exceeds_its_bound_as_rarely_as_it_says) {
  const auto beyond = support::over_seeds(30, [](std::uint64_t seed) {
    const skewed s = skewed_stream(seed);
    std::uint64_t wrong = 0;
    for (const auto& [item, count] : s.exact) {
      wrong += s.filter.at(item, epoch(0)).lower > static_cast<double>(count);
    }
    return static_cast<double>(wrong) / static_cast<double>(s.exact.size());
  });
  EXPECT_LE(beyond.mean, std::exp(-4.0) + 5 * beyond.error);
}

// 5 * 0.9^10 = 1.7434; the variance of a counter is at most 1 / (4 (1 - lambda^2)) = 1.32.
TEST(decaying_filter, rounds_at_random_without_bias) {
  constexpr std::uint64_t counters = 100'000;
  const decay by = decay::by_factor(0.9);
  double sum = 0;
  for (std::uint64_t cell = 0; cell < counters; ++cell) {
    std::uint64_t value = 5;
    for (std::uint64_t step = 1; step <= 10; ++step) {
      value = detail::fade(by, 1, rounding::random, step)(value, cell);
    }
    sum += static_cast<double>(value);
  }
  EXPECT_NEAR(sum / counters, 5 * std::pow(0.9, 10), 6 * std::sqrt(1.32 / counters));
}

// Many epochs at once are one draw, of the same mean.
TEST(decaying_filter, rounds_many_epochs_at_random_without_bias) {
  constexpr std::uint64_t counters = 100'000;
  for (const std::uint64_t epochs : {3u, 30u, 60u}) {
    std::uint64_t up = 0;
    const double left = 5 * std::pow(0.9, static_cast<double>(epochs));
    const detail::fade by(decay::by_factor(0.9), epochs, rounding::random, 1);
    for (std::uint64_t cell = 0; cell < counters; ++cell) {
      up += by(5, cell) - static_cast<std::uint64_t>(left);
    }
    EXPECT_TRUE(support::plausible(up, counters, left - std::floor(left))) << epochs;
  }
}

}  // namespace decaying_filter_statistical
}  // namespace bloomtime
