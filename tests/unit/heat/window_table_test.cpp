#include <gtest/gtest.h>

#include <bloomtime/heat/window_table.hpp>

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/allocations.hpp"
#include "support/container_bytes.hpp"
#include "support/damage.hpp"
#include "support/expect_error.hpp"
#include "support/moments.hpp"
#include "support/numbers.hpp"

namespace bloomtime {
namespace window_table_test {

using namespace std::chrono_literals;
using support::after;
using support::expect_error;
using support::first_micro;
using support::last_micro;
using support::midnight;
using support::nan;

window_table_config last_hour() { return {.window = 1h, .items = 1000, .error = 1e-6}; }

TEST(window_table, knows_which_hits_may_be_a_slot_too_old) {
  window_table t(last_hour());
  EXPECT_EQ(t.slots(), 60u);
  t.add("/", midnight, 3);
  t.add("/", after(30min), 4);
  EXPECT_EQ(t.at("/", after(1h - 1us)), (estimate{7, 7, 7}));
  EXPECT_EQ(t.at("/", after(1h)), (estimate{7, 4, 7}));
  EXPECT_EQ(t.mass(after(61min)), 4);
  EXPECT_EQ(t.at("/index", after(30min)).value, 0);
  EXPECT_GT(t.confidence(), 1 - 1e-6);
}

TEST(window_table, counts_a_late_event_in_its_own_slot) {
  window_table t(last_hour());
  t.add("x", midnight, 8);
  EXPECT_EQ(t.add("x", after(-1h), 2), outcome::late);
  EXPECT_EQ(t.at("x", after(1min)).value, 8);
}

TEST(window_table, has_no_time_before_its_first_event) {
  window_table t(last_hour());
  t.advance(after(2h));
  EXPECT_FALSE(t.newest().has_value());
  EXPECT_EQ(t.add("x", midnight), outcome::added);
  t.advance(after(2h));
  EXPECT_EQ(*t.newest(), after(2h));
}

TEST(window_table, keeps_the_sum_of_all_weights_within_64_bits) {
  window_table t({.window = 10s, .slots = 10});
  t.add("x", midnight, 0);
  EXPECT_EQ(t.events(), 0u);
  const std::uint64_t heavy = std::uint64_t{1} << 63;
  EXPECT_EQ(t.add("y", midnight, 5), outcome::added);
  EXPECT_EQ(t.add("z", midnight, heavy), outcome::added);
  EXPECT_EQ(t.add("z", midnight, heavy - 6), outcome::added);
  EXPECT_EQ(t.add("z", midnight, heavy), outcome::full);
}

TEST(window_table, counts_hits_in_a_part_of_the_window) {
  window_table t(last_hour());
  EXPECT_EQ(t.within("/", midnight, 10min), estimate{});
  t.add("/", midnight, 3);
  t.add("/", after(5min), 4);
  t.add("/", after(20min), 5);
  EXPECT_EQ(t.within("/", after(20min), 1us), (estimate{5, 5, 5}));
  EXPECT_EQ(t.within("/", after(20min), 14min), (estimate{5, 5, 5}));
  EXPECT_EQ(t.within("/", after(20min), 14min + 1us), (estimate{9, 5, 9}));  // 15 slots
  EXPECT_EQ(t.within("/", after(20min), 15min), (estimate{9, 5, 9}));
  EXPECT_EQ(t.within("/", after(20min), 16min), (estimate{9, 9, 9}));
  EXPECT_EQ(t.within("/", after(20min), 20min), (estimate{12, 9, 12}));
  EXPECT_EQ(t.within("/", after(40min), 20min), (estimate{5, 0, 5}));
  EXPECT_EQ(t.within("/", after(41min), 20min), estimate{});
  EXPECT_EQ(t.within("/", midnight, 1min), (estimate{5, 5, 5}));  // at the newest event
  for (const auto m : {20min, 60min, 61min, 80min, 81min}) {
    EXPECT_EQ(t.within("/", after(m), 1h), t.at("/", after(m)));
  }
}

TEST(window_table, refuses_parts_that_are_none) {
  const window_table t(last_hour());
  const auto refused = [&](std::chrono::microseconds span) {
    expect_error(
        errc::invalid_argument, [&] { (void)t.within("/", midnight, span); }, "3600000000");
  };
  refused(0us);
  refused(-1us);
  refused(1h + 1us);
  refused(std::chrono::microseconds::max());
}

TEST(window_table, refuses_what_makes_no_table) {
  const auto refused = [](window_table_config c, std::string_view mention,
                          errc code = errc::invalid_argument) {
    expect_error(
        code, [&] { window_table{c}; }, mention);
  };
  refused({}, "needs a window");
  refused({.window = 0s}, "whole microseconds; got 0");
  refused({.window = -1h}, "slots");
  refused({.window = 1h, .slots = 0}, "1 to 1023 slots");
  refused({.window = 1h, .slots = 1024}, "1 to 1023 slots");
  refused({.window = 1h, .slots = 7}, "whole microseconds");
  refused({.window = 1h, .error = 0}, "strictly between 0 and 1");
  refused({.window = 1h, .error = nan}, "strictly between 0 and 1");
  refused({.window = 1h, .items = ~std::uint64_t{0}}, "2^40 items");
  refused({.window = 1h, .items = 1 << 30, .error = 1e-12}, "use a larger one", errc::too_large);
  refused({.window = 1h, .reserve = true}, "`reserve` needs `items`");
  refused({.window = 1h, .memory = 16383}, "at least 16384 bytes; got 16383");
  refused({.window = 1h, .items = 100'000, .reserve = true, .memory = 100'000}, "`memory` allows");
  refused({.window = 1h, .ahead = -1s}, "ahead");
}

// In one byte, in one and groups of seven bits, and in two.
TEST(window_table, takes_counts_of_any_size_in_windows_of_any_number_of_slots) {
  for (const unsigned slots : {1u, 2u, 60u, 63u, 64u, 127u, 128u, 255u, 256u, 1000u, 1023u}) {
    window_table t({.window = slots * 1s, .slots = slots, .items = 100});
    std::uint64_t expected = 0;
    for (unsigned i = 0; i <= slots; ++i) {
      for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{1} << i % 40}) {
        ASSERT_EQ(t.add("x", after(i * 1s), weight), outcome::added);
        expected += weight;
        ASSERT_EQ(t.at("x", after(i * 1s)).upper, static_cast<double>(expected))
            << slots << ' ' << i;
      }
    }
    ASSERT_EQ(t.mass(after(slots * 1s)), static_cast<double>(expected));
    for (unsigned i = 0; i <= slots; ++i) {  // slot by slot they leave
      expected -= 1 + (std::uint64_t{1} << i % 40);
      ASSERT_EQ(t.at("x", after((slots + 1 + i) * 1s)).upper, static_cast<double>(expected));
      ASSERT_EQ(t.mass(after((slots + 1 + i) * 1s)), static_cast<double>(expected));
    }
    EXPECT_TRUE(window_table::load(t.serialize()).serialize() == t.serialize());
  }
}

TEST(window_table, resurrects_nothing_after_a_gap_of_any_length) {
  for (const unsigned slots : {1u, 5u, 60u, 63u, 200u, 1023u}) {
    std::int64_t gap = slots + 1;
    for (; gap < std::int64_t{100} * 365 * 86400; gap += gap / 5 + 1) {
      window_table t({.window = slots * 1s,
                      .slots = slots,
                      .items = 4,
                      .error = 1e-9,
                      .ahead = 24h * 365 * 200});
      for (unsigned i = 0; i <= slots; ++i) ASSERT_EQ(t.add("x", after(i * 1s)), outcome::added);
      const instant later = after(slots * 1s + gap * 1s);
      ASSERT_EQ(t.at("x", later), estimate{}) << slots << ' ' << gap;
      ASSERT_EQ(t.add("y", later), outcome::added);
      ASSERT_EQ(t.at("x", later), estimate{});
      ASSERT_EQ(t.add("x", later), outcome::added);
      ASSERT_EQ(t.at("x", later).upper, 1);
      ASSERT_EQ(t.mass(later), 2);
    }
  }
}

// -- memory ------------------------------------------------------------------------------------

TEST(window_table, grows_from_a_few_kib_and_shrinks_again) {
  window_table t({.window = 1h, .error = 1e-6, .ahead = 24h * 365});
  const std::uint64_t empty = t.memory();
  EXPECT_LE(empty, 5000u);
  for (int i = 0; i < 200'000; ++i) ASSERT_EQ(t.add(i, after(i * 10ms)), outcome::added);
  EXPECT_GT(t.memory(), 200'000u * 5);
  EXPECT_LT(t.memory(), 200'000u * 8);
  EXPECT_NEAR(t.distinct(), 200'000, 1);
  // An hour later, some items are enough to release the memory of all others.
  for (int i = 0; i < 40'000; ++i) {
    ASSERT_EQ(t.add(i % 100, after(5h + i * 10ms)), outcome::added);
  }
  EXPECT_NEAR(t.distinct(), 100, 1e-3);
  EXPECT_LT(t.memory(), 12'000u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(t.at(i, after(5h + 400s)).upper, 400);
}

TEST(window_table, rewrites_few_pages_per_call) {
  window_table t({.window = 1h, .ahead = 24h * 365});
  std::uint64_t before = t.work();
  for (int i = 0; i < 300'000; ++i) {
    const auto at = i < 150'000 ? i * 20ms : 10h + i * 20ms;
    ASSERT_EQ(t.add(i < 150'000 ? i : i % 50, after(at)), outcome::added);
    // Two refreshes; two splits with a refresh each, or a join with two.
    ASSERT_LE(t.work() - before, 8u);
    before = t.work();
  }
}

TEST(window_table, reserves_memory_for_its_items) {
  support::allocations hook;
  window_table t({.window = 1h, .items = 50'000, .reserve = true});
  const std::uint64_t reserved = t.memory();
  EXPECT_LT(reserved, 50'000u * 8);
  for (int i = 0; i < 40'000; ++i) ASSERT_EQ(t.add(i, after(i * 1ms)), outcome::added);
  EXPECT_LT(t.memory(), reserved + reserved / 10);  // pages are filled unevenly
  t.clear();
  EXPECT_EQ(t.memory(), reserved);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(t.add(1, after(i * 1s)), outcome::added);
  EXPECT_GE(t.memory(), reserved);
  const window_table loaded = window_table::load(t.serialize());
  EXPECT_GE(loaded.memory(), reserved);
  EXPECT_TRUE(loaded.serialize() == t.serialize());
}

// What it counted stays; what it could not count is told.
TEST(window_table, is_full_at_its_memory_limit_and_never_undercounts_silently) {
  constexpr std::uint64_t limit = 64 * 1024;
  window_table t({.window = 1h, .error = 1e-6, .memory = limit});
  std::vector<int> counted;
  std::uint64_t full = 0;
  for (int i = 0; i < 100'000; ++i) {
    const outcome became = t.add(i, after(i * 1ms));
    if (became == outcome::full)
      ++full;
    else
      counted.push_back(i);
    ASSERT_LE(t.memory(), limit + 1024);  // and the totals of slots
  }
  EXPECT_GT(counted.size(), 7000u);
  EXPECT_EQ(full, 100'000 - counted.size());
  EXPECT_EQ(t.losses().full, full);
  EXPECT_EQ(t.events(), counted.size());
  for (const int i : counted) ASSERT_EQ(t.at(i, after(100s)).upper, 1);
  // When hits expire, there is room again.
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(t.add(i, after(2h + i * 1ms)), outcome::added) << i;
}

// The time of an event that finds no room counts, so that room appears.
TEST(window_table, finds_room_in_what_has_expired) {
  window_table t({.window = 1min, .error = 1e-6, .memory = 32 * 1024});
  for (int i = 0; i < 100'000; ++i) {
    const outcome became = t.add(i, after(i * 100ms));  // 600 in a window
    ASSERT_EQ(became, outcome::added) << i;
  }
}

TEST(window_table, is_unchanged_when_memory_runs_out) {
  support::allocations memory;
  window_table t({.window = 10s, .slots = 5});
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(t.add(i, midnight), outcome::added);
  memory.refuse_after(0);
  int added = 0;
  try {
    for (; added < 1000; ++added) t.add(2000 + added, midnight);  // until no page has room
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::out_of_memory);
  }
  ASSERT_LT(added, 1000);
  const std::vector<std::byte> before = t.serialize();
  const auto refused = [&](auto&& action) { expect_error(errc::out_of_memory, action, "bytes"); };
  refused([&] { t.add(2000 + added, after(20s)); });  // not even its time counts
  refused([&] { window_table({.window = 1h}); });
  refused([&] { window_table::load(before); });
  refused([&] { t.clear(); });
  refused([&] { t.merge(t); });
  EXPECT_TRUE(t.serialize() == before);
  memory.refuse_none();
  EXPECT_EQ(t.events(), 1000u + static_cast<unsigned>(added));
  EXPECT_EQ(t.add(2000 + added, after(20s)), outcome::added);
}

// Someone who knows the seed can aim items at one page. It is full before it makes calls slow.
TEST(window_table, bounds_the_size_of_a_page) {
  window_table t({.window = 1h});
  std::uint64_t full = 0;
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    const digest aimed{i << 20, 0};
    const outcome became = t.add(aimed, midnight);
    full += became == outcome::full ? 1 : 0;
    ASSERT_TRUE(i % 64 != 0 || became == outcome::full || t.at(aimed, midnight).upper >= 1);
  }
  EXPECT_GT(full, 0u);
  EXPECT_EQ(t.losses().full, full);
  EXPECT_LT(t.memory(), 1u << 18);
  EXPECT_EQ(t.add("another", midnight), outcome::added);
}

// -- merging -----------------------------------------------------------------------------------

TEST(window_table, merges_with_anything_of_its_kind) {
  window_table t(last_hour());
  t.merge(window_table(last_hour()));
  EXPECT_EQ(t.events(), 0u);
  window_table other(last_hour());
  ASSERT_EQ(other.add("x", midnight, 40'000), outcome::added);
  ASSERT_EQ(other.add("x", after(-10min), 5), outcome::late);
  t.merge(other);
  EXPECT_EQ(t.at("x", midnight).value, 40'005);
  t.merge(t);
  EXPECT_EQ(t.at("x", midnight).value, 80'010);
  EXPECT_EQ(t.at("x", after(55min)).value, 80'000);
  EXPECT_EQ(t.events(), 4u);
  window_table later(last_hour());
  ASSERT_EQ(later.add("x", after(61min), 7), outcome::added);
  t.merge(later, 3);
  EXPECT_EQ(t.at("x", midnight).value, 21);
  EXPECT_EQ(*t.newest(), after(61min));
  later.merge(other);
  EXPECT_EQ(later.at("x", midnight).value, 7);
  t.merge(other, 0);
  EXPECT_EQ(t.events(), 5u);
}

TEST(window_table, merges_tables_of_different_sizes) {
  window_table few({.window = 1h, .error = 1e-6});
  window_table many = few;
  for (int i = 0; i < 50; ++i) few.add(i, midnight, 2);
  for (int i = 0; i < 20'000; ++i) many.add(i, after(1min));
  window_table a = few;
  a.merge(many);
  many.merge(few);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(a.at(i, midnight).upper, i < 50 ? 3 : 1);
    ASSERT_EQ(a.at(i, midnight), many.at(i, midnight));
  }
  EXPECT_EQ(a.mass(midnight), 20'100);
}

TEST(window_table, refuses_to_merge_with_another_kind) {
  window_table t({.window = 1h});
  for (const window_table_config& c :
       {window_table_config{.window = 2h}, window_table_config{.window = 1h, .slots = 30},
        window_table_config{.window = 1h, .error = 1e-6},
        window_table_config{.window = 1h, .seed = 1}}) {
    expect_error(
        errc::incompatible, [&] { t.merge(window_table(c)); }, "merge if");
  }
  window_table small({.window = 1h, .memory = 16 * 1024});
  for (int i = 0; i < 5000; ++i) t.add(i, midnight);
  const auto before = small.serialize();
  expect_error(
      errc::incompatible, [&] { small.merge(t); }, "16384 bytes leaves no room");
  EXPECT_TRUE(small.serialize() == before);
  ASSERT_EQ(t.add("x", midnight, std::uint64_t{1} << 63), outcome::added);
  expect_error(
      errc::too_large, [&] { t.merge(t); }, "64 bits");
}

// -- storage -----------------------------------------------------------------------------------

window_table sample_table() {
  window_table t({.window = 10s, .slots = 5, .items = 100, .error = 0.01});
  for (int i = 0; i < 200; ++i) {
    EXPECT_NE(t.add(i % 70, after(i * 100ms), i % 9 == 0 ? 30'000 : 1), outcome::full);
  }
  return t;
}

TEST(window_table, refuses_damaged_containers) {
  support::expect_damage_refused<window_table>(sample_table().serialize());
}

TEST(window_table, goes_on_after_it_was_stored) {
  window_table t = sample_table();
  window_table loaded = window_table::load(t.serialize());
  for (int i = 200; i < 5000; ++i) {
    ASSERT_EQ(t.add(i % 700, after(i * 100ms)), loaded.add(i % 700, after(i * 100ms)));
  }
  EXPECT_TRUE(t.serialize() == loaded.serialize());
  EXPECT_EQ(t.mass(after(500s)), loaded.mass(after(500s)));
}

}  // namespace window_table_test
}  // namespace bloomtime
