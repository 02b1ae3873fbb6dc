#pragma once

#include <cstdint>
#include <limits>

namespace bloomtime::support {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

}  // namespace bloomtime::support
