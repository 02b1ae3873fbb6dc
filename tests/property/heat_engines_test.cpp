#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/heat_engines.hpp"
#include "support/heat_stream.hpp"
#include "support/oracle_heat.hpp"

// What every engine of heat promises, against its exact twin.
namespace bloomtime::heat_engines_test {

using namespace std::chrono_literals;
using support::covers;
using support::draw_heat_events;
using support::heat_event;
using support::oracle_heat;
using support::small_heat;
using support::twin_of;

constexpr std::uint64_t light = 30'000;  // no counter of the published filters overflows

template <class Engine>
class heat_engines : public ::testing::Test {};
TYPED_TEST_SUITE(heat_engines, support::heat_engines);

template <class Engine>
void expect_covered(const Engine& f, const oracle_heat& exact, instant when) {
  for (std::uint64_t item = 0; item < support::heat_asked; ++item) {
    const estimate e = f.at(item, when);
    RC_ASSERT(covers(e.upper, exact.at(item, when)));
    RC_ASSERT(0 <= e.lower && e.lower <= e.value && e.value <= e.upper);
  }
  RC_ASSERT(covers(f.mass(when) + 1e-300, exact.mass(when)));  // doubles end there
}

// Returns the newest time.
template <class Engine>
std::int64_t feed(Engine& f, oracle_heat& exact, const std::vector<heat_event>& events) {
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  for (const heat_event& e : events) {
    const outcome became = f.add(e.item, e.when(), e.weight);
    const bool late = e.at < newest;
    RC_ASSERT(became == (late ? outcome::late : outcome::added) ||
              (late && became == outcome::dropped_late));
    exact.add(e.item, e.when(), e.weight);
    newest = std::max(newest, e.at);
  }
  return newest;
}

TYPED_TEST(heat_engines, never_undercount) {
  const bool holds = rc::check([] {
    const double lambda = *rc::gen::elementOf(support::lambdas);
    auto f = small_heat<TypeParam>(lambda);
    oracle_heat exact = twin_of(f, lambda);
    const std::int64_t newest = feed(f, exact, draw_heat_events(20, light));
    for (const std::int64_t later : {0, 1, 7, 1000}) {
      expect_covered(f, exact, instant::from_seconds(newest + later));
    }
    f.advance(instant::from_seconds(newest + 3));
    f.advance(instant::from_seconds(newest));  // never back
    RC_ASSERT(*f.newest() == instant::from_seconds(newest + 3));
    expect_covered(f, exact, instant::from_seconds(newest + 3));
  });
  EXPECT_TRUE(holds);
}

template <class Engine>
double draw_weight() {
  if constexpr (support::counts_whole<Engine>) {
    return *rc::gen::element(1.0, 2.0, 3.0, 1000.0);
  } else {
    return *rc::gen::element(1e-9, 0.001, 0.3, 0.5, 1.0, 1.1, 2.0, 1000.5);
  }
}

TYPED_TEST(heat_engines, merged_with_a_weight_cover_both_streams) {
  const bool holds = rc::check([] {
    const double lambda = *rc::gen::elementOf(support::lambdas);
    auto one = small_heat<TypeParam>(lambda);
    auto two = small_heat<TypeParam>(lambda);
    oracle_heat exact = twin_of(one, lambda);
    oracle_heat other = twin_of(two, lambda);
    std::int64_t newest = std::numeric_limits<std::int64_t>::min();
    if (*rc::gen::inRange(0, 4) != 0) newest = feed(one, exact, draw_heat_events(20, light));
    newest = std::max(newest, feed(two, other, draw_heat_events(20, light)));
    const double weight = draw_weight<TypeParam>();
    const std::uint64_t events = one.events() + two.events();
    one.merge(two, weight);
    exact.merge(other, weight);
    RC_ASSERT(one.events() == events);
    expect_covered(one, exact, instant::from_seconds(newest));
    expect_covered(one, exact, instant::from_seconds(newest + 7));
    RC_ASSERT(TypeParam::load(one.serialize()).serialize() == one.serialize());
  });
  EXPECT_TRUE(holds);
}

// Where no other item is, only rounding and weights move a count, so both bounds must hold.
TYPED_TEST(heat_engines, bounds_allow_for_rounding_in_every_merged_part) {
  const bool holds = rc::check([] {
    const double lambda = *rc::gen::elementOf(support::lambdas);
    constexpr std::uint64_t large = 1 << 18;
    const auto make = [&] { return support::make_heat<TypeParam>(lambda, large, 24h * 3650); };
    auto whole = make();
    oracle_heat exact = twin_of(whole, lambda);
    std::int64_t newest = std::numeric_limits<std::int64_t>::min();
    for (int parts = *rc::gen::inRange(1, 20); parts > 0; --parts) {
      auto part = make();
      oracle_heat twin = twin_of(part, lambda);
      auto events = draw_heat_events(3, light);
      if (*rc::gen::inRange(0, 2) == 0) events = {{0, 0, 1}};
      for (heat_event& e : events) e.item = 0;
      newest = std::max(newest, feed(part, twin, events));
      const double weight = draw_weight<TypeParam>();
      whole.merge(part, weight);
      exact.merge(twin, weight);
    }
    for (const std::int64_t later : {0, 1, 7, 30}) {
      const instant when = instant::from_seconds(newest + later);
      const estimate e = whole.at(std::uint64_t{0}, when);
      RC_ASSERT(support::is_covered(e.lower, exact.at(0, when)));
      RC_ASSERT(covers(e.upper, exact.at(0, when)));
    }
  });
  EXPECT_TRUE(holds);
}

TYPED_TEST(heat_engines, take_many_events_as_one_by_one_and_count_losses) {
  const bool holds = rc::check([] {
    const double lambda = *rc::gen::elementOf(support::lambdas);
    auto one_by_one = support::make_heat<TypeParam>(lambda, 4096, 5s);
    auto bulk = one_by_one;
    std::vector<digest> items;
    std::vector<instant> times;
    std::vector<outcome> expected;
    losses lost;
    for (const heat_event& e : draw_heat_events(30)) {
      items.push_back(digest_of(e.item, bulk.seed()));
      times.push_back(e.when());
      expected.push_back(one_by_one.add(items.back(), times.back()));
      lost.count(expected.back());
    }
    std::vector<outcome> outcomes(items.size());
    bulk.add_bulk(items, times, outcomes);
    RC_ASSERT(outcomes == expected);
    RC_ASSERT(bulk.serialize() == one_by_one.serialize());
    RC_ASSERT(one_by_one.losses() == lost);
    RC_ASSERT(bulk.losses() == lost);

    const instant when(times.back().micros +
                       *rc::gen::inRange<std::int64_t>(-5'000'000, 50'000'000));
    std::vector<estimate> answers(items.size());
    bulk.at_bulk(items, when, answers);
    for (std::size_t i = 0; i < items.size(); ++i) {
      RC_ASSERT(answers[i] == bulk.at(items[i], when));
    }
  });
  EXPECT_TRUE(holds);
}

// Saved and loaded, or cleared, at any moment.
TYPED_TEST(heat_engines, resume_after_loading_and_begin_again_after_clearing) {
  const bool holds = rc::check([] {
    const double lambda = *rc::gen::elementOf(support::lambdas);
    const auto fresh = small_heat<TypeParam>(lambda);
    auto steady = fresh;
    auto resumed = fresh;
    const auto events = draw_heat_events(20, light);
    for (const heat_event& e : events) {
      if (*rc::gen::inRange(0, 10) == 0) resumed = TypeParam::load(resumed.serialize());
      RC_ASSERT(steady.add(e.item, e.when(), e.weight) == resumed.add(e.item, e.when(), e.weight));
    }
    RC_ASSERT(resumed.serialize() == steady.serialize());
    resumed.clear();
    RC_ASSERT(resumed.serialize() == fresh.serialize());
    RC_ASSERT(!resumed.newest());
    RC_ASSERT(resumed.current_error() == 0);
    for (const heat_event& e : events) resumed.add(e.item, e.when(), e.weight);
    RC_ASSERT(resumed.serialize() == steady.serialize());
  });
  EXPECT_TRUE(holds);
}

// The least of k rows is exact if one row has no other item in it: so the error predicted for n
// items is what the fill of n items gives, and the fill tells how many there are.
TYPED_TEST(heat_engines, estimate_how_many_items_are_warm) {
  auto f = support::make_heat<TypeParam>(0.9, 1 << 20, 1h);
  for (std::uint64_t i = 0; i < 1000; ++i) f.add(i, instant{});
  EXPECT_NEAR(f.distinct(), 1000, 60);
  const double predicted = f.predicted_error(1000);
  EXPECT_GT(f.current_error(), predicted / 2);
  EXPECT_LT(f.current_error(), predicted * 2);
}

}  // namespace bloomtime::heat_engines_test
