#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/heat/heat_filter.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/heat_stream.hpp"
#include "support/oracle_heat.hpp"

namespace bloomtime {
namespace heat_filter_property {

using namespace std::chrono_literals;
using support::covers;
using support::draw_heat_events;
using support::heat_event;
using support::oracle_heat;

heat_config small(double lambda, unsigned cell_bits) {
  return {
      .memory = 4 * 64, .lambda = lambda, .tick = 1s, .ahead = 24h * 3650, .cell_bits = cell_bits};
}

void expect_covered(const heat_filter& f, const oracle_heat& exact, instant when) {
  for (std::uint64_t item = 0; item < 45; ++item) {
    const estimate e = f.at(item, when);
    RC_ASSERT(covers(e.upper, exact.at(item, when)));
    RC_ASSERT(e.lower <= e.value && e.value <= e.upper);
    RC_ASSERT(f.value_at(item, when) == e.value);
  }
  RC_ASSERT(covers(f.mass(when) + 1e-300, exact.mass(when)));  // doubles end there
}

// Equation (1) of Cheng et al.: ages from the event on, in whole epochs. By the clock an event is
// as old or one epoch older.
RC_GTEST_PROP(heat_filter, over_lambda_covers_ages_from_the_event_on, ()) {
  const double lambda = *rc::gen::element(0x1p-20, 0.3, 0.5, 0.9, 0.99);
  heat_config c = small(lambda, *rc::gen::element(16u, 32u));
  c.tick = 10s;
  heat_filter f(c);
  const std::vector<heat_event> events = draw_heat_events(40);
  for (const heat_event& e : events) f.add(e.item, e.when(), e.weight);
  std::int64_t now = std::numeric_limits<std::int64_t>::min();
  for (const heat_event& e : events) now = std::max(now, e.at);
  now += *rc::gen::inRange<std::int64_t>(0, 100);
  for (std::uint64_t item = 0; item < support::heat_asked; ++item) {
    long double truth = 0;
    for (const heat_event& e : events) {
      if (e.item != item) continue;
      truth += static_cast<long double>(e.weight) *
               std::pow(static_cast<long double>(lambda), (now - e.at) / 10);
    }
    const estimate said = f.at(item, instant::from_seconds(now));
    RC_ASSERT(covers(said.upper / f.decay().factor(), truth));
  }
}

RC_GTEST_PROP(heat_filter, never_undercounts, ()) {
  const double lambda = *rc::gen::elementOf(support::lambdas);
  const unsigned cell_bits = *rc::gen::element(16u, 32u);
  heat_filter f(small(lambda, cell_bits));
  oracle_heat exact(f.decay(), f.clock());
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  for (const heat_event& s : draw_heat_events(*rc::gen::element<std::int64_t>(3, 100, 100'000))) {
    const outcome became = f.add(s.item, instant::from_seconds(s.at), s.weight);
    RC_ASSERT(became == (s.at < newest ? outcome::late : outcome::added));
    exact.add(s.item, instant::from_seconds(s.at), s.weight);
    newest = std::max(newest, s.at);
  }
  expect_covered(f, exact, instant::from_seconds(newest));
  expect_covered(f, exact, instant::from_seconds(newest + 7));
  expect_covered(f, exact, instant::from_seconds(newest + 100'000));
  RC_ASSERT(heat_filter::load(f.serialize()).serialize() == f.serialize());
}

RC_GTEST_PROP(heat_filter, merged_covers_both_streams, ()) {
  const double lambda = *rc::gen::elementOf(support::lambdas);
  const unsigned cell_bits = *rc::gen::element(16u, 32u);
  heat_filter one(small(lambda, cell_bits));
  heat_filter two(small(lambda, cell_bits));
  oracle_heat exact(one.decay(), one.clock());
  std::int64_t newest = -2000;
  for (heat_filter* f : {&one, &two}) {
    for (const heat_event& s : draw_heat_events(50)) {
      f->add(s.item, instant::from_seconds(s.at), s.weight);
      exact.add(s.item, instant::from_seconds(s.at), s.weight);
      newest = std::max(newest, s.at);
    }
  }
  const std::uint64_t events = one.events() + two.events();
  one.merge(two);
  RC_ASSERT(one.events() == events);
  expect_covered(one, exact, instant::from_seconds(newest));
}

// Where no other item is, nothing but rounding raises a count, and nothing but what halvings forget
// lowers it, in each of any number of filters that are merged.
RC_GTEST_PROP(heat_filter, bounds_allow_for_rounding_in_every_part, ()) {
  const heat_config config =
      small(*rc::gen::elementOf(support::lambdas), *rc::gen::element(16u, 32u));
  heat_filter whole(config);
  oracle_heat exact(whole.decay(), whole.clock());
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  const auto parts = *rc::gen::inRange(1, 20);
  const auto longest_gap = *rc::gen::element<std::int64_t>(1, 3, 100);
  for (int part = 0; part < parts; ++part) {
    heat_filter f(config);
    auto events = draw_heat_events(longest_gap);
    if (*rc::gen::inRange(0, 2) == 0) events = {{0, 0, 1}};
    for (const heat_event& e : events) {
      f.add("x", e.when(), e.weight);
      exact.add(0, e.when(), e.weight);
      newest = std::max(newest, e.at);
    }
    whole.merge(f);
  }
  for (const std::int64_t later : {0, 1, 7, 8, 9, 30, 1000}) {
    const instant when = instant::from_seconds(newest + later);
    const estimate e = heat_filter::load(whole.serialize()).at("x", when);
    RC_ASSERT(support::is_covered(e.lower, exact.at(0, when)));
    RC_ASSERT(covers(e.upper, exact.at(0, when)));
  }
}

RC_GTEST_PROP(heat_filter, takes_many_events_as_one_by_one, ()) {
  const heat_config config =
      small(*rc::gen::elementOf(support::lambdas), *rc::gen::element(16u, 32u));
  heat_filter one_by_one(config);
  heat_filter bulk(config);
  std::vector<std::uint64_t> items;
  std::vector<instant> times;
  std::vector<outcome> expected;
  for (const heat_event& s : draw_heat_events(30)) {
    items.push_back(s.item);
    times.push_back(instant::from_seconds(s.at));
    expected.push_back(one_by_one.add(s.item, times.back()));
  }
  std::vector<outcome> outcomes(items.size());
  bulk.add_bulk(items, times, outcomes);
  RC_ASSERT(outcomes == expected);
  RC_ASSERT(bulk.serialize() == one_by_one.serialize());

  const instant when(times.back().micros + *rc::gen::inRange<std::int64_t>(-5'000'000, 50'000'000));
  std::vector<estimate> answers(items.size());
  bulk.at_bulk(items, when, answers);
  for (std::size_t i = 0; i < items.size(); ++i) RC_ASSERT(answers[i] == bulk.at(items[i], when));
}

// Saved and loaded at any moment, it goes on as if nothing had happened.
RC_GTEST_PROP(heat_filter, resumes_exactly, ()) {
  heat_filter steady(small(*rc::gen::elementOf(support::lambdas), *rc::gen::element(16u, 32u)));
  heat_filter resumed(steady);
  for (const heat_event& s : draw_heat_events(1000)) {
    if (*rc::gen::inRange(0, 10) == 0) resumed = heat_filter::load(resumed.serialize());
    const instant when = instant::from_seconds(s.at);
    RC_ASSERT(steady.add(s.item, when, s.weight) == resumed.add(s.item, when, s.weight));
  }
  RC_ASSERT(resumed.serialize() == steady.serialize());
}

RC_GTEST_PROP(heat_filter, passes_time_in_one_step_or_many, ()) {
  heat_filter f(small(*rc::gen::elementOf(support::lambdas), 16));
  for (const heat_event& s : draw_heat_events(30))
    f.add(s.item, instant::from_seconds(s.at), s.weight);
  heat_filter in_steps(f);
  std::int64_t now = f.newest()->micros / 1'000'000;
  for (int i = 0; i < 5; ++i) {
    now += *rc::gen::inRange<std::int64_t>(0, 100'000);
    in_steps.advance(instant::from_seconds(now));
    in_steps.advance(instant::from_seconds(now - 10));  // never back
  }
  f.advance(instant::from_seconds(now));
  for (std::uint64_t item = 0; item < 45; ++item) {
    const instant when = instant::from_seconds(now);
    const estimate once = f.at(item, when);
    const estimate often = in_steps.at(item, when);
    RC_ASSERT(once.value == often.value);
    RC_ASSERT(once.upper == often.upper);
    // The mass is rounded up at each step, by 2^-40 at most.
    RC_ASSERT(std::abs(once.lower - often.lower) <= 1e-9);
  }
}

// The same filter as the papers would have it: every cell is halved at every half-life.
class eager {
 public:
  explicit eager(const heat_filter& like) : like_(like), cells_(like.cells()) {}

  void add(std::uint64_t item, instant when, std::uint64_t weight) {
    const std::int64_t epoch = like_.clock().tick_of(when).number;
    const decay::power then = like_.decay().at(epoch);
    if (!started_ || then.halvings > halvings_) {
      for (; started_ && halvings_ < then.halvings; ++halvings_) halve();
      halvings_ = then.halvings;
      started_ = true;
    }
    const auto behind = static_cast<unsigned>(halvings_ - then.halvings) + 54;
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(weight) * then.upper;
    const std::uint64_t units =
        behind >= 127 ? 1
                      : static_cast<std::uint64_t>((product + (wide{1} << behind) - 1) >> behind);
    const std::uint64_t raised = this->units(item) + units;
    for (unsigned i = 0; i < like_.k(); ++i) {
      std::uint64_t& cell = cells_[number_of(item, i)];
      cell = std::max(cell, raised);
    }
  }

  std::uint64_t units(std::uint64_t item) const {
    std::uint64_t least = ~std::uint64_t{0};
    for (unsigned i = 0; i < like_.k(); ++i) least = std::min(least, cells_[number_of(item, i)]);
    return least;
  }

 private:
  std::uint64_t number_of(std::uint64_t item, unsigned i) const {
    const unsigned per_line = 512 / like_.cell_bits() - 1;
    const detail::row_line_probes probes{like_.cells() / like_.k() / per_line, like_.k(), per_line};
    const auto spot = probes.at(digest_of(item, like_.seed()), i);
    return spot.line * per_line + spot.cell;
  }

  void halve() {
    for (std::uint64_t& cell : cells_) {
      cell = (cell + 1) / 2;
      if (cell <= 1) cell = 0;
    }
  }

  const heat_filter& like_;
  std::vector<std::uint64_t> cells_;
  bool started_ = false;
  decay::wide halvings_ = 0;
};

// value is the smallest cell over the power of the epoch, so equal cells give equal values.
RC_GTEST_PROP(heat_filter, halves_lazily_as_if_at_once, ()) {
  const double lambda = *rc::gen::element(0.3, 0.5, 0.9, 0.99);
  heat_filter f(small(lambda, *rc::gen::element(16u, 32u)));
  eager model(f);
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  for (const heat_event& s : draw_heat_events(30)) {
    const instant when = instant::from_seconds(s.at);
    f.add(s.item, when, s.weight);
    model.add(s.item, when, s.weight);
    newest = std::max(newest, s.at);
  }
  const decay::power now = f.decay().at(newest);
  for (std::uint64_t item = 0; item < 45; ++item) {
    const double hits =
        static_cast<double>(model.units(item)) * 0x1p54 / static_cast<double>(now.lower);
    const double value = f.at(item, instant::from_seconds(newest)).value;
    RC_ASSERT(std::abs(value - hits) <= 1e-14 * hits);
  }
}

}  // namespace heat_filter_property
}  // namespace bloomtime
