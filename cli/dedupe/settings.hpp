#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/math/posterior.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>

#include "logs/layout.hpp"

namespace bloomtime::cli {

// What happens to a line that is older than one before it: it is judged as if it came now, or
// passed or dropped without being remembered.
enum class late_policy : std::uint8_t { now = 1, pass = 2, drop = 3 };

// Where the time of a line comes from; without times the window is a number of lines.
enum class time_source : std::uint8_t { none = 0, lines = 1, wall = 2 };

struct dedupe_settings {
  std::string key;  // the fields that are compared; "line" for the whole line
  time_source time = time_source::wall;
  std::chrono::microseconds window{};  // unless time is none
  std::uint64_t expect = 0;            // lines within a window
  double error = 1e-6;
  bool refresh = true;
  late_policy late = late_policy::now;
  bool count = false;  // count dropped lines by key
  // The costs of a duplicate that passes (a false negative) and of a new line that is dropped.
  std::optional<math::penalties> costs = {};
  // Of the hash of the keys; random for a new state unless given.
  std::optional<hash_seed> seed = {};

  age_partitioned_config filter() const {
    if (time == time_source::none) {
      return {.last = expect, .error = error, .refresh = refresh, .seed = seed.value_or(0)};
    }
    // With the wall clock the tick is 1/100 of the window.
    constexpr int coarse = 100;
    const bool fine = time == time_source::lines;
    return {.window = window,
            .tick = fine ? std::nullopt
                         : std::optional((window - std::chrono::microseconds(1)) / coarse +
                                         std::chrono::microseconds(1)),
            .items = expect,
            .error = error,
            .refresh = refresh,
            .seed = seed.value_or(0)};
  }
};

// The options of dedupe, as typed.
struct dedupe_options {
  std::vector<std::string> files;
  logs::input_options input;
  std::string window;
  std::string last;
  std::string expect;
  std::string error = "1e-6";
  bool refresh = false;
  bool no_refresh = false;
  bool wall = false;
  std::string late;
  bool follow = false;
  std::string state;
  bool count = false;
  std::string cost_duplicate;
  std::string cost_loss;
  std::string seed;
};

// Throws usage_error if the options contradict each other.
dedupe_settings settings_of(const dedupe_options& given);

}  // namespace bloomtime::cli
