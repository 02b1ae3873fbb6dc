// The time parser against a slow one made of regular expressions and a calendar that counts days
// one year at a time.

#include <cstdint>
#include <optional>
#include <regex>
#include <string>

#include "logs/times.hpp"
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
  if (w.zone.size() > 1) {
    const int hours = std::stoi(w.zone.substr(1, 2));
    const int minutes = std::stoi(w.zone.substr(w.zone.size() - 2));
    good = good && hours < 24 && minutes < 60;
    offset = (w.zone[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  }
  if (!good) return {{}, time_problem::impossible};
  const std::int64_t seconds = (days_before(w.year, w.month) + w.day - 1) * 86400 + w.hour * 3600 +
                               w.minute * 60 + w.second - offset;
  const std::int64_t micros = std::stoll((w.fraction + "000000").substr(0, 6));
  return {{instant(seconds * 1'000'000 + micros), offset}, time_problem::none};
}

std::optional<time_reading> calendar_model(const std::string& text) {
  static const std::regex rfc(
      R"((\d{4})([-/])(\d\d)\2(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]| ?([+-]\d\d:?\d\d))?)");
  static const std::regex log(
      R"((\d\d)/(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/(\d{4})(?:(?::(\d\d):(\d\d):(\d\d) ([+-]\d\d:?\d\d))|(?: (\d\d):(\d\d):(\d\d)(?: ([+-]\d\d:?\d\d))?)))");
  static const std::regex named(
      R"((?:(?!Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[A-Z][a-z]{2},? )?)"
      R"((Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ( \d|\d\d) )"
      R"((?:(\d{4}) )?(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?: (\d{4}))?)");
  const std::string months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  std::smatch m;
  const auto number = [&](std::size_t i) { return std::stoi(m[i]); };
  if (std::regex_match(text, m, rfc)) {
    return model_of({number(1), number(3), number(4), number(5), number(6), number(7), m[8], m[9]});
  }
  if (std::regex_match(text, m, log)) {
    const int month = static_cast<int>(months.find(m[2].str())) / 3 + 1;
    const std::size_t clock = m[4].matched ? 4 : 8;
    return model_of({number(3), month, number(1), number(clock), number(clock + 1),
                     number(clock + 2), "", m[clock + 3]});
  }
  if (std::regex_match(text, m, named) && !(m[3].matched && m[8].matched)) {
    const int month = static_cast<int>(months.find(m[1].str())) / 3 + 1;
    written w{0, month, number(2), number(4), number(5), number(6), m[7], ""};
    if (m[3].matched || m[8].matched) {
      w.year = number(m[3].matched ? 3 : 8);
      return model_of(w);
    }
    // Without a year: the last one before 1970-01-02.
    for (w.year = 1971; w.year > 1960; --w.year) {
      const time_reading made = model_of(w);
      if (made.ok() && made.time.at.micros <= std::int64_t{86400} * 1'000'000) return made;
    }
    return time_reading{{}, time_problem::impossible};
  }
  return std::nullopt;
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
