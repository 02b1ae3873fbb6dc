#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <bloomtime/time.hpp>

#include "cli/store/manifest.hpp"

// Times of a store, printed and typed in the zone of the log.
namespace bloomtime::cli {

struct time_zone {
  std::int32_t offset = 0;  // seconds east of UTC
  std::string name = "UTC";
};

time_zone zone_of(const store::facts& read);

std::string time_text(instant t, const time_zone& zone);  // 2000-10-10 13:55:36 -0700

// What read_time() takes, also without seconds or without any time of the day. In this zone if it
// names none.
instant parse_time(std::string_view option, std::string_view text, const time_zone& zone);

// The same for the help of --at.
inline constexpr const char* time_rules =
    "--at takes a time as logs write it, in the zone of the log if it names none, also without\n"
    "seconds or the time of the day; or a number since 1970: up to 11 digits (before the point)\n"
    "are seconds, up to 14 milliseconds, up to 17 microseconds, up to 19 nanoseconds.\n";

}  // namespace bloomtime::cli
