#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "support/expect_error.hpp"

namespace bloomtime {
namespace time_test {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using support::expect_error;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

// -- compile time ------------------------------------------------------------------------------

constexpr tick_clock seconds_clock;
static_assert(seconds_clock.resolution() == 1s && seconds_clock.origin() == instant());
static_assert(seconds_clock.tick_of(instant(1'999'999)) == tick{1});
static_assert(seconds_clock.tick_of(instant(-1)) == tick{-1});
static_assert(seconds_clock.start_of({-1}) == instant(-1'000'000));
static_assert(seconds_clock.end_of({-1}) == instant(-1));
static_assert(seconds_clock.covering(instant(-1), instant(0)) == interval{{-1}, {0}});
static_assert(interval{{2}, {1}}.empty() && !interval{{1}, {1}}.empty());
static_assert(interval{{1}, {3}}.contains({3}) && !interval{{1}, {3}}.contains({4}));
static_assert(instant(1) < instant(2) && tick{-1} < tick{0});
static_assert(instant(std::chrono::sys_days(std::chrono::year(2000) / 1 / 1)).micros ==
              946'684'800'000'000);

// -- instants ----------------------------------------------------------------------------------

TEST(instant, is_microseconds_since_1970_rounded_down) {
  using std::chrono::nanoseconds;
  using std::chrono::sys_time;
  EXPECT_EQ(instant(sys_time<nanoseconds>(1999ns)).micros, 1);
  EXPECT_EQ(instant(sys_time<nanoseconds>(-1ns)).micros, -1);
  EXPECT_EQ(instant(sys_time<std::chrono::seconds>(-3s)).micros, -3'000'000);
  EXPECT_EQ(instant(std::chrono::system_clock::time_point(5ms)).micros, 5'000);
  EXPECT_EQ(instant::from_seconds(7).micros, 7'000'000);
  EXPECT_EQ(instant::from_seconds(-7).micros, -7'000'000);
}

TEST(instant, from_seconds_clamps_what_does_not_fit) {
  const std::int64_t most = 9'223'372'036'854;  // floor((2^63 - 1) / 10^6)
  EXPECT_EQ(instant::from_seconds(most).micros, most * 1'000'000);
  EXPECT_EQ(instant::from_seconds(most + 1).micros, most * 1'000'000);
  EXPECT_EQ(instant::from_seconds(highest).micros, most * 1'000'000);
  EXPECT_EQ(instant::from_seconds(-most - 1).micros, -most * 1'000'000);
  EXPECT_EQ(instant::from_seconds(lowest).micros, -most * 1'000'000);
}

// sys_seconds::max() is how people write "for ever".
TEST(instant, clamps_times_that_do_not_fit) {
  using std::chrono::sys_days;
  using std::chrono::sys_seconds;
  EXPECT_EQ(instant(sys_seconds::max()).micros, highest);
  EXPECT_EQ(instant(sys_seconds::min()).micros, lowest);
  EXPECT_EQ(instant(sys_days::max()).micros, highest);
  EXPECT_EQ(instant(sys_days::min()).micros, lowest);
  EXPECT_EQ(instant(sys_seconds(9'223'372'036'854s)).micros, 9'223'372'036'854'000'000);
  EXPECT_EQ(instant(sys_seconds(9'223'372'036'855s)).micros, highest);
  EXPECT_EQ(instant(sys_seconds(-9'223'372'036'854s)).micros, -9'223'372'036'854'000'000);
  EXPECT_EQ(instant(sys_seconds(-9'223'372'036'855s)).micros, lowest);
  EXPECT_EQ(instant(std::chrono::sys_time<microseconds>::max()).micros, highest);
  EXPECT_EQ(instant(std::chrono::sys_time<microseconds>::min()).micros, lowest);
  EXPECT_EQ(instant(std::chrono::system_clock::time_point::max()).micros, highest / 1000);
}

TEST(instant, takes_seconds_that_are_no_whole_number_or_no_number) {
  const auto at = [](double s) {
    return instant(std::chrono::sys_time<std::chrono::duration<double>>(
                       std::chrono::duration<double>(s)))
        .micros;
  };
  EXPECT_EQ(at(1.5), 1'500'000);
  EXPECT_EQ(at(-0.25), -250'000);
  EXPECT_EQ(at(1e300), highest);
  EXPECT_EQ(at(-1e300), lowest);
  EXPECT_EQ(at(std::numeric_limits<double>::infinity()), highest);
  EXPECT_EQ(at(std::numeric_limits<double>::quiet_NaN()), highest);
}

// -- clocks ------------------------------------------------------------------------------------

TEST(clock, refuses_a_resolution_below_a_microsecond) {
  expect_error(
      errc::invalid_argument, [] { tick_clock(microseconds(0)); }, "got 0");
  expect_error(
      errc::invalid_argument, [] { tick_clock(microseconds(-5)); }, "got -5");
  expect_error(errc::invalid_argument, [] { tick_clock{microseconds(lowest)}; });
  EXPECT_NO_THROW(tick_clock(microseconds(1)));
  EXPECT_NO_THROW(tick_clock{microseconds(highest)});
}

TEST(clock, floors_on_both_sides_of_its_origin) {
  const tick_clock c(10us, instant(5));
  EXPECT_EQ(c.tick_of(instant(-16)).number, -3);
  EXPECT_EQ(c.tick_of(instant(-15)).number, -2);
  EXPECT_EQ(c.tick_of(instant(-6)).number, -2);
  EXPECT_EQ(c.tick_of(instant(-5)).number, -1);
  EXPECT_EQ(c.tick_of(instant(4)).number, -1);
  EXPECT_EQ(c.tick_of(instant(5)).number, 0);
  EXPECT_EQ(c.tick_of(instant(14)).number, 0);
  EXPECT_EQ(c.tick_of(instant(15)).number, 1);
  EXPECT_EQ(c.start_of({1}), instant(15));
  EXPECT_EQ(c.end_of({1}), instant(24));
}

TEST(clock, works_at_the_ends_of_the_range) {
  const tick_clock fine(1us);
  EXPECT_EQ(fine.tick_of(instant(lowest)).number, lowest);
  EXPECT_EQ(fine.tick_of(instant(highest)).number, highest);
  EXPECT_EQ(fine.start_of({lowest}), instant(lowest));
  EXPECT_EQ(fine.end_of({highest}), instant(highest));

  const tick_clock coarse{microseconds(highest)};
  EXPECT_EQ(coarse.tick_of(instant(lowest)).number, -2);
  EXPECT_EQ(coarse.tick_of(instant(-highest)).number, -1);
  EXPECT_EQ(coarse.tick_of(instant(highest)).number, 1);
  EXPECT_EQ(coarse.start_of({-2}), instant(lowest));  // clamped
  EXPECT_EQ(coarse.end_of({1}), instant(highest));    // clamped
  EXPECT_EQ(coarse.start_of({highest}), instant(highest));
  EXPECT_EQ(coarse.start_of({lowest}), instant(lowest));
  EXPECT_EQ(coarse.end_of({lowest}), instant(lowest));
}

TEST(clock, clamps_ticks_that_do_not_fit) {
  EXPECT_EQ(tick_clock(1us, instant(highest)).tick_of(instant(lowest)).number, lowest);
  EXPECT_EQ(tick_clock(1us, instant(lowest)).tick_of(instant(highest)).number, highest);
}

TEST(clock, is_equal_if_origin_and_resolution_are) {
  EXPECT_EQ(tick_clock(1s), tick_clock());
  EXPECT_NE(tick_clock(1s), tick_clock(2s));
  EXPECT_NE(tick_clock(1s), tick_clock(1s, instant(1)));
}

TEST(clock, covers_every_tick_that_is_touched) {
  const tick_clock c(10us);
  EXPECT_EQ(c.covering(instant(9), instant(10)), (interval{{0}, {1}}));
  EXPECT_EQ(c.covering(instant(10), instant(19)), (interval{{1}, {1}}));
  EXPECT_EQ(c.covering(instant(3), instant(3)), (interval{{0}, {0}}));
  EXPECT_EQ(c.covering(instant(-1), instant(20)), (interval{{-1}, {2}}));
}

// From 5 to 3 there is no instant, whether or not both lie in one tick.
TEST(clock, covers_nothing_if_the_end_is_before_the_start) {
  const tick_clock c(10us);
  EXPECT_TRUE(c.covering(instant(25), instant(3)).empty());
  EXPECT_TRUE(c.covering(instant(5), instant(3)).empty());
  EXPECT_TRUE(tick_clock(1us).covering(instant(lowest + 1), instant(lowest)).empty());
}

// Times as real streams have them: a range in which nothing is clamped.
tick_clock any_clock() {
  const auto origin = *rc::gen::inRange<std::int64_t>(-(1LL << 61), 1LL << 61);
  const auto resolution = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 100),
                                          rc::gen::inRange<std::int64_t>(1, 1LL << 50));
  return tick_clock(microseconds(resolution), instant(origin));
}
instant any_instant() { return instant(*rc::gen::inRange<std::int64_t>(-(1LL << 61), 1LL << 61)); }

RC_GTEST_PROP(clock, puts_an_instant_into_the_one_tick_that_holds_it, ()) {
  const tick_clock c = any_clock();
  const instant t = any_instant();
  const tick n = c.tick_of(t);
  RC_ASSERT(c.start_of(n) <= t && t <= c.end_of(n));
  RC_ASSERT(c.end_of(n).micros - c.start_of(n).micros + 1 == c.resolution().count());
  RC_ASSERT(c.tick_of(c.start_of(n)) == n && c.tick_of(c.end_of(n)) == n);
  RC_ASSERT(c.tick_of(instant(c.end_of(n).micros + 1)).number == n.number + 1);
  RC_ASSERT(c.tick_of(instant(c.start_of(n).micros - 1)).number == n.number - 1);
}

RC_GTEST_PROP(clock, keeps_order_everywhere,
              (std::int64_t a, std::int64_t b, std::int64_t origin)) {
  const tick_clock c(microseconds(*rc::gen::inRange<std::int64_t>(1, highest)), instant(origin));
  if (a > b) std::swap(a, b);
  RC_ASSERT(c.tick_of(instant(a)) <= c.tick_of(instant(b)));
  RC_ASSERT(c.start_of({a}) <= c.start_of({b}));
  RC_ASSERT(c.start_of({a}) <= c.end_of({a}));
}

RC_GTEST_PROP(clock, widens_an_interval_outward, ()) {
  const tick_clock c = any_clock();
  instant from = any_instant();
  instant to = any_instant();
  if (to < from) std::swap(from, to);
  const interval ticks = c.covering(from, to);
  RC_ASSERT(!ticks.empty());
  RC_ASSERT(c.start_of(ticks.first) <= from && to <= c.end_of(ticks.last));
  RC_ASSERT(c.end_of(ticks.first) >= from && c.start_of(ticks.last) <= to);  // and no further
  RC_ASSERT(ticks.contains(c.tick_of(from)) && ticks.contains(c.tick_of(to)));
}

}  // namespace time_test
}  // namespace bloomtime
