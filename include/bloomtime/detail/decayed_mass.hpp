#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <bloomtime/heat/decay.hpp>

namespace bloomtime::detail {

// The heat of many events together, exact but for rounding up by 2^-40 of an event at most: forward
// decay in 128 bits. Its newest epoch is kept by the caller.
class decayed_mass {
 public:
  __extension__ using wide = unsigned __int128;

  decayed_mass() noexcept = default;
  explicit decayed_mass(wide units) noexcept : units_(units) {}
  wide units() const noexcept { return units_; }

  // An event of epoch `then`, no later than `now`.
  void add(std::uint64_t weight, const decay::power& then, const decay::power& now) noexcept {
    const decay::wide shift = decay::factor_bits - fraction + (now.halvings - then.halvings);
    add(halved(static_cast<wide>(weight) * then.upper, shift));
  }

  // Another sum whose newest epoch is `then`, no later than `now`.
  void add(const decayed_mass& other, const decay::power& then, const decay::power& now) noexcept {
    add(halved(other.units_, now.halvings - then.halvings));
  }

  void advance(const decay::power& from, const decay::power& to) noexcept {
    units_ = halved(units_, to.halvings - from.halvings);
  }

  // What is left at `when`, no earlier than the newest epoch `now`.
  double at(const decay::power& now, const decay::power& when) const noexcept {
    const auto behind = static_cast<int>(std::min<decay::wide>(when.halvings - now.halvings, 4096));
    const double units =
        std::nextafter(static_cast<double>(units_), std::numeric_limits<double>::infinity());
    const double unit = std::nextafter(static_cast<double>(when.lower), 0);
    return units_ == 0 ? 0 : std::ldexp(units / unit, decay::factor_bits - fraction - behind);
  }

 private:
  static constexpr int fraction = 40;

  // Rounded up.
  static wide halved(wide n, decay::wide times) noexcept {
    if (times >= 128) return n != 0 ? 1 : 0;
    const auto shift = static_cast<unsigned>(times);
    return (n >> shift) + ((n >> shift << shift) != n ? 1 : 0);
  }

  void add(wide more) noexcept { units_ = more > ~units_ ? ~wide{0} : units_ + more; }

  wide units_ = 0;
};

}  // namespace bloomtime::detail
