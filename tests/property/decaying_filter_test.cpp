#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/digit_chains.hpp"
#include "support/heat_stream.hpp"
#include "support/oracle_heat.hpp"

namespace bloomtime {
namespace decaying_filter_property {

using namespace published;
using namespace std::chrono_literals;
using support::covers;
using support::draw_heat_events;
using support::heat_event;
using support::oracle_heat;

using support::lambdas;
constexpr std::uint64_t items = 45;  // a few that are in no stream
constexpr std::uint64_t light = 3000;

// About 40 cells for 40 items: every cell is shared.
template <class Filter>
decaying_config small(double lambda, increase how = increase::plain) {
  decaying_config c{.lambda = lambda, .ahead = 24h * 3650, .increase = how};
  c.memory = std::is_same_v<Filter, decaying_filter> ? 160 : 240;
  c.cell_bits = 32;
  return c;
}

decaying_config draw_config(decaying_config c) {
  c.rounding = *rc::gen::element(rounding::up, rounding::down, rounding::random);
  c.increase = *rc::gen::element(increase::plain, increase::minimum);
  c.seed = *rc::gen::inRange<std::uint64_t>(0, 3);
  return c;
}

template <class Filter>
outcome feed(Filter& f, const heat_event& s) {
  return f.add(s.item, instant::from_seconds(s.at), s.weight);
}

template <class Filter>
Filter fed(const decaying_config& c, const std::vector<heat_event>& steps) {
  Filter f(c);
  for (const heat_event& s : steps) (void)feed(f, s);
  return f;
}

oracle_heat exact_of(const decay& by, const tick_clock& epochs,
                     const std::vector<heat_event>& steps) {
  oracle_heat exact(by, epochs);
  for (const heat_event& s : steps) exact.add(s.item, instant::from_seconds(s.at), s.weight);
  return exact;
}

std::int64_t newest_of(const std::vector<heat_event>& steps) {
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  for (const heat_event& s : steps) newest = std::max(newest, s.at);
  return newest;
}

template <class Filter>
void expect_covered(const Filter& f, const oracle_heat& exact, instant when) {
  for (std::uint64_t item = 0; item < items; ++item) {
    const estimate e = f.at(item, when);
    RC_ASSERT(covers(e.upper, exact.at(item, when)));
    RC_ASSERT(e.lower <= e.value && e.value <= e.upper);
    RC_ASSERT(f.rounding() != rounding::up || f.saturated() != 0 || e.value == e.upper);
  }
  RC_ASSERT(covers(f.mass(when) + 1e-300, exact.mass(when)));  // doubles end there
}

template <class Filter>
void expect_never_undercounts() {
  const auto c = draw_config(small<Filter>(*rc::gen::elementOf(lambdas)));
  Filter f(c);
  oracle_heat exact(f.decay(), f.clock());
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  for (const heat_event& s : draw_heat_events(*rc::gen::element<std::int64_t>(3, 100, 100'000))) {
    RC_ASSERT(feed(f, s) == (s.at < newest ? outcome::late : outcome::added));
    exact.add(s.item, instant::from_seconds(s.at), s.weight);
    newest = std::max(newest, s.at);
    const instant now = instant::from_seconds(newest);
    RC_ASSERT(covers(f.at(s.item, now).upper, exact.at(s.item, now)));
  }
  for (const std::int64_t later : {0, 7, 100'000}) {
    expect_covered(f, exact, instant::from_seconds(newest + later));
  }
}

RC_GTEST_PROP(decaying_filter, never_undercounts, ()) {
  expect_never_undercounts<decaying_filter>();
}
RC_GTEST_PROP(pooled_decaying_filter, never_undercounts, ()) {
  expect_never_undercounts<pooled_decaying_filter>();
}

// Counters of 16 bits and pools of few nodes: answers say when nothing is known any more, and never
// before.
RC_GTEST_PROP(decaying_filter, bounds_hold_where_counters_are_too_small, ()) {
  auto c = draw_config(small<decaying_filter>(*rc::gen::elementOf(lambdas)));
  c.cell_bits = 16;
  const auto steps = draw_heat_events(5, 30'000);
  const auto f = fed<decaying_filter>(c, steps);
  expect_covered(f, exact_of(f.decay(), f.clock(), steps), instant::from_seconds(newest_of(steps)));
  RC_ASSERT(decaying_filter::load(f.serialize()).serialize() == f.serialize());
}

RC_GTEST_PROP(pooled_decaying_filter, bounds_hold_where_the_pool_is_empty, ()) {
  auto c = draw_config(small<pooled_decaying_filter>(*rc::gen::elementOf(lambdas)));
  c.pool_memory = *rc::gen::inRange<std::uint64_t>(0, 600);
  pooled_decaying_filter f(c);
  oracle_heat exact(f.decay(), f.clock());
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  for (const heat_event& s : draw_heat_events(5, 300)) {
    (void)feed(f, s);
    exact.add(s.item, instant::from_seconds(s.at), s.weight);
    newest = std::max(newest, s.at);
    RC_ASSERT(support::chains_are_sound(f.counters()));
    RC_ASSERT(f.counters().pool().used() <= f.counters().setting());
  }
  expect_covered(f, exact, instant::from_seconds(newest));
  RC_ASSERT(pooled_decaying_filter::load(f.serialize()).serialize() == f.serialize());
}

// The claim of the papers, and what makes all other tests of one a test of both: the same answers,
// item by item and bit by bit, whatever the rounding.
RC_GTEST_PROP(pooled_decaying_filter, answers_as_the_basic_filter, ()) {
  auto c = draw_config({.lambda = *rc::gen::elementOf(lambdas), .ahead = 24h * 3650});
  c.items = 20;
  c.error = 0.1;
  c.cell_bits = 32;
  decaying_filter basic(c);
  pooled_decaying_filter pooled(c);
  RC_ASSERT(basic.cells() == pooled.cells());
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  for (const heat_event& s : draw_heat_events(*rc::gen::element<std::int64_t>(3, 100), 100'000)) {
    RC_ASSERT(feed(basic, s) == feed(pooled, s));
    newest = std::max(newest, s.at);
    for (std::uint64_t i = 0; i < basic.cells(); ++i) {
      RC_ASSERT(basic.counters().get(i) == pooled.counters().get(i));
    }
  }
  for (std::uint64_t item = 0; item < items; ++item) {
    const instant later = instant::from_seconds(newest + 3);
    RC_ASSERT(basic.at(item, later) == pooled.at(item, later));
  }
  RC_ASSERT(support::chains_are_sound(pooled.counters()));
}

// docs/math.md, Minimum increase under decay, "Dominance".
RC_GTEST_PROP(decaying_filter, minimum_increase_is_never_more_than_plain, ()) {
  auto c = draw_config(small<decaying_filter>(*rc::gen::elementOf(lambdas)));
  const auto steps = draw_heat_events(20, light);
  c.increase = increase::plain;
  const auto plain = fed<decaying_filter>(c, steps);
  c.increase = increase::minimum;
  const auto minimum = fed<decaying_filter>(c, steps);
  for (std::uint64_t i = 0; i < plain.cells(); ++i) {
    RC_ASSERT(minimum.counters().get(i) <= plain.counters().get(i));
  }
}

// docs/math.md, Decayed count: with ages counted from the event on, heat is at most 1 / lambda
// times as much. This tests the oracle first.
RC_GTEST_PROP(decaying_filter, covers_ages_from_the_event_on_over_lambda, ()) {
  const double lambda = *rc::gen::element(0.3, 0.5, 0.9, 0.99);
  decaying_config c{.memory = 160, .lambda = lambda, .epoch = 10s, .ahead = 24h * 3650};
  const auto steps = draw_heat_events(40, light);
  const auto f = fed<decaying_filter>(c, steps);
  const std::int64_t newest = newest_of(steps);
  const auto exact = exact_of(f.decay(), f.clock(), steps);
  for (std::uint64_t item = 0; item < items; ++item) {
    long double relative = 0;
    for (const heat_event& s : steps) {
      if (s.item != item) continue;
      relative += static_cast<long double>(s.weight) *
                  std::pow(static_cast<long double>(lambda), (newest - s.at) / 10);
    }
    const long double aligned = exact.at(item, instant::from_seconds(newest));
    RC_ASSERT(aligned <= relative * (1 + 1e-13L));
    RC_ASSERT(aligned >= relative * lambda * (1 - 1e-13L));
    RC_ASSERT(f.at(item, instant::from_seconds(newest)).upper / lambda >= relative * (1 - 1e-13L));
  }
}

template <class Filter>
void expect_goes_on_after_loading() {
  const auto c = draw_config(small<Filter>(*rc::gen::elementOf(lambdas)));
  Filter straight(c);
  Filter interrupted(c);
  for (const heat_event& s : draw_heat_events(20)) {
    RC_ASSERT(feed(straight, s) == feed(interrupted, s));
    if (*rc::gen::inRange(0, 10) == 0) interrupted = Filter::load(interrupted.serialize());
  }
  RC_ASSERT(straight.serialize() == interrupted.serialize());
}

RC_GTEST_PROP(decaying_filter, goes_on_after_loading_as_if_it_had_not_been_saved, ()) {
  expect_goes_on_after_loading<decaying_filter>();
}
RC_GTEST_PROP(pooled_decaying_filter, goes_on_after_loading_as_if_it_had_not_been_saved, ()) {
  expect_goes_on_after_loading<pooled_decaying_filter>();
}

template <class Filter>
void expect_merged_covers_both_streams() {
  const double lambda = *rc::gen::elementOf(lambdas);
  const auto how = *rc::gen::element(increase::plain, increase::minimum);
  auto c = small<Filter>(lambda, how);
  if (*rc::gen::inRange(0, 4) == 0) c.cell_bits = 16;
  const auto first = draw_heat_events(50);
  const auto second = draw_heat_events(50);
  auto one = fed<Filter>(c, first);
  const auto two = fed<Filter>(c, second);
  auto exact = exact_of(one.decay(), one.clock(), first);
  exact.merge(exact_of(one.decay(), one.clock(), second));
  const std::uint64_t events = one.events() + two.events();
  one.merge(two);
  RC_ASSERT(one.events() == events);
  const std::int64_t newest = std::max(newest_of(first), newest_of(second));
  expect_covered(one, exact, instant::from_seconds(newest));
  RC_ASSERT(Filter::load(one.serialize()).serialize() == one.serialize());
}

RC_GTEST_PROP(decaying_filter, merged_covers_both_streams, ()) {
  expect_merged_covers_both_streams<decaying_filter>();
}
RC_GTEST_PROP(pooled_decaying_filter, merged_covers_both_streams, ()) {
  expect_merged_covers_both_streams<pooled_decaying_filter>();
}

// Where no other item is, only rounding raises a counter, in every filter that is merged.
RC_GTEST_PROP(decaying_filter, lower_allows_for_rounding_in_every_part, ()) {
  const double lambda = *rc::gen::elementOf(lambdas);
  decaying_filter whole(small<decaying_filter>(lambda));
  oracle_heat exact(whole.decay(), whole.clock());
  std::int64_t newest = 0;
  const auto parts = *rc::gen::inRange(1, 10);
  for (int part = 0; part < parts; ++part) {
    decaying_filter f(small<decaying_filter>(lambda));
    f.add("x", instant{}, 100);
    exact.add(0, instant{}, 100);
    newest = *rc::gen::inRange<std::int64_t>(newest, newest + 500);
    for (std::int64_t now = 0; now <= newest; ++now) f.advance(instant::from_seconds(now));
    whole.merge(f);
  }
  const instant now = instant::from_seconds(newest);
  RC_ASSERT(support::is_covered(whole.at("x", now).lower, exact.at(0, now)));
  RC_ASSERT(support::covers(whole.at("x", now).upper, exact.at(0, now)));
}

// The least of several random walks, copied at every event, goes lower than any of them.
RC_GTEST_PROP(decaying_filter, rounding_at_random_keeps_its_bound_with_minimum_increase, ()) {
  auto c = small<decaying_filter>(0.99, increase::minimum);
  c.rounding = rounding::random;
  c.seed = *rc::gen::arbitrary<std::uint64_t>();
  decaying_filter f(c);
  oracle_heat exact(f.decay(), f.clock());
  for (int i = 0; i < 1000; ++i) {
    f.add("x", instant::from_seconds(i), 1 + static_cast<std::uint64_t>(i) % 5);
    exact.add(0, instant::from_seconds(i), 1 + static_cast<std::uint64_t>(i) % 5);
  }
  const instant now = instant::from_seconds(999);
  RC_ASSERT(support::covers(f.at("x", now).upper, exact.at(0, now)));
}

// Plain counters do not know the order of events. Each event is rounded at most once more (if it is
// late), and what has been rounded since fades by at most all of it.
RC_GTEST_PROP(decaying_filter, order_matters_no_more_than_rounding, ()) {
  const double lambda = *rc::gen::elementOf(lambdas);
  const auto c = small<decaying_filter>(lambda);
  auto steps = draw_heat_events(5, light);
  const auto f = fed<decaying_filter>(c, steps);
  std::reverse(steps.begin(), steps.end());
  const auto g = fed<decaying_filter>(c, steps);
  const double fixed_point = lambda < 1 ? 1 / (1 - lambda) : 0;
  const double most = static_cast<double>(steps.size()) + std::min(fixed_point, 1000.0);
  for (std::uint64_t i = 0; i < f.cells(); ++i) {
    const auto difference =
        static_cast<double>(f.counters().get(i)) - static_cast<double>(g.counters().get(i));
    RC_ASSERT(std::abs(difference) <= (lambda == 1 ? 0 : most));
  }
}

// Halves, and only they, may be rounded in any number of steps: ceil(ceil(c/2)/2) = ceil(c/4).
RC_GTEST_PROP(decaying_filter, halves_in_one_step_as_in_many, ()) {
  const auto c = small<decaying_filter>(*rc::gen::element(0.0, 0.5, 1.0));
  const auto steps = draw_heat_events(5, light);
  auto at_once = fed<decaying_filter>(c, steps);
  auto in_steps = at_once;
  const std::int64_t newest = newest_of(steps);
  const auto later = *rc::gen::inRange<std::int64_t>(0, 30);
  at_once.advance(instant::from_seconds(newest + later));
  for (std::int64_t i = 1; i <= later; ++i) in_steps.advance(instant::from_seconds(newest + i));
  for (std::uint64_t i = 0; i < at_once.cells(); ++i) {
    RC_ASSERT(at_once.counters().get(i) == in_steps.counters().get(i));
  }
}

}  // namespace decaying_filter_property
}  // namespace bloomtime
