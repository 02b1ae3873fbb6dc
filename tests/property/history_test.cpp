#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/history/level_history.hpp>
#include <bloomtime/history/single_history.hpp>
#include <bloomtime/history/tree_history.hpp>

#include <bit>
#include <cstdint>
#include <vector>

#include "support/oracle_history.hpp"

// What was seen is never denied, whatever the sizes and in whatever order it came.
namespace bloomtime {
namespace {

using support::oracle_history;

constexpr std::uint64_t few_items = 8;

math::filter_size any_size(bool may_be_absent) {
  if (may_be_absent && *rc::gen::inRange(0, 3) == 0) return {};
  return {64 * *rc::gen::inRange<std::uint64_t>(1, 20), *rc::gen::inRange(1u, 9u)};
}

level_config any_levels(std::uint64_t ticks) {
  level_config c{.ticks = ticks, .doubts = *rc::gen::arbitrary<bool>()};
  const auto heights = static_cast<unsigned>(std::bit_width(ticks - 1)) + 1;
  for (unsigned h = 0; h < heights; ++h) c.levels.push_back(any_size(h > 0));
  return c;
}

tree_config any_tree(std::uint64_t ticks) {
  tree_config c{.ticks = ticks, .granularity = std::uint64_t{1} << *rc::gen::inRange(0, 5)};
  for (const std::uint64_t nodes : tree_history::nodes_for(ticks, c.granularity)) {
    auto& level = c.sizes.nodes.emplace_back();
    for (std::uint64_t i = 0; i < nodes; ++i) level.push_back(any_size(true));
  }
  c.sizes.pairs = any_size(true);
  return c;
}

interval any_interval(std::uint64_t ticks) {
  const auto most = static_cast<std::int64_t>(ticks);
  const auto s = *rc::gen::inRange<std::int64_t>(-2, most + 2);
  return {{s}, {*rc::gen::inRange<std::int64_t>(s, most + 3)}};
}

// Adds at random, and asks about intervals that hold something, and about others.
template <class History>
void expect_no_misses(History& f, std::uint64_t ticks) {
  oracle_history exact;
  const int rounds = *rc::gen::inRange(1, 30);
  for (int i = 0; i < rounds; ++i) {
    const auto item = *rc::gen::inRange<std::uint64_t>(0, few_items);
    const auto t = *rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(ticks));
    RC_ASSERT(f.add(item, instant::from_seconds(t)) == outcome::added);
    exact.add(item, t);
    for (int question = 0; question < 4; ++question) {
      const interval asked = question == 0 ? interval{{t}, {t}} : any_interval(ticks);
      for (std::uint64_t x = 0; x < few_items; ++x) {
        std::uint64_t probes = 0;
        const sighting got = f.seen(x, asked, probes);
        RC_ASSERT(got == sighting::maybe || !exact.seen(x, asked));
      }
    }
  }
}

std::uint64_t any_ticks() { return *rc::gen::inRange<std::uint64_t>(1, 300); }

RC_GTEST_PROP(single_history, never_denies_what_was_seen, ()) {
  const std::uint64_t ticks = any_ticks();
  single_history f({.pairs = *rc::gen::inRange<std::uint64_t>(1, 100),
                    .memory = *rc::gen::inRange<std::uint64_t>(8, 500),
                    .ticks = ticks});
  expect_no_misses(f, ticks);
}

RC_GTEST_PROP(level_history, never_denies_what_was_seen, ()) {
  const std::uint64_t ticks = any_ticks();
  level_history f(any_levels(ticks));
  expect_no_misses(f, ticks);
}

RC_GTEST_PROP(level_history, never_denies_what_was_seen_while_it_grows, ()) {
  level_history f({.levels = {any_size(false)}, .doubts = *rc::gen::arbitrary<bool>()});
  expect_no_misses(f, std::uint64_t{1} << *rc::gen::inRange(0, 31));
}

RC_GTEST_PROP(tree_history, never_denies_what_was_seen, ()) {
  const std::uint64_t ticks = any_ticks();
  tree_history f(any_tree(ticks));
  expect_no_misses(f, ticks);
}

RC_GTEST_PROP(tree_history, never_denies_what_was_seen_while_it_grows, ()) {
  tree_history f({.granularity = std::uint64_t{1} << *rc::gen::inRange(0, 5),
                  .sizes = {{{any_size(false)}}, any_size(true)}});
  expect_no_misses(f, any_ticks());
}

// Doubts only take away.
RC_GTEST_PROP(level_history, doubts_only_what_it_would_have_said, ()) {
  const std::uint64_t ticks = any_ticks();
  level_config c = any_levels(ticks);
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

}  // namespace
}  // namespace bloomtime
