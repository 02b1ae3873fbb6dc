#pragma once

#include <cstdint>
#include <optional>

#include "traffic/chance.hpp"
#include "traffic/event.hpp"
#include "traffic/pacing.hpp"

namespace bloomtime::traffic {

struct draws_config {
  std::uint64_t records = 0;
  std::uint64_t items = 0;
  double zipf = 0;  // 0: uniform
  span_of_time when = {};
};

// Independent draws of items by Zipf's law.
class draws {
 public:
  draws(const draws_config& config, std::uint64_t seed);

  std::optional<event> operator()();

 private:
  math::random_source random_;
  item_law law_;
  pacing pace_;
  std::uint64_t left_;
};

}  // namespace bloomtime::traffic
