#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <bloomtime/history/history_config.hpp>

namespace bloomtime::detail {

// A history_config in whole ticks and partitions, as it is stored.
struct history_shape {
  static constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

  history_config config;             // with the values that are used
  std::uint64_t partition = 1;       // ticks
  std::uint64_t ahead = any_number;  // partitions after the newest that an event may open
  // Whether old neighbours are joined even if there is memory. Histories of engine 5 do not, and
  // remove names as soon as a partition is over.
  bool joins = true;

  // Throws error(invalid_argument).
  static history_shape of(history_config config);
  // From what was stored. Throws error(corrupt).
  static history_shape stored(history_config config, std::uint64_t partition, std::uint64_t ahead);

  // Partitions between two that confirm each other's time (history_config::ahead).
  std::uint64_t reach() const noexcept {
    const std::uint64_t kept = config.retention == 0 ? any_number : config.retention - 1;
    return std::max<std::uint64_t>(1, std::min(kept, config.late));
  }
};

}  // namespace bloomtime::detail
