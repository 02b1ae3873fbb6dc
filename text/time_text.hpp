#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <bloomtime/time.hpp>

// Times as people read them, so many seconds east of UTC. read_time() takes both together, with a
// blank between, back.
namespace bloomtime::cli {

std::string time_text(instant t, std::int32_t offset);  // 2000-10-10 13:55:36, .250 if it has that
std::string zone_text(std::int32_t offset);             // -0700

// So many times a span, in the largest unit that the span has a whole number of: 90 s, 24 h.
std::string span_text(std::chrono::microseconds span, std::uint64_t times = 1);

}  // namespace bloomtime::cli
