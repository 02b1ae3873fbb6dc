#include <gtest/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/timelines.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "support/counted_bits.hpp"
#include "support/expect_error.hpp"
#include "support/metered_bits.hpp"

namespace bloomtime::detail {
namespace timelines_test {

using tick_sets = std::map<std::uint64_t, std::set<std::uint32_t>>;  // by key

tick_runs runs_of(const std::set<std::uint32_t>& ticks) {
  tick_runs runs;
  for (const std::uint32_t t : ticks) append(runs, {t, t});
  return runs;
}

timelines sealed(const tick_sets& items, std::uint64_t span) {
  timelines_writer out(span, items.size());
  for (const auto& [key, ticks] : items) {
    tick_runs runs = runs_of(ticks);
    out.add(key, runs);
  }
  return out.finish();
}

bool seen(const timelines& all, std::uint64_t key, tick_range asked) {
  const auto line = all.view().find(key);
  return line && line->seen(asked);
}

bool has(const std::set<std::uint32_t>& ticks, tick_range asked) {
  const auto next = ticks.lower_bound(static_cast<std::uint32_t>(asked.first));
  return next != ticks.end() && *next <= asked.last;
}

std::uint64_t key_of(std::uint64_t item) { return timeline_key(digest_of(item)); }

// Items of all kinds: single ticks, pairs, runs, few, many and dense ones, whole spans.
tick_sets all_kinds(std::uint64_t span, std::uint64_t items) {
  math::random_source random(span);
  tick_sets all;
  for (std::uint64_t x = 0; x < items; ++x) {
    auto& ticks = all[key_of(x)];
    const std::uint64_t from = random.below(span);
    const std::uint64_t length = 1 + random.below(span - from);
    const std::uint64_t wanted = std::min(length, std::uint64_t{1} << (x % 12));
    if (x % 3 == 0) {
      for (std::uint64_t i = 0; i < wanted; ++i) ticks.insert(static_cast<std::uint32_t>(from + i));
    }
    for (std::uint64_t i = 0; ticks.size() < wanted && i < 4 * wanted; ++i) {
      ticks.insert(static_cast<std::uint32_t>(from + random.below(length)));
    }
  }
  return all;
}

TEST(timelines, give_back_every_item_and_tick) {
  for (const std::uint64_t span : {1ull, 2ull, 300ull, 86'400ull, 1ull << 32}) {
    const tick_sets items = all_kinds(span, 400);
    const timelines all = sealed(items, span);
    all.verify();
    EXPECT_EQ(all.shape().items, items.size());
    tick_sets back;
    auto each = all.cursor();
    while (each.next()) {
      timeline_cursor<bit_reader> ticks(each.line());
      while (const auto run = ticks.next()) {
        for (std::uint64_t t = run->first; t <= run->last; ++t) {
          back[each.key()].insert(static_cast<std::uint32_t>(t));
        }
      }
      EXPECT_TRUE(ticks.sound());
    }
    EXPECT_TRUE(each.sound());
    EXPECT_TRUE(back == items) << span;  // too long to print
  }
}

TEST(timelines, answer_as_the_ticks_do) {
  const std::uint64_t span = 5000;
  const tick_sets items = all_kinds(span, 200);
  const timelines all = sealed(items, span);
  math::random_source random(3);
  for (const auto& [key, ticks] : items) {
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t from = random.below(span);
      const tick_range asked{from,
                             std::min(span - 1, from + (std::uint64_t{1} << random.below(13)) - 1)};
      ASSERT_EQ(seen(all, key, asked), has(ticks, asked)) << asked.first << ' ' << asked.last;
    }
    for (const std::uint32_t t : ticks) ASSERT_TRUE(seen(all, key, {t, t}));
  }
  for (std::uint64_t x = 1000; x < 1200; ++x) EXPECT_FALSE(seen(all, key_of(x), {0, span - 1}));
}

TEST(timelines, answer_every_question_about_a_small_span) {
  const std::uint64_t span = 9;
  for (std::uint32_t set = 1; set < 1u << span; ++set) {
    tick_sets items;
    for (std::uint32_t t = 0; t < span; ++t) {
      if ((set >> t & 1) != 0) items[7].insert(t);
    }
    const timelines all = sealed(items, span);
    for (std::uint64_t s = 0; s < span; ++s) {
      for (std::uint64_t e = s; e < span; ++e) {
        ASSERT_EQ(seen(all, 7, {s, e}), has(items[7], {s, e})) << set << ' ' << s << ' ' << e;
      }
    }
  }
}

TEST(timelines, unite_what_has_the_same_key) {
  timelines_writer out(100, 2);
  tick_runs one = runs_of({1, 50});
  tick_runs two = runs_of({2, 50, 99});
  out.add(5, one);
  out.add(5, two);
  const timelines all = out.finish();
  EXPECT_EQ(all.shape().items, 1u);
  EXPECT_EQ(all.shape().ticks, 4u);
  for (const std::uint64_t t : {1u, 2u, 50u, 99u}) EXPECT_TRUE(seen(all, 5, {t, t}));
  EXPECT_FALSE(seen(all, 5, {3, 49}));
}

// The bound: 4 lines on average and 13 at most, for 25 000 items with 83 ticks each.
TEST(timelines, read_few_lines_for_an_answer) {
  const std::uint64_t span = 86'400;
  math::random_source random(4);
  tick_sets items;
  for (std::uint64_t x = 0; x < 3000; ++x) {
    auto& ticks = items[key_of(x)];
    const std::size_t wanted = x == 0 ? 50'000 : x < 10 ? 5000 : 83;
    while (ticks.size() < wanted) ticks.insert(static_cast<std::uint32_t>(random.below(span)));
  }
  const timelines all = sealed(items, span);
  std::uint64_t sum = 0;
  std::size_t most = 0;
  const std::uint64_t questions = 20'000;
  for (std::uint64_t i = 0; i < questions; ++i) {
    const std::uint64_t from = random.below(span - 127);
    support::touched_lines lines;
    const timelines_view<support::counted_bits> view(all.shape(), {all.directory().bytes(), lines},
                                                     {all.stream().bytes(), lines});
    const auto line = view.find(key_of(i % 3000));
    ASSERT_TRUE(line);
    (void)line->seen({from, from + 127});
    sum += lines.size();
    most = std::max(most, lines.size());
  }
  EXPECT_LE(sum, 4 * questions);
  EXPECT_LE(most, 13u);
}

// Whatever the bits are: nothing is read that is not there, and no loop goes on for long.
TEST(timelines, survive_damaged_bits) {
  const std::uint64_t span = 3000;
  const timelines good = sealed(all_kinds(span, 40), span);
  int refused = 0;
  int flips = 0;
  for (std::uint64_t byte = 0; byte < good.stream().size() + good.directory().size(); byte += 3) {
    buffer directory(good.directory());
    buffer stream(good.stream());
    buffer& bad = byte < stream.size() ? stream : directory;
    const std::uint64_t at = byte < stream.size() ? byte : byte - stream.size();
    bad.data()[at] ^= static_cast<std::byte>(1 << (byte % 8));
    const timelines damaged(good.shape(), directory, stream);
    std::uint64_t reads = 0;
    const timelines_view<support::metered_bits> view(damaged.shape(), {directory.bytes(), reads},
                                                     {stream.bytes(), reads});
    for (std::uint64_t x = 0; x < 40; ++x) {
      reads = 0;
      const auto line = view.find(key_of(x));
      if (line) (void)line->seen({100, 2000});
      EXPECT_LE(reads, 2 * 8 * damaged.bytes()) << byte;
    }
    ++flips;
    try {
      damaged.verify();
    } catch (const error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, flips / 2);  // the rest are other ticks, which only a checksum can tell
}

// Every bucket takes a bit at least, so that all but the first begin behind bit 0. A directory
// without bits would let a few bytes promise 2^40 buckets, each of which is looked at.
TEST(timelines, refuse_more_buckets_than_their_directory_has_bits) {
  for (const unsigned bucket_bits : {1u, 40u}) {
    const timelines_shape shape{.span = 10, .items = 1, .ticks = 1, .bucket_bits = bucket_bits};
    support::expect_error(errc::corrupt, [&] { timelines(shape, buffer(8), buffer(8)); });
  }
}

}  // namespace timelines_test
}  // namespace bloomtime::detail
