#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "traffic/event.hpp"

namespace bloomtime::traffic {

// The properties of a stream that determine the performance of filters.
struct profile {
  static constexpr std::size_t levels = 18;  // 2^17 s is the first power of two beyond a day
  static constexpr std::size_t gap_classes = 65;

  std::uint64_t records = 0;
  std::uint64_t items = 0;
  // Different (item, second / 2^level); seconds count from the origin.
  std::array<std::uint64_t, levels> pairs{};
  // Seconds between two records of one item: class 0 is none, class c > 0 is [2^(c-1), 2^c).
  std::array<std::uint64_t, gap_classes> gaps{};
  std::array<std::uint64_t, 24> hours{};  // records per hour of the day
  // Records of the most frequent item, ten items, and hundredth of all items.
  std::uint64_t top_one = 0;
  std::uint64_t top_ten = 0;
  std::uint64_t top_hundredth = 0;
};

// Takes a stream whose time does not go back; bloomtime::error if it does.
class profiler {
 public:
  explicit profiler(std::int64_t origin) : origin_(origin) {}

  void add(const event& seen);
  profile result() const;

 private:
  struct sighting {
    std::uint64_t last = 0;  // seconds since the origin
    std::uint64_t records = 0;
  };

  std::int64_t origin_;
  std::uint64_t now_ = 0;
  profile so_far_;
  std::array<std::uint64_t, 65> changes_{};  // by the width of the bits in which two times differ
  std::unordered_map<item_number, sighting> items_;
};

// Of events in any order; the origin is the first second of all.
profile profile_of(std::vector<event> events);

}  // namespace bloomtime::traffic
