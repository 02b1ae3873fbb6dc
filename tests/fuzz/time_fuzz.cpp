// The time parser against a slow one made of regular expressions and a calendar that counts days
// one year at a time.

#include <cctype>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>

#include "logs/times.hpp"
#include "logs/zone_names.hpp"
#include "support/require.hpp"
#include "text/time_text.hpp"

namespace {

using namespace bloomtime;
using support::require;
using namespace bloomtime::logs;
using namespace bloomtime::text;

bool leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int length(int year, int month) {
  constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return lengths[month - 1] + (month == 2 && leap(year) ? 1 : 0);
}

std::int64_t days_before(int year, int month) {
  std::int64_t days = 0;
  for (int y = 1970; y < year; ++y) days += leap(y) ? 366 : 365;
  for (int y = 1969; y >= year; --y) days -= leap(y) ? 366 : 365;
  for (int m = 1; m < month; ++m) days += length(year, m);
  return days;
}

struct written {
  int year, month, day, hour, minute, second;
  std::string fraction;
  std::string zone;
};

time_reading model_of(const written& w) {
  int offset = 0;
  bool good = w.month >= 1 && w.month <= 12 && w.day >= 1 && w.day <= length(w.year, w.month) &&
              w.hour < 24 && w.minute < 60 && w.second <= 60;
  if (!w.zone.empty() && std::isalpha(static_cast<unsigned char>(w.zone[0])) != 0) {
    if (w.zone != "z" && !is_zone_name(w.zone)) return {{}, time_problem::unreadable};
    const auto east = offset_of_zone(w.zone);
    if (w.zone != "z" && !east) return {{}, time_problem::ambiguous_zone};
    offset = east.value_or(0);
  } else if (w.zone.size() > 1) {
    const int hours = std::stoi(w.zone.substr(1, 2));
    const int minutes = w.zone.size() == 3 ? 0 : std::stoi(w.zone.substr(w.zone.size() - 2));
    good = good && hours < 24 && minutes < 60;
    offset = (w.zone[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  }
  if (!good) return {{}, time_problem::impossible};
  const std::int64_t seconds = (days_before(w.year, w.month) + w.day - 1) * 86400 + w.hour * 3600 +
                               w.minute * 60 + w.second - offset;
  const std::int64_t micros = std::stoll((w.fraction + "000000").substr(0, 6));
  return {{instant(seconds * 1'000'000 + micros), offset}, time_problem::none};
}

// A zone, its name if one follows an offset, and Go's monotonic clock.
struct written_zone {
  std::string zone;
  bool fits = true;
};

written_zone zone_model(const std::string& text, bool rfc) {
  static const std::regex zone(R"(([A-Za-z]+)|([+-]\d\d(?::?\d\d)?)(.*))");
  static const std::regex go(R"((?: (?:([A-Za-z]+)|[+-]\d\d(?::?\d\d)?))?(?: m=[+-]\d*\.\d+)?)");
  std::smatch m;
  if (!std::regex_match(text, m, zone)) return {"", false};
  if (m[1].matched) return {m[1], true};
  const std::string offset = m[2];
  const std::string rest = m[3];
  if (!rfc) return {offset, rest.empty()};
  if (!std::regex_match(rest, m, go)) return {"", false};
  return {offset, !m[1].matched || is_zone_name(m[1].str())};
}

const std::string month_names = "JanFebMarAprMayJunJulAugSepOctNovDec";

int month_model(const std::string& name) {
  return static_cast<int>(month_names.find(name)) / 3 + 1;
}

// In the year, or without one (0) in the last one before 1970-01-02.
time_reading in_year(written w) {
  if (w.year >= 0) return model_of(w);
  for (w.year = 1971; w.year > 1960; --w.year) {
    const time_reading made = model_of(w);
    if (made.problem != time_problem::none && made.problem != time_problem::impossible) return made;
    if (made.ok() && made.time.at.micros <= std::int64_t{86400} * 1'000'000) return made;
  }
  return {{}, time_problem::impossible};
}

std::optional<time_reading> calendar_model(const std::string& text) {
#define MONTH "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
#define CLOCK R"((\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)"
  static const std::regex rfc(R"((\d{4})([-/])(\d\d)\2(\d\d)[Tt ])" CLOCK "(?: ?([A-Za-z+-].*))?");
  static const std::regex day(R"((\d{4})([-/])(\d\d)\2(\d\d)( ?)(?![Tt])([A-Za-z+-].*)?)");
  static const std::regex log(R"((\d\d)/)" MONTH R"(/(\d{4})(?:[: ])" CLOCK "(?: (.*))?)?");
  static const std::regex month_first(MONTH R"( ( \d|\d\d) (?:(\d{4}) )?)"
                                            R"((\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?: (.+))?)");
  static const std::regex day_first(R"((\d\d?) )" MONTH R"( (\d{4}) )"
                                    R"((\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?: (.+))?)");
  static const std::regex weekday("(?!" MONTH R"()[A-Z][a-z]{2},? (.*))");
#undef MONTH
#undef CLOCK
  std::smatch m;
  const auto number = [&](std::size_t i) { return m[i].matched ? std::stoi(m[i]) : 0; };
  const auto zoned = [&](written w, const std::string& zone,
                         bool rfc = false) -> std::optional<time_reading> {
    if (zone.empty()) return in_year(w);
    const written_zone found = zone_model(zone, rfc);
    if (!found.fits) return std::nullopt;
    w.zone = found.zone;
    return in_year(w);
  };
  if (std::regex_match(text, m, rfc)) {
    return zoned({number(1), number(3), number(4), number(5), number(6), number(7), m[8], ""}, m[9],
                 true);
  }
  if (std::regex_match(text, m, day) && (m[6].matched || m[5].length() == 0)) {
    const bool hour = m[5].length() == 0 && m[6].length() == 3;
    if (hour) return std::nullopt;
    return zoned({number(1), number(3), number(4), 0, 0, 0, "", ""}, m[6]);
  }
  if (std::regex_match(text, m, log) && (!m[8].matched || m[8].length() != 0)) {
    return zoned(
        {number(3), month_model(m[2]), number(1), number(4), number(5), number(6), m[7], ""}, m[8]);
  }
  std::string rest = text;
  if (std::regex_match(text, m, weekday)) rest = m[2];
  if (std::regex_match(rest, m, day_first)) {
    return zoned(
        {number(3), month_model(m[2]), number(1), number(4), number(5), number(6), m[7], ""}, m[8]);
  }
  if (!std::regex_match(rest, m, month_first)) return std::nullopt;
  written w{m[3].matched ? number(3) : -1,
            month_model(m[1]),
            number(2),
            number(4),
            number(5),
            number(6),
            m[7],
            ""};
  std::string zone = m[8];
  static const std::regex year_around(R"((?:(\d{4})(?: (.+))?)|(?:(.+?) (\d{4})))");
  if (w.year < 0 && std::regex_match(zone, m, year_around)) {
    w.year = number(m[1].matched ? 1 : 4);
    zone = m[1].matched ? m[2] : m[3];
  }
  return zoned(w, zone);
}

// Digits as text: moved by the unit's power of ten, then cut.
std::optional<time_reading> epoch_model(const std::string& text) {
  static const std::regex number(R"((-?)0*(\d*)(?:\.(\d+))?)");
  std::smatch m;
  if (!std::regex_match(text, m, number) || text.find_first_of("0123456789") == text.npos ||
      text[text[0] == '-' ? 1 : 0] == '.') {
    return std::nullopt;
  }
  std::string digits = m[2];
  const std::string fraction = m[3];
  if (digits.size() > 19) return time_reading{{}, time_problem::impossible};
  const int power = digits.size() <= 11   ? 6
                    : digits.size() <= 14 ? 3
                    : digits.size() <= 17 ? 0
                                          : -3;
  std::string all = digits + fraction + "000000";
  const auto whole = static_cast<std::size_t>(static_cast<int>(digits.size()) + power);
  const bool inexact = all.substr(whole).find_first_not_of('0') != all.npos;
  const std::int64_t micros = whole == 0 ? 0 : std::stoll(all.substr(0, whole));
  return time_reading{{instant(m[1] == "-" ? -micros - (inexact ? 1 : 0) : micros), 0},
                      time_problem::none};
}

time_reading model(const std::string& text) {
  if (const auto calendar = calendar_model(text)) return *calendar;
  if (const auto epoch = epoch_model(text)) return *epoch;
  return {{}, time_problem::unreadable};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most = 64;  // regular expressions recurse
  if (size > most) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const time_reading got = read_time(text);
  const time_reading expected = model(text);
  require(got.problem == expected.problem, "parser and model agree on what is a time");
  require(!got.ok() || got.time == expected.time, "parser and model agree on the time");
  time_reader reader{instant()};
  (void)reader.read("1");
  for (int i = 0; i < 2; ++i) {
    const time_reading again = reader.read(text);
    require(again.problem == got.problem && again.time == got.time, "memory changes nothing");
  }
  if (got.ok()) {
    const std::string printed = time_text(got.time.at, got.time.offset);
    if (printed.front() == '@') return 0;
    const time_reading back = read_time(printed + " " + zone_text(got.time.offset));
    require(back.ok() && back.time == got.time, "what is printed is read back");
  }
  return 0;
}
