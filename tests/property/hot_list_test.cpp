#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/hot_list.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/heat_stream.hpp"
#include "support/oracle_heat.hpp"

namespace bloomtime {
namespace hot_list_property {

using namespace std::chrono_literals;
using support::covers;
using support::draw_heat_events;
using support::heat_event;
using support::is_covered;
using support::oracle_heat;

std::string name_of(std::uint64_t item) { return "/" + std::to_string(item); }
std::uint64_t number_of(const std::string& name) { return std::stoull(name.substr(1)); }

hot_list_config small(double lambda) {
  return {.entries = *rc::gen::inRange<std::uint64_t>(1, 12),
          .lambda = lambda,
          .ahead = 24h * 3650,
          .bucket = *rc::gen::element(1s, 7s, 60s),
          .buckets = *rc::gen::inRange(1u, 6u),
          .seed = *rc::gen::inRange<std::uint64_t>(0, 100)};
}

hot_list_config any_small() { return small(*rc::gen::elementOf(support::lambdas)); }

struct fed_list {
  hot_list list;
  oracle_heat exact;
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  std::uint64_t events = 0;

  explicit fed_list(const hot_list_config& c) : list(c), exact(list.decay(), list.clock()) {}

  void add(const heat_event& e) {
    const outcome became = list.add(name_of(e.item), e.when(), e.weight);
    RC_ASSERT(became == (e.at < newest ? outcome::late : outcome::added));
    exact.add(e.item, e.when(), e.weight);
    newest = std::max(newest, e.at);
    ++events;
  }
  void add_stream() {
    for (const heat_event& e : draw_heat_events(*rc::gen::element<std::int64_t>(3, 100, 100'000))) {
      add(e);
    }
  }
  instant end(std::int64_t later = 0) const { return instant::from_seconds(newest + later); }
};

void expect_bounds(const fed_list& f, instant when) {
  for (std::uint64_t item = 0; item < support::heat_asked; ++item) {
    const estimate e = f.list.at(name_of(item), when);
    const long double truth = f.exact.at(item, when);
    RC_ASSERT(is_covered(e.lower, truth) && covers(e.upper, truth));
  }
  // One unit for every event and two for every entry, from rounding up.
  const double entries = static_cast<double>(f.list.entries());
  const double slack = (static_cast<double>(f.events) / entries + 2) * 0x1p-16;
  const double share = static_cast<double>(f.exact.mass(when)) / entries;
  RC_ASSERT(f.list.unlisted(when) <= share * (1 + 1e-9) + slack);
  RC_ASSERT(covers(f.list.mass(when) + 1e-300, f.exact.mass(when)));
}

void expect_list(const std::vector<hot_item>& top, const fed_list& f, instant when) {
  for (std::size_t i = 0; i < top.size(); ++i) {
    const long double truth = f.exact.at(number_of(top[i].item), when);
    RC_ASSERT(is_covered(top[i].heat.lower, truth) && covers(top[i].heat.upper, truth));
    RC_ASSERT(top[i].heat.lower <= top[i].heat.value && top[i].heat.value <= top[i].heat.upper);
    if (i > 0) RC_ASSERT(top[i - 1].heat.upper >= top[i].heat.upper);
    RC_ASSERT(top[i].trend >= 0);
    if (!top[i].guaranteed) continue;
    std::size_t hotter = 0;
    for (std::uint64_t item = 0; item < support::heat_asked; ++item)
      hotter += f.exact.at(item, when) > truth * (1 + 1e-14L);
    RC_ASSERT(hotter < top.size());
  }
}

RC_GTEST_PROP(hot_list, knows_bounds_of_everything, ()) {
  fed_list f(any_small());
  f.add_stream();
  for (const std::int64_t later : {std::int64_t{0}, std::int64_t{7}, std::int64_t{100'000}}) {
    expect_bounds(f, f.end(later));
    double sum = 0;
    for (const hot_item& h : f.list.top(100, f.end(later))) sum += h.heat.upper;
    RC_ASSERT(covers(sum + 1e-300, f.exact.mass(f.end(later))));
    for (const std::size_t n : {1u, 5u, 100u}) {
      const auto top = f.list.top(n, f.end(later));
      RC_ASSERT(top.size() == std::min<std::size_t>(n, f.list.listed()));
      expect_list(top, f, f.end(later));
    }
  }
}

RC_GTEST_PROP(hot_list, is_tightened_by_a_filter, ()) {
  const hot_list_config c = any_small();
  fed_list f(c);
  heat_filter filter({.memory = 256, .lambda = c.lambda, .ahead = c.ahead, .seed = c.seed});
  for (const heat_event& e : draw_heat_events(100)) {
    f.add(e);
    filter.add(name_of(e.item), e.when(), e.weight);
  }
  const auto plain = f.list.top(100, f.end());
  const auto tight = f.list.top(100, f.end(), filter);
  expect_list(tight, f, f.end());
  for (const hot_item& t : tight) {
    const auto same = [&](const hot_item& p) { return p.item == t.item; };
    const auto p = std::find_if(plain.begin(), plain.end(), same);
    RC_ASSERT(p != plain.end());
    RC_ASSERT(t.heat.lower == p->heat.lower);
    const double upper = std::min(p->heat.upper, filter.at(t.item, f.end()).upper);
    RC_ASSERT(t.heat.upper == std::max(upper, t.heat.lower));
  }
}

// Who is listed, and since when: by looking at the list before and after every event.
RC_GTEST_PROP(hot_list, evicts_the_least_and_counts_exactly_since, ()) {
  fed_list f(any_small());
  std::map<std::uint64_t, std::vector<heat_event>> since;
  const tick_clock buckets(f.list.bucket());
  for (const heat_event& e : draw_heat_events(*rc::gen::element<std::int64_t>(3, 100))) {
    const instant now = std::max(e.when(), f.list.newest().value_or(e.when()));
    const auto before = f.list.top(100, now);
    f.add(e);
    std::map<std::uint64_t, std::vector<heat_event>> listed;
    for (const hot_item& h : f.list.top(100, now))
      listed[number_of(h.item)] = since[number_of(h.item)];
    RC_ASSERT(listed.contains(e.item));
    for (const hot_item& h : before) {
      if (listed.contains(number_of(h.item))) continue;
      RC_ASSERT(before.size() == f.list.entries());
      RC_ASSERT(h.heat.upper <= before.back().heat.upper + 0x1p-16);  // a unit
    }
    listed[e.item].push_back(e);
    since = listed;
  }
  const std::int64_t head = buckets.tick_of(f.end()).number;
  for (const std::int64_t later : {0, 1, 3, 100}) {
    const instant when = buckets.start_of({head + later});
    for (const hot_item& h : f.list.top(100, std::max(when, f.end()))) {
      std::vector<std::uint64_t> expected(f.list.buckets());
      for (const heat_event& e : since.at(number_of(h.item))) {
        const std::int64_t age = head + later - buckets.tick_of(e.when()).number;
        if (age < static_cast<std::int64_t>(f.list.buckets())) {
          expected[f.list.buckets() - 1 - static_cast<std::size_t>(age)] += e.weight;
        }
      }
      RC_ASSERT(h.recent == expected);
    }
  }
}

RC_GTEST_PROP(hot_list, goes_on_after_loading_as_if_nothing_had_happened, ()) {
  fed_list f(any_small());
  hot_list twin(f.list);
  for (const heat_event& e : draw_heat_events(*rc::gen::element<std::int64_t>(3, 100, 100'000))) {
    if (*rc::gen::inRange(0, 4) == 0) twin = hot_list::load(twin.serialize());
    f.add(e);
    twin.add(name_of(e.item), e.when(), e.weight);
  }
  RC_ASSERT(f.list.serialize() == twin.serialize());
}

RC_GTEST_PROP(hot_list, merged_covers_both_streams, ()) {
  const hot_list_config c = any_small();
  fed_list one(c);
  fed_list two(c);
  for (const heat_event& e : draw_heat_events(50)) one.add(e);
  for (const heat_event& e : draw_heat_events(50)) two.add(e);
  hot_list other_way(two.list);
  other_way.merge(one.list);
  one.list.merge(two.list);
  RC_ASSERT(one.list.serialize() == other_way.serialize());
  RC_ASSERT(one.list.events() == one.events + two.events);
  one.exact.merge(two.exact);
  one.newest = std::max(one.newest, two.newest);
  one.events += two.events;
  expect_bounds(one, one.end());
  expect_list(one.list.top(5, one.end()), one, one.end());
  RC_ASSERT(hot_list::load(one.list.serialize()).serialize() == one.list.serialize());
  for (const heat_event& e : draw_heat_events(50)) {
    one.list.add(name_of(e.item), e.when(), e.weight);
    one.exact.add(e.item, e.when(), e.weight);
    one.newest = std::max(one.newest, e.at);
    ++one.events;
  }
  expect_bounds(one, one.end());
}

// Lists that never had to leave anything out know all recent counts of both streams.
RC_GTEST_PROP(hot_list, merged_adds_recent_counts, ()) {
  hot_list_config c = any_small();
  c.entries = support::heat_items;
  hot_list both(c);
  hot_list parts[2]{hot_list(c), hot_list(c)};
  for (hot_list& part : parts) {
    for (const heat_event& e : draw_heat_events(50)) {
      part.add(name_of(e.item), e.when(), e.weight);
      both.add(name_of(e.item), e.when(), e.weight);
    }
  }
  parts[0].merge(parts[1]);
  const auto by_name = [](std::vector<hot_item> items) {
    std::map<std::string, std::vector<std::uint64_t>> recent;
    for (hot_item& i : items) recent[i.item] = i.recent;
    return recent;
  };
  RC_ASSERT(by_name(parts[0].top(100, *both.newest())) == by_name(both.top(100, *both.newest())));
}

// Every listed item within its bounds, every other one below unlisted().
RC_GTEST_PROP(hot_list, merged_with_a_weight_bounds_both_streams, ()) {
  const double lambda = *rc::gen::elementOf(support::lambdas);
  const hot_list_config c{
      .entries = *rc::gen::inRange<std::uint64_t>(1, 50), .lambda = lambda, .ahead = 24h * 3650};
  hot_list one(c);
  hot_list two(c);
  support::oracle_heat exact(one.decay(), one.clock());
  support::oracle_heat other(one.decay(), one.clock());
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  const auto feed = [&](hot_list& l, support::oracle_heat& twin) {
    for (const support::heat_event& e : support::draw_heat_events(20)) {
      l.add(std::to_string(e.item), e.when(), e.weight);
      twin.add(e.item, e.when(), e.weight);
      newest = std::max(newest, e.at);
    }
  };
  if (*rc::gen::inRange(0, 4) != 0) feed(one, exact);
  feed(two, other);
  const double weight = *rc::gen::element(1e-9, 0.001, 0.3, 0.5, 1.0, 1.1, 2.0, 1000.5);
  one.merge(two, weight);
  exact.merge(other, weight);
  RC_ASSERT(hot_list::load(one.serialize()).serialize() == one.serialize());
  const instant when = instant::from_seconds(newest + 3);
  for (std::uint64_t item = 0; item < support::heat_asked; ++item) {
    const estimate e = one.at(std::to_string(item), when);
    RC_ASSERT(support::covers(e.upper, exact.at(item, when)));
    RC_ASSERT(support::is_covered(e.lower, exact.at(item, when)));
  }
  RC_ASSERT(support::covers(one.mass(when) + 1e-300, exact.mass(when)));
}

}  // namespace hot_list_property
}  // namespace bloomtime
