#pragma once

#include <cstdint>

#include "traffic/event.hpp"

namespace bloomtime::traffic {

// The seconds of `records` records, in order: as even, or as close to the rhythm of the day, as
// whole records allow.
class pacing {
 public:
  pacing(std::uint64_t records, const span_of_time& when);

  // Once per record.
  std::int64_t operator()();

 private:
  std::uint64_t weight_until(std::uint64_t second) const;
  std::uint64_t due_until(std::uint64_t second) const;

  std::uint64_t records_;
  span_of_time when_;
  std::uint64_t total_;
  std::uint64_t second_ = 0;
  std::uint64_t due_;  // records until the end of second_
  std::uint64_t done_ = 0;
};

}  // namespace bloomtime::traffic
