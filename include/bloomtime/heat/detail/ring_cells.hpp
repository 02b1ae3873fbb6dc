#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/side_table.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// Cells of several adjacent counts, after a stamp: the number of ticks that had passed when the
// cell was last written. Counts have 16 bits. Larger ones are in an exact table, and their 16 bits
// are all set.
class ring_cells {
 public:
  static constexpr std::uint64_t elsewhere = std::numeric_limits<std::uint16_t>::max();
  static constexpr std::size_t stamp_bytes = 8;

  static constexpr std::uint64_t bytes_per_cell(unsigned slots) noexcept {
    return stamp_bytes + sizeof(std::uint16_t) * slots;
  }

  ring_cells() noexcept = default;
  ring_cells(std::uint64_t cells, unsigned slots)
      : slots_(slots), cells_(cells * bytes_per_cell(slots)) {}
  // From the bytes of storage() and large(). Throws error(corrupt) if a stamp exceeds `passed` or
  // if the table does not match the marked counts.
  static ring_cells read(std::span<const std::byte> cells, std::span<const std::byte> large,
                         unsigned slots, std::uint64_t passed);

  std::uint64_t memory() const noexcept { return cells_.size() + large_.bytes(); }
  const buffer& storage() const noexcept { return cells_; }
  const side_table& large() const noexcept { return large_; }

  void clear() noexcept {
    std::fill_n(cells_.data(), cells_.size(), std::byte{0});
    large_.clear();
  }

  std::uint64_t stamp(std::uint64_t cell) const noexcept { return load_le64(at(cell)); }

  void get(std::uint64_t cell, std::span<std::uint64_t> values) const noexcept {
    for (unsigned i = 0; i < slots_; ++i) {
      const std::uint64_t value = load_le16(place(at(cell), i));
      const std::uint64_t* const exact =
          value == elsewhere ? large_.find(cell * slots_ + i) : nullptr;
      values[i] = exact == nullptr ? value : *exact;
    }
  }

  // Reserves memory so that set() cannot fail until more than `count` large counts are added.
  void reserve(std::uint64_t count) { large_.reserve(large_.size() + count); }

  void set(std::uint64_t cell, std::uint64_t stamp, std::span<const std::uint64_t> values) {
    std::byte* const p = cells_.data() + cell * bytes_per_cell(slots_);
    store_le64(p, stamp);
    for (unsigned i = 0; i < slots_; ++i) {
      const std::uint64_t number = cell * slots_ + i;
      if (values[i] < elsewhere) {
        if (load_le16(place(p, i)) == elsewhere) large_.erase(number);
        store_le16(place(p, i), static_cast<std::uint16_t>(values[i]));
      } else {
        large_.set(number, values[i]);
        store_le16(place(p, i), static_cast<std::uint16_t>(elsewhere));
      }
    }
  }

 private:
  const std::byte* at(std::uint64_t cell) const noexcept {
    return cells_.data() + cell * bytes_per_cell(slots_);
  }
  template <class Byte>
  static Byte* place(Byte* cell, unsigned slot) noexcept {
    return cell + stamp_bytes + sizeof(std::uint16_t) * slot;
  }

  unsigned slots_ = 0;
  buffer cells_;
  side_table large_;
};

inline ring_cells ring_cells::read(std::span<const std::byte> cells,
                                   std::span<const std::byte> large, unsigned slots,
                                   std::uint64_t passed) {
  const std::uint64_t each = bytes_per_cell(slots);
  std::uint64_t marked = 0;
  for (std::uint64_t p = 0; p < cells.size(); p += each) {
    if (load_le64(cells.data() + p) > passed) {
      throw error(errc::corrupt, "a cell was written after " +
                                     std::to_string(load_le64(cells.data() + p)) +
                                     " ticks, and there were " + std::to_string(passed));
    }
    for (unsigned i = 0; i < slots; ++i) {
      marked += load_le16(place(cells.data() + p, i)) == elsewhere;
    }
  }
  const auto is_marked = [&](std::uint64_t number, std::uint64_t value) {
    const std::byte* const cell = cells.data() + number / slots * each;
    return value >= elsewhere &&
           load_le16(place(cell, static_cast<unsigned>(number % slots))) == elsewhere;
  };
  ring_cells read;
  read.slots_ = slots;
  read.large_ = side_table::read(large, cells.size() / each * slots, is_marked);
  if (read.large_.size() != marked) {
    throw error(errc::corrupt, std::to_string(marked) + " counts are in a table of " +
                                   std::to_string(read.large_.size()));
  }
  read.cells_ = buffer::copy_of(cells);
  return read;
}

}  // namespace bloomtime::detail
