#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <bloomtime/error.hpp>

#include "heat/forward.hpp"

namespace bloomtime::forward {

// The factor by which counts are multiplied before they are merged. A double is a whole number of
// 53 bits over a power of two, so products are exact until they are rounded, and the same on every
// machine.
class merge_weight {
 public:
  static constexpr double largest = 0x1p32;

  explicit merge_weight(double weight) {
    if (!(weight >= 0 && weight <= largest)) {
      throw error(errc::invalid_argument,
                  "the weight of a merge must be 0 to 2^32; got " + std::to_string(weight));
    }
    int exponent = 0;
    mantissa_ = static_cast<std::uint64_t>(std::ldexp(std::frexp(weight, &exponent), digits));
    shift_ = static_cast<unsigned>(digits - exponent);
  }

  bool is_zero() const noexcept { return mantissa_ == 0; }
  bool is_one() const noexcept { return *this == merge_weight(1); }
  // Whether products of whole numbers are whole.
  bool is_whole() const noexcept {
    return mantissa_ == 0 || (shift_ <= digits && (mantissa_ & ((one << shift_) - 1)) == 0);
  }

  unsigned_wide above(std::uint64_t n) const noexcept {
    const unsigned_wide product = static_cast<unsigned_wide>(n) * mantissa_;  // below 2^117
    return shift_ >= 127 ? (product != 0 ? 1 : 0) : halved(product, shift_);
  }
  unsigned_wide below(std::uint64_t n) const noexcept {
    return shift_ >= 127 ? 0 : static_cast<unsigned_wide>(n) * mantissa_ >> shift_;
  }
  // Rounded up.
  unsigned_wide mass(unsigned_wide m) const noexcept {
    if (m == endless_mass) return m;
    const unsigned_wide low = static_cast<unsigned_wide>(static_cast<std::uint64_t>(m)) * mantissa_;
    const unsigned_wide high = (m >> 64) * mantissa_ + (low >> 64);  // below 2^118, times 2^64
    const auto rest = static_cast<std::uint64_t>(low);
    if (shift_ >= 64) {
      return sum_of_mass(faded_mass(high, shift_ - 64), rest != 0 ? 1 : 0);
    }
    if (high >> (64 + shift_) != 0) return endless_mass;
    return sum_of_mass(high << (64 - shift_), halved(rest, shift_));
  }

  friend bool operator==(const merge_weight&, const merge_weight&) = default;

 private:
  static constexpr int digits = 53;
  static constexpr std::uint64_t one = 1;

  std::uint64_t mantissa_ = 0;
  unsigned shift_ = 0;  // at least 20
};

}  // namespace bloomtime::forward
