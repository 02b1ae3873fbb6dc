#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include <bloomtime/time.hpp>

namespace bloomtime::support {

inline constexpr instant midnight = instant::from_seconds(1'388'534'400);  // 2014-01-01
inline constexpr std::int64_t first_micro = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t last_micro = std::numeric_limits<std::int64_t>::max();

inline instant after(std::chrono::microseconds span) {
  return instant(midnight.micros + span.count());
}

}  // namespace bloomtime::support
