#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <bloomtime/time.hpp>

// Prints times for people, with an offset in seconds east of UTC. logs::read_time() reads
// time_text() and zone_text() with a blank between them.
namespace bloomtime::text {

std::string time_text(instant t, std::int32_t offset);  // 2000-10-10 13:55:36, .250 if it has that
std::string zone_text(std::int32_t offset);             // -0700

// `times` times a span, in the largest unit of which the span is a multiple: 90 s, 24 h.
std::string span_text(std::chrono::microseconds span, std::uint64_t times = 1);

}  // namespace bloomtime::text
