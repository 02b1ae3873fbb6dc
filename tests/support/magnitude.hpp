#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <cstdint>

namespace bloomtime::support {

// A number between 2^low and 2^high, every magnitude as likely as the next.
inline double magnitude(double low, double high) {
  const auto step = *rc::gen::inRange<std::uint64_t>(0, 1 << 20);
  return std::exp2(low + (high - low) * static_cast<double>(step) / (1 << 20));
}

}  // namespace bloomtime::support
