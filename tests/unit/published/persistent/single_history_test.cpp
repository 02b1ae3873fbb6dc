#include <gtest/gtest.h>

#include <bloomtime/published/persistent/single_history.hpp>

#include <cstdint>

#include "support/expect_error.hpp"

namespace bloomtime {
namespace single_history_test {

using namespace published;
using support::expect_error;

TEST(single_history, is_exact_in_a_short_span) {
  constexpr int ticks = 13;
  for (int a = 0; a < ticks; ++a) {
    single_history f({.pairs = 10, .error = 1e-9, .length = ticks, .ticks = ticks});
    ASSERT_EQ(f.add("x", instant::from_seconds(a)), outcome::added);
    ASSERT_EQ(f.add("y", instant::from_seconds(0)), outcome::added);
    for (int s = 0; s < ticks; ++s) {
      for (int e = s; e < ticks; ++e) {
        const bool truth = s <= a && a <= e;
        EXPECT_EQ(f.seen("x", instant::from_seconds(s), instant::from_seconds(e)),
                  truth ? sighting::maybe : sighting::no);
      }
    }
  }
}

TEST(single_history, asks_about_every_tick_until_one_says_yes) {
  single_history f({.pairs = 10, .error = 1e-6, .length = 100, .ticks = 100});
  std::uint64_t probes = 0;
  EXPECT_EQ(f.seen("x", interval{{-5}, {1000}}, probes), sighting::no);
  EXPECT_EQ(probes, 100u);
  ASSERT_EQ(f.add("x", instant::from_seconds(9)), outcome::added);
  EXPECT_EQ(f.seen("x", interval{{0}, {99}}, probes), sighting::maybe);
  EXPECT_EQ(probes, 10u);
  EXPECT_EQ(f.seen("x", interval{{9}, {8}}, probes), sighting::no);
  EXPECT_EQ(probes, 0u);
}

TEST(single_history, says_what_became_of_ticks_outside) {
  single_history f({.pairs = 10, .memory = 64, .ticks = 8});
  EXPECT_EQ(f.add(1, instant::from_seconds(-1)), outcome::dropped_late);
  EXPECT_EQ(f.add(1, instant::from_seconds(8)), outcome::future);
  EXPECT_EQ(f.records(), 0u);
}

// docs/math.md, Error of a history of filters: with k = 3 the error is a hundred times larger.
TEST(single_history, errs_more_with_a_k_that_is_not_its_best) {
  EXPECT_EQ(single_history({.pairs = 1000, .memory = 2938, .ticks = 8}).size().k, 16u);
  EXPECT_EQ(single_history({.pairs = 1000, .memory = 2938, .k = 3, .ticks = 8}).size().k, 3u);
}

TEST(single_history, refuses_nonsense) {
  const auto refused = [](const single_config& c, const char* mention) {
    expect_error(
        errc::invalid_argument, [&] { single_history{c}; }, mention);
  };
  refused({.pairs = 1, .ticks = 8}, "neither");
  refused({.pairs = 1, .error = 0.1, .memory = 64, .ticks = 8}, "both");
  refused({.pairs = 1, .error = 0.1}, "one tick");
  refused({.pairs = 1, .error = 2.0, .ticks = 8}, "between 0 and 1");
  refused({.pairs = 1, .error = 0.1, .length = 0, .ticks = 8}, "one tick");
  refused({.pairs = 1, .error = 0.1, .k = 3, .ticks = 8}, "give memory");
  refused({.pairs = 1, .memory = 0, .ticks = 8}, "bytes");
  refused({.pairs = 1, .memory = 64, .k = 65, .ticks = 8}, "hash functions");
}

}  // namespace single_history_test
}  // namespace bloomtime
