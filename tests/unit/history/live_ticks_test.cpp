#include <gtest/gtest.h>

#include <bloomtime/history/detail/live_ticks.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "support/heap.hpp"

namespace bloomtime::detail::live_ticks_test {

using twin = std::map<std::uint64_t, std::set<std::uint32_t>>;

digest key(std::uint64_t item) { return digest_of(item, 0); }

void expect_same(const live_ticks& live, const twin& exact, std::uint32_t span) {
  std::uint64_t pairs = 0;
  math::random_source random(5);
  for (const auto& [item, ticks] : exact) {
    std::vector<std::uint32_t> listed;
    live.for_each(key(item), [&](std::uint32_t t) { listed.push_back(t); });
    ASSERT_EQ(listed, std::vector<std::uint32_t>(ticks.begin(), ticks.end()));
    pairs += ticks.size();
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t from = random.below(span);
      const std::uint64_t to = from + random.below(20);
      const auto next = ticks.lower_bound(static_cast<std::uint32_t>(from));
      ASSERT_EQ(live.seen(key(item), {from, to}), next != ticks.end() && *next <= to);
    }
  }
  EXPECT_EQ(live.items(), exact.size());
  EXPECT_EQ(live.ticks(), pairs);
}

// In order, newest first, at random, and in runs that come one before the other; one item and many.
TEST(live_ticks, hold_what_was_added_in_any_order) {
  constexpr std::uint32_t events = 20'000;
  for (const std::uint64_t items : {1u, 3u, 70u, 3000u}) {
    for (int order = 0; order < 4; ++order) {
      live_ticks live;
      twin exact;
      math::random_source random(items);
      for (std::uint32_t i = 0; i < events; ++i) {
        const std::uint64_t item = random.below(items);
        const auto any = static_cast<std::uint32_t>(random.below(2 * events));
        const std::uint32_t runs = 1000 * (events / 1000 - 1 - i / 1000) + i % 1000;
        const std::uint32_t t = order == 0 ? i : order == 1 ? events - i : order == 2 ? any : runs;
        ASSERT_EQ(live.add(key(item), t), exact[item].insert(t).second);
      }
      expect_same(live, exact, 2 * events);
      const live_ticks copy(live);
      live = {};
      expect_same(copy, exact, 2 * events);
    }
  }
}

// A vector of all ticks moved 200,000 of them per event.
TEST(live_ticks, move_few_ticks_for_one_that_comes_late) {
  constexpr std::uint32_t events = 400'000;
  live_ticks backwards;
  live_ticks shuffled;
  math::random_source random(3);
  std::uint64_t pairs = 0;
  for (std::uint32_t i = 0; i < events; ++i) {
    ASSERT_TRUE(backwards.add(key(7), events - i));
    pairs += shuffled.add(key(7), static_cast<std::uint32_t>(random.below(1u << 30)));
    // No call moves more than a block and the directory, which has two entries per block.
    ASSERT_LE(backwards.moved(), std::uint64_t{i} * 520);
  }
  EXPECT_LE(backwards.moved(), std::uint64_t{events} * 400);  // 256 to 511 of the first block
  EXPECT_LE(shuffled.moved(), pairs * 400);
}

TEST(live_ticks, count_what_malloc_takes) {
  if (!support::heap::works) GTEST_SKIP() << "sanitizers bring an allocator of their own";
  for (const std::uint32_t ticks_per_item : {1u, 2u, 5u, 40u, 700u}) {
    for (const std::uint32_t items : {1u, 50u, 9000u, 80'000u}) {
      if (items * ticks_per_item > 500'000) continue;
      // Several, since the C library counts a few blocks that were freed before.
      std::vector<live_ticks> tables(20'000 / (items * ticks_per_item) + 1);
      const std::uint64_t before = support::heap::in_use();
      std::uint64_t told = 0;
      for (live_ticks& live : tables) {
        for (std::uint32_t t = 0; t < ticks_per_item; ++t) {
          for (std::uint32_t item = 0; item < items; ++item) live.add(key(item), 3 * t);
        }
        told += live.bytes();
      }
      const std::uint64_t taken = support::heap::in_use() - before;
      EXPECT_GE(told, taken * 98 / 100) << items << " items, " << ticks_per_item;
      EXPECT_LE(told, taken * 102 / 100 + 65'536) << items << " items, " << ticks_per_item;
    }
  }
}

// Also if the first bits of their digests are the same, as if they had been crafted.
TEST(live_ticks, lists_items_in_the_order_of_their_digests) {
  for (const std::uint64_t items : {0u, 1u, 2u, 100u, 5000u}) {
    for (const std::uint64_t different : {~std::uint64_t{0}, std::uint64_t{0xff}}) {
      live_ticks live;
      for (std::uint64_t i = 0; i < items; ++i) {
        const digest d = key(i);
        live.add({d.lo, d.hi & different}, 1);
      }
      const item_order order = live.in_order();
      ASSERT_EQ(order.size(), items);
      for (std::size_t i = 1; i < order.size(); ++i) {
        const digest& a = live.item(order[i - 1]);
        const digest& b = live.item(order[i]);
        ASSERT_TRUE(a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo)) << i;
      }
    }
  }
}

// 48 to 64 bytes per item, 4 to 8 per further tick.
TEST(live_ticks, take_what_is_said) {
  for (const std::uint32_t items : {5000u, 16'384u, 16'385u, 100'000u}) {
    live_ticks live;
    for (std::uint32_t i = 0; i < items; ++i) live.add(key(i), 1);
    const std::uint64_t slack = 70'000;  // the last segment
    EXPECT_LE(live.bytes(), items * 64u + slack);
    const std::uint64_t once = live.bytes();
    for (std::uint32_t t = 2; t < 100; ++t) {
      for (std::uint32_t i = 0; i < 1000; ++i) live.add(key(i), t);
    }
    EXPECT_LE(live.bytes() - once, 1000u * 128 * 8 + slack);
  }
}

}  // namespace bloomtime::detail::live_ticks_test
