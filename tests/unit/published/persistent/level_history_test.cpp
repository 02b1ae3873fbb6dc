#include <gtest/gtest.h>

#include <bloomtime/published/persistent/level_history.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime {
namespace level_history_test {

using namespace published;
using support::expect_error;

constexpr published::filter_size roomy{1 << 13, 8};  // a handful of keys never collide in it

instant at_tick(std::int64_t t) { return instant::from_seconds(t); }

// Levels 0 to heights - 1, those of the mask.
level_config levels_of(std::uint64_t ticks, unsigned heights, unsigned mask, bool doubts) {
  level_config c{.ticks = ticks, .doubts = doubts};
  for (unsigned h = 0; h < heights; ++h) {
    c.levels.push_back(mask >> h & 1 ? roomy : published::filter_size{});
  }
  return c;
}

sighting asked(const level_history& f, int item, std::int64_t s, std::int64_t e) {
  return f.seen(item, at_tick(s), at_tick(e));
}

// docs/math.md, Tolerances of statistical tests, "Short spans": every subset of levels, all
// intervals, one or two occurrences. With room to spare an answer that differs from the truth is an
// error of logic, in either direction.
TEST(level_history, is_exact_in_all_short_spans_with_any_levels) {
  for (const std::uint64_t ticks : {1u, 2u, 5u, 8u, 13u}) {
    const auto heights = static_cast<unsigned>(std::bit_width(ticks - 1)) + 1;
    for (unsigned mask = 1; mask < 1u << heights; mask += 2) {
      for (const bool doubts : {false, true}) {
        for (std::int64_t a = 0; a < std::int64_t(ticks); ++a) {
          const std::int64_t b = (a * 7 + 3) % std::int64_t(ticks);
          level_history f(levels_of(ticks, heights, mask, doubts));
          ASSERT_EQ(f.add(1, at_tick(a)), outcome::added);
          ASSERT_EQ(f.add(1, at_tick(b)), outcome::added);
          ASSERT_EQ(f.add(2, at_tick(0)), outcome::added);
          for (std::int64_t s = 0; s < std::int64_t(ticks); ++s) {
            for (std::int64_t e = s; e < std::int64_t(ticks); ++e) {
              const bool truth = (s <= a && a <= e) || (s <= b && b <= e);
              ASSERT_EQ(asked(f, 1, s, e), truth ? sighting::maybe : sighting::no)
                  << ticks << " " << mask << " " << doubts << " " << a << " " << s << " " << e;
            }
          }
        }
      }
    }
  }
}

// Peng et al., Algorithm 4, doubles one step late: q(a, [1, 2]) after the ticks 2 and 3 (from 1).
TEST(level_history, grows_before_the_first_tick_beyond_its_root) {
  level_history f({.levels = {roomy}});
  ASSERT_EQ(f.add(1, at_tick(1)), outcome::added);
  ASSERT_EQ(f.add(1, at_tick(2)), outcome::added);
  EXPECT_EQ(asked(f, 1, 0, 1), sighting::maybe);
  EXPECT_EQ(asked(f, 1, 0, 0), sighting::no);
}

TEST(level_history, grows_to_what_it_would_have_been) {
  for (const std::int64_t last : {1, 2, 3, 4, 7, 8, 100, 1023, 1024}) {
    level_history grown({.levels = {roomy}, .learns = true});
    level_config c{.ticks = std::uint64_t(last) + 1, .learns = true};
    c.levels.assign(static_cast<std::size_t>(std::bit_width(std::uint64_t(last))) + 1, roomy);
    level_history planned(c);
    for (const std::int64_t t : {std::int64_t{0}, last / 3, last / 2, last, last / 4}) {
      ASSERT_EQ(grown.add(t, at_tick(t)), outcome::added);
      ASSERT_EQ(planned.add(t, at_tick(t)), outcome::added);
    }
    ASSERT_EQ(grown.heights(), planned.heights());
    for (unsigned h = 0; h < grown.heights(); ++h) {
      EXPECT_TRUE(std::ranges::equal(grown.level_bits(h), planned.level_bits(h))) << h;
      EXPECT_EQ(grown.keys(h), planned.keys(h));
    }
  }
}

TEST(level_history, says_what_became_of_ticks_outside) {
  level_history f({.ticks = 8, .levels = {roomy, roomy, roomy, roomy}});
  EXPECT_EQ(f.add(1, at_tick(-1)), outcome::dropped_late);
  EXPECT_EQ(f.add(1, at_tick(8)), outcome::future);
  level_history growing({.levels = {roomy}, .most_levels = 4});
  EXPECT_EQ(growing.add(1, at_tick(8)), outcome::future);
  EXPECT_EQ(growing.add(1, instant(support::most >> 1)), outcome::future);
  EXPECT_EQ(growing.heights(), 1u);
  EXPECT_EQ(growing.add(1, at_tick(7)), outcome::added);
  EXPECT_EQ(growing.heights(), 4u);
}

TEST(level_history, answers_about_times_outside) {
  level_history f({.ticks = 8, .levels = {roomy, roomy, roomy, roomy}});
  EXPECT_EQ(asked(f, 1, 0, 7), sighting::no);
  ASSERT_EQ(f.add(1, at_tick(7)), outcome::added);
  EXPECT_EQ(asked(f, 1, -5, -1), sighting::no);
  EXPECT_EQ(asked(f, 1, 8, 100), sighting::no);
  EXPECT_EQ(asked(f, 1, -5, 100), sighting::maybe);
  EXPECT_EQ(asked(f, 1, 7, 6), sighting::no);  // there is no such time
  constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(f.seen(1, instant(first), instant(last)), sighting::maybe);
  EXPECT_EQ(f.seen(2, instant(first), instant(last)), sighting::no);
}

// A saturated filter may be useless, but never wrong.
TEST(level_history, says_maybe_when_it_is_full) {
  constexpr published::filter_size tiny{64, 3};
  level_history f({.ticks = 8, .levels = {tiny, tiny, tiny, tiny}});
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(f.add(i, at_tick(i % 8)), outcome::added);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(asked(f, i, i % 8, i % 8), sighting::maybe);
}

TEST(level_history, asks_as_few_filters_as_the_cover_has_nodes) {
  level_config c{.ticks = 1024, .doubts = false};
  c.levels.assign(11, roomy);
  const level_history f(c);
  std::uint64_t probes = 0;
  EXPECT_EQ(f.seen(1, interval{{1}, {6}}, probes), sighting::no);
  EXPECT_EQ(probes, 4u);
  EXPECT_EQ(f.seen(1, interval{{0}, {1023}}, probes), sighting::no);
  EXPECT_EQ(probes, 1u);
}

// Levels that say yes to everything must not lead a question through all of the tree.
TEST(level_history, loses_patience_with_full_levels) {
  level_config c{.ticks = std::uint64_t{1} << 40, .levels = {{1 << 14, 8}}};
  c.levels.resize(41, {64, 1});
  level_history f(c);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(f.add(i, at_tick(i)), outcome::added);
  std::uint64_t probes = 0;
  (void)f.seen(-1, interval{{0}, {(std::int64_t{1} << 40) - 1}}, probes);
  EXPECT_LT(probes, 10'000u);
}

TEST(level_history, refuses_impossible_shapes) {
  const auto refused = [](const level_config& c, const char* mention) {
    expect_error(
        errc::invalid_argument, [&] { level_history{c}; }, mention);
  };
  refused({.ticks = 8, .levels = {roomy}}, "4 levels");
  refused({.levels = {roomy, roomy}}, "1 levels");
  refused({.ticks = 2, .levels = {{}, roomy}}, "finest");
  refused({.ticks = 1, .levels = {{64, 0}}}, "hash functions");
  refused({.ticks = 1, .levels = {{64, 65}}}, "hash functions");
  refused({.ticks = (std::uint64_t{1} << 62) + 1, .levels = {roomy}}, "2^62");
  refused({.levels = {roomy}, .most_levels = 64}, "63 levels");
  expect_error(
      errc::too_large,
      [] {
        level_history({.levels = {{support::most, 1}}});
      },
      "");
}

}  // namespace level_history_test
}  // namespace bloomtime
