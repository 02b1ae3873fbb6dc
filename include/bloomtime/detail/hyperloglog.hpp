#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/packed_cells.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// Estimates the number of different digests that were added, from 2^precision registers of 6 bits.
// The estimate is the improved raw estimator of Ertl, "New cardinality estimation algorithms for
// HyperLogLog sketches" (arXiv 1702.01284): one formula from 0 to 2^64 without tables. Few items
// are counted almost exactly; when every register is in use the relative standard deviation is
// standard_error() and the relative bias about 1.08 / 2^precision, which is small beside it.
class hyperloglog {
 public:
  static constexpr unsigned min_precision = 4;
  static constexpr unsigned max_precision = 16;
  static constexpr unsigned default_precision = 12;

  explicit hyperloglog(unsigned precision = default_precision)
      : precision_(checked(precision)), registers_(std::uint64_t{1} << precision) {}

  // From the result of registers().
  hyperloglog(unsigned precision, std::span<const std::byte> registers)
      : hyperloglog(buffer::copy_of(checked(registers, checked(precision))), precision) {}
  // The same, over bytes that outlive it, and 8 more that may be read; a copy has its own.
  static hyperloglog borrow(unsigned precision, std::span<const std::byte> registers) {
    return hyperloglog(buffer::borrow(checked(registers, checked(precision)), nullptr), precision);
  }

  static constexpr std::uint64_t bytes_for(unsigned precision) noexcept {
    return (std::uint64_t{6} << precision) / 8;
  }
  unsigned precision() const noexcept { return precision_; }
  std::span<const std::byte> registers() const noexcept { return registers_.bytes(); }

  void add(digest d) noexcept;
  // Afterwards this is the sketch of the digests of both.
  void merge(const hyperloglog& other);
  void clear() noexcept { registers_.fill(0); }

  double estimate() const noexcept;
  double standard_error() const noexcept;

 private:
  // A rank is 1 + the number of leading zeros among the 64 - precision bits that are not the index.
  static constexpr std::size_t most_ranks = 64 - min_precision + 1;
  unsigned max_rank() const noexcept { return 64 - precision_ + 1; }

  hyperloglog(buffer registers, unsigned precision);

  static unsigned checked(unsigned precision);
  static std::span<const std::byte> checked(std::span<const std::byte> registers,
                                            unsigned precision);
  static double sigma(double x) noexcept;
  static double tau(double x) noexcept;

  unsigned precision_;
  packed_cells<6> registers_;
};

inline unsigned hyperloglog::checked(unsigned precision) {
  if (precision < min_precision || precision > max_precision) {
    throw error(errc::invalid_argument,
                "the precision of a distinct count must be " + std::to_string(min_precision) +
                    " to " + std::to_string(max_precision) + ", got " + std::to_string(precision));
  }
  return precision;
}

inline std::span<const std::byte> hyperloglog::checked(std::span<const std::byte> registers,
                                                       unsigned precision) {
  const std::uint64_t expected = bytes_for(precision);
  if (registers.size() != expected) {
    throw error(errc::corrupt, "expected " + std::to_string(expected) +
                                   " bytes of a distinct count, found " +
                                   std::to_string(registers.size()));
  }
  return registers;
}

inline hyperloglog::hyperloglog(buffer registers, unsigned precision)
    : precision_(precision), registers_(std::move(registers), std::uint64_t{1} << precision) {
  for (std::uint64_t i = 0; i < registers_.size(); ++i) {
    if (registers_.get(i) > max_rank()) {
      throw error(errc::corrupt, "expected ranks up to " + std::to_string(max_rank()) +
                                     " in a distinct count, found " +
                                     std::to_string(registers_.get(i)) + " in register " +
                                     std::to_string(i));
    }
  }
}

// Every bit depends on both halves of the digest, so a stream that contains only some values of one
// half (a shard, a line of a filter) is counted correctly.
inline void hyperloglog::add(digest d) noexcept {
  const std::uint64_t hash = d.lo ^ d.hi;
  const std::uint64_t index = hash >> (64 - precision_);
  const auto zeros = static_cast<unsigned>(std::countl_zero(hash << precision_));
  const unsigned rank = std::min(zeros + 1, max_rank());
  if (rank > registers_.get(index)) registers_.set(index, rank);
}

inline void hyperloglog::merge(const hyperloglog& other) {
  if (precision_ != other.precision_) {
    throw error(errc::incompatible, "distinct counts merge only with equal precision: expected " +
                                        std::to_string(precision_) + ", found " +
                                        std::to_string(other.precision_));
  }
  for (std::uint64_t i = 0; i < registers_.size(); ++i) {
    registers_.set(i, std::max(registers_.get(i), other.registers_.get(i)));
  }
}

// Ertl's formula with q = 64 - precision; ranks 1 to q count 2^-rank each.
inline double hyperloglog::estimate() const noexcept {
  std::array<std::uint32_t, most_ranks + 1> registers_of_rank{};
  for (std::uint64_t i = 0; i < registers_.size(); ++i) ++registers_of_rank[registers_.get(i)];

  const auto m = static_cast<double>(registers_.size());
  double z = m * tau(1 - registers_of_rank[max_rank()] / m);
  for (unsigned rank = max_rank() - 1; rank > 0; --rank) {
    z = (z + registers_of_rank[rank]) / 2;
  }
  z += m * sigma(registers_of_rank[0] / m);

  constexpr double alpha = 0.72134752044448170368;  // 1 / (2 ln 2)
  // If all registers are full the estimate is a lower bound: return the number of hash values.
  constexpr double most = 0x1p64;
  return alpha * m * m < most * z ? alpha * m * m / z : most;
}

inline double hyperloglog::standard_error() const noexcept {
  constexpr double asymptotic = 1.0389617;  // sqrt(3 ln 2 - 1)
  return asymptotic / std::sqrt(static_cast<double>(registers_.size()));
}

// x + sum over k >= 1 of x^(2^k) 2^(k-1), until it stops changing: the weight of empty registers.
inline double hyperloglog::sigma(double x) noexcept {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double sum = x;
  double before = 0;
  for (double weight = 1; sum != before; weight *= 2) {
    x *= x;
    before = sum;
    sum += x * weight;
  }
  return sum;
}

// (1 - x - sum over k >= 1 of (1 - x^(2^-k))^2 2^-k) / 3: the weight of full registers.
inline double hyperloglog::tau(double x) noexcept {
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x;
  double before = 0;
  for (double weight = 0.5; sum != before; weight /= 2) {
    x = std::sqrt(x);
    before = sum;
    sum -= (1 - x) * (1 - x) * weight;
  }
  return sum / 3;
}

}  // namespace bloomtime::detail
