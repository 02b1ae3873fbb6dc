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

// A Bloom filter that is part of a history, which defines its keys. A filter of 0 bits is absent:
// it holds nothing and must not be queried.
class flat_filter {
 public:
  flat_filter() noexcept = default;
  explicit flat_filter(published::filter_size size) : bits_(bytes_for(size.bits)), size_(size) {}

  // A view of bytes_for(size.bits) bytes, which must outlive it; a copy owns its bytes.
  static flat_filter borrow(published::filter_size size, std::uint64_t ones,
                            std::span<const std::byte> bits) noexcept;
  // The filter of the keys of both: folded to the greatest common size, with the smaller number of
  // hash functions. Absent if one of them is. Throws error(incompatible) if the result has less
  // than half of the bits of the smaller one.
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
  // Adds the keys of another filter of the same size.
  void unite(const flat_filter& other) noexcept;

  // The probability that a key it does not hold is answered "maybe", at its current fill.
  double error() const noexcept {
    if (absent()) return 1;
    return std::pow(static_cast<double>(ones_) / static_cast<double>(size_.bits), size_.k);
  }

  // The number of different keys, estimated from the number of set bits; infinite if all are set.
  double keys() const noexcept;

  // Whether ones() is the number of set bits and no bit is set behind the last one.
  bool consistent() const noexcept;

 private:
  flat_bits probes() const noexcept { return {{size_.bits, size_.k}}; }
  // Sets the bits of `into` that this filter, folded to the size of `into`, has set.
  void fold_into(flat_filter& into) const noexcept;

  // The first member, so that an assignment that fails for lack of memory changes nothing.
  buffer bits_;
  published::filter_size size_;
  std::uint64_t ones_ = 0;
};

using flat_filters = std::vector<flat_filter, hooked<flat_filter>>;

}  // namespace bloomtime::detail
