#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <bloomtime/time.hpp>

namespace bench {

inline std::uint32_t second_of(bloomtime::instant t) noexcept {
  return static_cast<std::uint32_t>(t.micros / 1'000'000);
}

// A count that halves every hour in 64 bits: a float and the second it is of.
inline float faded_at(std::uint64_t count, std::uint32_t second) noexcept {
  const std::uint32_t age = second - static_cast<std::uint32_t>(count >> 32);
  const auto before = std::bit_cast<float>(static_cast<std::uint32_t>(count));
  return before * std::exp2(-static_cast<float>(age) / 3600);
}
inline void add_faded(std::uint64_t& count, bloomtime::instant t) noexcept {
  const std::uint32_t second = second_of(t);
  const float now = 1 + faded_at(count, second);
  count = std::uint64_t{second} << 32 | std::bit_cast<std::uint32_t>(now);
}

}  // namespace bench
