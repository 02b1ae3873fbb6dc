#include <gtest/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "support/allocations.hpp"

// While timelines are merged, what is written of the result answers for its items, and what was
// read is given back. Nobody may notice.
namespace bloomtime::history_hand_over_test {

constexpr std::uint64_t span = 1000;
constexpr std::uint64_t items = 60'000;  // timelines of half a megabyte

std::int64_t tick_of(std::uint64_t item) { return static_cast<std::int64_t>(item * 7919 % span); }

timeline_history empty() { return timeline_history({.ticks = span}); }

// Every item at one tick, and every third one at the next as well, which comes late: it is mostly
// in another layer.
struct samples {
  timeline_history layers = empty();
  timeline_history at_once = empty();

  samples() {
    for (std::uint64_t x = 0; x < items; ++x) add(x, tick_of(x));
    for (std::uint64_t x = 0; x < items; x += 3) add(x, tick_of(x) + 1);
    layers.set_table_aside();
    while (layers.waiting_tables() != 0) {
      std::uint64_t work = 1000;
      (void)layers.upkeep(work);
    }
    at_once.compact();
  }

  void add(std::uint64_t x, std::int64_t t) {
    if (t >= static_cast<std::int64_t>(span)) return;
    ASSERT_EQ(layers.add(x, instant::from_seconds(t)), outcome::added);
    ASSERT_EQ(at_once.add(x, instant::from_seconds(t)), outcome::added);
    if (layers.is_table_full()) layers.set_table_aside();
    std::uint64_t work = 1000;
    (void)layers.upkeep(work);
  }

  // Asks both about `count` items, of which some were never seen.
  void expect_same_answers(const timeline_history& h, std::uint64_t seed, int count) const {
    math::random_source random(seed);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t x = random.below(items + items / 8);
      const std::int64_t from =
          std::max<std::int64_t>(0, tick_of(x) - 1) + static_cast<std::int64_t>(random.below(3));
      const interval asked{{from}, {from + static_cast<std::int64_t>(random.below(2))}};
      std::uint64_t probes = 0;
      ASSERT_EQ(h.seen(x, asked, probes), at_once.seen(x, asked, probes)) << x << ' ' << from;
      const interval all{{0}, {span - 1}};
      ASSERT_EQ(h.when(x, all), at_once.when(x, all)) << x;
    }
  }

  void expect_same_bulk_answers(const timeline_history& h) const {
    std::vector<std::uint64_t> asked;
    for (std::uint64_t x = 0; x < items + 1000; x += 61) asked.push_back(x);
    std::vector<sighting> here(asked.size());
    std::vector<sighting> there(asked.size());
    const interval some{{100}, {300}};
    h.seen_bulk(asked, some, here);
    at_once.seen_bulk(asked, some, there);
    EXPECT_EQ(here, there);
  }
};

std::uint64_t keys_of(const timeline_history& h) {
  std::vector<std::uint64_t> keys;
  h.for_each_key([&](std::uint64_t key) { keys.push_back(key); });
  std::sort(keys.begin(), keys.end());
  return static_cast<std::uint64_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
}

TEST(history_hand_over, answers_are_the_same_at_every_step) {
  samples s;
  const std::uint64_t pairs = s.layers.pairs();
  s.layers.begin_compact();
  math::random_source random(5);
  for (std::uint64_t i = 0; s.layers.needs_upkeep(); ++i) {
    s.expect_same_answers(s.layers, i, 40);
    std::uint64_t work = 1 + random.below(2000);
    (void)s.layers.upkeep(work);
    if (!s.layers.needs_upkeep()) break;
    EXPECT_EQ(s.layers.pairs(), pairs);
    if (i % 32 == 0) {
      s.expect_same_bulk_answers(s.layers);
      EXPECT_EQ(keys_of(s.layers), items);
    }
  }
  s.expect_same_answers(s.layers, 1, 10'000);
  EXPECT_EQ(s.layers.serialize(), s.at_once.serialize());
}

TEST(history_hand_over, copies_and_stored_bytes_are_whole) {
  samples s;
  s.layers.begin_compact();
  math::random_source random(6);
  int copies = 0;
  for (std::uint64_t i = 0; s.layers.needs_upkeep(); ++i) {
    std::uint64_t work = 1 + random.below(2000);
    (void)s.layers.upkeep(work);
    if (i % 32 != 0) continue;
    timeline_history copy(s.layers);
    s.expect_same_answers(copy, i, 1000);
    copy.compact();
    EXPECT_EQ(copy.serialize(), s.at_once.serialize());
    s.expect_same_answers(timeline_history::load(s.layers.serialize()), i, 1000);
    timeline_history moved(std::move(copy = s.layers));
    moved.merge(s.layers);
    s.expect_same_answers(moved, i, 1000);
    const shard half{.number = 1, .count = 2};
    EXPECT_EQ(s.layers.part(half).named().shape().items,
              s.at_once.part(half).named().shape().items);
    ++copies;
  }
  EXPECT_GT(copies, 5);
}

// Whatever comes in between: tables that are merged themselves, and another request.
TEST(history_hand_over, more_may_come_meanwhile) {
  samples s;
  s.layers.begin_compact();
  math::random_source random(7);
  for (std::uint64_t i = 0; i < 400; ++i) {
    std::uint64_t work = 1 + random.below(500);
    (void)s.layers.upkeep(work);
    for (int j = 0; j < 100; ++j) {
      const std::uint64_t x = random.below(items + items / 8);
      s.add(x, static_cast<std::int64_t>(random.below(span)));
    }
    if (i % 50 == 49) s.layers.begin_compact();
    s.expect_same_answers(s.layers, i, 40);
  }
  s.layers.compact();
  s.at_once.compact();
  EXPECT_EQ(s.layers.serialize(), s.at_once.serialize());
}

TEST(history_hand_over, names_are_removed_as_ever) {
  samples s;
  s.layers.begin_seal();
  for (std::uint64_t work = 700; !s.layers.upkeep(work); work = 700) {
  }
  s.at_once.seal();
  EXPECT_FALSE(s.layers.nameless().empty());
  EXPECT_EQ(s.layers.serialize(), s.at_once.serialize());
}

// Whether all that reads every item of a history still can.
void expect_whole(const timeline_history& h, std::uint64_t pairs, std::uint64_t keys) {
  EXPECT_EQ(keys_of(h), keys);
  const timeline_history stored = timeline_history::load(h.serialize());
  EXPECT_EQ(stored.pairs(), pairs);
  EXPECT_EQ(keys_of(stored), keys);
  timeline_history copy(h);
  copy.compact();
  EXPECT_EQ(copy.pairs(), pairs);
}

// A merge that begins anew, because names are to be removed as well, has at first written less than
// the one before, which gave back what it had read.
TEST(history_hand_over, a_merge_may_begin_anew) {
  samples s;
  const std::uint64_t pairs = s.at_once.pairs();
  s.layers.begin_compact();
  std::uint64_t work = 300'000;
  ASSERT_FALSE(s.layers.upkeep(work));
  s.layers.begin_seal();
  for (work = 60'000; !s.layers.is_sealed() && !s.layers.upkeep(work); work = 10'000) {
    s.expect_same_answers(s.layers, 1, 40);
    if (s.layers.nameless().empty()) expect_whole(s.layers, pairs, items);
  }
  s.layers.seal();
  s.at_once.seal();
  EXPECT_EQ(s.layers.serialize(), s.at_once.serialize());
}

// The last thing that a merge does is to make the offsets of its directory narrower, if the result
// is smaller than it might have been. Everything is written then.
TEST(history_hand_over, all_may_be_written_and_not_be_done) {
  for (std::uint64_t count = 400; count < 800; count += 7) {
    timeline_history h = empty();
    for (std::uint64_t x = 0; x < count; ++x) {
      ASSERT_EQ(h.add(x, instant::from_seconds(tick_of(x))), outcome::added);
      if (x % (count / 3) == 0) h.compact();
    }
    h.begin_compact();
    for (std::uint64_t work = 64; !h.upkeep(work); work = 64) expect_whole(h, count, count);
    EXPECT_EQ(h.pairs(), count);
  }
}

// What was handed over is stored once.
TEST(history_hand_over, tables_are_stored_without_what_they_handed_over) {
  timeline_history h = empty();
  for (std::uint64_t x = 0; x < 3000; ++x) {
    if (x == 2000) h.compact();
    ASSERT_EQ(h.add(x, instant::from_seconds(tick_of(x))), outcome::added);
  }
  h.begin_compact();
  for (std::uint64_t work = 200; !h.upkeep(work); work = 200) expect_whole(h, 3000, 3000);
}

// Memory runs out after any number of allocations, in any part of a merge.
TEST(history_hand_over, nothing_is_lost_without_memory) {
  std::size_t refused = 0;
  const samples all;
  for (std::uint64_t before = 20'000; before < 300'000; before += 70'000) {
    for (std::size_t granted = 0; granted < 8; ++granted) {
      samples s(all);
      const std::uint64_t pairs = s.layers.pairs();
      s.layers.begin_compact();
      std::uint64_t work = before;
      (void)s.layers.upkeep(work);
      support::allocations hook;
      hook.refuse_after(granted);
      try {
        work = 1'000'000'000;
        (void)s.layers.upkeep(work);
      } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::out_of_memory);
        ++refused;
      }
      hook.refuse_none();
      s.expect_same_answers(s.layers, granted, 500);
      EXPECT_EQ(s.layers.pairs(), pairs);
      s.layers.compact();
      EXPECT_EQ(s.layers.serialize(), s.at_once.serialize());
    }
  }
  EXPECT_GT(refused, 10u);
}

// One merge after the other fails, each before it has written as much as the one before.
TEST(history_hand_over, nothing_is_lost_without_memory_again_and_again) {
  samples s;
  const std::uint64_t pairs = s.at_once.pairs();
  s.layers.begin_compact();
  for (const std::uint64_t before : {300'000, 120'000, 110'000, 100'000}) {
    std::uint64_t work = before;
    ASSERT_FALSE(s.layers.upkeep(work));
    support::allocations hook;
    hook.refuse_after(0);
    work = 1'000'000'000;
    EXPECT_THROW((void)s.layers.upkeep(work), error);
    hook.refuse_none();
    s.expect_same_answers(s.layers, before, 500);
    expect_whole(s.layers, pairs, items);
  }
  s.layers.compact();
  EXPECT_EQ(s.layers.serialize(), s.at_once.serialize());
}

// Two merges of timelines fail, the second one when it has written no item but the empty buckets
// before the first one. A copy has nothing of that.
TEST(history_hand_over, a_copy_has_no_layer_without_items) {
  constexpr std::uint64_t each = 300;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    timeline_history h = empty();
    for (std::uint64_t i = 0; i < 8 * each; ++i) {
      ASSERT_EQ(h.add(seed * 100'000 + i, instant::from_seconds(tick_of(i))), outcome::added);
      if (i % each != each - 1) continue;
      h.set_table_aside();
      for (std::uint64_t work = 50; h.waiting_tables() != 0; work = 50) (void)h.upkeep(work);
    }
    for (const std::uint64_t before : {4000, 2401}) {
      std::uint64_t work = before;
      ASSERT_FALSE(h.upkeep(work));
      support::allocations hook;
      hook.refuse_after(0);
      work = 1'000'000;
      EXPECT_THROW((void)h.upkeep(work), error);
      hook.refuse_none();
    }
    std::uint64_t work = 1'000'000;
    ASSERT_TRUE(h.upkeep(work));
    expect_whole(h, 8 * each, 8 * each);
  }
}

}  // namespace bloomtime::history_hand_over_test
