#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "support/soaking.hpp"

// 10^9 test-and-set insertions in bulk next to the exact last times if BLOOMTIME_SOAK is set, else
// 5 * 10^5: nothing within the window is missed, and strangers are rare.
namespace bloomtime {
namespace age_partitioned_test {

TEST(age_partitioned_soak, misses_nothing_within_the_window) {
  constexpr std::uint64_t universe = 100'000;
  constexpr std::size_t block = 2048;
  constexpr std::int64_t window = 600'000'000;
  constexpr double error = 1e-4;
  age_partitioned_filter f(
      {.window = std::chrono::microseconds(window), .items = 60'000, .error = error});
  const std::int64_t resolution = f.clock().resolution().count();
  math::random_source random(11);
  std::vector<std::int64_t> last(universe, INT64_MIN / 2);
  std::vector<std::uint64_t> items(block);
  std::vector<instant> times(block);
  std::vector<novelty> answers(block);
  const std::uint64_t operations = support::soaking() ? 1'000'000'000 : 500'000;
  std::int64_t now = 0;
  std::uint64_t misses = 0;
  std::uint64_t asked = 0;
  std::uint64_t wrong = 0;
  for (std::uint64_t done = 0; done < operations; done += block) {
    // Quiet hours, crowds within a second, and a steady stream.
    if (random.below(200) == 0) now += static_cast<std::int64_t>(random.below(3)) * window;
    const std::int64_t pace = random.below(4) == 0 ? 100 : 12'000;
    for (std::size_t i = 0; i < block; ++i) {
      now += static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * pace)));
      items[i] = random.below(universe);
      times[i] = instant(now);
    }
    f.add_if_new_bulk(items, times, answers);
    for (std::size_t i = 0; i < block; ++i) {
      const std::int64_t age = times[i].micros - last[items[i]];
      misses += age <= window && answers[i].fresh;
      const bool stranger = age > window + (f.k() + 2) * resolution;
      asked += stranger;
      wrong += stranger && !answers[i].fresh;
      last[items[i]] = times[i].micros;
    }
  }
  EXPECT_EQ(misses, 0U);
  EXPECT_GT(asked, operations / 100);
  // Crowds may exceed what the filter was made for a little; ten times the error is far away.
  EXPECT_LT(static_cast<double>(wrong), 10 * error * static_cast<double>(asked));
}

}  // namespace age_partitioned_test
}  // namespace bloomtime
