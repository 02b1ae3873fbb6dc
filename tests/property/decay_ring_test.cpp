#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/heat/decay_ring.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "support/heat_stream.hpp"

namespace bloomtime {
namespace decay_ring_property {

using namespace std::chrono_literals;
using support::covers;
using support::draw_heat_events;
using support::heat_event;
using support::is_covered;

// A decay, and what an event counts.
struct drawn {
  decay_ring_config config;
  std::function<long double(std::int64_t seconds)> truth;
  long double factor;  // by which slots of several epochs may exceed it
};

std::vector<double> draw_weights() {
  const auto size = *rc::gen::inRange<std::size_t>(1, 40);
  std::vector<double> weights{1};
  while (weights.size() < size) {
    weights.push_back(weights.back() * *rc::gen::element(0.0, 0.1, 0.5, 0.9, 0.999, 1.0));
  }
  return weights;
}

drawn draw_decay() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0: {  // ages in time: 3 s slots
      const auto slots = *rc::gen::inRange(1u, 12u);
      const auto window = 3 * static_cast<std::int64_t>(slots);
      return {{.window = std::chrono::seconds(window), .slots = slots},
              [=](std::int64_t age) { return age < window ? 1.0L : 0.0L; },
              1};
    }
    case 1: {
      const auto weights = draw_weights();
      return {{.weights = weights, .tick = 1s},
              [=](std::int64_t age) {
                const auto a = static_cast<std::uint64_t>(age);
                return a < weights.size() ? static_cast<long double>(weights[a]) : 0.0L;
              },
              1};
    }
    default: {
      const auto b = *rc::gen::inRange(1u, 5u);
      const double alpha = *rc::gen::element(0.0, 0.5, 1.0, 2.0, 7.0);
      return {{.polynomial = alpha, .per_octave = b, .reach = 3000s, .tick = 1s},
              [=](std::int64_t age) {
                return std::pow(1 + static_cast<long double>(age),
                                -static_cast<long double>(alpha));
              },
              std::pow(1 + 1.0L / b, static_cast<long double>(alpha))};
    }
  }
}

struct fed_ring {
  decay_ring ring;
  std::function<long double(std::int64_t)> weight;
  std::vector<heat_event> events;
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();

  fed_ring(drawn d, std::uint64_t memory)
      : ring([&] {
          d.config.memory = memory;
          d.config.ahead = 24h * 3650;
          return d.config;
        }()),
        weight(d.truth) {}

  void add(const heat_event& e) {
    const outcome became = ring.add(e.item, e.when(), e.weight);
    const tick_clock& c = ring.clock();
    const bool late = newest != std::numeric_limits<std::int64_t>::min() &&
                      c.tick_of(e.when()) < c.tick_of(instant::from_seconds(newest));
    newest = std::max(newest, e.at);
    RC_ASSERT(became == (late ? outcome::late : outcome::added) ||
              (became == outcome::dropped_late && late && weight(newest - e.at) == 0));
    events.push_back(e);
  }
  long double truth(std::uint64_t item, std::int64_t now, std::int64_t younger = 0) const {
    long double sum = 0;
    for (const heat_event& e : events) {
      if (e.item != item) continue;
      const std::int64_t age = std::max<std::int64_t>(now - e.at - younger, 0);
      sum += static_cast<long double>(e.weight) * weight(age);
    }
    return sum;
  }
  long double mass(std::int64_t now) const {
    long double sum = 0;
    for (std::uint64_t item = 0; item < support::heat_asked; ++item) sum += truth(item, now);
    return sum;
  }
};

void expect_covered(const fed_ring& f) {
  for (const std::int64_t later : {0, 1, 7, 1000}) {
    const std::int64_t now = f.newest + later;
    const instant when = instant::from_seconds(now);
    for (std::uint64_t item = 0; item < support::heat_asked; ++item) {
      const estimate e = f.ring.at(item, when);
      RC_ASSERT(covers(e.upper, f.truth(item, now)));
      RC_ASSERT(0 <= e.lower && e.lower <= e.value && e.value == e.upper);
    }
    RC_ASSERT(covers(f.ring.mass(when), f.mass(now)));
  }
}

std::uint64_t twelve_cells(const drawn& d) {
  decay_ring_config c = d.config;
  c.memory = 1 << 20;
  return 12 * detail::ring_cells::bytes_per_cell(decay_ring(c).slots());
}

RC_GTEST_PROP(decay_ring, never_undercounts, ()) {
  const drawn d = draw_decay();
  fed_ring f(d, twelve_cells(d));
  for (const heat_event& e : draw_heat_events(*rc::gen::element<std::int64_t>(3, 20, 1000))) {
    f.add(e);
  }
  expect_covered(f);
  RC_ASSERT(decay_ring::load(f.ring.serialize()).serialize() == f.ring.serialize());
}

// Without collisions only the length of slots is left.
void expect_as_exact_as_slots(const fed_ring& f, const drawn& d) {
  for (const std::int64_t later : {0, 1, 7, 500}) {
    const std::int64_t now = f.newest + later;
    for (std::uint64_t item = 0; item < support::heat_asked; ++item) {
      const estimate e = f.ring.at(item, instant::from_seconds(now));
      RC_ASSERT(is_covered(e.lower, f.truth(item, now)));
      // What is up to one slot too old may count in a window.
      const long double most = d.config.window ? f.truth(item, now, 3)  //
                                               : f.truth(item, now) * d.factor;
      RC_ASSERT(static_cast<long double>(e.upper) <= most * (1 + 1e-11L));
    }
  }
}

RC_GTEST_PROP(decay_ring, is_as_exact_as_its_slots, ()) {
  const drawn d = draw_decay();
  fed_ring f(d, 1 << 21);
  for (const heat_event& e : draw_heat_events(*rc::gen::element<std::int64_t>(3, 20))) f.add(e);
  expect_as_exact_as_slots(f, d);
}

RC_GTEST_PROP(decay_ring, forgets_a_window_completely, ()) {
  const auto slots = *rc::gen::inRange(1u, 12u);
  decay_ring ring({.memory = 2000, .window = std::chrono::seconds(2 * slots), .slots = slots});
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  for (const heat_event& e : draw_heat_events(5)) {
    ring.add(e.item, e.when(), e.weight);
    newest = std::max(newest, e.at);
  }
  const instant when = instant::from_seconds(newest + 2 * slots + 2);
  for (std::uint64_t item = 0; item < support::heat_asked; ++item)
    RC_ASSERT(ring.at(item, when) == estimate{});
  RC_ASSERT(ring.mass(when) == 0);
}

RC_GTEST_PROP(decay_ring, goes_on_after_loading_as_if_nothing_had_happened, ()) {
  const drawn d = draw_decay();
  fed_ring f(d, twelve_cells(d));
  decay_ring twin(f.ring);
  for (const heat_event& e : draw_heat_events(*rc::gen::element<std::int64_t>(3, 20, 1000))) {
    if (*rc::gen::inRange(0, 8) == 0) twin = decay_ring::load(twin.serialize());
    f.add(e);
    twin.add(e.item, e.when(), e.weight);
  }
  RC_ASSERT(f.ring.serialize() == twin.serialize());
}

// Cells catch up when they are written; letting time pass in steps changes no answer.
RC_GTEST_PROP(decay_ring, passes_time_in_one_step_or_many, ()) {
  const drawn d = draw_decay();
  fed_ring f(d, twelve_cells(d));
  decay_ring twin(f.ring);
  for (const heat_event& e : draw_heat_events(20)) {
    const std::int64_t before = f.newest;
    f.add(e);
    for (std::int64_t t = before; f.events.size() > 1 && t < f.newest; ++t) {
      twin.advance(instant::from_seconds(t));
    }
    twin.add(e.item, e.when(), e.weight);
  }
  const instant when = instant::from_seconds(f.newest);
  for (std::uint64_t item = 0; item < support::heat_asked; ++item) {
    RC_ASSERT(twin.at(item, when) == f.ring.at(item, when));
  }
  RC_ASSERT(twin.mass(when) == f.ring.mass(when));
}

fed_ring merged(const drawn& d, std::uint64_t memory) {
  fed_ring one(d, memory);
  fed_ring two(d, memory);
  for (const heat_event& e : draw_heat_events(20)) one.add(e);
  for (const heat_event& e : draw_heat_events(20)) two.add(e);
  const std::uint64_t events = one.ring.events() + two.ring.events();
  one.ring.merge(two.ring);
  RC_ASSERT(one.ring.events() == events);
  one.events.insert(one.events.end(), two.events.begin(), two.events.end());
  one.newest = std::max(one.newest, two.newest);
  return one;
}

RC_GTEST_PROP(decay_ring, merged_covers_both_streams, ()) {
  const drawn d = draw_decay();
  expect_covered(merged(d, twelve_cells(d)));
}

RC_GTEST_PROP(decay_ring, merged_is_as_exact_as_its_slots, ()) {
  const drawn d = draw_decay();
  expect_as_exact_as_slots(merged(d, 1 << 19), d);
}

}  // namespace decay_ring_property
}  // namespace bloomtime
