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
  std::uint64_t removes = 0;  // exactly so many of the records, at most half
  std::uint64_t fill = 0;     // adds that come before the first remove
  span_of_time when = {};
};

// Adds by Zipf's law and removes of a random one of those that are there, in random order. Nothing
// is removed that is not there.
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
  std::vector<item_number> present_;  // once for each add that has not been taken back
};

}  // namespace bloomtime::traffic
