#include "logs/times.hpp"

#include <chrono>
#include <cstring>

#include "logs/zone_names.hpp"

namespace bloomtime::logs {
namespace {

constexpr std::int64_t second = 1'000'000;  // in microseconds
constexpr time_reading unreadable{{}, time_problem::unreadable};
constexpr time_reading impossible{{}, time_problem::impossible};
constexpr time_reading ambiguous_zone{{}, time_problem::ambiguous_zone};

bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }

bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// A cursor over the text. What is missing or of another shape makes it bad, and it stays so.
class scanner {
 public:
  explicit scanner(std::string_view text) noexcept : rest_(text) {}

  bool good() const noexcept { return good_; }
  bool at_end() const noexcept { return rest_.empty(); }
  bool finished() const noexcept { return good_ && rest_.empty(); }
  bool cut() const noexcept { return cut_; }  // decimals that were not zero
  char peek() const noexcept { return rest_.empty() ? '\0' : rest_.front(); }

  bool accept(std::string_view one_of) noexcept {
    if (rest_.empty() || one_of.find(rest_.front()) == one_of.npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void fail() noexcept { good_ = false; }

  void expect(std::string_view one_of) noexcept { good_ = accept(one_of) && good_; }

  int digits(std::size_t count) noexcept {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_digit(peek())) {
        good_ = false;
        return 0;
      }
      value = 10 * value + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  // Whether two digits and a colon are next.
  bool clock_follows() const noexcept {
    return rest_.size() > 2 && is_digit(rest_[0]) && is_digit(rest_[1]) && rest_[2] == ':';
  }

  // The letters that follow.
  std::string_view word() noexcept {
    std::size_t size = 0;
    while (size < rest_.size() && (is_lower(rest_[size]) || is_upper(rest_[size]))) ++size;
    return take(size);
  }

  std::string_view take(std::size_t count) noexcept {
    good_ = good_ && rest_.size() >= count;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // The digits that follow, as the first `places` decimals; the others are cut off.
  std::int64_t decimals(int places) noexcept {
    std::int64_t value = 0;
    good_ = good_ && is_digit(peek());
    for (; is_digit(peek()); rest_.remove_prefix(1)) {
      if (places == 0) {
        cut_ = cut_ || rest_.front() != '0';
        continue;
      }
      value = 10 * value + (rest_.front() - '0');
      --places;
    }
    for (; places > 0; --places) value *= 10;
    return value;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
  bool cut_ = false;
};

struct date_and_time {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int seconds = 0;  // 60 in a leap second, which is the second after it here
  std::int64_t micros = 0;
  time_precision precision = time_precision::moment;
};

struct zone {
  int hours = 0;
  int minutes = 0;
  bool west = false;
  bool written = false;
  bool ambiguous = false;

  bool possible() const noexcept { return hours < 24 && minutes < 60; }
  std::int32_t offset() const noexcept { return (west ? -1 : 1) * (3600 * hours + 60 * minutes); }
};

time_reading made_of(const date_and_time& t, const zone& z) noexcept {
  if (z.ambiguous) return ambiguous_zone;
  using std::chrono::sys_days;
  const std::chrono::year_month_day date{std::chrono::year(t.year),
                                         std::chrono::month(static_cast<unsigned>(t.month)),
                                         std::chrono::day(static_cast<unsigned>(t.day))};
  if (!date.ok() || t.hour > 23 || t.minute > 59 || t.seconds > 60 || !z.possible()) {
    return impossible;
  }
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  const std::int64_t seconds =
      86400 * days + 3600 * t.hour + 60 * t.minute + t.seconds - z.offset();
  return {{instant(seconds * second + t.micros), z.offset()},
          time_problem::none,
          t.precision,
          z.written};
}

void scan_seconds(scanner& in, date_and_time& t) noexcept {
  in.expect(":");
  t.seconds = in.digits(2);
  if (in.accept(".,")) t.micros = in.decimals(6);
}

void scan_clock(scanner& in, date_and_time& t) noexcept {
  t.hour = in.digits(2);
  in.expect(":");
  t.minute = in.digits(2);
  scan_seconds(in, t);
}

// 13:55:36.25, or 13:55
void scan_clock_or_minute(scanner& in, date_and_time& t) noexcept {
  t.hour = in.digits(2);
  in.expect(":");
  t.minute = in.digits(2);
  if (in.peek() == ':') return scan_seconds(in, t);
  t.precision = time_precision::minute;
}

// +01:00, +0100, +01
void scan_offset(scanner& in, zone& z) noexcept {
  z.west = in.peek() == '-';
  in.expect("+-");
  z.hours = in.digits(2);
  if (in.at_end() || in.peek() == ' ') return;
  in.accept(":");
  z.minutes = in.digits(2);
}

// Z, CET, +01:00
void scan_zone(scanner& in, zone& z) noexcept {
  z.written = true;
  if (!is_upper(in.peek()) && !is_lower(in.peek())) {
    return scan_offset(in, z);
  }
  const std::string_view name = in.word();
  if (name == "z") return;
  if (!is_zone_name(name)) in.fail();
  const auto east = offset_of_zone(name);
  z.ambiguous = !east;
  const int minutes = east.value_or(0) / 60;
  z.west = minutes < 0;
  z.hours = (z.west ? -minutes : minutes) / 60;
  z.minutes = (z.west ? -minutes : minutes) % 60;
}

// What Go writes behind an offset: the name of the zone, and the monotonic clock.
void scan_go(scanner& in) noexcept {
  if (!in.accept(" ")) return;
  if (in.peek() != 'm') {
    if (in.peek() == '+' || in.peek() == '-') {
      zone again;
      scan_offset(in, again);
    } else if (!is_zone_name(in.word())) {
      in.fail();
    }
    if (!in.accept(" ")) return;
  }
  in.expect("m");
  in.expect("=");
  in.expect("+-");
  while (in.accept("0123456789")) {
  }
  in.expect(".");
  (void)in.decimals(0);
}

// 0 if it is none.
int month_of(std::string_view name) noexcept {
  constexpr std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (name.size() != 3) return 0;
  for (std::size_t i = 0; i < 12; ++i) {
    if (names.substr(3 * i, 3) == name) return static_cast<int>(i) + 1;
  }
  return 0;
}

// 10/Oct/2000:13:55:36 -0700, or 10/Oct/2000 13:55:36 with or without a zone, or 10/Oct/2000
time_reading read_log_time(std::string_view text) noexcept {
  scanner in(text);
  date_and_time t;
  zone z;
  t.day = in.digits(2);
  in.expect("/");
  t.month = month_of(in.take(3));
  in.expect("/");
  t.year = in.digits(4);
  if (in.at_end()) {
    t.precision = time_precision::day;
  } else {
    in.expect(": ");
    scan_clock_or_minute(in, t);
    if (in.accept(" ")) scan_zone(in, z);
  }
  if (!in.finished() || t.month == 0) return unreadable;
  return made_of(t, z);
}

// 2000-10-10T13:55:36.123-07:00, or 2000/10/10 13:55, or 2000-10-10
time_reading read_rfc3339(std::string_view text, std::string_view between) noexcept {
  scanner in(text);
  date_and_time t;
  zone z;
  t.year = in.digits(4);
  in.expect(between);
  t.month = in.digits(2);
  in.expect(between);
  t.day = in.digits(2);
  const bool divided = in.accept(" ");
  if (divided ? in.clock_follows() : in.accept("Tt")) {
    scan_clock_or_minute(in, t);
    if (!in.at_end()) {
      in.accept(" ");
      const bool number = in.peek() == '+' || in.peek() == '-';
      scan_zone(in, z);
      if (number) scan_go(in);
    }
  } else {
    t.precision = time_precision::day;
    const bool hour = !divided && text.size() == 13;  // 2000-10-10-13
    if (hour) return unreadable;
    if (divided || !in.at_end()) scan_zone(in, z);
  }
  return in.finished() ? made_of(t, z) : unreadable;
}

// The latest year in which the time exists and is at most a day after `newest`.
time_reading in_latest_year(date_and_time t, const zone& z, instant newest) noexcept {
  constexpr std::int64_t day = 86400 * second;
  constexpr int longest_wait = 8;  // years between 29 February and the next, around 1900
  const auto days = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::microseconds>(std::chrono::microseconds(newest.micros)));
  const int latest = static_cast<int>(std::chrono::year_month_day(days).year()) + 1;
  if (z.ambiguous) return ambiguous_zone;
  time_reading found = impossible;
  for (t.year = latest; t.year >= latest - longest_wait - 1; --t.year) {
    found = made_of(t, z);
    if (found.ok() && found.time.at.micros - day <= newest.micros) return found;
  }
  return impossible;
}

// Wed or Wed, in front of a date.
void scan_weekday(scanner& in) noexcept {
  const std::string_view name = in.take(3);
  if (name.size() != 3 || !is_upper(name[0]) || !is_lower(name[1]) || !is_lower(name[2])) in.fail();
  in.accept(",");
  in.expect(" ");
}

// Oct 11, Oct  1, Oct 11 2000
bool scan_month_and_day(scanner& in, date_and_time& t) noexcept {
  t.month = month_of(in.take(3));
  in.expect(" ");
  t.day = in.accept(" ") ? in.digits(1) : in.digits(2);
  in.expect(" ");
  if (in.clock_follows()) return false;
  t.year = in.digits(4);
  in.expect(" ");
  return true;
}

// 11 Oct 2000
void scan_day_and_month(scanner& in, date_and_time& t) noexcept {
  t.day = in.digits(1);
  if (is_digit(in.peek())) t.day = 10 * t.day + in.digits(1);
  in.expect(" ");
  t.month = month_of(in.take(3));
  in.expect(" ");
  t.year = in.digits(4);
  in.expect(" ");
}

// Oct 11 22:14:15, Wed Oct 11 22:14:15.123 UTC 2000, Wed, 11 Oct 2000 22:14:15 +0200
time_reading read_named_time(std::string_view text, instant newest) noexcept {
  scanner in(text);
  date_and_time t;
  zone z;
  if (!is_digit(in.peek()) && month_of(text.substr(0, 3)) == 0) scan_weekday(in);
  bool dated = is_digit(in.peek());
  if (dated) {
    scan_day_and_month(in, t);
  } else {
    dated = scan_month_and_day(in, t);
  }
  scan_clock(in, t);
  while (in.good() && in.accept(" ")) {
    if (!dated && is_digit(in.peek())) {
      t.year = in.digits(4);
      dated = true;
    } else if (!z.written) {
      scan_zone(in, z);
    } else {
      in.fail();
    }
  }
  if (!in.finished() || t.month == 0) return unreadable;
  return dated ? made_of(t, z) : in_latest_year(t, z, newest);
}

// The unit follows from the number of digits before the point, so that every time from 1973 to 5138
// is read alike in all units: seconds have up to 11 digits, and three more for each thousandth.
time_reading read_epoch(std::string_view text) noexcept {
  constexpr int most_digits = 19;
  scanner in(text);
  const bool before_1970 = in.accept("-");
  if (!is_digit(in.peek())) return unreadable;
  while (in.accept("0")) {
  }
  std::uint64_t whole = 0;
  int length = 0;
  for (; is_digit(in.peek()) && length < most_digits; ++length) {
    whole = 10 * whole + static_cast<std::uint64_t>(in.digits(1));
  }
  const bool too_long = is_digit(in.peek());
  while (in.accept("0123456789")) {
  }
  const bool nanos = length > 17;
  const int places = length <= 11 ? 6 : length <= 14 ? 3 : 0;
  auto micros = static_cast<std::int64_t>(nanos ? whole / 1000 : whole);
  for (int i = 0; i < places; ++i) micros *= 10;
  if (in.accept(".")) micros += in.decimals(places);
  if (!in.finished()) return unreadable;
  if (too_long) return impossible;
  // Rounded down, before 1970 as well.
  const bool inexact = in.cut() || (nanos && whole % 1000 != 0);
  return {{instant(before_1970 ? -micros - (inexact ? 1 : 0) : micros), 0},
          time_problem::none,
          time_precision::moment,
          true};
}

// Whether it begins with a month, a weekday, or a day of the month and a blank.
bool has_month_name(std::string_view text) noexcept {
  if (text.size() < 3) return false;
  return is_upper(text[0]) || (is_digit(text[0]) && (text[1] == ' ' || text[2] == ' '));
}

}  // namespace

time_reading read_time(std::string_view text, instant newest) noexcept {
  if (text.size() > 2 && text[2] == '/') return read_log_time(text);
  if (text.size() > 4 && text[4] == '-') return read_rfc3339(text, "-");
  if (text.size() > 4 && text[4] == '/') return read_rfc3339(text, "/");
  if (has_month_name(text)) return read_named_time(text, newest);
  return text.empty() ? unreadable : read_epoch(text);
}

time_reading time_reader::read_anew(std::string_view text) const noexcept {
  return read_time(text, newest_ || !has_month_name(text)
                             ? newest_.value_or(instant())
                             : instant(std::chrono::system_clock::now()));
}

time_reading time_reader::read(std::string_view text) noexcept {
  if (text.size() == size_ && std::memcmp(text.data(), text_.data(), size_) == 0 && size_ != 0) {
    return last_;
  }
  const time_reading found = read_anew(text);
  if (text.size() <= text_.size() && !text.empty()) {
    std::memcpy(text_.data(), text.data(), text.size());
    size_ = text.size();
    last_ = found;
  }
  return found;
}

}  // namespace bloomtime::logs
