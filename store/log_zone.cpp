#include "store/log_zone.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "logs/times.hpp"
#include "text/quantity.hpp"
#include "text/text.hpp"
#include "text/time_text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

using std::chrono::microseconds;

constexpr std::size_t date_and_blank = 11;

// 0 if it lies inside.
std::uint64_t distance(instant t, const offset_span& s) {
  return logs::micros_between(t, s.first) + logs::micros_between(s.last, t);
}

std::optional<std::int32_t> offset_in(const std::string& zone) {
  const logs::time_reading then = logs::read_time("2000-01-01 00:00:00 " + zone);
  if (zone.empty() || !then.ok()) return std::nullopt;
  return then.time.offset;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

microseconds length_of(logs::time_precision precision) {
  switch (precision) {
    case logs::time_precision::day: return std::chrono::days(1);
    case logs::time_precision::minute: return std::chrono::minutes(1);
    default: return microseconds(1);
  }
}

// The newest event, as now, and what is before it: now-1h, -30m. A span has a unit, because a
// number counts from 1970.
std::optional<std::string_view> span_before(std::string_view text) {
  const bool now = text.starts_with("now");
  if (now) text.remove_prefix(3);
  if (now && text.empty()) return text;
  const bool span = text.size() > 2 && text.front() == '-' && is_digit(text[1]) &&
                    !is_digit(text.back()) && text.find(':') == text.npos;
  return span ? std::optional(text.substr(1)) : std::nullopt;
}

// A day relative to the newest event, and a time of day in it.
struct day_and_time {
  std::int64_t days = 0;  // before it
  std::string_view time;  // empty: the whole day
};

std::optional<day_and_time> named_day(std::string_view text) {
  const bool clock = text.size() >= 5 && is_digit(text[0]) && is_digit(text[1]) && text[2] == ':';
  if (clock) return day_and_time{0, text};
  constexpr std::array<std::string_view, 2> names{"today", "yesterday"};
  for (std::size_t days = 0; days < names.size(); ++days) {
    if (!text.starts_with(names[days])) continue;
    const std::string_view rest = text.substr(names[days].size());
    const auto number = static_cast<std::int64_t>(days);
    if (rest.empty()) return day_and_time{number, rest};
    if (rest.front() == ' ' || rest.front() == 'T') return day_and_time{number, rest.substr(1)};
  }
  return std::nullopt;
}

typed_time parse_date(std::string_view option, std::string_view text,
                      const std::optional<instant>& newest) {
  const logs::time_reading found = logs::read_time(text, newest.value_or(instant()));
  const instant year_2000 = instant::from_seconds(946'684'800);
  if (found.ok() && !newest && found.time != logs::read_time(text, year_2000).time) {
    text::refuse("{} has no year, got {}", option, text::shown(text));
  }
  if (found.problem == logs::time_problem::ambiguous_zone) {
    text::refuse(
        "{} has the name of a zone that stands for several offsets; give the offset, as in "
        "2014-01-01T12:00+08:00, got {}",
        option, text::shown(text));
  }
  if (found.ok()) {
    const instant begin = found.time.at;
    return {begin, instant(begin.micros + length_of(found.precision).count() - 1), found.zoned};
  }
  text::refuse(
      "{} must be a time such as 2014-01-01T12:00:00, 2014-01-01T12:00+02:00, 1388577600 "
      "(seconds since 1970), now, -1h, 09:30 or yesterday 09:30, got {}",
      option, text::shown(text));
}

}  // namespace

// -- zones ---------------------------------------------------------------------------------------

log_zone::log_zone(const facts& read, offset_spans offsets, const tick_clock& ticks)
    : last_line_(offset_in(read.zone)), offsets_(std::move(offsets)), ticks_(ticks) {}

std::int32_t log_zone::offset_at(instant t) const {
  const auto closest = std::min_element(
      spans().begin(), spans().end(),
      [t](const auto& a, const auto& b) { return distance(t, a) < distance(t, b); });
  if (closest != spans().end() && closest->exact()) return closest->west;
  return last_line_.value_or(0);
}

std::string log_zone::name_at(instant t) const {
  return last_line_ ? text::zone_text(offset_at(t)) : "UTC";
}

bool log_zone::changes() const {
  return std::any_of(spans().begin(), spans().end(), [this](const offset_span& s) {
    return s.exact() && s.west != last_line_.value_or(0);
  });
}

offset_spans offsets_of(const facts& read, const std::vector<logs::held_event>& held) {
  if (read.offsets) return *read.offsets;
  offset_spans offsets;
  if (read.first_event) offsets.add_unknown(*read.first_event, *read.last_event);
  for (const logs::held_event& e : held) offsets.add_unknown(e.at, e.at);
  return offsets;
}

log_zone zone_of(const facts& read, const std::vector<logs::held_event>& held,
                 const tick_clock& ticks) {
  return {read, offsets_of(read, held), ticks};
}

// -- printed -------------------------------------------------------------------------------------

std::string time_text(instant t, const log_zone& zone) {
  return fmt::format("{} {}", text::time_text(t, zone.offset_at(t)), zone.name_at(t));
}

std::string range_text(instant from, instant to, const log_zone& zone) {
  const std::string last = time_text(to, zone);
  if (zone.offset_at(from) != zone.offset_at(to)) {
    return fmt::format("{} .. {}", time_text(from, zone), last);
  }
  const std::string first = text::time_text(from, zone.offset_at(from));
  const bool same_day = first.substr(0, date_and_blank) == last.substr(0, date_and_blank);
  return fmt::format("{} .. {}", first, same_day ? last.substr(date_and_blank) : last);
}

// -- typed ---------------------------------------------------------------------------------------

typed_time parse_time(std::string_view option, std::string_view text, const log_zone& zone,
                      const std::optional<instant>& newest) {
  const auto span = span_before(text);
  const auto named = span ? std::nullopt : named_day(text);
  if (!span && !named) return parse_date(option, text, newest);
  if (!newest) {
    text::refuse("{} {} is relative to the newest event, and there is none; give a date", option,
                 text::shown(text));
  }
  if (span) {
    const microseconds before = span->empty() ? microseconds(0) : text::parse_span(option, *span);
    const std::int64_t earliest = std::numeric_limits<std::int64_t>::min() + before.count();
    const instant then(std::max(newest->micros, earliest) - before.count());
    return {then, then, true};
  }
  const instant day(newest->micros - named->days * microseconds(std::chrono::days(1)).count());
  const std::string date =
      text::time_text(day, zone.offset_at(*newest)).substr(0, date_and_blank - 1);
  return parse_date(option, named->time.empty() ? date : fmt::format("{}T{}", date, named->time),
                    *newest);
}

instant parse_moment(std::string_view option, std::string_view text, const log_zone& zone,
                     instant newest) {
  const typed_time typed = parse_time(option, text, zone, newest);
  if (typed.zoned) return typed.begin;
  return instant(typed.begin.micros - std::int64_t{zone.offset_at(newest)} * 1'000'000);
}

}  // namespace bloomtime::store
