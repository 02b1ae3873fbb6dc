#include <gtest/gtest.h>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/hot_list.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "support/container_bytes.hpp"
#include "support/damage.hpp"
#include "support/expect_error.hpp"
#include "support/moments.hpp"
#include "support/numbers.hpp"
#include "support/refused_new.hpp"

namespace bloomtime {
namespace hot_list_test {

using namespace std::chrono_literals;
using support::after;
using support::expect_error;
using support::first_micro;
using support::last_micro;
using support::midnight;
using support::nan;

TEST(hot_list, lists_the_hottest_first) {
  hot_list l({.half_life = 1h});
  EXPECT_TRUE(l.top(10, midnight).empty());
  EXPECT_FALSE(l.newest());
  EXPECT_EQ(l.add("/warm", midnight, 10), outcome::added);
  EXPECT_EQ(l.add("/hot", midnight, 100), outcome::added);
  EXPECT_EQ(l.add("/cold", midnight), outcome::added);
  const auto top = l.top(2, after(1h));
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].item, "/hot");
  EXPECT_EQ(top[1].item, "/warm");
  EXPECT_NEAR(top[0].heat.upper, 50, 1e-3);
  EXPECT_NEAR(top[0].heat.lower, 50, 1e-3);
  EXPECT_LE(top[0].heat.lower, top[0].heat.upper);
  EXPECT_TRUE(top[0].guaranteed && top[1].guaranteed);
  EXPECT_NEAR(l.mass(midnight), 111, 1e-9);
  EXPECT_EQ(l.unlisted(midnight), 0);
  EXPECT_EQ(*l.newest(), midnight);
  EXPECT_EQ(l.listed(), 3u);
}

TEST(hot_list, refuses_what_makes_no_list) {
  const auto refused = [](hot_list_config c, std::string_view mention) {
    expect_error(
        errc::invalid_argument, [&] { hot_list{c}; }, mention);
  };
  refused({}, "neither");
  refused({.half_life = 1h, .lambda = 0.5}, "both");
  refused({.half_life = 0s}, "half-life");
  refused({.lambda = nan}, "decay factor");
  refused({.entries = 0, .half_life = 1h}, "entries");
  refused({.entries = hot_list::most_entries + 1, .half_life = 1h}, "entries");
  refused({.half_life = 1h, .tick = 0s}, "tick");
  refused({.half_life = 1h, .ahead = -1s}, "ahead");
  refused({.half_life = 1h, .fast_half_life = 2h}, "at most its half-life");
  refused({.half_life = 1h, .bucket = 0s}, "resolution");
  refused({.half_life = 1h, .buckets = 0}, "buckets");
  refused({.half_life = 1h, .buckets = hot_list::most_buckets + 1}, "buckets");
}

TEST(hot_list, is_fast_eight_times_in_a_half_life) {
  EXPECT_NEAR(hot_list({.half_life = 1h}).fast_decay().half_life(), 450, 1e-6);
  EXPECT_NEAR(hot_list({.half_life = 4s}).fast_decay().half_life(), 1, 1e-6);
  EXPECT_NEAR(hot_list({.lambda = 0.1}).fast_decay().factor(), 0.1, 1e-9);
  EXPECT_EQ(hot_list({.lambda = 0}).fast_decay().factor(), 0);
  EXPECT_EQ(hot_list({.lambda = 1}).fast_decay().factor(), 1);
  const hot_list l({.half_life = 1h, .fast_half_life = 1min});
  EXPECT_NEAR(l.fast_decay().half_life(), 60, 1e-6);
}

// One corrupt stamp must not wipe the heat.
TEST(hot_list, refuses_the_far_future_and_takes_the_past) {
  hot_list l({.half_life = 1h});
  ASSERT_EQ(l.add("x", midnight, 8), outcome::added);
  const std::vector<std::byte> before = l.serialize();
  EXPECT_EQ(l.add("x", after(24h + 1s)), outcome::future);
  EXPECT_EQ(l.add("y", instant(last_micro)), outcome::future);
  EXPECT_TRUE(l.serialize() == before);
  EXPECT_EQ(l.add("x", after(-1h), 8), outcome::late);
  EXPECT_NEAR(l.at("x", midnight).upper, 12, 1e-3);
  EXPECT_EQ(l.add("x", instant(first_micro)), outcome::late);
  EXPECT_NEAR(l.at("x", midnight).upper, 12, 1e-3);
  EXPECT_EQ(l.add("x", after(24h)), outcome::added);
  EXPECT_EQ(l.at("x", midnight), l.at("x", after(24h)));
}

TEST(hot_list, takes_weights_of_any_size) {
  hot_list l({.entries = 2, .lambda = 0.9});
  EXPECT_EQ(l.add("x", midnight, 0), outcome::added);
  EXPECT_EQ(l.listed(), 0u);
  EXPECT_TRUE(hot_list::load(l.serialize()).serialize() == l.serialize());
  EXPECT_EQ(l.add("x", midnight, ~std::uint64_t{0}), outcome::full);
  EXPECT_TRUE(hot_list::load(l.serialize()).serialize() == l.serialize());
  const std::uint64_t heavy = std::uint64_t{1} << 46;
  EXPECT_EQ(l.add("x", midnight, heavy), outcome::added);
  EXPECT_EQ(l.add("y", midnight, heavy), outcome::added);
  const std::vector<std::byte> before = l.serialize();
  EXPECT_EQ(l.add("z", midnight, 4 * heavy), outcome::full);
  EXPECT_EQ(l.add("x", midnight, 4 * heavy), outcome::full);
  EXPECT_TRUE(l.serialize() == before);
  EXPECT_EQ(l.add("z", after(1000s)), outcome::added);
  EXPECT_NEAR(l.at("z", after(1000s)).upper, 1, 1e-3);
}

TEST(hot_list, an_entry_takes_over_the_count_of_the_least) {
  hot_list l({.entries = 2, .lambda = 1});
  ASSERT_EQ(l.add("a", midnight, 10), outcome::added);
  ASSERT_EQ(l.add("b", midnight, 3), outcome::added);
  ASSERT_EQ(l.add("c", midnight, 2), outcome::added);
  EXPECT_NEAR(l.at("c", midnight).upper, 5, 1e-9);
  EXPECT_NEAR(l.at("c", midnight).lower, 2, 1e-9);
  EXPECT_NEAR(l.at("b", midnight).upper, 5, 1e-9);  // no longer listed
  EXPECT_EQ(l.at("b", midnight).lower, 0);
  EXPECT_NEAR(l.unlisted(midnight), 5, 1e-9);
  const auto top = l.top(2, midnight);
  EXPECT_TRUE(top[0].guaranteed);   // b may have had 5, not 10
  EXPECT_FALSE(top[1].guaranteed);  // b may have had more than c
  EXPECT_TRUE(l.top(1, midnight)[0].guaranteed);
}

TEST(hot_list, equals_leave_in_the_order_of_their_digests) {
  for (int turn = 0; turn < 2; ++turn) {
    hot_list l({.entries = 2, .half_life = 1h});
    ASSERT_EQ(l.add(digest{1, 5}, turn == 0 ? "a" : "b", midnight), outcome::added);
    ASSERT_EQ(l.add(digest{2, 4}, turn == 0 ? "b" : "a", midnight), outcome::added);
    ASSERT_EQ(l.add(digest{3, 9}, "c", midnight), outcome::added);
    EXPECT_EQ(l.top(2, midnight)[1].item, turn == 0 ? "a" : "b");
  }
}

// However young the stream is, and whatever the half-lives.
TEST(hot_list, a_steady_item_has_trend_one) {
  for (const hot_list_config& c :
       {hot_list_config{.half_life = 1h}, hot_list_config{.half_life = 10s},
        hot_list_config{.half_life = 24h, .tick = 1min, .fast_half_life = 5min},
        hot_list_config{.lambda = 0.3}, hot_list_config{.lambda = 1}}) {
    hot_list l(c);
    for (int i = 0; i < 3000; ++i) {
      ASSERT_EQ(l.add("steady", after(i * c.tick), 5), outcome::added);
      if (i == 0 || i == 1 || i == 10 || i == 100 || i == 2999) {
        EXPECT_NEAR(l.top(1, after(i * c.tick))[0].trend, 1, 1e-3) << i;
      }
    }
  }
}

TEST(hot_list, trends_tell_rising_from_falling) {
  hot_list l({.half_life = 1h});
  for (int minute = 0; minute < 300; ++minute) {
    ASSERT_EQ(l.add("falling", after(minute * 1min), minute < 200 ? 60 : 1), outcome::added);
    ASSERT_EQ(l.add("rising", after(minute * 1min), minute < 280 ? 10 : 60), outcome::added);
    ASSERT_EQ(l.add("rare", after(minute * 1min)), outcome::added);
  }
  ASSERT_EQ(l.add("new", after(299min)), outcome::added);
  std::map<std::string, double> trend;
  for (const hot_item& h : l.top(4, after(299min))) trend[h.item] = h.trend;
  EXPECT_LT(trend["falling"], 0.2);
  EXPECT_GT(trend["rising"], 2);
  EXPECT_NEAR(trend["rare"], 1, 0.1);
  EXPECT_NEAR(trend["new"], 8, 0.5);
}

TEST(hot_list, recent_counts_follow_the_clock) {
  hot_list l({.half_life = 1h, .bucket = 1h, .buckets = 4});
  ASSERT_EQ(l.add("x", after(30min), 2), outcome::added);
  ASSERT_EQ(l.add("x", after(90min), 3), outcome::added);
  ASSERT_EQ(l.add("x", after(59min), 1), outcome::late);
  ASSERT_EQ(l.add("x", after(-5h), 7), outcome::late);  // before the ring
  const auto recent = [&](std::chrono::microseconds at) { return l.top(1, after(at))[0].recent; };
  using counts = std::vector<std::uint64_t>;
  EXPECT_EQ(recent(90min), (counts{0, 0, 3, 3}));
  EXPECT_EQ(recent(3h), (counts{3, 3, 0, 0}));
  EXPECT_EQ(recent(4h), (counts{3, 0, 0, 0}));
  EXPECT_EQ(recent(50h), (counts{0, 0, 0, 0}));
  ASSERT_EQ(l.add("y", after(3h)), outcome::added);
  ASSERT_EQ(l.add("x", after(150min), 4), outcome::late);
  EXPECT_EQ(recent(3h), (counts{3, 3, 4, 0}));
}

// Counts of more than 16 bits are kept apart.
TEST(hot_list, recent_counts_have_any_size) {
  const std::uint64_t most = std::uint64_t{1} << 40;
  hot_list l({.entries = 2, .half_life = 1h, .bucket = 1min, .buckets = 3});
  for (int i = 0; i < 5; ++i) {
    l.add("a", after(i * 1min), 65'534);
    l.add("a", after(i * 1min), static_cast<std::uint64_t>(i));
    l.add("b", after(i * 1min), most);
  }
  const auto recent_of = [](const hot_list& list, const std::string& item, instant when) {
    for (const hot_item& h : list.top(2, when)) {
      if (h.item == item) return h.recent;
    }
    return std::vector<std::uint64_t>();
  };
  using counts = std::vector<std::uint64_t>;
  EXPECT_EQ(recent_of(l, "a", after(4min)), (counts{65'536, 65'537, 65'538}));
  EXPECT_EQ(recent_of(l, "b", after(5min)), (counts{most, most, 0}));
  hot_list loaded = hot_list::load(l.serialize());
  EXPECT_TRUE(loaded.serialize() == l.serialize());
  loaded.merge(l, 2);
  EXPECT_EQ(recent_of(loaded, "a", after(4min)), (counts{3 * 65'536, 3 * 65'537, 3 * 65'538}));
  l.add("c", after(4min), 1);  // in the place of a
  EXPECT_EQ(recent_of(l, "c", after(4min)), (counts{0, 0, 1}));
  l.add("c", after(10min), most);
  EXPECT_EQ(recent_of(l, "c", after(10min)), (counts{0, 0, most}));
}

TEST(hot_list, buckets_need_no_common_measure_with_epochs) {
  hot_list l({.lambda = 0.5, .tick = 10s, .bucket = 3s, .buckets = 3});
  ASSERT_EQ(l.add("x", instant::from_seconds(1)), outcome::added);
  ASSERT_EQ(l.add("x", instant::from_seconds(8)), outcome::added);
  EXPECT_EQ(l.top(1, instant::from_seconds(0))[0].recent, (std::vector<std::uint64_t>{1, 0, 1}));
  EXPECT_TRUE(hot_list::load(l.serialize()).serialize() == l.serialize());
}

TEST(hot_list, keeps_the_beginning_of_long_items) {
  hot_list l({.half_life = 1h});
  const std::string item(5000, 'x');
  ASSERT_EQ(l.add(item, midnight), outcome::added);
  ASSERT_EQ(l.add(item + "y", midnight, 2), outcome::added);
  EXPECT_EQ(l.listed(), 2u);
  EXPECT_EQ(l.top(1, midnight)[0].item, item.substr(0, hot_list::longest_text));
  EXPECT_TRUE(l.top(1, midnight)[0].cut);
  const std::string fits = item.substr(0, hot_list::longest_text);
  ASSERT_EQ(l.add(fits, midnight, 3), outcome::added);
  EXPECT_EQ(l.top(1, midnight)[0].item, fits);
  EXPECT_FALSE(l.top(1, midnight)[0].cut);
  EXPECT_NEAR(l.at(item + "y", midnight).lower, 2, 1e-3);
}

TEST(hot_list, jumps_over_any_time) {
  hot_list l({.entries = 3, .lambda = 0.5, .tick = 1us, .ahead = 24h * 36500, .bucket = 1us});
  ASSERT_EQ(l.add("x", midnight, 1000), outcome::added);
  const instant later(midnight.micros + (std::int64_t{1} << 40));
  ASSERT_EQ(l.add("y", later), outcome::added);
  EXPECT_LE(l.at("x", later).upper, 0x1.0001p-16);  // a unit
  EXPECT_EQ(l.at("x", later).lower, 0);
  EXPECT_NEAR(l.at("y", later).upper, 1, 1e-3);
  const auto top = l.top(2, later);
  EXPECT_EQ(top[1].recent, std::vector<std::uint64_t>(24));
  EXPECT_EQ(top[0].recent.back(), 1u);
}

TEST(hot_list, lives_from_the_first_to_the_last_instant) {
  for (const double lambda : {0.0, 0x1p-20, 0.5, 1 - 0x1p-20, 1.0}) {
    hot_list l({.lambda = lambda,
                .tick = 1us,
                .ahead = std::chrono::microseconds(last_micro),
                .bucket = 1us,
                .buckets = 2});
    ASSERT_EQ(l.add("x", instant(first_micro)), outcome::added);
    ASSERT_EQ(l.add("x", instant(last_micro)), outcome::future);
    ASSERT_EQ(l.add("x", instant(-1)), outcome::added);
    ASSERT_EQ(l.add("x", instant(last_micro - 1)), outcome::added);
    ASSERT_EQ(l.add("x", instant(last_micro)), outcome::added);
    ASSERT_EQ(l.add("x", instant(first_micro)), outcome::late);
    const auto top = l.top(1, instant(first_micro));
    EXPECT_EQ(top[0].recent, (std::vector<std::uint64_t>{1, 1}));
    EXPECT_NEAR(top[0].heat.upper, lambda == 1 ? 5 : 1 + lambda, 1e-3);
    EXPECT_TRUE(std::isfinite(top[0].trend));
    EXPECT_TRUE(hot_list::load(l.serialize()).serialize() == l.serialize());
  }
}

TEST(hot_list, rates_are_events_per_second) {
  hot_list l({.lambda = 0.9, .tick = 10s});
  for (int i = 0; i < 300; ++i) ASSERT_EQ(l.add("x", after(i * 10s), 20), outcome::added);
  EXPECT_NEAR(l.rate(l.at("x", after(2990s))).value, 2, 1e-3);  // 20 in 10 s
  EXPECT_TRUE(std::isnan(hot_list({.lambda = 1}).rate({1, 1, 1}).value));
}

TEST(hot_list, a_filter_of_another_kind_tightens_nothing) {
  const hot_list l({.half_life = 1h});
  for (const heat_config& c : {heat_config{.memory = 640, .half_life = 2h},
                               heat_config{.memory = 640, .half_life = 1h, .seed = 1},
                               heat_config{.memory = 640, .half_life = 2h, .tick = 2s}}) {
    expect_error(
        errc::incompatible, [&] { (void)l.top(1, midnight, heat_filter(c)); }, "tightens");
  }
}

// The filter's clock may be ahead; the answer is of one moment all the same.
TEST(hot_list, answers_at_the_newest_event_of_list_and_filter) {
  hot_list l({.half_life = 1h});
  heat_filter f({.memory = 640, .half_life = 1h});
  ASSERT_EQ(l.add("x", midnight, 16), outcome::added);
  ASSERT_EQ(f.add("x", midnight, 16), outcome::added);
  f.advance(after(1h));
  EXPECT_NEAR(l.top(1, midnight, f)[0].heat.upper, 8, 0.01);
}

TEST(hot_list, merges_with_anything_of_its_kind) {
  const hot_list_config c{.entries = 3, .half_life = 1h, .buckets = 2};
  hot_list l(c);
  l.merge(hot_list(c));
  EXPECT_EQ(l.events(), 0u);
  hot_list other(c);
  ASSERT_EQ(other.add("x", midnight, 3), outcome::added);
  l.merge(other);
  EXPECT_TRUE(l.serialize() == other.serialize());
  l.merge(hot_list(c));
  EXPECT_TRUE(l.serialize() == other.serialize());
  l.merge(l);
  EXPECT_NEAR(l.at("x", midnight).lower, 6, 1e-3);
  EXPECT_NEAR(l.at("x", midnight).upper, 6, 1e-3);
  EXPECT_EQ(l.top(1, midnight)[0].recent.back(), 6u);
  EXPECT_NEAR(l.mass(midnight), 6, 1e-9);
  EXPECT_EQ(l.events(), 2u);
}

TEST(hot_list, refuses_to_merge_with_another_kind) {
  hot_list l({.lambda = 0.5});
  for (const hot_list_config& c :
       {hot_list_config{.entries = 9, .lambda = 0.5}, hot_list_config{.lambda = 0.6},
        hot_list_config{.lambda = 0.5, .tick = 2s}, hot_list_config{.lambda = 0.5, .bucket = 2h},
        hot_list_config{.lambda = 0.5, .buckets = 5}, hot_list_config{.lambda = 0.5, .seed = 1}}) {
    expect_error(
        errc::incompatible, [&] { l.merge(hot_list(c)); }, "merge if");
  }
  ASSERT_EQ(l.add("x", midnight, std::uint64_t{1} << 46), outcome::added);
  const std::vector<std::byte> before = l.serialize();
  hot_list other(l);
  other.merge(l);
  expect_error(
      errc::too_large, [&] { other.merge(other); }, "64 bits");
  EXPECT_TRUE(l.serialize() == before);
}

hot_list sample_list() {
  hot_list l({.entries = 4, .lambda = 0.5, .buckets = 2});
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(l.add(std::string(1, static_cast<char>('a' + i % 5)), after(i * 1s), 3),
              outcome::added);
  }
  return l;
}

TEST(hot_list, refuses_damaged_containers) {
  support::expect_damage_refused<hot_list>(sample_list().serialize());
}

// With right checksums.
TEST(hot_list, refuses_containers_that_lie) {
  const std::vector<std::byte> good = sample_list().serialize();
  const std::size_t head = support::head_length(good);
  const auto parameter = [](std::size_t i) { return 128 + 8 * i; };
  const auto field = [&](std::size_t entry, std::size_t i) { return head + 64 * entry + 8 * i; };
  const auto value = [&](std::size_t at) { return support::get<std::uint64_t>(good, at); };
  const auto refused = [&](std::size_t at, std::uint64_t lie) {
    std::vector<std::byte> bad = good;
    support::put<std::uint64_t>(bad, at, lie);
    support::seal(bad);
    expect_error(
        errc::corrupt, [&] { (void)hot_list::load(bad); }, "contradicts itself");
  };
  constexpr std::uint64_t most = ~std::uint64_t{0};
  enum { entries, slow, fast, ahead, bucket, buckets, events, start, epoch, newest_bucket };
  for (const std::uint64_t lie : {std::uint64_t{0}, std::uint64_t{3}, most}) {
    refused(parameter(entries), lie);
    refused(parameter(buckets), lie);
  }
  refused(parameter(slow), value(parameter(fast)) + 1);
  refused(parameter(bucket), 0);
  refused(parameter(bucket), most);
  refused(parameter(events), 0);
  refused(parameter(events), 3);  // fewer than entries
  refused(parameter(start), value(parameter(epoch)) + 1);
  refused(parameter(epoch), value(parameter(epoch)) + 3600);
  refused(parameter(newest_bucket), value(parameter(newest_bucket)) - 1);
  refused(parameter(newest_bucket), most >> 1);
  enum { lo, hi, cnt, low, fast_units, length };
  refused(field(0, cnt), 0);
  refused(field(0, cnt), value(field(1, cnt)) + 1);
  refused(field(1, low), value(field(1, cnt)) + 1);
  refused(field(2, length), hot_list::longest_text + 1);
}

TEST(hot_list, refuses_entries_that_stand_twice_or_have_no_text) {
  const std::vector<std::byte> good = sample_list().serialize();
  const std::size_t head = support::head_length(good);
  std::vector<std::byte> twice = good;
  std::copy_n(twice.begin() + static_cast<std::ptrdiff_t>(head), 16,
              twice.begin() + static_cast<std::ptrdiff_t>(head) + 64);
  support::seal(twice);
  expect_error(
      errc::corrupt, [&] { (void)hot_list::load(twice); }, "is repeated");
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{2}}) {
    std::vector<std::byte> bad = good;
    support::put<std::uint64_t>(bad, head + 40, length);
    support::seal(bad);
    EXPECT_THROW((void)hot_list::load(bad), error);
  }
}

TEST(hot_list, refuses_what_is_no_hot_list) {
  expect_error(
      errc::unknown_kind,
      [] { (void)hot_list::load(heat_filter({.memory = 64, .lambda = 0.5}).serialize()); },
      "expected a hot list");
}

TEST(hot_list, is_unchanged_when_memory_runs_out) {
  if (!support::refused_new::works) GTEST_SKIP() << "sanitizers have their own operator new";
  hot_list l({.entries = 8, .lambda = 0.5, .buckets = 2});
  const std::string longer(500, 'x');  // than what a string holds by itself
  for (int i = 0; i < 20; ++i) {
    const std::string item = longer + std::to_string(i);
    const std::vector<std::byte> before = l.serialize();
    for (std::size_t successes = 0;; ++successes) {
      bool refused = false;
      {
        const support::refused_new no_memory(successes);
        try {
          l.add(item, after(i * 1s), i % 3 == 0 ? 70'000 : 1);
        } catch (const std::bad_alloc&) {
          refused = true;
        }
      }
      if (!refused) break;
      ASSERT_LT(successes, 10U);
      ASSERT_TRUE(l.serialize() == before) << i << ", " << successes;
    }
    EXPECT_FALSE(l.serialize() == before);
  }
}

}  // namespace hot_list_test
}  // namespace bloomtime
