#include <gtest/gtest.h>

#include <bloomtime/history/history.hpp>

#include <chrono>
#include <cstdint>
#include <limits>

#include "support/expect_error.hpp"
#include "support/files.hpp"

// Two histories become one, and old time is trimmed.
namespace bloomtime::history_union_test {

using namespace std::chrono_literals;

instant at(std::int64_t second) { return instant::from_seconds(second); }

history filled(std::uint64_t item, std::int64_t from, std::int64_t to, std::uint64_t memory = 0) {
  history h({.partition = 10s, .memory = memory});
  for (std::int64_t t = from; t < to; ++t) h.add(item, at(t));
  return h;
}

TEST(history_merge, has_the_times_of_both) {
  history a = filled(1, 0, 25);
  history b = filled(1, 20, 45);
  b.add(2, at(3));
  a.merge(b);
  EXPECT_EQ(a.when(1, {{0}, {100}}), (sightings{{{0}, {44}}}));
  EXPECT_EQ(a.when(2, {{0}, {100}}), (sightings{{{3}, {3}}}));
  EXPECT_EQ(a.partitions(), 5u);
  EXPECT_EQ(a.records(), 25u + 26u);
  a.compact();
  EXPECT_EQ(a.when(1, {{0}, {100}}), (sightings{{{0}, {44}}}));
  EXPECT_EQ(b.when(1, {{0}, {100}}), (sightings{{{20}, {44}}}));
}

// 80 partitions of one are ten blocks of eight, or one of 64 and others; the other has them apart.
TEST(history_merge, joins_blocks_that_overlap) {
  history blocks = filled(1, 0, 1000);
  blocks.compact();
  ASSERT_LT(blocks.partitions(), 40u);
  history apart({.partition = 10s});
  for (std::int64_t t = 5; t < 60; t += 10) apart.add(2, at(t));
  apart.add(2, at(995));
  history one(blocks);
  one.merge(apart);
  history other(apart);
  other.merge(blocks);
  for (const history* h : {&one, &other}) {
    EXPECT_EQ(h->when(1, {{0}, {2000}}), (sightings{{{0}, {999}}}));
    EXPECT_EQ(count_ticks(h->when(2, {{0}, {2000}})), 7u);
    EXPECT_EQ(h->partitions(), blocks.partitions());
  }
  EXPECT_EQ(one.serialize().size(), history::load(one.serialize()).serialize().size());
}

TEST(history_merge, with_itself_changes_no_answer) {
  history h = filled(1, 0, 300);
  h.merge(h);
  EXPECT_EQ(h.when(1, {{0}, {2000}}), (sightings{{{0}, {299}}}));
}

// Sealing takes the names from items that come once. Their set is there already.
TEST(history_merge, again_and_again_takes_no_more_memory) {
  history h({.partition = 1000s, .error = 1e-3});
  for (std::int64_t x = 0; x < 2000; ++x) h.add(x, at(x % 1000));
  h.seal();
  const auto sets = [](const history& of) {
    std::size_t all = 0;
    of.for_each([&](const timeline_history& part) { all += part.nameless().size(); });
    return all;
  };
  ASSERT_EQ(sets(h), 1u);
  history all(h);
  for (int i = 0; i < 20; ++i) all.merge(h);
  EXPECT_EQ(sets(all), 1u);
  history others({.partition = 1000s, .error = 1e-3});
  for (std::int64_t x = 2000; x < 4000; ++x) others.add(x, at(x % 1000));
  others.seal();
  for (int i = 0; i < 20; ++i) all.merge(others);
  EXPECT_EQ(sets(all), 2u);
  EXPECT_LE(all.memory(), h.memory() + others.memory());
  for (std::int64_t x = 0; x < 4000; ++x) {
    ASSERT_EQ(all.seen(x, at(x % 1000), at(x % 1000)), sighting::maybe);
  }
}

TEST(history_merge, takes_partitions_from_files) {
  const support::temporary_directory place;
  history a = filled(1, 0, 40);
  history b = filled(2, 0, 40);
  b.retire(place.path());
  a.merge(b);
  EXPECT_EQ(a.when(2, {{0}, {100}}), (sightings{{{0}, {39}}}));
}

TEST(history_merge, knows_no_more_than_either) {
  history a = filled(1, 0, 70);
  history b = filled(2, 0, 70);
  b.trim(at(50));
  a.merge(b);
  EXPECT_EQ(a.known_from(), tick{50});
  EXPECT_EQ(a.seen(2, at(0), at(40)), sighting::out_of_retention);
  EXPECT_EQ(a.seen(2, at(0), at(60)), sighting::maybe);
}

TEST(history_merge, keeps_its_retention) {
  history a({.partition = 10s, .retention = 3});
  a.add(1, at(5));
  a.merge(filled(2, 0, 100));
  EXPECT_EQ(a.known_from(), tick{70});
  EXPECT_EQ(a.partitions(), 3u);
}

TEST(history_merge, refuses_other_clocks_seeds_and_partitions) {
  history a({.partition = 10s});
  const auto refused = [&](const history_config& config) {
    support::expect_error(
        errc::incompatible, [&] { a.merge(history(config)); }, "merge if");
  };
  refused({.partition = 20s});
  refused({.partition = 10s, .tick = 2s});
  refused({.partition = 10s, .origin = at(1)});
  refused({.partition = 10s, .seed = 1});
}

TEST(history_trim, drops_whole_partitions) {
  history h({.partition = 10s});
  for (std::int64_t t = 0; t < 70; t += 10) h.add("x", at(t));
  h.trim(at(-5));
  EXPECT_EQ(h.known_from(), tick{0});
  h.trim(at(35));
  EXPECT_EQ(h.known_from(), tick{30});
  EXPECT_EQ(h.partitions(), 4u);
  EXPECT_EQ(h.seen("x", at(0), at(29)), sighting::out_of_retention);
  EXPECT_EQ(h.seen("x", at(0), at(30)), sighting::maybe);
  EXPECT_EQ(h.seen("y", at(30), at(99)), sighting::no);
  EXPECT_EQ(h.add("x", at(29)), outcome::dropped_late);
  EXPECT_EQ(h.losses().dropped_late, 1u);
  h.trim(at(5));  // what is gone stays gone
  EXPECT_EQ(h.known_from(), tick{30});
  const history loaded = history::load(h.serialize());
  EXPECT_EQ(loaded.known_from(), tick{30});
}

TEST(history_trim, of_everything_leaves_an_empty_history) {
  history h = filled(1, 0, 100);
  h.trim(instant(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(h.partitions(), 0u);
  EXPECT_EQ(h.seen(1, at(0), at(99)), sighting::out_of_retention);
  EXPECT_EQ(h.add(1, at(200)), outcome::dropped_late);
  EXPECT_EQ(history::load(h.serialize()).serialize(), h.serialize());
  h.clear();
  EXPECT_EQ(h.known_from(), tick{0});
  EXPECT_EQ(h.seen(1, at(0), at(99)), sighting::no);
  EXPECT_EQ(h.add(1, at(2)), outcome::added);
}

}  // namespace bloomtime::history_union_test
