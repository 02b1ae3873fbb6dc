#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/detail/side_table.hpp>

namespace bloomtime::detail {

// Rings of counts, all of the same length. A count takes 16 bits; the few that exceed them are in a
// side table, so every count is exact up to 2^64 - 1. Only the reserve functions may throw.
class recent_counts {
 public:
  static constexpr std::uint16_t escaped = std::numeric_limits<std::uint16_t>::max();

  recent_counts() noexcept = default;
  explicit recent_counts(unsigned length) noexcept : length_(length) {}

  unsigned length() const noexcept { return length_; }
  std::uint64_t memory() const noexcept {
    return hooked_bytes<std::uint16_t>(cells_.capacity()) + large_.bytes();
  }

  // Makes room for `rings` rings in total.
  void reserve(std::size_t rings) { cells_.reserve(rings * length_); }
  // Makes room for `more` counts that exceed their cells.
  void reserve_large(std::uint64_t more) { large_.reserve(large_.size() + more); }
  // Whether raise(ring, cell, by) may need room for one, also if the cell is set to 0 before.
  bool outgrows(std::size_t ring, unsigned cell, std::uint64_t by) const noexcept {
    const std::uint16_t count = cells_[at(ring, cell)];
    return count != escaped && by >= std::uint64_t{escaped} - count;
  }

  // Appends a ring of zeros, for which there must be room.
  void push() noexcept { cells_.resize(cells_.size() + length_); }
  void clear() noexcept {
    cells_.clear();
    large_.clear();
  }

  std::uint64_t get(std::size_t ring, unsigned cell) const noexcept {
    const std::uint16_t count = cells_[at(ring, cell)];
    return count != escaped ? count : *large_.find(at(ring, cell));
  }
  // Counts that exceed a cell need room.
  void set(std::size_t ring, unsigned cell, std::uint64_t count) noexcept {
    std::uint16_t& kept = cells_[at(ring, cell)];
    if (count >= escaped) {
      large_.set(at(ring, cell), count);
    } else if (kept == escaped) {
      large_.erase(at(ring, cell));
    }
    kept = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, escaped));
  }
  // Makes room if necessary.
  void put(std::size_t ring, unsigned cell, std::uint64_t count) {
    if (count >= escaped) reserve_large(1);
    set(ring, cell, count);
  }
  void set_all_to_zero(std::size_t ring) noexcept {
    std::uint16_t* const first = cells_.data() + at(ring, 0);
    if (!large_.empty() && std::count(first, first + length_, escaped) != 0) {
      for (unsigned cell = 0; cell < length_; ++cell) set(ring, cell, 0);
    }
    std::fill_n(first, length_, std::uint16_t{0});
  }
  // Stops at 2^64 - 1.
  void raise(std::size_t ring, unsigned cell, std::uint64_t by) noexcept {
    std::uint16_t& count = cells_[at(ring, cell)];
    if (count == escaped) {
      std::uint64_t& large = *large_.find(at(ring, cell));
      large += std::min(by, ~large);
    } else if (by < std::uint64_t{escaped} - count) {
      count = static_cast<std::uint16_t>(count + by);
    } else {
      set(ring, cell, count + std::min(by, ~std::uint64_t{count}));
    }
  }

  void prefetch(std::size_t ring) const noexcept {
    prefetch_write(reinterpret_cast<const std::byte*>(cells_.data() + at(ring, 0)));
  }

  // Releases unused memory of the side table, and with it what was reserved.
  void trim() noexcept {
    if (large_.bytes() != 0) large_.trim();
  }

 private:
  std::size_t at(std::size_t ring, unsigned cell) const noexcept { return ring * length_ + cell; }

  unsigned length_ = 0;
  std::vector<std::uint16_t, hooked<std::uint16_t>> cells_;
  side_table large_;
};

}  // namespace bloomtime::detail
