#include <gtest/gtest.h>

#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/heat/window_table.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/recency_table.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/table_kinds.hpp"

// What has broken tables of fingerprints before, tried on each of them: items aimed at one place by
// someone who knows the seed, clocks that jump, gaps of any length, bursts one window apart, and
// far more items than hinted.
namespace bloomtime::table_pitfalls_test {

using namespace std::chrono_literals;

using support::heat_kind;
using support::recency_kind;
using support::tally_kind;
using support::window_kind;

template <class Kind>
class tables : public testing::Test {};
TYPED_TEST_SUITE(tables, support::table_kinds);

template <class Kind>
class print_tables : public testing::Test {};
using print_kinds = testing::Types<recency_kind, tally_kind, heat_kind>;
TYPED_TEST_SUITE(print_tables, print_kinds);

constexpr instant now(0);

// -- more items than hinted --------------------------------------------------------------------

TYPED_TEST(tables, takes_ten_times_more_items_than_hinted) {
  for (const double error : {0.9, 0.1, 0.03, 0.005, 1e-6}) {
    for (const std::uint64_t items : {10U, 2000U}) {
      for (const bool reserve : {false, true}) {
        auto t = TypeParam::of(items, error, reserve);
        for (std::uint64_t x = 0; x < 10 * items; ++x) {
          ASSERT_EQ(TypeParam::add(t, x, now), outcome::added) << error << ' ' << items << ' ' << x;
        }
        EXPECT_EQ(t.losses(), losses{});
        for (std::uint64_t x = 0; x < 10 * items; ++x) {
          ASSERT_TRUE(TypeParam::has(t, x, now)) << error << ' ' << items << ' ' << x;
        }
        EXPECT_LT(t.memory(), 10 * items * 12 + 16'384);
      }
    }
  }
}

// -- aimed items -------------------------------------------------------------------------------

// Blocks of 64 bytes that one call examines: the moves for its item, and sometimes those of 16
// entries of the stash. A search for room ends at the end of a block, and examines a block twice.
constexpr std::uint64_t most_work =
    17 * 2 * (detail::print_table<detail::print_stamps>::most_probes + 2 * detail::most_slots);

// Filled to this load, a table has no room to spare; then items come for one block, which have any
// tag, or for one pair of blocks.
template <class Kind>
void expect_bounded_cost(const std::vector<digest>& aimed, std::uint64_t load_percent) {
  constexpr std::uint64_t items = 20'000;
  auto t = Kind::of(items, 1e-6, true);
  std::uint64_t filled = 0;
  for (; filled < t.slots() * load_percent / 100; ++filled) {
    ASSERT_EQ(Kind::add(t, filled, now), outcome::added);
  }
  const std::uint64_t memory = t.memory();
  std::vector<digest> added;
  for (const digest& d : aimed) {
    const std::uint64_t before = t.work();
    const outcome became = Kind::add(t, d, now);
    ASSERT_LE(t.work() - before, most_work);
    ASSERT_TRUE(became == outcome::added || became == outcome::full);
    if (became == outcome::added) added.push_back(d);
    // Its bound, before blocks that the call had split were joined.
    ASSERT_LE(t.stashed(), 64 + (t.slots() + 4 * detail::most_slots) / 32);
  }
  // What is aimed makes a table grow as other items do; the stash has at most an entry per 32
  // slots.
  EXPECT_LT(t.memory(), 2 * memory + 64 * aimed.size());
  for (const digest& d : added) ASSERT_TRUE(Kind::has(t, d, now));
  for (std::uint64_t x = 0; x < filled; ++x) ASSERT_TRUE(Kind::has(t, x, now)) << x;
  // Others still find room.
  std::uint64_t refused = 0;
  for (std::uint64_t x = 0; x < 500; ++x)
    refused += Kind::add(t, 1'000'000 + x, now) != outcome::added;
  EXPECT_EQ(refused, 0U);
}

TYPED_TEST(print_tables, items_aimed_at_one_block_cost_little) {
  math::random_source random(3);
  std::vector<digest> aimed;
  for (int i = 0; i < 5000; ++i) aimed.push_back({random(), std::uint64_t{7} << 40});
  expect_bounded_cost<TypeParam>(aimed, 95);
}

// With the same tag, they have the same second block.
TYPED_TEST(print_tables, items_aimed_at_one_pair_of_blocks_cost_little) {
  math::random_source random(4);
  std::vector<digest> aimed;
  for (int i = 0; i < 5000; ++i) {
    aimed.push_back({std::uint64_t{0x55} << 56 | random() >> 8, std::uint64_t{7} << 40});
  }
  expect_bounded_cost<TypeParam>(aimed, 95);
}

// Items with the same print are one, whoever chose them.
TYPED_TEST(print_tables, items_with_one_print_take_one_slot) {
  auto t = TypeParam::of(1000, 1e-3, true);
  const std::uint64_t memory = t.memory();
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(TypeParam::add(t, digest{std::uint64_t{9} << 56 | 5, i}, now), outcome::added);
  }
  EXPECT_LE(t.memory(), memory + 256);  // the count of one item may be large
}

// Pages are full before they make calls slow: half of the items share the page of the rest.
TEST(window_table, items_aimed_at_one_page_cost_little) {
  window_table t({.window = 60s, .items = 20'000, .error = 1e-9});
  for (std::uint64_t x = 0; x < 20'000; ++x) ASSERT_EQ(t.add(x, now), outcome::added);
  const std::uint64_t memory = t.memory();
  std::uint64_t added = 0;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    const digest aimed{i << 24 | 0x123456, 0};
    const std::uint64_t before = t.work();
    const outcome became = t.add(aimed, now);
    ASSERT_LE(t.work() - before, 64U);
    ASSERT_TRUE(became == outcome::added || became == outcome::full);
    if (became != outcome::added) continue;
    ++added;
    last = i;
    ASSERT_GE(t.at(aimed, now).upper, 1);
  }
  EXPECT_GT(added, 1000U);
  EXPECT_GE(t.at(digest{last << 24 | 0x123456, 0}, now).upper, 1);
  // A page has at most 128 KiB. What it has makes the table grow, by no more than its own size.
  EXPECT_LT(t.memory(), 2 * memory + 4 * (1U << 17));
  for (std::uint64_t x = 0; x < 20'000; ++x) ASSERT_GE(t.at(x, now).upper, 1);
}

// -- clocks that jump --------------------------------------------------------------------------

// Times go back and forth by up to two windows while items come and go in waves, so that tables
// grow and shrink under events that are late.
class jumping_clock {
 public:
  explicit jumping_clock(std::uint64_t seed) : random_(seed) {}

  static constexpr std::uint64_t universe = 6000;
  static constexpr int steps = 60'000;
  static constexpr std::int64_t window = 60'000'000;

  struct event {
    std::uint64_t item;
    std::int64_t at;
  };
  event next() {
    const bool many = step_++ / 10'000 % 2 == 0;  // then few, and what was is gone
    base_ += static_cast<std::int64_t>(random_.below(many ? 2000 : 400'000));
    std::int64_t at = base_;
    if (random_.below(3) == 0) at -= static_cast<std::int64_t>(random_.below(2 * window));
    if (random_.below(500) == 0) base_ += static_cast<std::int64_t>(random_.below(window / 8));
    return {random_.below(universe), at};
  }
  std::uint64_t any_item() { return random_.below(universe); }

 private:
  math::random_source random_;
  std::int64_t base_ = 0;
  int step_ = 0;
};

// Whether memory was at its most twice, with less than half of that in between.
class waves {
 public:
  void note(std::uint64_t memory) {
    if (memory > most_) most_ = memory;
    if (3 * memory < most_) shrunk_ = true;
    if (shrunk_ && 3 * memory > 2 * most_) grown_again_ = true;
  }
  void expect_both() const {
    EXPECT_TRUE(shrunk_);
    EXPECT_TRUE(grown_again_);
  }

 private:
  std::uint64_t most_ = 0;
  bool shrunk_ = false;
  bool grown_again_ = false;
};

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min() / 2;

TEST(recency_table, never_denies_while_the_clock_jumps) {
  for (const std::uint32_t ticks : {1U, 14U, 64U}) {
    recency_table t({.window = 60s, .error = 1e-3, .ticks = ticks});
    jumping_clock clock(ticks);
    std::vector<std::int64_t> last(jumping_clock::universe, never);
    waves size;
    for (int i = 0; i < jumping_clock::steps; ++i) {
      const auto [item, at] = clock.next();
      const outcome became = t.add(item, instant(at));
      const std::int64_t newest = t.newest()->micros;
      const bool too_old = newest - at > jumping_clock::window;
      ASSERT_TRUE(became == outcome::added || became == outcome::late || too_old);
      if (became == outcome::added || became == outcome::late)
        last[item] = std::max(last[item], at);
      const std::uint64_t other = clock.any_item();
      ASSERT_TRUE(t.seen(other) || newest - last[other] > jumping_clock::window) << i;
      size.note(t.memory());
    }
    EXPECT_EQ(t.losses().full, 0U);
    size.expect_both();
    EXPECT_TRUE(recency_table::load(t.serialize()).serialize() == t.serialize());
  }
}

TEST(heat_table, never_undercounts_while_the_clock_jumps) {
  constexpr double half_life = 5e6;
  heat_table t({.half_life = 5s, .tick = 1ms});
  jumping_clock clock(5);
  struct heat {
    double hits = 0;
    std::int64_t since = 0;
  };
  std::vector<heat> exact(jumping_clock::universe);
  const auto at_time = [&](const heat& h, std::int64_t when) {
    return h.hits * std::exp2(-static_cast<double>(when - h.since) / half_life);
  };
  waves size;
  for (int i = 0; i < jumping_clock::steps; ++i) {
    auto [item, at] = clock.next();
    at -= at % 1000;  // the start of its tick
    const outcome became = t.add(item, instant(at));
    ASSERT_TRUE(became == outcome::added || became == outcome::late);
    heat& h = exact[item];
    if (at > h.since) h = {at_time(h, at), at};
    h.hits += std::exp2(-static_cast<double>(h.since - at) / half_life);
    const std::uint64_t other = clock.any_item();
    const std::int64_t newest = t.newest()->micros;
    ASSERT_GE(t.at(other, instant(newest)).upper * (1 + 1e-9), at_time(exact[other], newest)) << i;
    size.note(t.memory());
  }
  size.expect_both();
  EXPECT_TRUE(heat_table::load(t.serialize()).serialize() == t.serialize());
}

TEST(window_table, never_undercounts_while_the_clock_jumps) {
  window_table t({.window = 60s, .slots = 60});
  jumping_clock clock(6);
  std::vector<std::vector<std::int64_t>> exact(jumping_clock::universe);
  waves size;
  for (int i = 0; i < jumping_clock::steps; ++i) {
    const auto [item, at] = clock.next();
    const outcome became = t.add(item, instant(at));
    if (became == outcome::added || became == outcome::late) exact[item].push_back(at);
    ASSERT_NE(became, outcome::full);
    const std::int64_t newest = t.newest()->micros;
    ASSERT_TRUE(became != outcome::dropped_late || newest - at > jumping_clock::window);
    const std::uint64_t other = clock.any_item();
    std::erase_if(exact[other],
                  [&](std::int64_t then) { return newest - then > jumping_clock::window; });
    const auto truth = static_cast<double>(exact[other].size());
    ASSERT_GE(t.at(other, instant(newest)).upper, truth) << i;
    size.note(t.memory());
  }
  size.expect_both();
  EXPECT_TRUE(window_table::load(t.serialize()).serialize() == t.serialize());
}

// -- gaps and bursts ---------------------------------------------------------------------------

// From a tick to a hundred years, in steps of an eighth.
template <class Use>
void for_each_gap(std::int64_t tick, Use&& use) {
  constexpr std::int64_t century = std::int64_t{100} * 365 * 86'400 * 1'000'000;
  for (std::int64_t gap = tick; gap < century; gap += gap / 8 + 1) use(gap);
  use(century);
}

constexpr std::uint64_t burst = 1500;  // too many for the first blocks

// A burst, a gap, a burst of other items: the first ones are seen within the window and are gone
// after it and a tick; the second ones are all there.
TEST(recency_table, a_burst_after_any_gap_finds_nothing_old) {
  constexpr std::int64_t window = 60'000'000;
  constexpr std::int64_t tick = window / 15;
  for_each_gap(tick, [&](std::int64_t gap) {
    recency_table t({.window = 60s, .items = burst, .error = 1e-7, .ticks = 15});
    for (std::uint64_t x = 0; x < burst; ++x) ASSERT_EQ(t.add(x, now), outcome::added);
    for (std::uint64_t x = burst; x < 2 * burst; ++x) {
      ASSERT_EQ(t.add(x, instant(gap)), outcome::added) << gap;
    }
    for (std::uint64_t x = 0; x < burst; ++x) {
      if (gap <= window) {
        ASSERT_TRUE(t.seen(x)) << gap;
      }
      if (gap > window + tick) {
        ASSERT_FALSE(t.seen(x)) << gap;
      }
      ASSERT_TRUE(t.seen(x + burst)) << gap;
    }
  });
}

TEST(heat_table, a_burst_after_any_gap_finds_what_is_left) {
  for_each_gap(1000, [&](std::int64_t gap) {
    heat_table t(
        {.items = burst, .error = 1e-7, .half_life = 60s, .tick = 1ms, .ahead = 24h * 36525});
    for (std::uint64_t x = 0; x < burst; ++x) ASSERT_EQ(t.add(x, now, 1 + x % 9), outcome::added);
    for (std::uint64_t x = burst; x < 2 * burst; ++x) {
      ASSERT_EQ(t.add(x, instant(gap)), outcome::added) << gap;
    }
    const double left = std::exp2(-static_cast<double>(gap / 1000) / 60'000);
    for (std::uint64_t x = 0; x < burst; ++x) {
      const double truth = static_cast<double>(1 + x % 9) * left;
      const estimate e = t.at(x, instant(gap));
      ASSERT_GE(e.upper, truth * (1 - 1e-9)) << gap;
      ASSERT_LE(e.value, truth * 1.01 + 0.01) << gap;
      ASSERT_GE(t.at(x + burst, instant(gap)).value, 1) << gap;
    }
  });
}

TEST(window_table, a_burst_after_any_gap_finds_nothing_old) {
  constexpr std::int64_t window = 60'000'000;
  for_each_gap(1'000'000, [&](std::int64_t gap) {
    window_table t({.window = 60s, .items = burst, .error = 1e-7, .ahead = 24h * 36525});
    for (std::uint64_t x = 0; x < burst; ++x) ASSERT_EQ(t.add(x, now, 1 + x % 9), outcome::added);
    for (std::uint64_t x = burst; x < 2 * burst; ++x) {
      ASSERT_EQ(t.add(x, instant(gap)), outcome::added) << gap;
    }
    for (std::uint64_t x = 0; x < burst; ++x) {
      const double upper = t.at(x, instant(gap)).upper;
      if (gap <= window) {
        ASSERT_GE(upper, static_cast<double>(1 + x % 9)) << gap;
      }
      if (gap > window + 1'000'000) {
        ASSERT_EQ(upper, 0) << gap;
      }
      ASSERT_GE(t.at(x + burst, instant(gap)).upper, 1) << gap;
    }
  });
}

// The items of a burst come again exactly one window later, and a microsecond less or more: within
// the window each of them is a duplicate, a tick after it none is.
TEST(recency_table, bursts_exactly_one_window_apart) {
  constexpr std::int64_t window = 60'000'000;
  for (const std::uint32_t ticks : {1U, 14U, 60U, 64U, 1024U}) {
    const std::int64_t tick = (window + ticks - 1) / ticks;
    for (const std::int64_t phase : {std::int64_t{0}, tick / 3, tick - 1}) {
      for (const std::int64_t apart : {window - 1, window, window + tick + 1}) {
        recency_table t({.window = 60s, .items = burst, .error = 1e-7, .ticks = ticks});
        std::uint64_t duplicates = 0;
        for (std::int64_t round = 0; round < 5; ++round) {
          for (std::uint64_t x = 0; x < burst; ++x) {
            duplicates += !t.add_if_new(x, instant(phase + round * apart)).fresh;
          }
        }
        EXPECT_EQ(duplicates, apart <= window ? 4 * burst : 0) << ticks << ' ' << apart;
      }
    }
  }
}

TEST(window_table, bursts_exactly_one_window_apart) {
  constexpr std::int64_t window = 60'000'000;
  for (const std::int64_t phase : {0, 333'333, 999'999}) {
    for (const std::int64_t apart : {window - 1, window, window + 1'000'001}) {
      window_table t({.window = 60s, .items = burst, .error = 1e-7});
      for (std::int64_t round = 0; round < 5; ++round) {
        const instant when(phase + round * apart);
        for (std::uint64_t x = 0; x < burst; ++x) ASSERT_EQ(t.add(x, when), outcome::added);
        for (std::uint64_t x = 0; x < burst; ++x) {
          const double counted = t.at(x, when).upper;
          ASSERT_GE(counted, apart <= window && round != 0 ? 2 : 1);
          if (apart > window) {
            ASSERT_EQ(counted, 1) << phase << ' ' << round;
          }
        }
      }
    }
  }
}

}  // namespace bloomtime::table_pitfalls_test
