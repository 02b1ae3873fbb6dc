#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/heat/window_table.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/oracle_window.hpp"

// A window table against its exact twin, under hostile arrivals: bursts, gaps of every length, late
// and future events, more items than hinted, merges, and files.
namespace bloomtime::window_table_property {

using namespace std::chrono_literals;
using support::oracle_window;

constexpr std::int64_t century = std::int64_t{100} * 365 * 86400;

struct arrival {
  std::uint64_t item;
  std::int64_t tick;
  std::uint64_t weight;
};

// Seconds, which are ticks here.
instant at_tick(std::int64_t tick) { return instant::from_seconds(tick); }

window_table_config draw_config() {
  const auto slots = *rc::gen::element(1u, 2u, 7u, 60u, 63u, 64u, 127u, 200u, 256u, 1023u);
  return {.window = std::chrono::seconds(slots),
          .slots = slots,
          .items = *rc::gen::element<std::uint64_t>(0, 1, 20, 1000),
          .error = *rc::gen::element(0.5, 0.01, 1e-6),
          .ahead = std::chrono::seconds(10 * century)};
}

std::int64_t draw_gap(unsigned slots) {
  const auto window = static_cast<std::int64_t>(slots);
  switch (*rc::gen::inRange(0, 12)) {
    case 0: return *rc::gen::inRange<std::int64_t>(1, 3);
    case 1: return *rc::gen::inRange<std::int64_t>(1, window + 2);
    case 2: return *rc::gen::element<std::int64_t>(window - 1, window, window + 1, window + 2);
    case 3: return *rc::gen::element<std::int64_t>(64, 128, 256, 1024, 2048) - window;
    case 4: return *rc::gen::inRange<std::int64_t>(0, century);
    default: return 0;
  }
}

// Bursts of many items and of few.
std::vector<arrival> draw_arrivals(unsigned slots) {
  std::vector<arrival> all;
  std::int64_t now = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  const auto items = *rc::gen::element<std::uint64_t>(1, 3, 40, 2000);
  for (auto bursts = *rc::gen::inRange(1, 30); bursts > 0; --bursts) {
    now += std::max<std::int64_t>(0, draw_gap(slots));
    const auto first = *rc::gen::inRange<std::uint64_t>(0, items);
    for (auto hits = *rc::gen::element<std::uint64_t>(1, 2, 10, 300); hits > 0; --hits) {
      const bool late = hits % 5 == 1;
      const bool heavy = hits % 7 == 1;
      all.push_back({(first + hits * hits) % items,
                     late ? now - *rc::gen::inRange<std::int64_t>(0, slots + 2) : now,
                     heavy ? *rc::gen::inRange<std::uint64_t>(0, 1'000'000) : 1});
    }
  }
  return all;
}

class fed_table {
 public:
  explicit fed_table(const window_table_config& c) : table(c), exact(c.slots), slots_(c.slots) {}

  void add(const arrival& a) {
    const outcome became = table.add(a.item, at_tick(a.tick), a.weight);
    if (a.weight == 0 && became == outcome::added) return;
    const std::int64_t before = newest;
    if (a.tick > newest) {
      RC_ASSERT(became == outcome::added);
      newest = a.tick;
    } else if (before - a.tick > std::int64_t{slots_}) {
      RC_ASSERT(became == outcome::dropped_late);
      return;
    } else {
      RC_ASSERT(became == (a.tick < newest ? outcome::late : outcome::added));
    }
    exact.add(a.item, a.tick, a.weight);
    ++events;
  }

  void expect_right(std::int64_t now) const {
    for (std::uint64_t item = 0; item < 50; ++item) {
      const estimate e = table.at(item, at_tick(now));
      RC_ASSERT(e.upper >= static_cast<double>(exact.at(item, now)));
      RC_ASSERT(e.value == e.upper && 0 <= e.lower && e.lower <= e.value);
      // Nothing but equal keys makes an answer too high.
      if (table.key_bits() < 28) continue;
      RC_ASSERT(e.upper == static_cast<double>(exact.at(item, now)));
      RC_ASSERT(e.lower == static_cast<double>(exact.within(item, now)));
    }
    RC_ASSERT(table.mass(at_tick(now)) == static_cast<double>(exact.mass(now)));
    RC_ASSERT(table.events() == events);
  }

  window_table table;
  oracle_window exact;
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  std::uint64_t events = 0;

 private:
  unsigned slots_;
};

RC_GTEST_PROP(window_table_property, is_right_at_any_time_and_after_loading, ()) {
  const window_table_config c = draw_config();
  fed_table fed(c);
  for (const arrival& a : draw_arrivals(c.slots)) {
    fed.add(a);
    if (*rc::gen::inRange(0, 100) == 0 && fed.events != 0) {
      const auto bytes = fed.table.serialize();
      fed.table = window_table::load(bytes);
      RC_ASSERT(fed.table.serialize() == bytes);
      fed.expect_right(fed.newest);
    }
  }
  if (fed.events == 0) return;
  if (fed.table.key_bits() >= 28) {
    const auto items = static_cast<double>(fed.exact.items(fed.newest));
    RC_ASSERT(std::abs(fed.table.distinct() - items) < 0.5);
  }
  const std::int64_t window = c.slots;
  for (const std::int64_t later : {std::int64_t{0}, std::int64_t{1}, window - 1, window, window + 1,
                                   std::int64_t{64}, std::int64_t{1024}, century}) {
    fed.expect_right(fed.newest + later);
  }
  fed.table.advance(at_tick(fed.newest + 2));
  fed.table.advance(at_tick(fed.newest));  // never back
  fed.expect_right(fed.newest + 2);
}

RC_GTEST_PROP(window_table_property, of_two_streams_is_right_after_a_merge, ()) {
  const window_table_config c = draw_config();
  fed_table one(c);
  fed_table two(c);
  if (*rc::gen::inRange(0, 4) != 0) {
    for (const arrival& a : draw_arrivals(c.slots)) one.add(a);
  }
  for (const arrival& a : draw_arrivals(c.slots)) two.add(a);
  const auto weight = *rc::gen::element<std::uint64_t>(0, 1, 2, 1000);
  one.table.merge(two.table, static_cast<double>(weight));
  if (weight != 0 && two.events != 0) {
    one.exact.merge(two.exact, weight);
    one.events += two.events;
    one.newest = std::max(one.newest, two.newest);
  }
  if (one.events == 0) return;
  RC_ASSERT(*one.table.newest() == at_tick(one.newest));
  one.expect_right(one.newest);
  one.expect_right(one.newest + 3);
  RC_ASSERT(window_table::load(one.table.serialize()).serialize() == one.table.serialize());
  for (const arrival& a : draw_arrivals(c.slots)) {
    one.add({a.item, one.newest + std::max<std::int64_t>(0, a.tick % 5), a.weight});
  }
  one.expect_right(one.newest);
}

// Ten times more items than there is room for: what was counted is never too low, and the rest is
// told.
RC_GTEST_PROP(window_table_property, with_a_memory_limit_tells_what_it_did_not_count, ()) {
  window_table_config c = draw_config();
  c.memory = *rc::gen::inRange<std::uint64_t>(16 * 1024, 40 * 1024);
  window_table t(c);
  oracle_window exact(c.slots);
  std::int64_t now = 0;
  std::uint64_t full = 0;
  std::uint64_t counted = 0;
  const auto step = *rc::gen::inRange<std::uint64_t>(200, 20'000);
  for (std::uint64_t i = 0; i < 12'000; ++i) {
    now += i % step == 0 ? std::max<std::int64_t>(1, draw_gap(c.slots)) : 0;
    const outcome became = t.add(i % 20'011, at_tick(now));
    RC_ASSERT(became == outcome::added || became == outcome::full);
    if (became == outcome::full) {
      ++full;
    } else {
      ++counted;
      exact.add(i % 20'011, now, 1);
    }
    RC_ASSERT(t.memory() <= *c.memory + 9000);  // and the totals of slots
  }
  RC_ASSERT(t.losses().full == full);
  RC_ASSERT(t.events() == counted);
  RC_ASSERT(t.mass(at_tick(now)) == static_cast<double>(exact.mass(now)));
  for (std::uint64_t item = 0; item < 20'011; ++item) {
    RC_ASSERT(t.at(item, at_tick(now)).upper >= static_cast<double>(exact.at(item, now)));
  }
}

}  // namespace bloomtime::window_table_property
