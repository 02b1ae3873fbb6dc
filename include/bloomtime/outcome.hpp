#pragma once

#include <cstdint>
#include <string_view>

namespace bloomtime {

// What became of an event that was added to a time-aware filter. Nothing is dropped silently: an
// event whose outcome is not `added` or `late` did not change the filter's answers as requested.
enum class outcome : std::uint8_t {
  added,         // counted
  late,          // older than the newest event, and counted at its own time
  dropped_late,  // too old to be counted
  future,        // too far ahead of the filter's clock
  full,          // no room left; nothing changed
  saturated,     // counted, but a cell reached its limit; the bounds reflect it from now on
  refused,       // contradicts what is stored (for example a removal below zero)
};

// How many events did not change the answers of an engine as requested, since it was made or
// loaded. Files do not contain these numbers.
struct losses {
  std::uint64_t dropped_late = 0;
  std::uint64_t future = 0;
  std::uint64_t full = 0;
  std::uint64_t saturated = 0;
  std::uint64_t refused = 0;
  std::uint64_t forgot_early = 0;  // items given up for others while they were in the window

  // Counts `o` if it is a loss, and returns it.
  constexpr outcome count(outcome o) noexcept {
    switch (o) {
      case outcome::added:
      case outcome::late: break;
      case outcome::dropped_late: ++dropped_late; break;
      case outcome::future: ++future; break;
      case outcome::full: ++full; break;
      case outcome::saturated: ++saturated; break;
      case outcome::refused: ++refused; break;
    }
    return o;
  }

  friend bool operator==(const losses&, const losses&) = default;
};

constexpr std::string_view name_of(outcome o) noexcept {
  switch (o) {
    case outcome::added: return "added";
    case outcome::late: return "late";
    case outcome::dropped_late: return "dropped_late";
    case outcome::future: return "future";
    case outcome::full: return "full";
    case outcome::saturated: return "saturated";
    case outcome::refused: return "refused";
  }
  return "unknown";
}

}  // namespace bloomtime
