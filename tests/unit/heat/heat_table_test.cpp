#include <gtest/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/without_memory.hpp"

namespace bloomtime::heat_table_test {

using namespace std::chrono_literals;
using support::expect_error;

constexpr instant at_second(std::int64_t s) { return instant(s * 1'000'000); }

heat_table_config hourly(std::uint64_t items = 1000) {
  return {.items = items, .half_life = 1h, .seed = 3};
}

TEST(heat_table, counts_what_is_left_of_each_event) {
  heat_table t(hourly());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(t.add("x", at_second(0)), outcome::added);
  for (int hours = 0; hours < 14; ++hours) {
    const double truth = 100 * std::exp2(-hours);
    const estimate e = t.at("x", at_second(3600 * hours));
    EXPECT_GE(e.upper, truth) << hours;
    EXPECT_LE(e.lower, truth) << hours;
    EXPECT_NEAR(e.value, truth, truth / 200 + 0.0955) << hours;
    EXPECT_LE(e.upper, truth * 1.005 + 3 / 16.) << hours;
  }
  EXPECT_EQ(t.at("nobody", at_second(0)).value, 0);
  EXPECT_LE(t.at("nobody", at_second(0)).upper, 3 / 16. + 1e-9);
}

// A count is dropped by the halving that brings it to 24 units of 1/256 hit or less, not before.
TEST(heat_table, drops_a_count_at_its_threshold) {
  for (const std::uint64_t weight : {3U, 4U, 6U, 7U, 12U, 13U}) {
    heat_table t({.items = 1000, .lambda = 0.5, .tick = 1h});
    t.add("x", at_second(0), weight);
    const double after_five = std::ceil(static_cast<double>(weight) * 256 / 32);
    const bool kept = after_five > 24;
    EXPECT_EQ(t.at("x", at_second(5 * 3600)).value > 0, kept) << weight;
    EXPECT_EQ(t.distinct(), 1);
    t.add("y", at_second(5 * 3600));
    EXPECT_EQ(t.at("x", at_second(5 * 3600)).value > 0, kept) << weight;
    EXPECT_EQ(t.distinct(), kept ? 2 : 1) << weight;
  }
}

// Made for ten items, it can be doubled until its prints are short. Large counts are not given up.
TEST(heat_table, tells_before_an_event_is_full) {
  heat_table t({.items = 10, .error = 0.5, .half_life = 1h, .seed = 3});
  constexpr std::uint64_t heavy = std::uint64_t{1} << 31;
  std::uint64_t added = 0;
  for (bool full = false; !full; ++added) {
    ASSERT_LT(added, 100'000U);
    const bool takes = t.takes(1);
    full = t.add(added, at_second(0), heavy) == outcome::full;
    EXPECT_FALSE(takes && full) << added;
  }
  EXPECT_GT(added, 1000U);
  EXPECT_FALSE(t.takes(1));
  t.clear();
  EXPECT_TRUE(t.takes(100));
}

TEST(heat_table, keeps_counts_of_any_size) {
  heat_table t(hourly());
  double truth = 0;
  for (int i = 0; i < 54; ++i) {
    const std::uint64_t weight = std::uint64_t{1} << i;
    ASSERT_EQ(t.add("x", at_second(0), weight), outcome::added) << i;
    truth += static_cast<double>(weight);
    const estimate e = t.at("x", at_second(0));
    EXPECT_GE(e.upper, truth);
    EXPECT_LE(e.value, truth * 1.004);
  }
  EXPECT_EQ(t.large_counts(), 1U);
  EXPECT_EQ(t.add("x", at_second(0), ~std::uint64_t{0}), outcome::full);
  EXPECT_EQ(t.losses().full, 1U);
  // Back to a slot, and gone in the end.
  t.advance(at_second(3600 * 50));
  EXPECT_EQ(t.large_counts(), 0U);
  EXPECT_NEAR(t.at("x", at_second(3600 * 50)).value, truth * std::exp2(-50), truth * 0x1p-57);
  t.advance(at_second(3600 * 200));
  EXPECT_EQ(t.distinct(), 0);
}

TEST(heat_table, refuses_a_count_above_64_bits_without_a_change) {
  heat_table t(hourly());
  t.add("x", at_second(0), std::uint64_t{1} << 55);
  const auto before = t.serialize();
  EXPECT_EQ(t.add("x", at_second(0), ~std::uint64_t{0}), outcome::full);
  EXPECT_EQ(t.add("x", at_second(60), ~std::uint64_t{0}), outcome::full);
  EXPECT_EQ(t.serialize(), before);
}

// Every item is heavy, so most of the moves are of large counts.
TEST(heat_table, moves_large_counts_with_their_prints) {
  heat_table t({.items = 3000, .reserve = true, .lambda = 1, .seed = 9});
  const std::uint64_t slots = t.slots();
  const std::uint64_t items = slots * 92 / 100;
  for (std::uint64_t i = 0; i < items; ++i) t.add(i, at_second(0), 300 + i);
  EXPECT_EQ(t.slots(), slots);
  EXPECT_GE(t.large_counts() + 20, items);
  std::uint64_t exact = 0;
  for (std::uint64_t i = 0; i < items; ++i) {
    const estimate e = t.at(i, at_second(0));
    ASSERT_GE(e.upper, static_cast<double>(300 + i));
    exact += e.value < static_cast<double>(301 + i);
  }
  EXPECT_GE(exact, items * 98 / 100);
  EXPECT_EQ(heat_table::load(t.serialize()).serialize(), t.serialize());
}

TEST(heat_table, starts_small_and_grows_with_its_items) {
  heat_table t({.half_life = 1h});
  EXPECT_LE(t.memory(), 8000U);
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(t.add(i, at_second(0)), outcome::added);
  EXPECT_EQ(t.losses(), losses{});
  EXPECT_NEAR(t.distinct(), 100'000, 50);
  EXPECT_LE(t.memory(), 100'000U * 66 / 8);
  EXPECT_LE(t.current_error(), 0.005);
  for (int i = 0; i < 100'000; ++i) ASSERT_GE(t.at(i, at_second(0)).value, 1);
}

TEST(heat_table, shrinks_again_when_a_burst_has_cooled) {
  heat_table t(hourly());
  for (int i = 0; i < 50'000; ++i) t.add(i, at_second(0));
  const std::uint64_t most = t.memory();
  for (int i = 0; i < 100'000; ++i) t.add(i % 100, at_second(36'000 + i));
  EXPECT_LE(t.memory(), most / 15);
}

// The work of one call is bounded, whatever the size: growth, halving and moves.
TEST(heat_table, works_in_small_steps) {
  heat_table t({.half_life = 60s});
  std::uint64_t most = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t before = t.work();
    t.add(i, at_second(i / 1000));
    most = std::max(most, t.work() - before);
  }
  EXPECT_LE(most, 2000U);
  EXPECT_GT(most, 60U);  // a segment was halved
}

TEST(heat_table, error_is_predicted_and_read_back) {
  for (const double error : {0.02, 1e-3, 1e-5}) {
    for (const bool reserve : {false, true}) {
      heat_table t({.items = 20'000, .error = error, .reserve = reserve, .half_life = 1h});
      EXPECT_LE(t.predicted_error(20'000), error);
      EXPECT_GT(t.predicted_error(20'000), error / 8);
      for (int i = 0; i < 24'000; ++i) t.add(i, at_second(0));
      EXPECT_LE(t.current_error(), error);
      EXPECT_NEAR(1 - t.confidence(), 2 * t.current_error(), 1e-9);
      // The hint was too small: the error grows with the items.
      for (int i = 24'000; i < 240'000; ++i) ASSERT_EQ(t.add(i, at_second(0)), outcome::added);
      EXPECT_NEAR(t.current_error() / t.predicted_error(200'000), 1, 0.2);
    }
  }
}

TEST(heat_table, at_its_limit_answers_by_a_floor) {
  heat_table t({.items = 1000, .memory = 8192, .half_life = 1h, .seed = 1});
  math::random_source random(5);
  std::vector<double> truth(20'000);
  for (int i = 0; i < 60'000; ++i) {
    const auto item = random.below(2) == 0 ? random.below(100) : random.below(truth.size());
    ASSERT_EQ(t.add(item, at_second(0)), outcome::added);
    ++truth[item];
  }
  EXPECT_GT(t.losses().forgot_early, 10'000U);
  EXPECT_LE(t.memory(), 8192U + 2000U);
  double excess = 0;
  double wrong = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const estimate e = t.at(i, at_second(0));
    ASSERT_GE(e.upper, truth[i]) << i;
    wrong += e.lower > truth[i] ? 1 : 0;
    excess += e.value - truth[i];
  }
  EXPECT_LE(wrong, (1 - t.confidence()) * 20'000);
  // Every event went to one of the slots; floors are the larger of two, and rounded up.
  EXPECT_LE(excess / 20'000, 1.5 * 60'000 / static_cast<double>(t.slots()));
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_LE(t.at(i, at_second(0)).value, truth[i] * 1.2 + 40) << i;
  }
  // Floors fade as items do, and are gone after a day.
  EXPECT_NEAR(t.at("nobody", at_second(3600)).value, t.at("nobody", at_second(0)).value / 2, 0.1);
  EXPECT_EQ(t.at("nobody", at_second(86'400)).value, 0);
  EXPECT_EQ(t.predicted_error(1'000'000), 1);
}

TEST(heat_table, refuses_new_items_where_all_others_are_hot) {
  heat_table t({.items = 10, .memory = 64, .lambda = 1});
  std::uint64_t full = 0;
  for (int i = 0; i < 100; ++i) full += t.add(i, at_second(0), 5000) == outcome::full;
  EXPECT_GT(full, 70U);
  EXPECT_EQ(t.losses().full, full);
  EXPECT_EQ(t.events(), 100 - full);
  EXPECT_EQ(t.losses().forgot_early, 0U);
}

TEST(heat_table, gaps_of_every_length_fade_everything) {
  for (std::int64_t gap = 1; gap < 3'000'000'000; gap = gap * 3 / 2 + 1) {
    heat_table t({.items = 500, .half_life = 60s, .ahead = 24h * 365 * 200});
    for (int i = 0; i < 300; ++i) t.add(i, at_second(0), i % 50 == 0 ? 100'000 : 5);
    const heat_table untouched(t);
    ASSERT_EQ(t.add(-1, at_second(gap)), outcome::added) << gap;
    for (int i = 0; i < 300; ++i) {
      const double truth = (i % 50 == 0 ? 100'000 : 5) * std::exp2(-static_cast<double>(gap) / 60);
      const estimate e = t.at(i, at_second(gap));
      ASSERT_GE(e.upper, truth) << gap;
      // A large count that is dropped leaves a unit until the next halving.
      ASSERT_NEAR(e.value, untouched.at(i, at_second(gap)).value, 1 / 250.) << gap;
      ASSERT_LE(e.value, truth * 1.01 + 0.01) << gap;
    }
  }
}

// Items that share both blocks: those that find no room are in the stash. What is left of a large
// count there outlives the marks that led to it.
TEST(heat_table, is_read_back_after_gaps_of_every_length) {
  for (std::int64_t gap = 1; gap <= 130; ++gap) {
    heat_table t({.half_life = 1s, .ahead = 24h});
    std::vector<digest> items;
    for (std::uint64_t i = 0; i < 60; ++i) items.push_back({std::uint64_t{1} << 56 | i << 12, 0});
    for (const digest d : items) ASSERT_EQ(t.add(d, at_second(0), 1000), outcome::added);
    ASSERT_GT(t.stashed(), 0U);
    t.advance(at_second(gap));
    heat_table loaded = heat_table::load(t.serialize());
    EXPECT_EQ(loaded.serialize(), t.serialize());
    for (heat_table* each : {&t, &loaded}) {
      for (const digest d : items) {
        ASSERT_EQ(each->add(d, at_second(gap)), outcome::added) << gap;
        ASSERT_GE(each->at(d, at_second(gap)).upper, 1 + 1000 * std::exp2(-gap)) << gap;
      }
      EXPECT_EQ(heat_table::load(each->serialize()).serialize(), each->serialize());
    }
    EXPECT_EQ(loaded.serialize(), t.serialize()) << gap;
  }
}

// Items that share both blocks: many are in the stash, often in another order after a load.
TEST(heat_table, merges_do_not_depend_on_the_order_of_a_stash) {
  heat_table large(hourly());
  for (int i = 0; i < 4000; ++i) large.add(i, at_second(0));
  for (std::uint64_t round = 0; round < 40; ++round) {
    heat_table crowded(hourly());
    for (std::uint64_t i = 60; i != 0; --i) {
      crowded.add(digest{(round + 1) << 56 | (round << 6 | i), 0}, at_second(0));
    }
    ASSERT_GT(crowded.stashed(), 10U);
    const heat_table loaded = heat_table::load(crowded.serialize());
    heat_table sum(large);
    heat_table same(large);
    sum.merge(crowded);
    same.merge(loaded);
    ASSERT_TRUE(sum.serialize() == same.serialize()) << round;
  }
}

TEST(heat_table, late_and_future_events) {
  heat_table t({.items = 10, .half_life = 1h, .ahead = 600s});
  EXPECT_EQ(t.add("a", at_second(7200)), outcome::added);
  EXPECT_EQ(t.add("late", at_second(3600), 4), outcome::late);
  EXPECT_EQ(t.add("far", at_second(7801)), outcome::future);
  EXPECT_NEAR(t.at("late", at_second(7200)).value, 2, 0.01);
  EXPECT_EQ(t.losses().future, 1U);
  EXPECT_EQ(t.at("far", at_second(7200)).value, 0);
}

TEST(heat_table, works_at_the_ends_of_time) {
  constexpr instant first(std::numeric_limits<std::int64_t>::min());
  constexpr instant last(std::numeric_limits<std::int64_t>::max());
  for (const double lambda : {0.0, 0x1p-1000, 0.5, 1.0}) {
    heat_table t(
        {.items = 10, .lambda = lambda, .tick = 1us, .ahead = std::chrono::microseconds::max()});
    EXPECT_EQ(t.add(1, first), outcome::added);
    EXPECT_GE(t.at(1, first).value, 1);
    t.advance(last);
    EXPECT_EQ(t.at(1, last).value > 0, lambda == 1) << lambda;
    EXPECT_EQ(t.add(2, last), outcome::added);
    EXPECT_GE(t.at(2, last).value, 1);
    EXPECT_EQ(t.add(3, first), outcome::late);
    EXPECT_EQ(heat_table::load(t.serialize()).serialize(), t.serialize());
  }
}

TEST(heat_table, merges_that_are_refused_change_nothing) {
  heat_table a(hourly());
  a.add(1, at_second(1));
  const auto before = a.serialize();
  const auto refused = [&](const heat_table& other) {
    expect_error(
        errc::incompatible, [&] { a.merge(other); }, "merge");
    EXPECT_EQ(a.serialize(), before);
  };
  refused(heat_table(hourly(1'000'000)));
  refused(heat_table({.items = 1000, .error = 0.1, .half_life = 1h, .seed = 3}));
  refused(heat_table({.items = 1000, .half_life = 2h, .seed = 3}));
  refused(heat_table({.items = 1000, .half_life = 1h, .seed = 4}));
  refused(heat_table({.items = 1000, .half_life = 1h, .tick = 2s, .seed = 3}));
  heat_table hot(hourly());
  hot.add(1, at_second(1), std::uint64_t{1} << 50);
  expect_error(
      errc::too_large, [&] { a.merge(hot, 1e6); }, "64 bits");
  EXPECT_EQ(a.serialize(), before);
}

TEST(heat_table, refuses_what_makes_no_sense) {
  const auto refused = [](const heat_table_config& c, const char* says) {
    expect_error(
        errc::invalid_argument, [&] { heat_table made(c); }, says);
  };
  refused({}, "half_life");
  refused({.half_life = 1h, .lambda = 0.5}, "half_life");
  refused({.error = 0, .half_life = 1h}, "got 0");
  refused({.error = 1, .half_life = 1h}, "got 1");
  refused({.error = std::nan(""), .half_life = 1h}, "got nan");
  refused({.reserve = true, .half_life = 1h}, "`reserve` needs `items`");
  refused({.items = 1'000'000, .reserve = true, .memory = 4096, .half_life = 1h}, "4096");
  refused({.half_life = 1h, .ahead = -1s}, "negative");
  refused({.lambda = 2}, "got 2");
  expect_error(
      errc::too_large, [] { heat_table made({.error = 1e-30, .half_life = 1h}); }, "long enough");
}

TEST(heat_table, is_usable_after_a_move) {
  heat_table t(hourly());
  t.add(1, at_second(1));
  const heat_table other = std::move(t);
  EXPECT_GE(other.at(1, at_second(1)).value, 1);
  EXPECT_EQ(t.at(1, at_second(1)).upper, 0);  // NOLINT: moved from on purpose
  EXPECT_EQ(t.slots(), 0U);
  EXPECT_EQ(t.prints(), 0U);
  EXPECT_EQ(t.memory(), 0U);
  EXPECT_EQ(t.distinct(), 0);
  t.advance(at_second(5));
  for (const auto& act :
       {+[](heat_table& f) { (void)f.serialize(); }, +[](heat_table& f) { f.clear(); },
        +[](heat_table& f) { f.add(1, at_second(1)); }, +[](heat_table& f) { f.merge(f); }}) {
    expect_error(
        errc::invalid_argument, [&] { act(t); }, "moved");
  }
}

// Without memory to grow, items take the places of others.
TEST(heat_table, goes_on_without_memory_to_grow) {
  heat_table t({.items = 100'000, .half_life = 1h});
  t.add(-1, at_second(0));
  support::allocations watch;
  watch.refuse_after(0);
  std::uint64_t counted = 0;
  for (int i = 0; i < 5000; ++i) counted += t.add(i, at_second(0)) == outcome::added;
  EXPECT_EQ(counted, 5000U);
  EXPECT_GT(t.losses().forgot_early, 3000U);
  for (int i = 0; i < 5000; ++i) ASSERT_GE(t.at(i, at_second(0)).upper, 1);
}

TEST(heat_table, changes_nothing_without_memory_for_a_large_count) {
  heat_table t(hourly());
  for (int i = 0; i < 6; ++i) t.add(i, at_second(0), 1000);
  support::expect_no_change_without_memory(t, [&] { t.add(7, at_second(0), 1000); });
  support::expect_no_change_without_memory(t, [&] { const heat_table copy(t); });
}

}  // namespace bloomtime::heat_table_test
