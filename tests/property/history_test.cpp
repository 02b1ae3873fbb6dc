#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

#include <cstdint>

#include "support/history_samples.hpp"
#include "support/oracle_history.hpp"

// What was seen is never denied, whatever the sizes and in whatever order it came.
namespace bloomtime {
namespace history_test {

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

RC_GTEST_PROP(single_history, never_denies_what_was_seen, ()) {
  const std::uint64_t ticks = any_ticks();
  expect_no_misses(single_history(support::any_single(ticks)), ticks);
}

RC_GTEST_PROP(level_history, never_denies_what_was_seen, ()) {
  const std::uint64_t ticks = any_ticks();
  expect_no_misses(level_history(support::any_levels(ticks)), ticks);
}

RC_GTEST_PROP(level_history, never_denies_what_was_seen_while_it_grows, ()) {
  expect_no_misses(level_history(support::any_growing_levels()),
                   std::uint64_t{1} << *rc::gen::inRange(0, 31));
}

RC_GTEST_PROP(tree_history, never_denies_what_was_seen, ()) {
  const std::uint64_t ticks = any_ticks();
  expect_no_misses(tree_history(support::any_tree(ticks)), ticks);
}

RC_GTEST_PROP(tree_history, never_denies_what_was_seen_while_it_grows, ()) {
  expect_no_misses(tree_history(support::any_growing_tree()), any_ticks());
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

}  // namespace history_test
}  // namespace bloomtime
