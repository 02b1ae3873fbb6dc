#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "support/history_engines.hpp"
#include "support/oracle_history.hpp"

// What was seen is never denied, whatever the sizes and in whatever order it came.
namespace bloomtime {
namespace history_property {

using namespace published;
using support::any_interval;
using support::any_ticks;
using support::few_items;
using support::oracle_history;

// Adds at random, and asks about intervals that hold something, and about others.
template <history_engine History>
void expect_no_misses(History f, std::uint64_t ticks) {
  oracle_history exact;
  const int rounds = *rc::gen::inRange(1, 30);
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t t = support::add_any(f, exact, ticks);
    for (int question = 0; question < 4; ++question) {
      const interval asked = question == 0 ? interval{{t}, {t}} : any_interval(ticks);
      support::expect_nothing_denied(f, exact, asked);
    }
  }
}

template <class Sample>
class history_engines : public ::testing::Test {};
TYPED_TEST_SUITE(history_engines, support::history_samples);

TYPED_TEST(history_engines, never_deny_what_was_seen) {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t ticks = any_ticks();
    expect_no_misses(TypeParam::draw(ticks), ticks);
  }));
}

RC_GTEST_PROP(level_history, never_denies_what_was_seen_while_it_grows_far, ()) {
  expect_no_misses(level_history(support::any_growing_levels()),
                   std::uint64_t{1} << *rc::gen::inRange(0, 31));
}

// Also of events outside of the span.
TYPED_TEST(history_engines, add_in_bulk_as_one_by_one) {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t ticks = any_ticks();
    auto single = TypeParam::draw(ticks);
    auto bulk = single;
    RC_ASSERT(!single.newest());
    std::vector<std::uint64_t> items;
    std::vector<instant> times;
    std::vector<outcome> expected;
    std::optional<instant> newest;
    const auto events = *rc::gen::inRange<std::size_t>(0, 40);
    for (std::size_t i = 0; i < events; ++i) {
      items.push_back(*rc::gen::inRange<std::uint64_t>(0, few_items));
      const auto micros = *rc::gen::inRange<std::int64_t>(-1'500'000, 310'000'000);
      times.push_back(instant(micros));
      expected.push_back(single.add(items.back(), times.back()));
      if (expected.back() == outcome::added) {
        newest = std::max(newest, std::optional(instant(micros / 1'000'000 * 1'000'000)));
      }
    }
    std::vector<outcome> outcomes(events);
    bulk.add_bulk(items, times, outcomes);
    RC_ASSERT(outcomes == expected);
    RC_ASSERT(bulk.losses() == single.losses());
    RC_ASSERT(single.newest() == newest);
    RC_ASSERT(bulk.newest() == newest);
    RC_ASSERT(bulk.serialize() == single.serialize());
    bulk.clear();
    RC_ASSERT(!bulk.newest());
    RC_ASSERT(bulk.records() == 0u);
  }));
}

TYPED_TEST(history_engines, refuse_bulk_calls_of_unequal_lengths) {
  EXPECT_TRUE(rc::check([] {
    auto f = TypeParam::draw(10);
    const std::vector<std::uint64_t> items(2);
    const std::vector<instant> times(2);
    std::vector<outcome> outcomes(3);
    RC_ASSERT_THROWS_AS(f.add_bulk(items, times, outcomes), error);
    RC_ASSERT_THROWS_AS(f.add_bulk(items, std::span(times).first(1), std::span(outcomes).first(2)),
                        error);
    RC_ASSERT(f.records() == 0u);
  }));
}

// Where each tick is known, a "maybe" about an item that was not seen is wrong only by its digest.
TYPED_TEST(history_engines, that_know_ticks_answer_exactly) {
  if constexpr (support::knows_ticks<typename TypeParam::engine>) {
    EXPECT_TRUE(rc::check([] {
      const std::uint64_t ticks = any_ticks();
      auto f = TypeParam::draw(ticks);
      oracle_history exact;
      const int events = *rc::gen::inRange(1, 40);
      for (int i = 0; i < events; ++i) support::add_any(f, exact, ticks);
      if (*rc::gen::arbitrary<bool>()) f.compact();
      for (int i = 0; i < 20; ++i) {
        const interval asked = any_interval(ticks);
        for (std::uint64_t x = 0; x < 2 * few_items; ++x) {
          std::uint64_t probes = 0;
          RC_ASSERT((f.seen(x, asked, probes) == sighting::maybe) == exact.seen(x, asked));
        }
      }
    }));
  }
}

// Doubts only take away.
RC_GTEST_PROP(level_history, doubts_only_what_it_would_have_said, ()) {
  const std::uint64_t ticks = any_ticks();
  level_config c = support::any_levels(ticks);
  c.doubts = true;
  level_history doubting(c);
  c.doubts = false;
  level_history plain(c);
  for (int i = 0; i < 40; ++i) {
    const auto item = *rc::gen::inRange<std::uint64_t>(0, few_items);
    const auto t = *rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(ticks));
    RC_ASSERT(doubting.add(item, instant::from_seconds(t)) == outcome::added);
    RC_ASSERT(plain.add(item, instant::from_seconds(t)) == outcome::added);
  }
  for (int i = 0; i < 20; ++i) {
    const interval asked = any_interval(ticks);
    for (std::uint64_t x = 0; x < 2 * few_items; ++x) {
      std::uint64_t probes = 0;
      RC_ASSERT(plain.seen(x, asked, probes) == sighting::maybe ||
                doubting.seen(x, asked, probes) == sighting::no);
    }
  }
}

}  // namespace history_property
}  // namespace bloomtime
