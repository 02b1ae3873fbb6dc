#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <bloomtime/digest.hpp>

namespace bloomtime::published {

// How a counter is rounded to a whole number after decay. The numbers are stored in files.
enum class rounding : std::uint8_t {
  up = 1,    // never too low; counters of at most 1 / (1 - lambda) never fade
  down = 2,  // too low by less than 1 / (1 - lambda)
  // Plain increase: too low by more than a with probability at most k exp(-2 a^2 (1 - lambda^2)).
  // Minimum increase: as `down`.
  random = 3,
};

// Which of an item's k counters an event raises.
enum class increase : std::uint8_t {
  plain = 1,    // all of them, as published
  minimum = 2,  // those that are below the smallest one plus the event
};

// For both published filters. Size: `items`, the number of different items ever added (a counter
// that rounds up never becomes 0), and `error`, the probability that an answer is too high; or
// `memory`, with `items` if known. Decay: `half_life`, or the factor `lambda` per epoch.
struct decaying_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes in total, before a pool grows
  std::optional<std::chrono::microseconds> half_life = {};
  std::optional<double> lambda = {};
  std::chrono::microseconds epoch = std::chrono::seconds(1);
  std::chrono::microseconds ahead = std::chrono::hours(24);  // events further ahead are refused
  bloomtime::published::rounding rounding = bloomtime::published::rounding::up;
  bloomtime::published::increase increase = bloomtime::published::increase::plain;
  unsigned cell_bits = 16;                        // or 32; ignored by pooled filters
  std::optional<std::uint64_t> pool_memory = {};  // bytes up to which a pool may grow
  hash_seed seed = 0;
};

}  // namespace bloomtime::published
