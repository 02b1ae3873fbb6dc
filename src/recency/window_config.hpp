#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <bloomtime/math/timing.hpp>
#include <bloomtime/recency/audit.hpp>

#include "detail/refuse.hpp"
#include "math/whole.hpp"

// What the configurations of engines with a `window` or the `last` insertions say about them.
// `called` names the engine: "a recency filter".
namespace bloomtime {

// Microseconds or insertions.
template <class Config>
std::uint64_t window_length(const Config& c, const std::string& called) {
  if (c.window.has_value() == c.last.has_value()) {
    detail::refuse(called + " has a window in time or in insertions, and got " +
                   (c.window ? "both" : "neither"));
  }
  if (c.window && c.window->count() <= 0) {
    detail::refuse("a window has 1 microsecond or more, got " + std::to_string(c.window->count()));
  }
  const std::uint64_t length = c.window ? static_cast<std::uint64_t>(c.window->count()) : *c.last;
  if (length == 0 || length > math::most_recent_window) {
    detail::refuse("a window has 1 to 2^60 microseconds or insertions, got " +
                   std::to_string(length));
  }
  return length;
}

// At least one.
template <class Config>
std::uint64_t tick_length(const Config& c, const std::string& called) {
  return math::ratio_up(window_length(c, called), c.ticks);
}

template <class Config>
std::optional<std::uint64_t> ahead_of(const Config& c) {
  if (!c.ahead) return std::nullopt;
  if (c.ahead->count() < 0) {
    detail::refuse("`ahead` must not be negative; got " + std::to_string(c.ahead->count()));
  }
  return static_cast<std::uint64_t>(c.ahead->count());
}

// The audit of an engine has its window; an age of just a window of time is within it.
template <class Config>
std::optional<audit> audit_of(const Config& c, std::uint64_t length, bool timed) {
  if (!c.audit) return std::nullopt;
  audit_config own = *c.audit;
  own.window = length + (timed ? 1 : 0);
  return audit(own);
}

// In a merge: positions of two streams of insertions mean nothing to one another.
inline void merge_audits(std::optional<audit>& sum, const std::optional<audit>& other, bool timed,
                         std::uint64_t other_insertions, std::int64_t now) {
  if (!sum) return;
  if (timed && other) {
    sum->merge(*other);
  } else if (other_insertions != 0) {
    sum->restart(now);
  }
}

}  // namespace bloomtime
