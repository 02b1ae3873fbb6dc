#include <gtest/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/recency_table.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/without_memory.hpp"

namespace bloomtime::recency_table_test {

using namespace std::chrono_literals;
using support::expect_error;

constexpr instant at_second(std::int64_t s) { return instant(s * 1'000'000); }

recency_table a_minute(std::uint32_t ticks = 12) {
  return recency_table({.window = 60s, .items = 1000, .ticks = ticks, .seed = 3});
}

TEST(recency_table, remembers_for_a_window_and_up_to_a_tick_longer) {
  for (const std::uint32_t ticks : {1U, 2U, 10U, 14U, 62U, 63U, 600U, 1024U}) {
    for (std::int64_t start = -3; start < 70; start += 7) {
      recency_table f = a_minute(ticks);
      EXPECT_TRUE(f.add_if_new("x", at_second(start)).fresh);
      const std::int64_t tick = (60'000'000 - 1) / ticks + 1;
      for (std::int64_t later = 0; later <= 60; ++later) {
        EXPECT_TRUE(f.seen("x", at_second(start + later))) << ticks << " ticks, " << later;
      }
      EXPECT_FALSE(f.seen("x", instant(at_second(start + 60).micros + tick + 1)));
      f.advance(instant(at_second(start + 60).micros + tick + 1));
      EXPECT_TRUE(f.add_if_new("x", *f.newest()).fresh);
    }
  }
}

TEST(recency_table, starts_small_and_grows_with_its_items) {
  recency_table f({.window = 60s});
  EXPECT_LE(f.memory(), 8000U);
  for (int i = 0; i < 100'000; ++i) f.add(i, at_second(0));
  EXPECT_EQ(f.losses(), losses{});
  EXPECT_NEAR(f.alive_items(), 100'000, 2);
  EXPECT_LE(f.memory(), 100'000U * 60 / 8);
  EXPECT_LE(f.current_error(), 1e-6);
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(f.seen(i, at_second(60)));
}

TEST(recency_table, shrinks_again_when_a_burst_has_left) {
  recency_table f({.window = 60s, .items = 1000, .error = 1e-3});
  for (int i = 0; i < 50'000; ++i) f.add(i, at_second(0));
  const std::uint64_t most = f.memory();
  std::int64_t now = 200;
  for (int i = 0; i < 100'000; ++i) f.add(1'000'000 + i, at_second(now += i % 2));
  EXPECT_LE(f.memory(), most / 15);
  EXPECT_LE(f.alive_items(), 140);
}

// The work of one call is bounded, whatever the size: growth, refreshing and moves.
TEST(recency_table, works_in_small_steps) {
  recency_table f({.window = 60s, .ticks = 12});
  std::uint64_t most = 0;
  std::int64_t now = 0;
  for (int i = 0; i < 300'000; ++i) {
    if (i % 1000 == 0) now += 3;
    const std::uint64_t before = f.work();
    f.add(i, at_second(now));
    most = std::max(most, f.work() - before);
  }
  EXPECT_LE(most, 2000U);
  EXPECT_GT(most, 60U);  // a segment was refreshed
}

TEST(recency_table, error_is_predicted_and_read_back) {
  for (const double error : {0.02, 1e-3, 1e-5}) {
    for (const bool reserve : {false, true}) {
      recency_table f(
          {.window = 60s, .items = 20'000, .error = error, .reserve = reserve, .ticks = 12});
      EXPECT_LE(f.predicted_error(20'000), error);
      EXPECT_GT(f.predicted_error(20'000), error / 8);
      for (int i = 0; i < 20'000; ++i) f.add(i, at_second(0));
      EXPECT_LE(f.current_error(), error);
      // The hint was too small: the error grows with the items.
      for (int i = 20'000; i < 200'000; ++i) ASSERT_EQ(f.add(i, at_second(0)), outcome::added);
      EXPECT_NEAR(f.current_error() / f.predicted_error(184'615), 1, 0.2);
      EXPECT_GT(f.current_error(), 4 * f.predicted_error(20'000));
    }
  }
}

TEST(recency_table, says_when_it_is_full) {
  recency_table f({.window = 60s, .items = 1000, .error = 1e-3, .memory = 8192});
  std::map<int, bool> kept;
  int full = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto before = f.serialize();
    const auto [fresh, became] = f.add_if_new(i, at_second(i / 1000));
    if (became != outcome::full) {
      kept[i] = true;
      continue;
    }
    EXPECT_TRUE(fresh);
    ++full;
    if (full < 20) {
      EXPECT_EQ(f.serialize(), before);
    }
  }
  EXPECT_GE(static_cast<double>(kept.size()), 0.97 * static_cast<double>(f.slots()));
  EXPECT_EQ(f.losses().full, static_cast<std::uint64_t>(full));
  EXPECT_EQ(f.insertions(), kept.size());
  EXPECT_LE(f.memory(), 8192U + 8192U);
  for (const auto& [i, yes] : kept) ASSERT_TRUE(f.seen(i, at_second(9)));
  // What leaves the window makes room.
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(f.add(20'000 + i, at_second(100)), outcome::added);
  }
}

TEST(recency_table, forgets_the_oldest_if_asked_to) {
  recency_table f(
      {.window = 60s, .items = 1000, .error = 1e-3, .memory = 8192, .forget_oldest = true});
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_NE(f.add(i, at_second(i / 400)), outcome::full) << i;
  }
  EXPECT_GT(f.losses().forgot_early, 10'000U);
  int recent = 0;
  for (int i = 19'600; i < 20'000; ++i) recent += f.seen(i, at_second(50));
  EXPECT_GE(recent, 380);
  int old = 0;
  for (int i = 0; i < 400; ++i) old += f.seen(i, at_second(50));
  EXPECT_LE(old, 40);
}

// All items are equally old: one of them is forgotten.
TEST(recency_table, forgets_within_a_tick) {
  recency_table f({.window = 60s, .items = 100, .memory = 512, .forget_oldest = true});
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(f.add(i, at_second(0)), outcome::added);
    ASSERT_TRUE(f.seen(i));
  }
  EXPECT_LE(f.alive_items(), static_cast<double>(f.slots() + f.stashed()));
  EXPECT_EQ(f.alive_items() + static_cast<double>(f.losses().forgot_early), 5000);
}

// A search for moves examines hundreds of blocks and finds no room.
TEST(recency_table, takes_few_steps_when_it_is_full) {
  for (const bool forget_oldest : {true, false}) {
    recency_table f({.window = 600s, .memory = 64 << 10, .forget_oldest = forget_oldest});
    constexpr int many = 100'000;
    for (int i = 0; i < many; ++i) (void)f.add_if_new(i, instant(1'000'000'000 + i));
    const std::uint64_t before = f.work();
    for (int i = 0; i < many; ++i) (void)f.add_if_new(many + i, instant(1'001'000'000 + i));
    EXPECT_LE(f.work() - before, 4 * many);
    EXPECT_GE(f.alive_items(), 0.97 * static_cast<double>(f.slots()));
    EXPECT_EQ(forget_oldest ? f.losses().full : f.losses().forgot_early, 0u);
    EXPECT_LE(f.memory(), 96u << 10);
  }
}

// New prints go into the emptier one of their blocks. What is left is mostly refreshing: about half
// a block per call.
TEST(recency_table, moves_few_prints_when_it_is_nearly_full) {
  constexpr int last = 20'000;
  recency_table f({.last = last, .error = 1e-2, .reserve = true, .ticks = 12, .seed = 5});
  int next = 0;
  for (; next < 2 * last; ++next) EXPECT_EQ(f.add(next), outcome::added);
  const std::uint64_t before = f.work();
  for (; next < 3 * last; ++next) {
    EXPECT_EQ(f.add(next), outcome::added);
    if (next % 1000 != 0) continue;
    for (int i = next - last + 1; i <= next; ++i) ASSERT_TRUE(f.seen(i)) << next;
  }
  EXPECT_LE(f.work() - before, 0.7 * last);
  EXPECT_GE(f.alive_items(), 0.88 * static_cast<double>(f.slots()));
  EXPECT_EQ(f.stashed(), 0u);
}

// Many items are in their second block. Only they can renew the mark that leads there.
TEST(recency_table, finds_items_in_their_second_block_as_long_as_they_are_renewed) {
  constexpr int many = 5000;
  recency_table f({.window = 60s, .items = many, .reserve = true, .ticks = 12, .seed = 5});
  for (std::int64_t now = 0; now <= 300; now += 30) {
    for (int i = 0; i < many; ++i) {
      ASSERT_EQ(f.add_if_new(i, at_second(now)).fresh, now == 0) << i << ' ' << now;
    }
  }
  EXPECT_EQ(f.stashed(), 0u);
}

TEST(recency_table, a_new_limit_lets_it_grow) {
  recency_table f({.window = 600s, .memory = 8192});
  for (int i = 0; i < 5000; ++i) (void)f.add_if_new(i, instant(1'000'000'000));
  ASSERT_GT(f.losses().full, 1000u);
  f.set_memory_limit(std::nullopt, true);
  EXPECT_TRUE(f.forgets_oldest());
  EXPECT_EQ(f.memory_limit(), std::nullopt);
  const std::uint64_t full = f.losses().full;
  for (int i = 0; i < 5000; ++i) (void)f.add_if_new(i, instant(1'000'000'000));
  EXPECT_EQ(f.losses().full, full);
  for (int i = 0; i < 5000; ++i) EXPECT_TRUE(f.seen(i));
}

// Known stamps of a quiet table never look young again.
TEST(recency_table, gaps_of_every_length_resurrect_nothing) {
  for (const std::uint32_t ticks : {1U, 12U, 14U, 63U}) {
    for (std::int64_t gap = 61; gap < 100'000'000'000; gap = gap * 5 / 4 + 1) {
      recency_table f({.window = 60s, .items = 500, .error = 1e-9, .ticks = ticks});
      for (int i = 0; i < 300; ++i) f.add(i, at_second(i % 60));
      const std::int64_t then = 60 + gap + 60;
      const recency_table untouched(f);
      f.add(-1, at_second(then));
      for (int i = 0; i < 300; ++i) {
        ASSERT_FALSE(untouched.seen(i, at_second(then))) << gap;
        ASSERT_FALSE(f.seen(i, at_second(then))) << gap;
        ASSERT_TRUE(f.add_if_new(i, at_second(then)).fresh) << gap;
      }
    }
  }
}

TEST(recency_table, refresh_renews_what_no_refresh_lets_pass) {
  for (const bool refresh : {true, false}) {
    recency_table f({.window = 60s, .items = 10, .ticks = 60, .refresh = refresh});
    EXPECT_TRUE(f.add_if_new("x", at_second(0)).fresh);
    EXPECT_FALSE(f.add_if_new("x", at_second(50)).fresh);
    EXPECT_EQ(f.add_if_new("x", at_second(100)).fresh, !refresh);
    EXPECT_EQ(f.insertions(), refresh ? 3U : 2U);
  }
}

// Also in blocks that they were moved to.
TEST(recency_table, what_is_refreshed_is_never_forgotten) {
  for (const std::uint32_t ticks : {3U, 14U}) {
    recency_table f({.window = 60s, .items = 5000, .error = 1e-3, .reserve = true, .ticks = ticks});
    for (int i = 0; i < 5000; ++i) f.add(i, at_second(0));
    for (std::int64_t now = 45; now < 600; now += 45) {
      for (int i = 0; i < 5000; ++i) {
        ASSERT_FALSE(f.add_if_new(i, at_second(now)).fresh) << i << " after " << now;
      }
    }
  }
}

TEST(recency_table, late_and_future_events) {
  recency_table f({.window = 60s, .items = 10, .ticks = 60, .ahead = 600s});
  EXPECT_EQ(f.add("none"), outcome::refused);
  EXPECT_EQ(f.add("a", at_second(1000)), outcome::added);
  EXPECT_EQ(f.add("late", at_second(970)), outcome::late);
  EXPECT_EQ(f.add("old", at_second(939)), outcome::dropped_late);
  EXPECT_EQ(f.add("far", at_second(1601)), outcome::future);
  EXPECT_TRUE(f.seen("late", at_second(1030)));
  EXPECT_FALSE(f.seen("late", at_second(1032)));
  EXPECT_EQ(f.add("a", at_second(990)), outcome::late);  // keeps the younger stamp
  EXPECT_TRUE(f.seen("a", at_second(1059)));
  EXPECT_FALSE(f.seen("old"));
  EXPECT_FALSE(f.seen("far"));
  EXPECT_EQ(f.losses().dropped_late, 1U);
  EXPECT_EQ(f.losses().future, 1U);
  EXPECT_EQ(f.losses().refused, 1U);
}

// Sightings from before the first event, in the stash.
TEST(recency_table, is_stored_with_late_events_that_found_no_room) {
  recency_table f({.window = 60s, .items = 10, .memory = 64, .ticks = 14});
  f.add(0, at_second(0));
  int last = 0;
  while (f.stashed() < 10) ASSERT_EQ(f.add(++last, at_second(-40)), outcome::late);
  recency_table loaded = recency_table::load(f.serialize());
  for (int i = 0; i <= last; ++i) EXPECT_TRUE(loaded.seen(i)) << i;
  EXPECT_TRUE(loaded.serialize() == f.serialize());
  loaded.add(0, at_second(100));  // what expired in the stash is still there
  EXPECT_TRUE(recency_table::load(loaded.serialize()).serialize() == loaded.serialize());
}

TEST(recency_table, works_at_the_ends_of_time) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  recency_table f = a_minute();
  EXPECT_EQ(f.add(1, instant(least)), outcome::added);
  EXPECT_TRUE(f.seen(1, instant(least)));
  EXPECT_EQ(f.add(2, instant(most)), outcome::added);
  EXPECT_FALSE(f.seen(1, instant(most)));
  EXPECT_TRUE(f.seen(2, instant(most)));
  EXPECT_EQ(f.add(3, instant(least)), outcome::dropped_late);
}

// Ages of up to 2^64 ticks are old.
TEST(recency_table, jumps_over_all_of_time_leave_nothing_alive) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<std::int64_t>& jumps :
       {std::vector<std::int64_t>{most}, {0, most}, {-1, 0, most}, {least / 2, 3, most}}) {
    for (const std::uint32_t ticks : {1U, 3U, 60U}) {
      recency_table f({.window = 60us, .items = 100, .error = 1e-9, .ticks = ticks});
      for (int i = 0; i < 100; ++i) f.add(i, instant(least));
      for (const std::int64_t to : jumps) {
        f.advance(instant(to));
        EXPECT_EQ(f.alive_items(), 0);
        for (int i = 0; i < 100; ++i) ASSERT_FALSE(f.seen(i)) << to;
      }
      for (int i = 0; i < 100; ++i) ASSERT_TRUE(f.add_if_new(i, instant(most)).fresh);
      EXPECT_EQ(f.alive_items(), 100);
      EXPECT_EQ(recency_table::load(f.serialize()).alive_items(), 100);
    }
  }
}

TEST(recency_table, knows_ages_and_how_sure_it_is) {
  recency_table f({.window = 60s, .items = 100, .error = 0.01, .ticks = 60});
  f.add("x", at_second(5));
  f.add("y", at_second(30));
  const auto age = f.age("x", at_second(40));
  ASSERT_TRUE(age);
  EXPECT_LE(age->youngest, 35'000'000U);
  EXPECT_GE(age->oldest, 35'000'000U);
  EXPECT_LE(age->oldest - age->youngest, 1'000'000U);
  EXPECT_FALSE(f.age("nobody", at_second(40)));
  EXPECT_GT(f.posterior("x", at_second(40), event_rate{0.01}), 0.99);
  EXPECT_LT(f.posterior("nobody", at_second(40), event_rate{0.01}), 1e-9);
  // An item that nearly never occurs is more likely to be another one with the same print.
  EXPECT_LT(f.posterior("x", at_second(40), event_rate{1e-9}), 0.5);
  EXPECT_FALSE(f.decide("x", at_second(40), event_rate{1e-9}, {1, 1}));
  EXPECT_TRUE(f.decide("x", at_second(40), event_rate{1e-9}, {0, 1}));
  EXPECT_TRUE(std::isnan(f.posterior("x", at_second(40), event_rate{std::nan("")})));
}

TEST(recency_table, audit_learns) {
  recency_table f({.last = 500, .items = 500, .error = 0.05, .audit = audit_config{}});
  math::random_source random(1);
  for (int i = 0; i < 20'000; ++i) (void)f.add_if_new(random.below(2000));
  ASSERT_TRUE(f.audit());
  EXPECT_GT(f.audit()->questions(), 1000);
  EXPECT_FALSE(std::isnan(f.posterior(7, instant())));
  const recency_table again = recency_table::load(f.serialize());
  EXPECT_EQ(again.posterior(7, instant()), f.posterior(7, instant()));
}

TEST(recency_table, merged_covers_both_streams) {
  recency_table a = a_minute();
  recency_table b = a_minute();
  for (int i = 0; i < 3000; ++i) a.add(i, at_second(i / 100));
  for (int i = 2000; i < 9000; ++i) b.add(i, at_second(20 + i / 300));
  const auto before = a.serialize();
  recency_table sum = a;
  sum.merge(b);
  EXPECT_EQ(a.serialize(), before);
  EXPECT_EQ(sum.insertions(), a.insertions() + b.insertions());
  EXPECT_EQ(*sum.newest(), *b.newest());
  for (int i = 0; i < 9000; ++i) ASSERT_TRUE(sum.seen(i));
  // 60 s after the last sighting of each, and a tick.
  for (int i = 0; i < 2000; ++i) {
    EXPECT_FALSE(sum.seen(i, at_second(i / 100 + 66))) << i;
  }
  sum.merge(a_minute());
  EXPECT_NEAR(sum.alive_items(), 9000, 2);
}

TEST(recency_table, merges_that_are_refused_change_nothing) {
  recency_table a = a_minute();
  a.add(1, at_second(1));
  const auto before = a.serialize();
  const auto refused = [&](const recency_table& other) {
    expect_error(
        errc::incompatible, [&] { a.merge(other); }, "merge");
    EXPECT_EQ(a.serialize(), before);
  };
  refused(a_minute(13));
  refused(recency_table({.window = 60s, .items = 1000, .ticks = 12, .seed = 4}));
  refused(recency_table({.window = 61s, .items = 1000, .ticks = 12, .seed = 3}));
  refused(recency_table({.last = 60, .items = 1000, .ticks = 12, .seed = 3}));
  refused(recency_table({.window = 60s, .items = 1000, .error = 0.1, .ticks = 12, .seed = 3}));

  const recency_table_config small{.window = 60s, .items = 1000, .error = 1e-3, .memory = 8192};
  recency_table full(small);
  recency_table more(small);
  for (int i = 0; i < 1500; ++i) full.add(i, at_second(0));
  for (int i = 5000; i < 6500; ++i) more.add(i, at_second(0));
  const auto kept = full.serialize();
  expect_error(
      errc::incompatible, [&] { full.merge(more); }, "no room");
  EXPECT_EQ(full.serialize(), kept);
}

// A table that was full searches only a little for room until it is emptier.
TEST(recency_table, merges_once_what_made_it_full_has_left) {
  const recency_table_config small{.window = 60s, .items = 1000, .error = 1e-3, .memory = 8192};
  recency_table was_full(small);
  for (int i = 0; i < 10'000; ++i) was_full.add(i, at_second(0));
  EXPECT_GT(was_full.losses().full, 0U);
  recency_table nearly_full(small);
  int items = 0;
  while (nearly_full.stashed() == 0) nearly_full.add(++items, at_second(1000));
  was_full.advance(at_second(1000));
  was_full.merge(nearly_full);
  for (int i = 1; i <= items; ++i) ASSERT_TRUE(was_full.seen(i)) << i;
}

// Below 8192 blocks nothing is prefetched, also while that is passed within a call.
TEST(recency_table, bulk_calls_do_what_single_calls_do) {
  math::random_source random(11);
  for (const bool reserve : {false, true}) {
    const recency_table_config config{.last = 250'000,
                                      .items = 250'000,
                                      .error = 1e-2,
                                      .reserve = reserve,
                                      .ticks = 12,
                                      .seed = 3};
    recency_table single(config);
    recency_table bulk(config);
    for (std::uint64_t next = 0; next < 400'000;) {
      std::vector<std::uint64_t> items(1 + random() % 50'000);
      for (std::uint64_t& item : items) item = random() % 8 == 0 ? random() % (next + 1) : next++;
      std::vector<novelty> answers(items.size());
      bulk.add_if_new_bulk(items, answers);
      for (std::size_t i = 0; i < items.size(); ++i) {
        const novelty expected = single.add_if_new(items[i]);
        ASSERT_EQ(answers[i].fresh, expected.fresh);
        ASSERT_EQ(answers[i].became, expected.became);
      }
    }
    EXPECT_GT(bulk.slots(), detail::many_blocks * 20);
    EXPECT_TRUE(bulk.serialize() == single.serialize());
  }
}

TEST(recency_table, refuses_what_makes_no_sense) {
  const auto refused = [](const recency_table_config& c, const char* says) {
    expect_error(
        errc::invalid_argument, [&] { recency_table made(c); }, says);
  };
  refused({}, "neither");
  refused({.window = 1s, .last = 3}, "both");
  refused({.window = 0s}, "got 0");
  refused({.window = -1s}, "got -1000000");
  refused({.last = 0}, "got 0");
  refused({.window = 1s, .ticks = 0}, "got 0");
  refused({.window = 1s, .ticks = 1025}, "got 1025");
  refused({.window = 1s, .error = 0}, "got 0");
  refused({.window = 1s, .error = 1}, "got 1");
  refused({.window = 1s, .error = std::nan("")}, "got nan");
  refused({.window = 1s, .reserve = true}, "`reserve` needs `items`");
  refused({.window = 1s, .items = 1'000'000, .reserve = true, .memory = 4096}, "4096");
  refused({.window = 1s, .ahead = -1s}, "negative");
  expect_error(
      errc::too_large, [] { recency_table made({.window = 1s, .error = 1e-30}); }, "long enough");
}

TEST(recency_table, is_usable_after_a_move) {
  recency_table f = a_minute();
  f.add(1, at_second(1));
  const recency_table g = std::move(f);
  EXPECT_TRUE(g.seen(1));
  EXPECT_FALSE(f.seen(1));  // NOLINT: moved from on purpose
  EXPECT_EQ(f.add(1, at_second(1)), outcome::refused);
  EXPECT_TRUE(f.add_if_new(1, at_second(1)).fresh);
  EXPECT_FALSE(f.age(1, at_second(1)));
  EXPECT_EQ(f.posterior(1, at_second(1), event_rate{0.1}), 0);
  EXPECT_EQ(f.slots(), 0U);
  EXPECT_EQ(f.current_error(), 0);
  f.advance(at_second(5));
  expect_error(
      errc::invalid_argument, [&] { (void)f.serialize(); }, "moved");
  expect_error(
      errc::invalid_argument, [&] { f.clear(); }, "moved");
}

TEST(recency_table, growth_without_memory_is_told) {
  recency_table f({.window = 60s, .items = 100'000, .error = 1e-3});
  support::allocations watch;
  recency_table g(f);
  watch.refuse_after(0);
  bool full = false;
  int added = 0;
  for (int i = 0; i < 5000 && !full; ++i) {
    full = g.add(i, at_second(0)) == outcome::full;
    if (!full) added = i + 1;
  }
  EXPECT_TRUE(full);
  EXPECT_GT(added, 700);
  for (int i = 0; i < added; ++i) ASSERT_TRUE(g.seen(i));
}

TEST(recency_table, memory_is_what_it_takes) {
  support::allocations watch;
  recency_table f({.window = 60s, .items = 1000, .error = 1e-3});
  for (int i = 0; i < 30'000; ++i) f.add(i, at_second(0));
  EXPECT_LE(f.memory(), watch.live_bytes());
  EXPECT_GE(static_cast<double>(f.memory()) * 1.02 + 4000, static_cast<double>(watch.live_bytes()));
  support::expect_no_change_without_memory(f, [&] { const recency_table copy(f); });
}

// Items that share both blocks: most are in the stash, in another order after a load.
TEST(recency_table, merges_do_not_depend_on_the_order_of_a_stash) {
  const recency_table_config hour{.window = std::chrono::hours(1)};
  const instant now(0);
  recency_table crowded(hour);
  for (std::uint64_t i = 100; i != 0; --i) {
    ASSERT_EQ(crowded.add(digest{std::uint64_t{1} << 56 | i, 0}, now), outcome::added);
  }
  ASSERT_GT(crowded.stashed(), 40U);
  const recency_table loaded = recency_table::load(crowded.serialize());
  recency_table large(hour);
  for (std::uint64_t x = 0; x < 4000; ++x) ASSERT_EQ(large.add(x, now), outcome::added);
  recency_table same(large);
  large.merge(crowded);
  same.merge(loaded);
  EXPECT_EQ(large.serialize(), same.serialize());
}

}  // namespace bloomtime::recency_table_test
