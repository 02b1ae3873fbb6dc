#pragma once

#include <rapidcheck.h>

#include <bit>
#include <cstdint>
#include <vector>

#include <bloomtime/history/history_engine.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

#include "support/oracle_history.hpp"

// Histories of any shape, drawn by rapidcheck, and the one thing that they all promise.
namespace bloomtime::support {

using namespace published;

inline constexpr std::uint64_t few_items = 8;

inline published::filter_size any_size(bool may_be_absent) {
  if (may_be_absent && *rc::gen::inRange(0, 3) == 0) return {};
  return {64 * *rc::gen::inRange<std::uint64_t>(1, 20), *rc::gen::inRange(1u, 9u)};
}

// One that folds into all others.
inline published::filter_size any_folding_size(bool may_be_absent) {
  if (may_be_absent && *rc::gen::inRange(0, 3) == 0) return {};
  return {std::uint64_t{64} << *rc::gen::inRange(0, 4), *rc::gen::inRange(1u, 9u)};
}

using size_source = published::filter_size (*)(bool);

inline single_config any_single(std::uint64_t ticks) {
  return {.pairs = *rc::gen::inRange<std::uint64_t>(1, 100),
          .memory = *rc::gen::inRange<std::uint64_t>(8, 500),
          .ticks = ticks};
}

inline level_config any_levels(std::uint64_t ticks, size_source size = any_size) {
  level_config c{
      .ticks = ticks, .doubts = *rc::gen::arbitrary<bool>(), .learns = *rc::gen::arbitrary<bool>()};
  const auto heights = static_cast<unsigned>(std::bit_width(ticks - 1)) + 1;
  for (unsigned h = 0; h < heights; ++h) c.levels.push_back(size(h > 0));
  return c;
}

inline level_config any_growing_levels() {
  return {.levels = {any_size(false)},
          .doubts = *rc::gen::arbitrary<bool>(),
          .learns = *rc::gen::arbitrary<bool>()};
}

inline tree_config any_tree(std::uint64_t ticks, unsigned most_leaf_height = 4,
                            size_source size = any_size) {
  tree_config c{.ticks = ticks,
                .granularity = std::uint64_t{1} << *rc::gen::inRange(0u, most_leaf_height + 1)};
  for (const std::uint64_t nodes : tree_history::nodes_for(ticks, c.granularity)) {
    auto& level = c.sizes.nodes.emplace_back();
    for (std::uint64_t i = 0; i < nodes; ++i) level.push_back(size(true));
  }
  c.sizes.pairs = size(true);
  return c;
}

inline tree_config any_growing_tree() {
  return {.granularity = std::uint64_t{1} << *rc::gen::inRange(0, 5),
          .sizes = {{{any_size(false)}}, any_size(true)}};
}

inline std::uint64_t any_ticks() { return *rc::gen::inRange<std::uint64_t>(1, 300); }

// Of the ticks from..from + ticks - 1, and a little around them.
inline interval any_interval(std::uint64_t ticks, std::int64_t from = 0) {
  const auto most = from + static_cast<std::int64_t>(ticks);
  const auto s = *rc::gen::inRange<std::int64_t>(from - 2, most + 2);
  return {{s}, {*rc::gen::inRange<std::int64_t>(s, most + 3)}};
}

// Adds something that belongs into the span to both.
template <history_engine History>
std::int64_t add_any(History& f, oracle_history& exact, std::uint64_t ticks,
                     std::int64_t from = 0) {
  const auto item = *rc::gen::inRange<std::uint64_t>(0, few_items);
  const auto t = *rc::gen::inRange<std::int64_t>(from, from + static_cast<std::int64_t>(ticks));
  RC_ASSERT(f.add(item, instant::from_seconds(t)) == outcome::added);
  exact.add(item, t);
  return t;
}

// What was seen is never denied.
template <history_engine History>
void expect_nothing_denied(const History& f, const oracle_history& exact, interval asked) {
  for (std::uint64_t x = 0; x < few_items; ++x) {
    std::uint64_t probes = 0;
    const sighting got = f.seen(x, asked, probes);
    RC_ASSERT(got == sighting::maybe || !exact.seen(x, asked));
  }
}

// Of every tick that something was seen in, and of some intervals.
template <history_engine History>
void expect_nothing_denied(const History& f, const oracle_history& exact) {
  for (const auto& [item, ticks] : exact.items()) {
    for (const std::int64_t t : ticks) expect_nothing_denied(f, exact, {{t}, {t}});
  }
  for (int i = 0; i < 8; ++i) {
    expect_nothing_denied(f, exact, any_interval(f.ticks(), static_cast<std::int64_t>(f.first())));
  }
}

}  // namespace bloomtime::support
