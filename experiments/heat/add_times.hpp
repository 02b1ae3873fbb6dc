#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <bloomtime/math/random.hpp>

#include "streams.hpp"

namespace experiments {

inline constexpr std::size_t adds = 4000;  // per epoch

// Nanoseconds of the i-th add of an epoch, for each of 21 epochs, after 20 that warm up.
template <class Filter>
std::vector<std::vector<double>> add_times(Filter f) {
  bloomtime::math::random_source random(1);
  std::vector<std::vector<double>> times(adds);
  for (std::int32_t epoch = 0; epoch < 41; ++epoch) {
    for (std::size_t i = 0; i < adds; ++i) {
      const std::uint64_t item = random.below(20'000);
      const auto start = std::chrono::steady_clock::now();
      f.add(item, at(epoch));
      const std::chrono::duration<double, std::nano> taken =
          std::chrono::steady_clock::now() - start;
      if (epoch >= 20) times[i].push_back(taken.count());
    }
  }
  return times;
}

}  // namespace experiments
