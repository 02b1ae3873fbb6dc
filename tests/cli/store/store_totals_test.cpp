#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <sys/resource.h>

#include <bloomtime/bloomtime.hpp>

#include "store/totals.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"

namespace bloomtime::store {
namespace store_totals_test {

using support::expect_error;
using support::put;
using counts = std::map<std::int64_t, std::uint64_t>;  // by the minute's start in microseconds

// The minute by another way than the clock's; the first of all is cut off by the range of instants.
std::int64_t minute_start(std::int64_t micros) {
  constexpr std::int64_t minute = 60'000'000;
  const std::int64_t into = micros % minute;
  const std::int64_t back = into < 0 ? into + minute : into;
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  return micros < least + back ? least : micros - back;
}

counts all_of(const minute_totals& totals) {
  counts found;
  std::int64_t previous = std::numeric_limits<std::int64_t>::min();
  totals.for_each([&](instant start, std::uint64_t count) {
    EXPECT_TRUE(found.empty() || previous < start.micros);
    previous = start.micros;
    found[start.micros] = count;
  });
  return found;
}

// Busy minutes, gaps of years, before 1970, and the ends of time, in no order.
rc::Gen<std::int64_t> times() {
  using limits = std::numeric_limits<std::int64_t>;
  return rc::gen::oneOf(
      rc::gen::inRange<std::int64_t>(1'388'534'400'000'000, 1'388'535'000'000'000),
      rc::gen::inRange<std::int64_t>(-200'000'000, 200'000'000),
      rc::gen::inRange(limits::min(), limits::max()),
      rc::gen::element(limits::min(), limits::max()));
}

RC_GTEST_PROP(store_totals, count_what_an_exact_map_counts_and_come_back_from_bytes, ()) {
  const auto events = *rc::gen::container<std::vector<std::int64_t>>(times());
  minute_totals totals;
  counts expected;
  for (const std::int64_t t : events) {
    totals.add(instant(t));
    ++expected[minute_start(t)];
  }
  RC_ASSERT(totals.events() == events.size());
  RC_ASSERT(all_of(totals) == expected);
  for (const std::int64_t t : events) {
    RC_ASSERT(totals.at(instant(t)) == expected[minute_start(t)]);
  }
  const auto bytes = totals.serialize();
  minute_totals loaded = minute_totals::load(bytes);
  RC_ASSERT(loaded == totals);
  RC_ASSERT(loaded.serialize() == bytes);
  // Continued, it is as if it had never been stored.
  const instant more(*times());
  loaded.add(more);
  totals.add(more);
  RC_ASSERT(loaded == totals);
}

TEST(store_totals, of_minutes_without_events_are_zero) {
  minute_totals totals;
  EXPECT_EQ(totals.at(instant(0)), 0u);
  EXPECT_TRUE(minute_totals::load(totals.serialize()) == totals);
  totals.add(instant(59'999'999));
  EXPECT_EQ(totals.at(instant(0)), 1u);
  EXPECT_EQ(totals.at(instant(60'000'000)), 0u);
  EXPECT_EQ(totals.at(instant(-1)), 0u);
}

TEST(store_totals, of_a_busy_day_take_few_bytes) {
  minute_totals totals;
  for (std::int64_t s = 0; s < 86'400; ++s) totals.add(instant::from_seconds(s));
  EXPECT_LE(totals.serialize().size(), 2 * 1440 + 192u);
}

// From year 1 to 9999, four hours apart: what is between them must not take memory.
TEST(store_totals, of_events_far_apart_take_memory_for_the_events_only) {
  rusage before{};
  rusage after{};
  ::getrusage(RUSAGE_SELF, &before);
  minute_totals totals;
  constexpr int events = 400'000;
  for (int i = 0; i < events; ++i) totals.add(instant::from_seconds(i * 14'400LL));
  totals.add(instant::from_seconds(-62'135'596'800));
  totals.add(instant::from_seconds(253'402'300'799));
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(totals.events(), events + 2u);
  EXPECT_TRUE(minute_totals::load(totals.serialize()) == totals);
  EXPECT_LE(after.ru_maxrss - before.ru_maxrss, 150 * events / 1000);  // in kilobytes
}

// -- bytes nobody wrote --------------------------------------------------------------------------

struct forged_totals {
  std::int64_t first = 0;
  std::uint64_t minutes = 0;
  std::uint64_t events = 0;
  std::vector<int> body;
};

void expect_corrupt(const forged_totals& f) {
  detail::container_writer out({.family = family::totals,
                                .engine = 1,
                                .layout = 0,
                                .seed = detail::no_hash,
                                .clock = tick_clock(std::chrono::minutes(1))});
  out.parameters().i64(f.first);
  out.parameters().u64(f.minutes);
  out.parameters().u64(f.events);
  std::vector<std::byte> body;
  for (const int b : f.body) body.push_back(static_cast<std::byte>(b));
  out.section(1, body);
  try {
    minute_totals::load(out.bytes());
    ADD_FAILURE() << "taken: first " << f.first << ", minutes " << f.minutes << ", events "
                  << f.events << ", " << f.body.size() << " bytes";
  } catch (const error& e) {
    EXPECT_TRUE(e.code() == errc::corrupt || e.code() == errc::truncated) << e.what();
  }
}

TEST(store_totals, that_contradict_themselves_are_refused) {
  using limits = std::numeric_limits<std::int64_t>;
  expect_corrupt({0, 1, 2, {0, 1}});        // adds up to less
  expect_corrupt({0, 1, 1, {0, 2}});        // adds up to more
  expect_corrupt({0, 1, 1, {1, 1}});        // the first minute is not the first
  expect_corrupt({0, 2, 2, {0, 1, 0, 1}});  // a minute twice
  expect_corrupt({0, 2, 1, {0, 1, 1, 0}});  // a minute without events
  expect_corrupt({0, 1, 1, {0, 1, 0}});     // more bytes than minutes
  expect_corrupt({0, 2, 2, {0, 1}});        // fewer
  expect_corrupt({0, 1, 1, {0, 0x81, 0}});  // a number with a zero in front
  expect_corrupt({0, 1, 1, {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}});
  expect_corrupt({7, 0, 0, {}});                  // nothing begins nowhere
  expect_corrupt({limits::max(), 1, 1, {0, 1}});  // outside of all time
  expect_corrupt({limits::min(), 1, 1, {0, 1}});
  expect_corrupt({153'722'867'280, 2, 2, {0, 1, 1, 1}});  // past its end
  expect_corrupt({0, limits::max(), 0, {}});
  const std::uint64_t wraps = std::numeric_limits<std::uint64_t>::max();
  expect_corrupt({0, 2, 0, {0, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}});
  expect_corrupt({0, 1, wraps, {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}});
}

TEST(store_totals, that_are_full_are_not_stored) {
  detail::container_writer out({.family = family::totals,
                                .engine = 1,
                                .layout = 0,
                                .seed = detail::no_hash,
                                .clock = tick_clock(std::chrono::minutes(1))});
  out.parameters().i64(0);
  out.parameters().u64(1);
  out.parameters().u64(std::uint64_t{1} << 63);
  std::vector<std::byte> body{std::byte{0}};
  body.resize(10, std::byte{0x80});
  body.push_back(std::byte{1});
  out.section(1, body);
  minute_totals totals = minute_totals::load(out.bytes());
  EXPECT_EQ(totals.at(instant(0)), std::uint64_t{1} << 63);
  totals.add(instant(0));
  expect_error(
      errc::too_large, [&] { totals.serialize(); }, "2^63");
}

TEST(store_totals, are_not_taken_from_another_kind_of_container) {
  const bloom_filter filter({.items = 10, .error = 0.01});
  expect_error(
      errc::unknown_kind, [&] { minute_totals::load(filter.serialize()); }, "family bloom");
  auto bytes = minute_totals().serialize();
  put(bytes, support::field::resolution, std::uint64_t{1'000'000});
  support::seal(bytes);
  expect_error(errc::unknown_kind, [&] { minute_totals::load(bytes); });
}

TEST(store_totals, with_any_byte_changed_are_refused) {
  minute_totals totals;
  for (const int s : {0, 61, 62, 100'000}) totals.add(instant::from_seconds(s));
  const auto good = totals.serialize();
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] ^= std::byte{0x41};
    EXPECT_THROW(minute_totals::load(bad), error) << "byte " << i;
    EXPECT_THROW(minute_totals::load(std::span(good).first(i)), error) << "cut at " << i;
  }
}

}  // namespace store_totals_test
}  // namespace bloomtime::store
