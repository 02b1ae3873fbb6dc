#pragma once

#include <cstdint>
#include <limits>

#include "heat/forward.hpp"

namespace bloomtime::hot_units {

// A hit counts 2^16 units times the factor of its tick: rounding adds at most 1/65536 of it, and
// 64 bits hold 2^47 hits.
inline constexpr unsigned fraction = 16;

constexpr std::uint64_t faded_above(std::uint64_t units, decay::wide halvings) {
  if (halvings >= 64) return units != 0 ? 1 : 0;
  return forward::halved(units, static_cast<unsigned>(halvings));
}

constexpr std::uint64_t faded_below(std::uint64_t units, decay::wide halvings) {
  return halvings >= 64 ? 0 : units >> static_cast<unsigned>(halvings);
}

// Stays at the largest number once there.
constexpr std::uint64_t sum(std::uint64_t a, forward::unsigned_wide b) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return b > most - a ? most : a + static_cast<std::uint64_t>(b);
}

}  // namespace bloomtime::hot_units
