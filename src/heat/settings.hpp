#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <string>

#include <bloomtime/estimate.hpp>
#include <bloomtime/heat/decay.hpp>
#include <bloomtime/time.hpp>

// What the configurations of all kinds of heat have in common.
namespace bloomtime::heat {

template <class Config>
decay decay_of(const Config& c) {
  if (c.half_life.has_value() == c.lambda.has_value()) {
    throw error(errc::invalid_argument,
                std::string("heat fades by a half-life or by a factor lambda, and got ") +
                    (c.lambda ? "both" : "neither"));
  }
  return c.lambda ? decay::by_factor(*c.lambda) : decay::by_half_life(*c.half_life, c.epoch);
}

inline std::uint64_t epochs_in(std::chrono::microseconds span, std::chrono::microseconds epoch) {
  if (span.count() < 0) {
    throw error(errc::invalid_argument, "events may be stamped ahead by nothing or more, got " +
                                            std::to_string(span.count()) + " microseconds");
  }
  return static_cast<std::uint64_t>(span / epoch);
}

inline std::uint64_t epochs_between(std::int64_t from, std::int64_t to) noexcept {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

// Events per second, from a decayed count.
inline estimate rate_of(const estimate& count, const decay& by, const clock& epochs) noexcept {
  if (!by.fades()) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan};
  }
  const double seconds = static_cast<double>(epochs.resolution().count()) / 1e6;
  const double factor = (1 - by.factor()) / seconds;
  return {count.value * factor, count.lower * factor, count.upper * factor};
}

}  // namespace bloomtime::heat
