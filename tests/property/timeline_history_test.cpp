#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/history/timeline_history.hpp>

#include <cstdint>

#include "support/oracle_history.hpp"

// Whatever happens to a timeline history, it answers as the list of all ticks does: exactly while
// items have names, and without ever denying what was seen when they have none.
namespace bloomtime {
namespace timeline_history_property {

using support::oracle_history;

constexpr std::uint64_t line_items = 6;

interval any_part_of(std::uint64_t ticks) {
  const auto most = static_cast<std::int64_t>(ticks);
  const auto s = *rc::gen::inRange<std::int64_t>(-2, most + 2);
  return {{s}, {*rc::gen::inRange<std::int64_t>(s, most + 3)}};
}

void expect_same_answers(const timeline_history& h, const oracle_history& exact, interval asked) {
  for (std::uint64_t x = 0; x < line_items; ++x) {
    std::uint64_t probes = 0;
    const bool truth = exact.seen(x, asked);
    const bool said = h.seen(x, asked, probes) == sighting::maybe;
    RC_ASSERT(said || !truth);
    if (h.nameless().empty()) RC_ASSERT(said == truth);
    const sightings when = h.when(x, asked);
    RC_ASSERT(when.empty() == !said);
    // Every answer of a bulk call is that of a single one: 40 items are several blocks.
    if (x != 0) continue;
    std::vector<std::uint64_t> items(40);
    std::vector<interval> periods(items.size());
    std::vector<sighting> answers(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i] = i % (2 * line_items);
      periods[i] = {asked.first, {asked.last.number - static_cast<std::int64_t>(i)}};
    }
    h.seen_bulk(items, periods, answers);
    for (std::size_t i = 0; i < items.size(); ++i) {
      RC_ASSERT(answers[i] == h.seen(items[i], periods[i], probes));
    }
    const auto found = exact.items().find(x);
    if (found == exact.items().end()) continue;
    for (const std::int64_t t : found->second) {
      if (!asked.contains({t})) continue;
      const auto holds = [&](const interval& i) { return i.contains({t}); };
      RC_ASSERT(std::any_of(when.begin(), when.end(), holds));
    }
  }
}

timeline_history empty_timelines_like(const timeline_history& h, double error) {
  return timeline_history({.ticks = h.ticks(), .error = error, .length = 3});
}

RC_GTEST_PROP(timeline_history, answers_as_the_ticks_do, ()) {
  const auto ticks = *rc::gen::inRange<std::uint64_t>(1, 700);
  const double error = *rc::gen::element(0.5, 0.01, 1e-6);
  timeline_history h({.ticks = ticks, .error = error, .length = 3});
  // Its events are in `exact` once it is merged.
  timeline_history other = empty_timelines_like(h, error);
  oracle_history late;
  oracle_history exact;
  const auto rounds = *rc::gen::inRange(1, 25);
  for (int i = 0; i < rounds; ++i) {
    const auto item = *rc::gen::inRange<std::uint64_t>(0, line_items);
    const auto t = *rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(ticks));
    const auto run = *rc::gen::weightedOneOf<std::int64_t>(
        {{3, rc::gen::just<std::int64_t>(1)}, {1, rc::gen::inRange<std::int64_t>(1, 400)}});
    const bool elsewhere = *rc::gen::inRange(0, 4) == 0;
    for (std::int64_t at = t; at < t + run && at < static_cast<std::int64_t>(ticks); ++at) {
      timeline_history& into = elsewhere ? other : h;
      RC_ASSERT(into.add(item, instant::from_seconds(at)) == outcome::added);
      (elsewhere ? late : exact).add(item, at);
    }
    switch (*rc::gen::inRange(0, 8)) {
      case 0: h.compact(); break;
      case 1: h.seal(); break;
      case 2: h = timeline_history::load(h.serialize()); break;
      case 3:
        h.merge(other);
        for (const auto& [x, at] : late.items()) {
          for (const std::int64_t seen : at) exact.add(x, seen);
        }
        other = empty_timelines_like(h, error);
        late = {};
        break;
      default: break;
    }
    expect_same_answers(h, exact, {{t}, {t}});
    expect_same_answers(h, exact, any_part_of(ticks));
  }
  RC_ASSERT(timeline_history::load(h.serialize()).serialize() == h.serialize());
}

RC_GTEST_PROP(timeline_history, answers_as_the_ticks_do_when_joined, ()) {
  const auto left_ticks = *rc::gen::inRange<std::uint64_t>(1, 300);
  const auto right_ticks = *rc::gen::inRange<std::uint64_t>(1, 300);
  const auto border = static_cast<std::int64_t>(left_ticks);
  timeline_history left({.ticks = left_ticks, .error = 0.1, .length = 3});
  timeline_history right({.first = left_ticks, .ticks = right_ticks, .error = 0.1, .length = 3});
  oracle_history exact;
  const auto events = *rc::gen::inRange(0, 60);
  for (int i = 0; i < events; ++i) {
    const auto item = *rc::gen::inRange<std::uint64_t>(0, line_items);
    const auto t =
        *rc::gen::inRange<std::int64_t>(0, border + static_cast<std::int64_t>(right_ticks));
    RC_ASSERT((t < border ? left : right).add(item, instant::from_seconds(t)) == outcome::added);
    exact.add(item, t);
    if (*rc::gen::inRange(0, 20) == 0) left.seal();
    if (*rc::gen::inRange(0, 20) == 0) right.seal();
  }
  const timeline_history both = timeline_history::joined(left, right);
  for (int i = 0; i < 20; ++i) expect_same_answers(both, exact, any_part_of(both.ticks()));
}

}  // namespace timeline_history_property
}  // namespace bloomtime
