#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/estimate.hpp>
#include <bloomtime/heat/decay.hpp>
#include <bloomtime/time.hpp>

#include "math/expect.hpp"

// Arithmetic on forward-decayed weights: an event counts 2^fraction units times the factor of its
// tick, and all units halve with every halving of decay::power.
namespace bloomtime::forward {

__extension__ using unsigned_wide = unsigned __int128;

inline constexpr unsigned mass_fraction = 40;
inline constexpr double infinite = std::numeric_limits<double>::infinity();

inline decay decay_of(std::optional<std::chrono::microseconds> half_life,
                      std::optional<double> lambda, std::chrono::microseconds tick) {
  math::expect_one(half_life.has_value() + lambda.has_value(),
                   "decay needs either half_life or lambda");
  return lambda ? decay::by_factor(*lambda) : decay::by_half_life(*half_life, tick);
}

// A decay from its stored rates.
inline decay stored_decay(std::uint64_t coarse, std::uint64_t fine) {
  if (coarse == ~std::uint64_t{0} && fine != 0) {
    throw error(errc::corrupt, "this container stores a decay rate above the largest one");
  }
  return decay::by_rate(coarse, fine);
}

// A stored decay: its coarse rate, and its fine rate in the engines that have one. Those engines
// are used only if the fine rate is not 0.
inline decay read_decay(std::uint64_t coarse, bool fine, detail::byte_reader& in) {
  const decay read = stored_decay(coarse, fine ? in.u64() : 0);
  if (fine && read.fine_rate() == 0) {
    throw error(errc::corrupt, "this container stores a decay rate in 128 bits where 64 suffice");
  }
  return read;
}

inline void write(detail::byte_writer& out, unsigned_wide units) {
  out.u64(static_cast<std::uint64_t>(units));
  out.u64(static_cast<std::uint64_t>(units >> 64));
}

inline unsigned_wide read_wide(detail::byte_reader& in) {
  const unsigned_wide low = in.u64();
  return low | static_cast<unsigned_wide>(in.u64()) << 64;
}

// For messages that compare two decays.
inline std::string rate_text(const decay& d) {
  return "decay rate " + std::to_string(d.coarse_rate()) +
         (d.fine_rate() == 0 ? "" : " + " + std::to_string(d.fine_rate()) + "/2^64");
}

inline std::uint64_t ticks_in(std::chrono::microseconds span, std::chrono::microseconds tick) {
  if (span.count() < 0) {
    throw error(errc::invalid_argument, "`ahead` must not be negative; got " +
                                            std::to_string(span.count()) + " microseconds");
  }
  return static_cast<std::uint64_t>(span / tick);
}

// n after `times` halvings, rounded up. Rounding once gives the same as rounding each time.
template <class Number>
constexpr Number halved(Number n, unsigned times) {
  return (n >> times) + ((n >> times << times) != n ? 1 : 0);
}

// The sum, at most 2^64 - 1.
constexpr std::uint64_t sum(std::uint64_t a, unsigned_wide b) {
  return b > ~a ? ~std::uint64_t{0} : a + static_cast<std::uint64_t>(b);
}

// A whole number as a double, rounded up or down.
inline double above(std::uint64_t n) {
  const auto near = static_cast<double>(n);
  return n <= std::uint64_t{1} << 53 ? near : std::nextafter(near, infinite);
}
inline double below(std::uint64_t n) {
  const auto near = static_cast<double>(n);
  return n <= std::uint64_t{1} << 53 ? near : std::nextafter(near, 0);
}

// A mass that overflows stays at the largest value.
inline constexpr unsigned_wide endless_mass = ~unsigned_wide{0};

constexpr unsigned_wide sum_of_mass(unsigned_wide a, unsigned_wide b) {
  return a > endless_mass - b ? endless_mass : a + b;
}

constexpr unsigned_wide faded_mass(unsigned_wide mass, decay::wide halvings) {
  if (mass == endless_mass) return mass;
  return halvings >= 128 ? (mass != 0 ? 1 : 0) : halved(mass, static_cast<unsigned>(halvings));
}

// The units of an event now, rounded up and never 0.
inline unsigned_wide units_above(std::uint64_t weight, const decay::power& then,
                                 const decay::power& now, unsigned fraction) {
  const decay::wide shift = decay::factor_bits - fraction + (now.halvings - then.halvings);
  if (shift >= 127) return 1;
  return halved(static_cast<unsigned_wide>(weight) * then.upper, static_cast<unsigned>(shift));
}

// Rounded down; 0 after 64 halvings, which is one tick of a decay that forgets at once.
inline unsigned_wide units_below(std::uint64_t weight, const decay::power& then,
                                 const decay::power& now, unsigned fraction) {
  const decay::wide behind = now.halvings - then.halvings;
  if (behind >= 64) return 0;
  const decay::wide shift = decay::factor_bits - fraction + behind;
  return static_cast<unsigned_wide>(weight) * then.lower >> static_cast<unsigned>(shift);
}

// Units as hits, rounded up. The caller rounds the units to a double.
inline double hits_above(double units, const decay::power& p, unsigned fraction) {
  const double unit = std::nextafter(static_cast<double>(p.lower), 0);
  return std::nextafter(std::ldexp(units, static_cast<int>(decay::factor_bits - fraction)) / unit,
                        infinite);
}

inline double hits_below(double units, const decay::power& p, unsigned fraction) {
  const double unit = std::nextafter(static_cast<double>(p.upper), infinite);
  return std::nextafter(std::ldexp(units, static_cast<int>(decay::factor_bits - fraction)) / unit,
                        0);
}

// Halvings between two moments as an exponent, limited to a value beyond the range of doubles.
inline int exponent(decay::wide halvings) {
  return static_cast<int>(halvings < 4096 ? halvings : 4096);
}

// Hits per unit, with slack for the rounding of this quotient, of a count and of their product.
inline double hits_per_unit(const decay::power& now, unsigned fraction) {
  constexpr double slack = 0x1p-50;
  const double units = std::ldexp(1, static_cast<int>(decay::factor_bits - fraction));
  return units / static_cast<double>(now.lower) * (1 + slack);
}

// A mass that was counted so many halvings ago, in hits, of which a unit is now `unit`. Rounded up,
// so that a mass above 0 never becomes 0. Only the last step may leave the range of normal doubles,
// where the slack of hits_per_unit is too small.
inline double mass_in_hits(unsigned_wide mass, double unit, decay::wide halvings) {
  if (mass == 0) return 0;
  if (mass == endless_mass) return infinite;
  const double hits = static_cast<double>(mass) * unit;
  if (halvings == 0) return hits;
  const double left = std::ldexp(hits, -exponent(halvings));
  return left < std::numeric_limits<double>::min() ? std::nextafter(left, infinite) : left;
}

inline double mass_in_hits(unsigned_wide mass, const decay::power& then, const decay::power& now) {
  return mass_in_hits(mass, hits_per_unit(now, mass_fraction), now.halvings - then.halvings);
}

// Events per second.
inline estimate rate_of(const estimate& count, const decay& fading, const tick_clock& ticks) {
  if (!fading.fades()) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan};
  }
  const double seconds = static_cast<double>(ticks.resolution().count()) / 1e6;
  const double factor = fading.loss() / seconds;
  constexpr double slack = 0x1p-50;  // for the rounding of all operations here
  return {count.value * factor, count.lower * factor * (1 - slack),
          count.upper * factor * (1 + slack)};
}

}  // namespace bloomtime::forward
