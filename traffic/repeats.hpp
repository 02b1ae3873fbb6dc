#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include <bloomtime/math/random.hpp>

#include "traffic/event.hpp"
#include "traffic/pacing.hpp"

namespace bloomtime::traffic {

enum class gap_kind { fixed, uniform, exponential };

// Seconds from one sighting of an item to its next.
struct gap_law {
  gap_kind kind = gap_kind::exponential;
  std::uint64_t least = 0;    // uniform: from `least`
  std::uint64_t value = 300;  // fixed: this; uniform: up to this, included; exponential: the mean
};

struct repeats_config {
  std::uint64_t records = 0;
  std::uint64_t repeats = 0;  // exactly this many of the records; 0: no item repeats
  gap_law gap = {};
  span_of_time when = {};
};

// New items at an even pace, and repeats, each after a random gap from the item's last sighting.
// All items repeat equally often, within one. New items stop at the end of the time; a repeat whose
// gap leads beyond it is emitted later than that.
class repeats {
 public:
  repeats(const repeats_config& config, std::uint64_t seed);

  std::optional<event> operator()();

 private:
  struct appointment {
    std::int64_t second;
    std::uint64_t number;  // in order of making, for a stable order within a second
    item_number item;
    std::uint64_t left;  // repeats from this one on

    friend bool operator>(const appointment& a, const appointment& b) noexcept {
      return a.second != b.second ? a.second > b.second : a.number > b.number;
    }
  };

  void appoint(std::int64_t second, item_number item, std::uint64_t left);
  std::uint64_t gap();
  event take_new();
  event take_repeat();

  math::random_source random_;
  std::uint64_t items_;
  gap_law gap_;
  pacing pace_;
  std::uint64_t repeats_left_;
  std::uint64_t started_ = 0;
  std::int64_t next_start_ = 0;
  std::uint64_t appointments_ = 0;
  std::priority_queue<appointment, std::vector<appointment>, std::greater<>> queue_;
};

}  // namespace bloomtime::traffic
