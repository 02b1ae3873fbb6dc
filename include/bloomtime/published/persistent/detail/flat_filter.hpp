#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/flat_bits.hpp>
#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/published/persistent/allocation.hpp>

namespace bloomtime::detail {

// A Bloom filter as part of something larger, which knows what its keys are. One of 0 bits is
// absent: it holds nothing, and nobody may ask it.
class flat_filter {
 public:
  flat_filter() noexcept = default;
  explicit flat_filter(published::filter_size size) : bits_(bytes_for(size.bits)), size_(size) {}

  // Over bytes_for(size.bits) bytes that outlive it; a copy has its own.
  static flat_filter borrow(published::filter_size size, std::uint64_t ones,
                            std::span<const std::byte> bits) noexcept;
  // Of the keys of both: folded to the greatest common size, asked with the fewer hash functions.
  // Absent if one of them is. Refused if more than half of the smaller one would be lost.
  static flat_filter joined(const flat_filter& a, const flat_filter& b);

  static constexpr std::uint64_t bytes_for(std::uint64_t bits) noexcept {
    return bits / 8 + (bits % 8 != 0 ? 1 : 0);
  }

  bool absent() const noexcept { return size_.bits == 0; }
  published::filter_size size() const noexcept { return size_; }
  const buffer& storage() const noexcept { return bits_; }
  std::uint64_t ones() const noexcept { return ones_; }

  BLOOMTIME_INLINE bool contains(digest key) const noexcept {
    return probes().contains(bits_.data(), key);
  }
  BLOOMTIME_INLINE void insert(digest key) noexcept { ones_ += probes().insert(bits_.data(), key); }

  void clear() noexcept {
    std::fill(bits_.bytes().begin(), bits_.bytes().end(), std::byte{0});
    ones_ = 0;
  }
  // Adds the keys of one of the same size.
  void unite(const flat_filter& other) noexcept;

  // The chance that it says yes to a key it does not hold, as full as it is.
  double error() const noexcept {
    if (absent()) return 1;
    return std::pow(static_cast<double>(ones_) / static_cast<double>(size_.bits), size_.k);
  }

  // How many different keys have set so many bits; infinite if all are set.
  double keys() const noexcept;

  // Whether ones() is what the bits say, and no bit is set beyond the last.
  bool consistent() const noexcept;

 private:
  flat_bits probes() const noexcept { return {{size_.bits, size_.k}}; }
  // Sets in `into` what is set here, folded to its size.
  void fold_into(flat_filter& into) const noexcept;

  // First of all, so that an assignment that finds no memory has changed nothing yet.
  buffer bits_;
  published::filter_size size_;
  std::uint64_t ones_ = 0;
};

using flat_filters = std::vector<flat_filter, hooked<flat_filter>>;

}  // namespace bloomtime::detail
