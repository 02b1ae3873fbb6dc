#include <gtest/gtest.h>

#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/math/random.hpp>

#include <cmath>
#include <cstdint>

#include "support/statistics.hpp"

namespace bloomtime {
namespace timeline_history_statistical {

// n positions anywhere in R places: a window of L of them misses all with chance (1 - L / R)^n. The
// positions of one history vary by less than the answers about it do.
TEST(timeline_history, errs_as_its_positions_say) {
  const std::uint64_t ticks = 86'400;
  const std::uint64_t items = 30'000;
  timeline_history h({.ticks = ticks, .error = 0.01, .length = 128});
  math::random_source random(1);
  for (std::uint64_t x = 0; x < items; ++x) {
    const auto t = static_cast<std::int64_t>(random.below(ticks));
    ASSERT_EQ(h.add(x, instant::from_seconds(t)), outcome::added);
  }
  h.seal();
  ASSERT_EQ(h.nameless().size(), 1u);
  const auto range = static_cast<double>(h.nameless()[0].shape().range);
  EXPECT_NEAR(h.current_error(128), 0.01, 1e-4);
  for (const std::uint64_t length : {16u, 128u, 8192u}) {
    const std::uint64_t questions = 200'000;
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < questions; ++i) {
      const auto s = static_cast<std::int64_t>(random.below(ticks - length + 1));
      const interval asked{{s}, {s + static_cast<std::int64_t>(length) - 1}};
      std::uint64_t probes = 0;
      wrong += h.seen(items + i, asked, probes) == sighting::maybe;
    }
    const double window = static_cast<double>(length) / range;
    const double chance = -std::expm1(static_cast<double>(items) * std::log1p(-window));
    EXPECT_TRUE(support::plausible(wrong, questions, chance)) << length;
  }
}

// Items with a name are told apart by 48 bits: not one of a million questions is wrong.
TEST(timeline_history, does_not_err_where_items_have_names) {
  timeline_history h({.ticks = 4096});
  math::random_source random(2);
  for (int i = 0; i < 100'000; ++i) {
    const auto t = static_cast<std::int64_t>(random.below(4096));
    ASSERT_EQ(h.add(random.below(500), instant::from_seconds(t)), outcome::added);
  }
  h.seal();
  ASSERT_TRUE(h.nameless().empty());
  std::uint64_t wrong = 0;
  for (std::uint64_t x = 1000; x < 1'001'000; ++x) {
    std::uint64_t probes = 0;
    wrong += h.seen(x, interval{{0}, {4095}}, probes) == sighting::maybe;
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace timeline_history_statistical
}  // namespace bloomtime
