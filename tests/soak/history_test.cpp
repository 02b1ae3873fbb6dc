#include <gtest/gtest.h>

#include <bloomtime/history/history.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/soaking.hpp"

// What was seen is never denied: 10^9 questions about intervals with a sighting in them, over all
// engines, if BLOOMTIME_SOAK is set, else 10^7.
namespace bloomtime {
namespace history_soak {

using namespace published;

constexpr std::uint64_t span_ticks = 1 << 14;
constexpr std::uint64_t span_items = 400;

std::uint64_t questions_each() {
  constexpr std::uint64_t engines = 8;
  if (support::soaking()) return 1'000'000'000 / engines;
  return 10'000'000 / engines;
}

using events = std::vector<std::pair<std::uint64_t, std::int64_t>>;  // item and tick

// Some items are seen in bursts and some once; in any order, a few ticks late.
events some_events(math::random_source& random, std::uint64_t first, std::uint64_t ticks) {
  events all;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::uint64_t item = random.below(span_items);
    const std::uint64_t from = random.below(ticks);
    const std::uint64_t length = item % 3 == 0 ? 1 : 1 + random.below(60);
    for (std::uint64_t t = from; t < std::min(from + length, ticks); t += 1 + random.below(3)) {
      all.push_back({item, static_cast<std::int64_t>(first + t)});
    }
  }
  return all;
}

// An interval of any length around the tick.
interval around(math::random_source& random, std::int64_t t) {
  const auto reach = [&] {
    return static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(15)));
  };
  return {{t - reach()}, {t + reach()}};
}

template <class History>
void ask(const History& h, const events& known, math::random_source& random, std::uint64_t count) {
  std::uint64_t denied = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto& [item, t] = known[random.below(known.size())];
    std::uint64_t probes = 0;
    denied += h.seen(item, around(random, t), probes) != sighting::maybe;
  }
  ASSERT_EQ(denied, 0u);
}

// Adds and asks in turns, with reloads between; `more` does what else can happen to one.
template <class History, class More>
void live(History h, std::uint64_t ticks, More&& more) {
  math::random_source random(1);
  events known;
  const int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    for (const auto& [item, t] : some_events(random, 0, ticks)) {
      ASSERT_EQ(h.add(item, instant::from_seconds(t)), outcome::added);
      known.push_back({item, t});
    }
    more(h, round);
    if (round % 3 == 2) h = History::load(h.serialize());
    ask(h, known, random, questions_each() / rounds);
  }
}

constexpr auto nothing_more = [](auto&, int) {};

level_config levels(std::uint64_t ticks, bool doubts) {
  level_config c{.ticks = ticks, .doubts = doubts};
  for (unsigned h = 0; h <= 14; ++h) c.levels.push_back({h % 5 == 2 ? 0u : 1u << 15, 0});
  for (published::filter_size& size : c.levels) size.k = size.bits == 0 ? 0 : 3;
  return c;
}

TEST(history_soak, single) {
  live(single_history({.pairs = 60'000, .memory = 100'000, .ticks = span_ticks}), span_ticks,
       nothing_more);
}

TEST(history_soak, levels) {
  live(level_history(levels(span_ticks, true)), span_ticks, nothing_more);
}

TEST(history_soak, levels_without_doubts_joined) {
  math::random_source random(2);
  level_config c = levels(span_ticks, false);
  c.levels = std::vector<published::filter_size>(15, {1 << 15, 3});
  level_history left(c);
  c.first = span_ticks;
  level_history right(c);
  events known;
  for (const auto& [item, t] : some_events(random, 0, 2 * span_ticks)) {
    level_history& half = t < static_cast<std::int64_t>(span_ticks) ? left : right;
    ASSERT_EQ(half.add(item, instant::from_seconds(t)), outcome::added);
    known.push_back({item, t});
  }
  ask(level_history::joined(left, right), known, random, questions_each());
}

TEST(history_soak, growing_levels) {
  live(level_history({.levels = {{1 << 16, 3}}}), span_ticks, nothing_more);
}

TEST(history_soak, tree) {
  tree_config c{.ticks = span_ticks, .granularity = 16};
  for (const std::uint64_t nodes : tree_history::nodes_for(span_ticks, 16)) {
    c.sizes.nodes.emplace_back(nodes, published::filter_size{nodes > 100 ? 256u : 4096u, 3});
  }
  c.sizes.pairs = {1 << 18, 4};
  live(tree_history(c), span_ticks, nothing_more);
}

TEST(history_soak, timelines) {
  live(timeline_history({.ticks = span_ticks, .error = 0.01}), span_ticks,
       [](timeline_history& h, int round) { round % 2 == 0 ? h.compact() : h.seal(); });
}

TEST(history_soak, timelines_merged) {
  math::random_source random(3);
  events known;
  const auto shard = [&] {
    timeline_history h({.ticks = span_ticks, .error = 0.01});
    for (const auto& [item, t] : some_events(random, 0, span_ticks)) {
      h.add(item, instant::from_seconds(t));
      known.push_back({item, t});
    }
    return h;
  };
  timeline_history all = shard();
  all.seal();
  for (int i = 0; i < 4; ++i) all.merge(shard());
  ask(all, known, random, questions_each());
}

TEST(history_soak, partitions) {
  live(history({.partition = std::chrono::seconds(1000), .memory = 20'000}), span_ticks,
       [](history& h, int round) {
         if (round % 2 == 0) h.seal();
       });
}

}  // namespace history_soak
}  // namespace bloomtime
