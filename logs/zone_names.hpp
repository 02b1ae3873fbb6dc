#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Time zones by their abbreviations, as PostgreSQL, Go and `date` write them.
namespace bloomtime::logs {

// Whether it abbreviates a time zone in upper case, also one without a certain UTC offset.
bool is_zone_name(std::string_view name) noexcept;

// Seconds east of UTC; nothing if the name is unknown or stands for several offsets.
std::optional<std::int32_t> offset_of_zone(std::string_view name) noexcept;

}  // namespace bloomtime::logs
