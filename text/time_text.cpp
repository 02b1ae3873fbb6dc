#include "text/time_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "text/number.hpp"

namespace bloomtime::text {
namespace {

// Years 0 to 9999, as RFC 3339 has them; other times are written as seconds since 1970.
constexpr std::int64_t first_second = -62'167'219'200;
constexpr std::int64_t last_second = 253'402'300'799;

std::string fraction_text(std::int64_t micros) {
  if (micros == 0) return "";
  std::string digits = fmt::format(".{:06}", micros);
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

}  // namespace

std::string time_text(instant t, std::int32_t offset) {
  namespace chrono = std::chrono;
  const chrono::microseconds since(t.micros);
  const auto second = chrono::floor<chrono::seconds>(since);
  const std::string fraction = fraction_text((since - second).count());
  const chrono::sys_seconds there(second + chrono::seconds(offset));
  const auto count = there.time_since_epoch().count();
  if (count < first_second || count > last_second) {
    return fmt::format("@{}{}", second.count(), fraction);
  }
  const auto day = chrono::floor<chrono::days>(there);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(there - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}{}", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), fraction);
}

std::string zone_text(std::int32_t offset) {
  const int minutes = std::abs(offset) / 60;
  return fmt::format("{}{:02}{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string span_text(std::chrono::microseconds span, std::uint64_t times) {
  struct unit {
    const char* name;
    std::uint64_t micros;
  };
  constexpr std::array units{unit{"d", 86'400'000'000}, unit{"h", 3'600'000'000},
                             unit{"min", 60'000'000}, unit{"s", 1'000'000}, unit{"us", 1}};
  const auto count = static_cast<std::uint64_t>(span.count());
  const auto whole = std::find_if(units.begin(), units.end(),
                                  [&](const unit& u) { return count % u.micros == 0; });
  return fmt::format("{} {}", count_text(count / whole->micros * times), whole->name);
}

}  // namespace bloomtime::text
