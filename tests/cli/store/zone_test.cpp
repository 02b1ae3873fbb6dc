#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <bloomtime/error.hpp>

#include "cli/asking/asked_time.hpp"
#include "store/offsets.hpp"
#include "support/expect_error.hpp"
#include "text/time_text.hpp"
#include "text/usage_error.hpp"

// The UTC offsets of a log, and what a local time without a zone means in it.
namespace bloomtime::store::zone_test {
using namespace cli;

namespace zone_test {

using namespace text;

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t day = 86'400 * second;

struct written {
  instant at;
  std::int32_t offset;

  std::int64_t local() const { return at.micros + offset * second; }
};

bool holds(const offset_span& s, const written& e) {
  return s.first <= e.at && e.at <= s.last && s.west <= e.offset && e.offset <= s.east;
}

// Changes of daylight saving time, several servers, late lines, gaps of years; or no sense at all.
rc::Gen<std::vector<written>> any_log() {
  return rc::gen::exec([] {
    const int kind = *rc::gen::inRange(0, 3);
    std::vector<written> log;
    std::int64_t now = 1'500'000'000 * second;
    const int length = *rc::gen::inRange(1, 400);
    for (int i = 0; i < length; ++i) {
      now += *rc::gen::inRange<std::int64_t>(0, kind == 0 ? 20 * day : day / 2);
      const std::int64_t late =
          *rc::gen::inRange(0, 10) == 0 ? *rc::gen::inRange<std::int64_t>(0, 5 * day) : 0;
      const bool summer = (now - late) / (180 * day) % 2 == 0;
      const std::int32_t offset = kind == 0   ? (summer ? 7200 : 3600)
                                  : kind == 1 ? *rc::gen::element(-28'800, 0, 19'800)
                                              : 60 * *rc::gen::inRange(-1439, 1440);
      log.push_back({instant(now - late), offset});
    }
    return log;
  });
}

offset_spans spans_of(const std::vector<written>& log) {
  offset_spans spans;
  for (const written& e : log) spans.add(e.at, e.offset);
  return spans;
}

log_zone zone_of(const std::vector<written>& log) {
  facts read;
  read.zone = zone_text(log.back().offset);
  return {read, spans_of(log), tick_clock()};
}

std::string local_text(std::int64_t local) { return text::time_text(instant(local), 0); }

RC_GTEST_PROP(offset_spans, hold_every_event_and_stay_few, ()) {
  const std::vector<written> log = *any_log();
  const offset_spans spans = spans_of(log);
  RC_ASSERT(spans.spans().size() <= offset_spans::most);
  for (const written& e : log) {
    RC_ASSERT(std::any_of(spans.spans().begin(), spans.spans().end(),
                          [&](const offset_span& s) { return holds(s, e); }));
  }
  RC_ASSERT(offset_spans(spans.spans()) == spans);
}

RC_GTEST_PROP(offset_spans, do_not_depend_on_where_a_run_ends, ()) {
  const std::vector<written> log = *any_log();
  offset_spans resumed;
  for (const written& e : log) {
    resumed = offset_spans(resumed.spans());
    resumed.add(e.at, e.offset);
  }
  RC_ASSERT(resumed == spans_of(log));
}

TEST(offset_spans, of_daylight_saving_time_are_one_for_each_half_year) {
  offset_spans spans;
  for (int i = 0; i < 20 * 365; ++i) {
    spans.add(instant(i * day), i % 365 < 180 ? 3600 : 7200);
  }
  EXPECT_EQ(spans.spans().size(), 40u);
  for (const offset_span& s : spans.spans()) EXPECT_TRUE(s.exact());
}

// A line a week: gaps within a half-year are closed before those between them.
TEST(offset_spans, of_rare_events_keep_the_half_years_apart) {
  offset_spans spans;
  std::vector<written> log;
  for (int week = 0; week < 52 * 10; ++week) {
    const std::int32_t offset = week % 52 < 26 ? 3600 : 7200;
    log.push_back({instant(week * 7 * day), offset});
    spans.add(log.back().at, offset);
  }
  for (const written& e : log) {
    const auto at = std::count_if(spans.spans().begin(), spans.spans().end(),
                                  [&](const auto& s) { return s.first <= e.at && e.at <= s.last; });
    EXPECT_EQ(at, 1);
  }
}

TEST(offset_spans, that_none_would_hold_are_refused) {
  const instant early(0);
  const instant late(2 * day);
  const std::vector<std::vector<offset_span>> wrong{
      {{late, early, 0, 0}},
      {{early, late, 60, 0}},
      {{early, late, 0, 86'400}},
      {{early, late, -86'400, 0}},
      {{early, early, 60, 60}, {early, early, 0, 0}},
      {{early, late, 0, 0}, {late, late, 0, 0}},
      {{early, early, 0, 0}, {instant(day), late, 0, 0}},
      std::vector<offset_span>(offset_spans::most + 1, {early, late, 0, 0}),
  };
  for (const auto& spans : wrong) {
    support::expect_error(
        errc::corrupt, [&] { offset_spans{spans}; }, "contradict");
  }
}

RC_GTEST_PROP(asked_time, covers_every_event_with_a_local_time_that_was_asked_for, ()) {
  const std::vector<written> log = *any_log();
  const log_zone zone = zone_of(log);
  for (int i = 0; i < 20; ++i) {
    const written& about = log[*rc::gen::inRange<std::size_t>(0, log.size())];
    const std::int64_t begin = about.local() - *rc::gen::element<std::int64_t>(0, second, day);
    const std::int64_t end = begin + *rc::gen::element<std::int64_t>(0, 86'400 * second, 400 * day);
    const asked_time asked = parse_asked_time(local_text(begin), local_text(end), zone);
    for (const written& e : log) {
      const bool meant = begin <= e.local() && e.local() <= end;
      const bool inside = asked.from <= e.at && e.at <= asked.to;
      if (meant) RC_ASSERT(inside);
      if (inside && !meant) RC_ASSERT(asked.widened);
    }
  }
}

RC_GTEST_PROP(asked_time, takes_back_what_was_printed, ()) {
  const std::vector<written> log = *any_log();
  const log_zone zone = zone_of(log);
  for (const written& e : log) {
    const std::string local = text::time_text(e.at, zone.offset_at(e.at));
    const asked_time bare = parse_asked_time(local, local, zone);
    RC_ASSERT(bare.from <= e.at);
    RC_ASSERT(e.at <= bare.to);
    const std::string text = time_text(e.at, zone);
    const asked_time zoned = parse_asked_time(text, text, zone);
    RC_ASSERT(zoned.from == e.at);
    RC_ASSERT(zoned.to == e.at);
    RC_ASSERT(!zoned.widened);
  }
}

TEST(asked_time, of_unknown_offsets_covers_all_of_them) {
  offset_spans offsets;
  offsets.add_unknown(instant(0), instant(100 * day));
  const log_zone zone({}, offsets, tick_clock());
  const asked_time asked = parse_asked_time("1970-01-10", "1970-01-10", zone);
  const std::int64_t widest = std::int64_t{most_offset} * second;
  EXPECT_EQ(asked.from.micros, 9 * day - widest);
  EXPECT_EQ(asked.to.micros, 10 * day - 1 + widest);
  EXPECT_TRUE(asked.widened);
  EXPECT_FALSE(parse_asked_time("1970-01-10Z", "1970-01-10Z", zone).widened);
}

TEST(asked_time, includes_all_of_a_day_or_a_minute) {
  const log_zone utc;
  const auto end_of = [&](const char* text) { return parse_asked_time("0", text, utc).to.micros; };
  EXPECT_EQ(end_of("1970-01-02"), 2 * day - 1);
  EXPECT_EQ(end_of("02/Jan/1970"), 2 * day - 1);
  EXPECT_EQ(end_of("1970-01-02Z"), 2 * day - 1);
  EXPECT_EQ(end_of("1970-01-02T00:00"), day + 60 * second - 1);
  EXPECT_EQ(end_of("1970-01-02T00:00:00"), day);
  EXPECT_EQ(end_of("1970-01-02 02:00 +0200"), day + 60 * second - 1);
  EXPECT_EQ(end_of("1970-01-02 02:00+02"), day + 60 * second - 1);
  EXPECT_EQ(end_of("1970-01-02 00:00 UTC"), day + 60 * second - 1);
  EXPECT_EQ(end_of("1970-01-02 GMT"), 2 * day - 1);
  EXPECT_EQ(end_of("02/Jan/1970:01:00:00 -0100"), day + 7200 * second);
  EXPECT_EQ(end_of("86400"), day);
  EXPECT_EQ(end_of("1970/01/02"), 2 * day - 1);
  EXPECT_EQ(end_of("1970-01-02 02:00 CEST"), day + 60 * second - 1);
  EXPECT_EQ(end_of("Fri, 02 Jan 1970 00:00:00 GMT"), day);
  EXPECT_THROW((void)end_of("1970-01-02 02:00 CST"), text::usage_error);
  EXPECT_THROW((void)end_of("Jan 02 00:00:00"), text::usage_error);  // without a year
}

TEST(asked_time, may_be_relative_to_the_newest_event) {
  offset_spans offsets;
  offsets.add({instant(0), instant(10 * day), 7200, 7200});
  const log_zone zone({}, offsets, tick_clock());
  // 01:30 of the 10th in the zone of the log, and still the 9th in UTC.
  const instant newest(9 * day - 1800 * second);
  const auto asked = [&](const char* from, const char* to) {
    return parse_asked_time(from, to, zone, newest);
  };
  const std::int64_t midnight = 9 * day - 7200 * second;
  EXPECT_EQ(asked("-1h", "-30m").from.micros, newest.micros - 3600 * second);
  EXPECT_EQ(asked("-1h", "-30m").to.micros, newest.micros - 1800 * second);
  EXPECT_EQ(asked("-1.5h", "-1s").from.micros, newest.micros - 5400 * second);
  EXPECT_EQ(asked("-1h", "now").to.micros, newest.micros);
  EXPECT_EQ(asked("now", "now").from.micros, newest.micros);
  EXPECT_EQ(asked("now-1h", "now-30m").from.micros, newest.micros - 3600 * second);
  EXPECT_EQ(asked("now-1h", "now-30m").to.micros, newest.micros - 1800 * second);
  EXPECT_EQ(asked("Jan 10 00:00:00", "now").from.micros, midnight);
  EXPECT_EQ(asked("1970/01/10", "now").from.micros, midnight);
  EXPECT_EQ(asked("today", "today").from.micros, midnight);
  EXPECT_EQ(asked("today", "today").to.micros, midnight + day - 1);
  EXPECT_EQ(asked("yesterday", "00:10").from.micros, midnight - day);
  EXPECT_EQ(asked("yesterday", "00:10").to.micros, midnight + 660 * second - 1);
  EXPECT_EQ(asked("yesterday 09:30", "today 00:10:05").from.micros,
            midnight - day + 34200 * second);
  EXPECT_EQ(asked("yesterday 09:30", "today 00:10:05").to.micros, midnight + 605 * second);
  EXPECT_EQ(asked("yesterday 09:30Z", "01:00").from.micros, 8 * day + 34200 * second);
  for (const char* text : {"24:30", "yesterdaynoon", "yesterday noon", "-1x", "-h", "now-",
                           "now+1h", "now -1h", "nowx", "now-5", "now-h"}) {
    EXPECT_THROW((void)asked(text, "today"), bloomtime::text::usage_error) << text;
  }
  EXPECT_THROW((void)parse_asked_time("-1h", "0", zone), bloomtime::text::usage_error);
  EXPECT_THROW((void)parse_asked_time("0", "now", zone), bloomtime::text::usage_error);
  EXPECT_THROW((void)parse_asked_time("09:30", "0", zone), bloomtime::text::usage_error);
}

// The hour that occurs twice is asked in both offsets, so that no answer is wrongly certain.
TEST(asked_time, of_a_clock_that_went_back_covers_both_hours) {
  const std::int64_t change = 100 * day + 3600 * second;  // 03:00 +0200 becomes 02:00 +0100
  offset_spans offsets;
  offsets.add({instant(90 * day), instant(change - 1), 7200, 7200});
  offsets.add({instant(change), instant(110 * day), 3600, 3600});
  const log_zone zone({}, offsets, tick_clock());
  const instant newest(change + 5 * 3600 * second);
  const asked_time twice = parse_asked_time("02:30", "02:30", zone, newest);
  EXPECT_LE(twice.from.micros, change - 1800 * second);
  EXPECT_GE(twice.to.micros, change + 1860 * second - 1);
  EXPECT_TRUE(twice.widened);
  EXPECT_FALSE(parse_asked_time("04:00", "04:00", zone, newest).widened);
}

}  // namespace zone_test
}  // namespace bloomtime::store::zone_test
