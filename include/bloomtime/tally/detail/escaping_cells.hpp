#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/detail/side_table.hpp>

namespace bloomtime::detail {

// Cells of 4 or 8 bits that count up to 2^64 - 1, in lines of 64 bytes. Codes below 3/4 of the
// range are counts. A code in the upper quarter has the lowest Bits - 2 bits of a count whose other
// bits are in a side table, so a frequent item accesses the table once in 2^(Bits - 2) additions.
//
// A count moves into the table when it reaches 3/4 of the range and back into the cell when it
// falls below 1/2, so a count that varies around either limit does not move each time. Every entry
// of the table is therefore at least 2.
template <unsigned Bits>
class escaping_cells {
  static_assert(Bits == 4 || Bits == 8);

 public:
  static constexpr unsigned per_line = static_cast<unsigned>(line_bytes * 8 / Bits);
  static constexpr unsigned low_bits = Bits - 2;
  static constexpr unsigned escape = 3U << low_bits;  // the first code with an entry
  static constexpr unsigned least_escaped = 2U << low_bits;
  static constexpr unsigned low_mask = (1U << low_bits) - 1;

  escaping_cells() noexcept = default;
  explicit escaping_cells(std::uint64_t lines) : storage_(lines * line_bytes) {}
  escaping_cells(buffer storage, side_table large) noexcept
      : storage_(std::move(storage)), large_(std::move(large)) {}

  std::uint64_t size() const noexcept { return storage_.size() * (8 / Bits); }
  const buffer& storage() const noexcept { return storage_; }
  const side_table& large() const noexcept { return large_; }
  std::uint64_t memory() const noexcept { return storage_.size() + large_.bytes(); }

  unsigned code(std::uint64_t i) const noexcept {
    const auto byte = std::to_integer<unsigned>(storage_.data()[i * Bits / 8]);
    return Bits == 8 ? byte : (byte >> (i % 2 * 4)) & 15;
  }
  void set_code(std::uint64_t i, unsigned code) noexcept {
    std::byte& byte = storage_.data()[i * Bits / 8];
    if constexpr (Bits == 8) {
      byte = static_cast<std::byte>(code);
    } else {
      const unsigned shift = i % 2 * 4;
      const unsigned other = std::to_integer<unsigned>(byte) & (0xf0U >> shift);
      byte = static_cast<std::byte>(other | code << shift);
    }
  }

  std::uint64_t get(std::uint64_t i) const noexcept { return value_of(i, code(i)); }
  std::uint64_t value_of(std::uint64_t i, unsigned code) const noexcept {
    if (code < escape) return code;
    const std::uint64_t* const high = large_.find(i);
    return (high == nullptr ? 0 : *high << low_bits) | (code & low_mask);
  }
  // The least of so many counts. Counts in the table are at least least_escaped, so the table is
  // read only if no count in a cell is that small.
  template <std::size_t count>
  std::uint64_t least(const std::uint64_t* where) const noexcept {
    unsigned small = escape;
    for (std::size_t i = 0; i < count; ++i) small = std::min(small, code(where[i]));
    if (small <= least_escaped) return small;
    std::uint64_t all = get(where[0]);
    for (std::size_t i = 1; i < count; ++i) all = std::min(all, get(where[i]));
    return all;
  }

  // The first `count` codes of a line: their sum, and how many of them have an entry in the table.
  struct codes {
    unsigned sum = 0;
    unsigned escaped = 0;

    // At most the sum of the counts: an entry is at least 2, and its code has the bits of a 3.
    unsigned least_sum() const noexcept { return sum - (escaped << low_bits); }
  };
  template <unsigned count>
  codes codes_of(std::uint64_t line) const noexcept {
    static_assert(count <= per_line);
    constexpr unsigned bits = count * Bits;
    constexpr std::uint64_t tops = Bits == 8 ? 0x8080808080808080 : 0x8888888888888888;
    const std::byte* const begin = storage_.data() + line * line_bytes;
    std::uint64_t sums = 0;  // of bytes or of nibbles, in parts that are wide enough
    unsigned escaped = 0;    // codes of which the highest two bits are set
    for (unsigned at = 0; at < bits; at += 64) {
      std::uint64_t word = load_le64(begin + at / 8);
      if (bits - at < 64) word &= (std::uint64_t{1} << (bits - at) % 64) - 1;
      escaped += static_cast<unsigned>(std::popcount(word & (word << 1) & tops));
      constexpr std::uint64_t part = Bits == 8 ? 0x00ff00ff00ff00ff : 0x0f0f0f0f0f0f0f0f;
      sums += (word & part) + ((word >> Bits) & part);
    }
    if constexpr (Bits == 4) {
      constexpr std::uint64_t part = 0x00ff00ff00ff00ff;
      sums = (sums & part) + ((sums >> 8) & part);
    }
    return {static_cast<unsigned>((sums * 0x0001000100010001) >> 48), escaped};
  }
  // The sum of `count` adjacent counts, at most 2^64 - 1.
  template <unsigned count>
  std::uint64_t sum(std::uint64_t first) const noexcept {
    std::uint64_t all = 0;
    for (unsigned i = 0; i < count; ++i) {
      const std::uint64_t value = get(first + i);
      all = value > ~all ? ~std::uint64_t{0} : all + value;
    }
    return all;
  }

  // Whether set() would add an entry to the table.
  bool escapes(std::uint64_t i, std::uint64_t value) const noexcept {
    return value >= escape && code(i) < escape;
  }
  void reserve(std::uint64_t entries) { large_.reserve(large_.size() + entries); }
  // If escapes(i, value), memory for the entry must be reserved.
  void set(std::uint64_t i, std::uint64_t value) noexcept {
    const bool escaped = code(i) >= escape;
    if (value < (escaped ? least_escaped : escape)) {
      if (escaped) large_.erase(i);
      set_code(i, static_cast<unsigned>(value));
    } else {
      large_.set(i, value >> low_bits);
      set_code(i, escape | (static_cast<unsigned>(value) & low_mask));
    }
  }
  void clear() noexcept {
    std::fill(storage_.bytes().begin(), storage_.bytes().end(), std::byte{0});
    large_.clear();
  }
  // Releases unused memory of the table.
  void trim() noexcept { large_.trim(); }

  // Whether a count can be raised or lowered by one without the table. It cannot be raised from
  // escape - 1 or from the last code, which differ in one bit.
  static constexpr bool counts_up_alone(unsigned code) noexcept {
    return (code | (1U << low_bits)) != (1U << Bits) - 1;
  }
  static constexpr bool counts_down_alone(unsigned code) noexcept { return code != escape; }
  void count_up(std::uint64_t i) noexcept {
    std::byte& byte = storage_.data()[i * Bits / 8];
    byte = static_cast<std::byte>(std::to_integer<unsigned>(byte) + (1U << (i * Bits % 8)));
  }

  void prefetch_write(std::uint64_t line) const noexcept {
    detail::prefetch_write(storage_.data() + line * line_bytes);
  }
  void prefetch_read(std::uint64_t line) const noexcept {
    detail::prefetch_read(storage_.data() + line * line_bytes);
  }

 private:
  buffer storage_;
  side_table large_;
};

}  // namespace bloomtime::detail
