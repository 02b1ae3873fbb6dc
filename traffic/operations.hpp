#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traffic/chance.hpp"
#include "traffic/event.hpp"
#include "traffic/pacing.hpp"

namespace bloomtime::traffic {

struct operations_config {
  std::uint64_t records = 0;
  std::uint64_t items = 0;
  double zipf = 1;
  std::uint64_t removes = 0;  // exactly this many of the records, at most half
  std::uint64_t fill = 0;     // adds before the first remove
  span_of_time when = {};
};

// Adds by Zipf's law and removes of random present items, in random order. Nothing absent is
// removed.
class operations {
 public:
  operations(const operations_config& config, std::uint64_t seed);

  std::optional<event> operator()();

 private:
  bool next_is_remove();
  item_number take_random();

  math::random_source random_;
  item_law law_;
  pacing pace_;
  std::uint64_t left_;
  std::uint64_t removes_left_;
  std::uint64_t fill_left_;
  std::vector<item_number> present_;  // one entry for each add that was not removed
};

}  // namespace bloomtime::traffic
