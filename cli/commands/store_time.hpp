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

// 2014-01-01 09:30:00 .. 09:40:00 +0000; with both dates if they differ.
std::string range_text(instant from, instant to, const time_zone& zone);

// What read_time() takes, also without seconds or without any time of the day. In this zone if it
// names none.
instant parse_time(std::string_view option, std::string_view text, const time_zone& zone);

// The same for the help, after "--at takes".
std::string time_rules_of(std::string_view options_take);

}  // namespace bloomtime::cli
