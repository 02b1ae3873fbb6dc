#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <bloomtime/heat/decay_ring.hpp>
#include <bloomtime/heat/heat_engine.hpp>
#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/heat/window_table.hpp>
#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

#include "support/oracle_heat.hpp"

// Every engine that satisfies heat_engine, made alike, with its exact twin.
namespace bloomtime::support {

using heat_engines =
    ::testing::Types<heat_table, heat_filter, window_table, decay_ring, published::decaying_filter,
                     published::pooled_decaying_filter>;

inline constexpr unsigned ring_slots = 64;

inline std::vector<double> powers_of(double lambda) {
  std::vector<double> weights{1};
  while (weights.size() < ring_slots) weights.push_back(weights.back() * lambda);
  return weights;
}

// Whether it has whole counts, so that merges have whole weights.
template <class Engine>
inline constexpr bool counts_whole =
    std::is_same_v<Engine, decay_ring> || std::is_same_v<Engine, window_table>;

// Ticks of a second. A window table takes memory as it needs it: here it has keys for one item per
// 16 bytes, half of which are shared.
template <heat_engine Engine>
Engine make_heat(double lambda, std::uint64_t memory, std::chrono::microseconds ahead) {
  if constexpr (std::is_same_v<Engine, heat_table> || std::is_same_v<Engine, heat_filter>) {
    return Engine({.memory = memory, .lambda = lambda, .ahead = ahead});
  } else if constexpr (std::is_same_v<Engine, window_table>) {
    return window_table({.window = std::chrono::seconds(ring_slots),
                         .slots = ring_slots,
                         .items = memory / 16,
                         .error = 0.5,
                         .ahead = ahead});
  } else if constexpr (std::is_same_v<Engine, decay_ring>) {
    return decay_ring({.memory = memory,
                       .weights = powers_of(lambda),
                       .tick = std::chrono::seconds(1),
                       .ahead = ahead});
  } else {
    return Engine({.memory = memory, .lambda = lambda, .ahead = ahead, .cell_bits = 32});
  }
}

// In which 40 items share all cells, and which believes any time.
template <heat_engine Engine>
Engine small_heat(double lambda) {
  constexpr std::uint64_t memory = std::is_same_v<Engine, decay_ring> ? 1632 : 256;
  return make_heat<Engine>(lambda, memory, std::chrono::hours(24 * 3650));
}

template <heat_engine Engine>
oracle_heat twin_of(const Engine& engine, double lambda) {
  if constexpr (std::is_same_v<Engine, window_table>) {
    return {[](std::int64_t age) { return age <= std::int64_t{ring_slots} ? 1.0L : 0.0L; },
            engine.clock()};
  } else if constexpr (std::is_same_v<Engine, decay_ring>) {
    const auto left = [weights = powers_of(lambda)](std::int64_t age) {
      const auto a = static_cast<std::uint64_t>(age);
      return a < weights.size() ? static_cast<long double>(weights[a]) : 0.0L;
    };
    return {left, engine.clock()};
  } else {
    return {engine.decay(), engine.clock()};
  }
}

}  // namespace bloomtime::support
