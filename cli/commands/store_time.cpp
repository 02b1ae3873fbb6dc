#include "cli/commands/store_time.hpp"

#include <fmt/format.h>

#include "cli/input/times.hpp"
#include "cli/output/text.hpp"
#include "cli/output/time_text.hpp"
#include "cli/usage_error.hpp"

namespace bloomtime::cli {

time_zone zone_of(const store::facts& read) {
  const time_reading then = read_time("2000-01-01 00:00:00 " + read.zone);
  if (read.zone.empty() || !then.ok()) return {};
  return {then.time.offset, read.zone};
}

std::string time_text(instant t, const time_zone& zone) {
  return fmt::format("{} {}", time_text(t, zone.offset), zone.name);
}

std::string range_text(instant from, instant to, const time_zone& zone) {
  const std::string first = time_text(from, zone.offset);
  const std::string last = time_text(to, zone);
  constexpr std::size_t date_and_blank = 11;
  const bool same_day = first.substr(0, date_and_blank) == last.substr(0, date_and_blank);
  return fmt::format("{} .. {}", first, same_day ? last.substr(date_and_blank) : last);
}

instant parse_time(std::string_view option, std::string_view text, const time_zone& zone) {
  for (const char* rest : {"", ":00", " 00:00:00"}) {
    const std::string whole = std::string(text) + rest;
    for (const std::string& zoned : {whole + " " + zone_text(zone.offset), whole}) {
      if (const time_reading found = read_time(zoned); found.ok()) return found.time.at;
    }
  }
  throw usage_error(
      fmt::format("{} must be a time such as 2014-01-01T12:00:00 or 1388577600 (seconds since "
                  "1970), got {}",
                  option, shown(text)));
}

std::string time_rules_of(std::string_view options_take) {
  return fmt::format(
      "{} a time as logs write it, in the zone of the log if it names\n"
      "none, also without seconds or the time of the day; or a number since 1970: up to 11 digits\n"
      "(before the point) are seconds, up to 14 milliseconds, up to 17 microseconds, up to 19\n"
      "nanoseconds.\n",
      options_take);
}

}  // namespace bloomtime::cli
