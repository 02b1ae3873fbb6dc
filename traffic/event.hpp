#pragma once

#include <cstdint>

// Generated streams. A stream is a small object that is called until it has no more events. It is
// made from a config and a seed, which determine every event, on every machine (except for one draw
// in 1e14, see math/zipf.hpp).
namespace bloomtime::traffic {

// Items are numbers from 0; address_of() in lines.hpp gives each a different text.
using item_number = std::uint32_t;
inline constexpr std::uint64_t most_items = std::uint64_t{1} << 32;

inline constexpr std::uint64_t most_seconds = 3650 * std::uint64_t{86'400};  // ten years
inline constexpr std::int64_t first_of_2014 = 1'388'534'400;                 // the default start

enum class change : std::uint8_t { add, remove };

struct event {
  std::int64_t second = 0;  // since 1970
  item_number item = 0;
  change what = change::add;

  friend bool operator==(const event&, const event&) = default;
};

// The time of a stream: `records` spread over `seconds`, evenly or in the rhythm of the day.
struct span_of_time {
  std::int64_t start = first_of_2014;
  std::uint64_t seconds = 86'400;
  bool daily = false;
};

// Throws bloomtime::error if the time is empty, too long, or leaves the years 1970 to 9999.
void expect_valid(const span_of_time& when);
void expect_valid_items(std::uint64_t items);

}  // namespace bloomtime::traffic
