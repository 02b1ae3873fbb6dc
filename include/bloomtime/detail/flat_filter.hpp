#pragma once

#include <cmath>
#include <cstdint>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/flat_bits.hpp>
#include <bloomtime/math/allocation.hpp>

namespace bloomtime::detail {

// A Bloom filter as part of something larger, which knows what its keys are. One of 0 bits is
// absent: it holds nothing, and nobody may ask it.
class flat_filter {
 public:
  flat_filter() noexcept = default;
  explicit flat_filter(math::filter_size size)
      : size_(size), bits_(size.bits / 8 + (size.bits % 8 != 0 ? 1 : 0)) {}

  bool absent() const noexcept { return size_.bits == 0; }
  math::filter_size size() const noexcept { return size_; }
  const buffer& storage() const noexcept { return bits_; }
  std::uint64_t ones() const noexcept { return ones_; }

  BLOOMTIME_INLINE bool contains(digest key) const noexcept {
    return probes().contains(bits_.data(), key);
  }
  BLOOMTIME_INLINE void insert(digest key) noexcept { ones_ += probes().insert(bits_.data(), key); }

  // The chance that it says yes to a key it does not hold, as full as it is.
  double error() const noexcept {
    if (absent()) return 1;
    return std::pow(static_cast<double>(ones_) / static_cast<double>(size_.bits), size_.k);
  }

 private:
  flat_bits probes() const noexcept { return {{size_.bits, size_.k}}; }

  math::filter_size size_;
  buffer bits_;
  std::uint64_t ones_ = 0;
};

}  // namespace bloomtime::detail
