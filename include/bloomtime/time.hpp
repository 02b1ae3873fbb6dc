#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

#include <bloomtime/error.hpp>

namespace bloomtime {

// A point in time: microseconds since 1970-01-01 00:00 UTC. The library never reads a clock; time
// is always an argument.
struct instant {
  std::int64_t micros = 0;

  constexpr instant() = default;
  constexpr explicit instant(std::int64_t microseconds) noexcept : micros(microseconds) {}
  // Times beyond the range, such as sys_seconds::max(), are clamped to its ends.
  template <class Duration>
  constexpr instant(std::chrono::sys_time<Duration> t) noexcept  // NOLINT: meant to convert
      : micros(clamped(t.time_since_epoch())) {}

  // Seconds beyond the range are clamped to its ends.
  static constexpr instant from_seconds(std::int64_t s) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1'000'000;
    return instant((s > most ? most : s < -most ? -most : s) * 1'000'000);
  }

  friend constexpr auto operator<=>(const instant&, const instant&) = default;

 private:
  template <class Rep, class Period>
  static constexpr std::int64_t clamped(std::chrono::duration<Rep, Period> since_1970) noexcept {
    if constexpr (!std::is_integral_v<Rep> || std::ratio_greater_v<Period, std::micro>) {
      using limits = std::numeric_limits<std::int64_t>;
      const std::chrono::duration<long double, std::micro> about = since_1970;
      if (!(about.count() < 0x1p63L)) return limits::max();  // also NaN
      if (about.count() < -0x1p63L) return limits::min();
    }
    return std::chrono::floor<std::chrono::microseconds>(since_1970).count();
  }
};

// The number of a clock's step, counted from its origin.
struct tick {
  std::int64_t number = 0;

  friend constexpr auto operator<=>(const tick&, const tick&) = default;
};

// Ticks first..last, both included.
struct interval {
  tick first;
  tick last;

  constexpr bool empty() const noexcept { return last < first; }
  constexpr bool contains(tick t) const noexcept { return first <= t && t <= last; }

  friend constexpr bool operator==(const interval&, const interval&) = default;
};

// Converts instants to ticks by floor division, so times before the origin work as well. Results
// outside the range are clamped to its ends.
class tick_clock {
 public:
  constexpr tick_clock() noexcept = default;
  explicit tick_clock(std::chrono::microseconds resolution, instant origin = instant())
      : origin_(origin), resolution_(resolution.count()) {
    if (resolution_ <= 0) refuse_resolution(resolution_);
  }

  constexpr instant origin() const noexcept { return origin_; }
  constexpr std::chrono::microseconds resolution() const noexcept {
    return std::chrono::microseconds(resolution_);
  }

  constexpr tick tick_of(instant t) const noexcept {
    const wide distance = wide{t.micros} - origin_.micros;
    const auto near = static_cast<std::int64_t>(distance);
    if (near == distance) [[likely]]  // a division of 128 bits takes several times as long
      return {near / resolution_ - (near % resolution_ < 0 ? 1 : 0)};
    wide quotient = distance / resolution_;
    if (distance % resolution_ < 0) --quotient;
    return {clamp(quotient)};
  }

  constexpr instant start_of(tick t) const noexcept {
    return instant(clamp(wide{origin_.micros} + wide{t.number} * resolution_));
  }

  // The last microsecond of the tick.
  constexpr instant end_of(tick t) const noexcept {
    return instant(clamp(wide{origin_.micros} + (wide{t.number} + 1) * resolution_ - 1));
  }

  // All ticks that overlap from..to. Empty if `to` is before `from`, even if both lie in one tick.
  constexpr interval covering(instant from, instant to) const noexcept {
    if (to < from) return {{1}, {0}};
    return {tick_of(from), tick_of(to)};
  }

  friend constexpr bool operator==(const tick_clock&, const tick_clock&) = default;

 private:
  __extension__ using wide = __int128;

  [[noreturn]] static void refuse_resolution(std::int64_t micros);
  static constexpr std::int64_t clamp(wide v) noexcept {
    using limits = std::numeric_limits<std::int64_t>;
    if (v < limits::min()) return limits::min();
    if (v > limits::max()) return limits::max();
    return static_cast<std::int64_t>(v);
  }

  instant origin_;
  std::int64_t resolution_ = 1'000'000;
};

}  // namespace bloomtime
