#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/math/posterior.hpp>
#include <bloomtime/recency/recency_table.hpp>

#include "logs/layout.hpp"

namespace bloomtime::cli {

// What happens to a line that is older than one before it: it is judged as if it came now, or
// passed or dropped without being remembered.
enum class late_policy : std::uint8_t { now = 1, pass = 2, drop = 3 };

// What happens while --memory is full: the oldest keys are forgotten early, so that new lines pass
// and some duplicates do, or new lines are dropped.
enum class full_policy : std::uint8_t { pass = 1, drop = 2 };

// Where the time of a line comes from; without times the window is a number of lines.
enum class time_source : std::uint8_t { none = 0, lines = 1, wall = 2 };

// Lines within a window for which --error holds, unless --expect says otherwise.
inline constexpr std::uint64_t default_expect = 100'000'000;

struct dedupe_settings {
  std::string key;  // the fields that are compared; "line" for the whole line
  time_source time = time_source::wall;
  std::chrono::microseconds window{};     // unless time is none
  std::uint64_t expect = default_expect;  // lines within a window
  bool any_expect = false;                // whatever the state has
  double error = 1e-6;
  bool refresh = true;
  late_policy late = late_policy::now;
  std::optional<std::uint64_t> memory = {};  // the most bytes of filter() and counts
  full_policy when_full = full_policy::pass;
  bool count = false;  // count dropped lines by key
  // The costs of a duplicate that passes (a false negative) and of a new line that is dropped.
  std::optional<math::penalties> costs = {};
  // Of the hash of the keys; random for a new state unless given.
  std::optional<hash_seed> seed = {};

  recency_table_config filter() const;
  std::optional<std::uint64_t> block_memory() const;  // the part of `memory` for blocks
  std::uint64_t most_counted_keys() const;            // with --count
};

// The options of dedupe, as typed.
struct dedupe_options {
  std::vector<std::string> files;
  logs::input_options input;
  std::string window;
  std::string last;
  std::string expect;
  std::string error = "1e-6";
  std::string memory;
  std::string when_full;
  bool refresh = false;
  bool no_refresh = false;
  bool wall = false;
  std::string late;
  bool follow = false;
  std::string state;
  bool count = false;
  bool quiet = false;
  std::string cost_duplicate;
  std::string cost_loss;
  std::string cost_field;
  std::string seed;
  std::string threads;
};

// Throws usage_error if the options contradict each other.
dedupe_settings settings_of(const dedupe_options& given);

}  // namespace bloomtime::cli
