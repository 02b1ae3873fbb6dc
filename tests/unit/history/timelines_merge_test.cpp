#include <gtest/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/live_ticks.hpp>
#include <bloomtime/history/detail/timelines_merge.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "support/allocated.hpp"
#include "support/expect_error.hpp"

namespace bloomtime::detail::timelines_merge_test {

using ticks_by_key = std::map<std::uint64_t, std::set<std::uint32_t>>;  // by key

timelines timelines_of(const ticks_by_key& items, std::uint64_t span) {
  timelines_writer out(span, items.size());
  for (const auto& [key, ticks] : items) {
    tick_runs runs;
    for (const std::uint32_t t : ticks) append(runs, {t, t});
    out.add(key, runs);
  }
  return out.finish();
}

timelines of_one_run(std::uint64_t span, tick_run run) {
  timelines_writer out(span, 1);
  tick_runs runs{run};
  out.add(1, runs);
  return out.finish();
}

tick_sources sources_of(const std::vector<const timelines*>& parts) {
  tick_sources sources;
  for (const timelines* part : parts) sources.push_back(std::make_unique<sealed_source>(*part));
  return sources;
}

void expect_same_bytes(const timelines& a, const timelines& b) {
  EXPECT_EQ(a.shape().items, b.shape().items);
  EXPECT_EQ(a.shape().ticks, b.shape().ticks);
  EXPECT_TRUE(std::ranges::equal(a.directory().bytes(), b.directory().bytes()));
  EXPECT_TRUE(std::ranges::equal(a.stream().bytes(), b.stream().bytes()));
}

struct scattered {
  ticks_by_key all;
  std::vector<timelines> sealed_parts;
  live_ticks live;
};

// Items of all kinds, over two sealed parts and a table, some in several of them.
scattered scattered_items(std::uint64_t span, std::uint64_t items) {
  math::random_source random(span);
  scattered s;
  ticks_by_key parts[2];
  for (std::uint64_t x = 0; x < items; ++x) {
    const digest d = digest_of(x);
    const std::uint64_t wanted = std::uint64_t{1} << (x % 11);
    std::uint64_t t = random.below(span);
    for (std::uint64_t i = 0; i < wanted; ++i) {
      const auto now = static_cast<std::uint32_t>(t);
      s.all[timeline_key(d)].insert(now);
      const std::uint64_t where = x % 4 == 3 ? random.below(3) : x % 3;
      if (where < 2) parts[where][timeline_key(d)].insert(now);
      if (where == 2) (void)s.live.add(d, now);
      t = (t + 1 + (x % 2 == 0 ? 0 : random.below(5))) % span;
    }
  }
  for (const ticks_by_key& p : parts) s.sealed_parts.push_back(timelines_of(p, span));
  return s;
}

timelines_merge merge_of(const scattered& s, std::uint64_t span) {
  tick_sources sources = sources_of({&s.sealed_parts[0], &s.sealed_parts[1]});
  sources.push_back(std::make_unique<live_source>(s.live));
  return {span, std::move(sources)};
}

TEST(timelines_merge, gives_the_same_bytes_however_items_are_spread) {
  for (const std::uint64_t span : {3ull, 5000ull, 86'400ull, 1ull << 32}) {
    const scattered s = scattered_items(span, 500);
    const timelines merged = merge_of(s, span).finish();
    merged.verify();
    expect_same_bytes(merged, timelines_of(s.all, span));
  }
}

// Item 0 has both ticks, in sources of their own; the others have one in a source or in the table.
timelines merge_of_ticks(std::uint32_t first, std::uint32_t last, std::uint64_t items) {
  ticks_by_key parts[2];
  live_ticks table;
  parts[0][timeline_key(digest_of(std::uint64_t{0}))] = {first};
  parts[1][timeline_key(digest_of(std::uint64_t{0}))] = {last};
  for (std::uint64_t x = 1; x < items; ++x) {
    const digest d = digest_of(x);
    if (x % 3 < 2) parts[x % 3][timeline_key(d)] = {first};
    if (x % 3 == 2) (void)table.add(d, first);
  }
  const timelines a = timelines_of(parts[0], 100);
  const timelines b = timelines_of(parts[1], 100);
  tick_sources sources = sources_of({&a, &b});
  sources.push_back(std::make_unique<live_source>(table));
  return timelines_merge(100, std::move(sources)).finish();
}

TEST(timelines_merge, makes_a_filter_of_items_that_all_lie_in_two_ticks) {
  constexpr std::uint64_t items = 1000;
  for (const std::uint32_t last : {40u, 41u, 42u, 99u}) {
    const timelines merged = merge_of_ticks(40, last, items);
    EXPECT_EQ(merged.filter().bytes(), last <= 41 ? items : 0) << last;
    for (std::uint64_t x = 0; x < items; ++x) {
      ASSERT_TRUE(merged.seen(timeline_key(digest_of(x)), {40, 40})) << x;
    }
    const timelines alone = merge_of_ticks(40, last, 1);
    EXPECT_EQ(alone.filter().empty(), last > 41) << last;
  }
}

// Of a single source.
TEST(timelines_merge, makes_a_filter_of_items_that_were_counted_by_their_heads) {
  for (const std::uint32_t last : {7u, 8u, 9u}) {
    live_ticks table;
    for (std::uint64_t x = 0; x < 64; ++x) {
      (void)table.add(digest_of(x), x % 2 == 0 ? 7 : last);
    }
    tick_sources sources;
    sources.push_back(std::make_unique<live_source>(table));
    const timelines sealed = timelines_merge(1000, std::move(sources)).finish();
    EXPECT_EQ(sealed.filter().bytes(), last < 9 ? 64 : 0) << last;
  }
}

// Their digests differ in what is not part of the key.
TEST(timelines_merge, unites_items_of_a_table_that_share_a_key) {
  ticks_by_key all;
  live_ticks table;
  std::uint32_t t = 0;
  for (const std::uint64_t sharing : {2u, 1u, 3u, 1u, 1u, 2u}) {
    const std::uint64_t key = (all.size() + 1) << 40;
    for (std::uint64_t i = 0; i < sharing; ++i) {
      const digest d{sharing - i, key << 16 | (i == 2 ? 7 : 0)};
      ASSERT_EQ(timeline_key(d), key);
      table.add(d, t);
      all[key].insert(t++);
    }
  }
  tick_sources sources;
  sources.push_back(std::make_unique<live_source>(table));
  expect_same_bytes(timelines_merge(100, std::move(sources)).finish(), timelines_of(all, 100));
}

// Every call does what it is allowed to and the bucket that it closes, and no more.
TEST(timelines_merge, stops_after_the_work_it_was_given) {
  const scattered s = scattered_items(86'400, 800);
  timelines_merge whole = merge_of(s, 86'400);
  constexpr auto plenty = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t left = plenty;
  EXPECT_TRUE(whole.step(left));
  const std::uint64_t all = plenty - left;
  const std::uint64_t pairs = whole.finish().shape().ticks;
  EXPECT_LE(all, 4 * pairs + 4 * 800 * 3);
  timelines_merge parts = merge_of(s, 86'400);
  std::uint64_t calls = 0;
  for (std::uint64_t work = 500; !parts.step(work); work = 500) ++calls;
  EXPECT_GE(calls, all / (500 + 1024) / 2);
  expect_same_bytes(parts.finish(), timelines_of(s.all, 86'400));
}

// Beside the sources: the result, the runs of a bucket, and little else.
TEST(timelines_merge, takes_no_more_memory_than_its_result) {
  math::random_source random(3);
  live_ticks table;
  for (std::uint64_t x = 0; x < 60'000; ++x) {
    table.add(digest_of(x % 50'000), static_cast<std::uint32_t>(random.below(86'400)));
  }
  tick_sources once;
  once.push_back(std::make_unique<live_source>(table));
  const timelines first = timelines_merge(86'400, std::move(once)).finish();
  live_ticks late;
  for (std::uint64_t x = 40'000; x < 70'000; ++x) late.add(digest_of(x), 7);
  tick_sources sources = sources_of({&first});
  sources.push_back(std::make_unique<live_source>(late));
  support::allocated watch;
  const timelines merged = timelines_merge(86'400, std::move(sources)).finish();
  EXPECT_LE(watch.most(), merged.bytes() + merged.bytes() / 8 + (64u << 10));
}

// A run of any length stays one: nothing is done tick by tick.
TEST(timelines_merge, keeps_runs) {
  const std::uint64_t span = std::uint64_t{1} << 32;
  const auto last = static_cast<std::uint32_t>(span - 1);
  const timelines one = of_one_run(span, {0, 3'000'000'000});
  const timelines two = of_one_run(span, {2'000'000'000, last});
  support::allocated watch;
  timelines_merge merge(span, sources_of({&one, &two}));
  std::uint64_t work = 100;
  EXPECT_TRUE(merge.step(work));
  const timelines both = merge.finish();
  EXPECT_LE(watch.total(), 64u << 10);
  EXPECT_EQ(both.shape().ticks, span);
  expect_same_bytes(both, of_one_run(span, {0, last}));
}

// Two runs with a gap are pieces of 128 ticks each: 160 MB of them out of a few bytes.
TEST(timelines_merge, refuses_to_make_much_of_few_bytes) {
  const std::uint64_t span = std::uint64_t{1} << 32;
  const timelines one = of_one_run(span, {0, 2'000'000'000});
  const timelines two = of_one_run(span, {2'000'000'002, static_cast<std::uint32_t>(span - 1)});
  support::allocated watch;
  support::expect_error(
      errc::too_large,
      [&] {
        (void)timelines_merge(span, sources_of({&one, &two})).finish();
      },
      "shorter partitions");
  EXPECT_LE(watch.total(), 64u << 10);
  const std::uint64_t year = 31'536'000;
  const timelines left = of_one_run(year, {0, 20'000'000});
  const timelines right = of_one_run(year, {20'000'002, 31'535'999});
  const timelines both = timelines_merge(year, sources_of({&left, &right})).finish();
  EXPECT_EQ(both.shape().ticks, year - 1);
  both.verify();
}

TEST(timelines_merge, of_nothing_is_nothing) {
  EXPECT_TRUE(timelines_merge(10, {}).finish().empty());
  const live_ticks none;
  tick_sources sources;
  sources.push_back(std::make_unique<live_source>(none));
  EXPECT_TRUE(timelines_merge(10, std::move(sources)).finish().empty());
}

}  // namespace bloomtime::detail::timelines_merge_test
