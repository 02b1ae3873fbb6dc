#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace bloomtime::support {

// Whether the tests of tests/soak are to do all they promise, which takes hours.
inline bool soaking() { return std::getenv("BLOOMTIME_SOAK") != nullptr; }

// How many operations to do: `all` of them or `few`, or as many as BLOOMTIME_SOAK says if that is
// above 1.
inline std::uint64_t soak_operations(std::uint64_t all, std::uint64_t few) {
  const char* const wanted = std::getenv("BLOOMTIME_SOAK");
  if (wanted == nullptr) return few;
  const std::uint64_t number = std::strtoull(wanted, nullptr, 10);
  return number > 1 ? std::min(number, all) : all;
}

}  // namespace bloomtime::support
