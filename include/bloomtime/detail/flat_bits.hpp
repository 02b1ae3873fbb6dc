#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/probes.hpp>

// The k bits of an item, anywhere in one array. Bit p is bit p % 8 of byte p / 8.
namespace bloomtime::detail {

inline constexpr unsigned max_flat_k = 64;

struct flat_bits {
  flat_probes probes;

  BLOOMTIME_INLINE bool contains(const std::byte* array, digest d) const noexcept {
    for (unsigned i = 0; i < probes.k; ++i) {
      const std::uint64_t p = probes.position(d, i);
      if ((array[p / 8] & bit(p)) == std::byte{0}) return false;
    }
    return true;
  }

  // Sets the bits and returns how many of them were clear before.
  BLOOMTIME_INLINE unsigned insert(std::byte* array, digest d) const noexcept {
    unsigned fresh = 0;
    for (unsigned i = 0; i < probes.k; ++i) {
      const std::uint64_t p = probes.position(d, i);
      fresh += (array[p / 8] & bit(p)) == std::byte{0};
      array[p / 8] |= bit(p);
    }
    return fresh;
  }

  BLOOMTIME_INLINE void prefetch_read(const std::byte* array, digest d) const noexcept {
    for (unsigned i = 0; i < probes.k; ++i)
      detail::prefetch_read(array + probes.position(d, i) / 8);
  }
  BLOOMTIME_INLINE void prefetch_write(const std::byte* array, digest d) const noexcept {
    for (unsigned i = 0; i < probes.k; ++i)
      detail::prefetch_write(array + probes.position(d, i) / 8);
  }

  // How many different positions the item has.
  unsigned distinct(digest d) const noexcept {
    std::array<std::uint64_t, max_flat_k> seen;
    unsigned count = 0;
    for (unsigned i = 0; i < probes.k; ++i) {
      const std::uint64_t p = probes.position(d, i);
      bool known = false;
      for (unsigned j = 0; j < count; ++j) known = known || seen[j] == p;
      if (!known) seen[count++] = p;
    }
    return count;
  }

  static constexpr std::byte bit(std::uint64_t p) noexcept {
    return static_cast<std::byte>(1u << (p % 8));
  }
};

}  // namespace bloomtime::detail
