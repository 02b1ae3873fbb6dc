#pragma once

#include <cstdint>
#include <string_view>

namespace bloomtime {

// What became of an event that was added to a time-aware filter. Nothing is dropped in silence:
// whatever is not `added` or `late` did not change the filter's answers as asked.
// (Version 14 takes the attribute for a lambda.)
// clang-format off
enum class [[nodiscard]] outcome : std::uint8_t {
  added,         // counted as asked
  late,          // older than the newest event, and still counted where it belongs
  dropped_late,  // too old to be counted
  future,        // stamped too far ahead of the filter's clock
  full,          // no room left; nothing changed
  saturated,     // counted, but a cell reached its limit: bounds say so from now on
  refused,       // contradicts what is stored (for example a removal below zero)
};
// clang-format on

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
