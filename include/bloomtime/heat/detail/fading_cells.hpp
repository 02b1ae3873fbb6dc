#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/detail/side_table.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// A value after some halvings, each rounded up: ceil(v / 2^s), since ceil(ceil(v/2)/2) = ceil(v/4).
// A result of one unit becomes 0, so that cells become empty.
constexpr std::uint64_t faded(std::uint64_t value, std::uint64_t halvings) noexcept {
  if (halvings == 0) return value;
  if (halvings >= 64) return 0;
  const std::uint64_t left =
      (value >> halvings) + ((value & ((std::uint64_t{1} << halvings) - 1)) != 0 ? 1 : 0);
  return left <= 1 ? 0 : left;
}

// Cells that all halve at the same moments, without a sweep: a line of 64 bytes begins with the
// number of halvings it has seen, and catches up when it is next written. Readers compute the value
// that a cell would have. A value too large for its cell is in an exact table, and the cell has its
// largest value. `now` never decreases and is below 2^16; see rebase().
template <std::unsigned_integral Cell>
class fading_cells {
 public:
  static constexpr std::uint64_t per_line = line_bytes / sizeof(Cell) - 1;
  static constexpr std::uint64_t elsewhere = std::numeric_limits<Cell>::max();
  static constexpr std::uint32_t most_halvings = std::numeric_limits<std::uint16_t>::max();

  fading_cells() noexcept = default;
  explicit fading_cells(std::uint64_t lines) : lines_(lines * line_bytes) {}
  // From the bytes of storage() and large(). Throws error(corrupt) if a line has seen more than
  // `now` halvings or if the table does not match the marked cells.
  static fading_cells read(std::span<const std::byte> lines, std::span<const std::byte> large,
                           std::uint32_t now);

  std::uint64_t lines() const noexcept { return lines_.size() / line_bytes; }
  std::uint64_t size() const noexcept { return lines() * per_line; }
  std::uint64_t memory() const noexcept { return lines_.size() + large_.bytes(); }
  const buffer& storage() const noexcept { return lines_; }
  const side_table& large() const noexcept { return large_; }
  std::uint64_t caught_up() const noexcept { return caught_up_; }  // lines so far, for tests

  // The offset of a cell's first byte. Lines are aligned, so it also gives the line.
  using spot = std::uint64_t;
  static constexpr spot spot_of(std::uint64_t line, std::uint64_t cell) noexcept {
    return line * line_bytes + (1 + cell) * sizeof(Cell);
  }

  BLOOMTIME_INLINE std::uint64_t get(spot at, std::uint32_t now) const noexcept {
    const std::uint64_t value = load_le<Cell>(lines_.data() + at);
    const std::uint32_t behind = now - load_le16(line_of(at));
    if (value == elsewhere) [[unlikely]]
      return large_value(at, behind);
    return faded_cell(value, behind);
  }

  // What most calls meet: cells of lines that have seen `now` halvings. Then the least of the cells
  // is what they say, unless that is `elsewhere`.
  template <unsigned k>
  struct glance {
    std::array<Cell, k> cell;
    Cell least;
    bool current;
  };
  template <unsigned k, class Spots>
  BLOOMTIME_INLINE glance<k> look(const Spots& where, std::uint32_t now) const noexcept {
    glance<k> seen{{}, elsewhere, true};
#pragma GCC unroll 4
    for (unsigned i = 0; i < k; ++i) {
      seen.cell[i] = load_le<Cell>(lines_.data() + where[i]);
      seen.least = std::min(seen.least, seen.cell[i]);
      seen.current &= load_le16(line_of(where[i])) == now;
    }
    return seen;
  }
  // Raises cells that look() has found current to less than `elsewhere`, without a branch: which of
  // them are smaller cannot be predicted.
  template <unsigned k, class Spots>
  BLOOMTIME_INLINE void raise_current(const Spots& where, const glance<k>& seen,
                                      std::uint64_t value) noexcept {
#pragma GCC unroll 4
    for (unsigned i = 0; i < k; ++i) {
      store_le(lines_.data() + where[i], std::max(seen.cell[i], static_cast<Cell>(value)));
    }
  }

  std::uint64_t count_warm(std::uint32_t now) const noexcept {
    std::uint64_t warm = 0;
    for (std::uint64_t i = 0; i < lines(); ++i) {
      for (std::uint64_t cell = 0; cell < per_line; ++cell) warm += get(spot_of(i, cell), now) != 0;
    }
    return warm;
  }

  // Reserves memory so that the next `count` calls of raise() cannot fail.
  void reserve(unsigned count) { large_.reserve(large_.size() + count); }

  // To a value that is at least what get() says.
  BLOOMTIME_INLINE void raise(spot at, std::uint64_t value, std::uint32_t now) {
    std::byte* const line = line_of(at);
    if (load_le16(line) != static_cast<std::uint16_t>(now)) catch_up(line, at, now);
    store_le(lines_.data() + at, static_cast<Cell>(value < elsewhere ? value : elsewhere));
    if (value >= elsewhere) [[unlikely]]
      large_.set(number_of(at), value);
  }

  void clear() noexcept {
    std::fill_n(lines_.data(), lines_.size(), std::byte{0});
    large_.clear();
  }

  // Brings every line up to `now` and restarts the count of halvings at 0.
  void rebase(std::uint32_t now) noexcept {
    for (std::uint64_t i = 0; i < lines(); ++i) {
      const spot first = spot_of(i, 0);
      std::byte* const line = line_of(first);
      if (load_le16(line) != now) catch_up(line, first, now);
      store_le<Cell>(line, 0);
    }
  }

  BLOOMTIME_INLINE void prefetch_read(spot at) const noexcept {
    detail::prefetch_read(lines_.data() + at);
  }
  BLOOMTIME_INLINE void prefetch_write(spot at) const noexcept {
    detail::prefetch_write(lines_.data() + at);
  }

 private:
  static std::uint64_t number_of(spot at) noexcept {
    return at / line_bytes * per_line + at % line_bytes / sizeof(Cell) - 1;
  }
  static constexpr spot in_line = line_bytes - 1;
  const std::byte* line_of(spot at) const noexcept { return lines_.data() + (at & ~in_line); }
  std::byte* line_of(spot at) noexcept { return lines_.data() + (at & ~in_line); }
  template <class Byte>
  static Byte* place(Byte* line, std::uint64_t cell) noexcept {
    return line + (1 + cell) * sizeof(Cell);
  }

  // faded() of a value that fits a cell, without a branch.
  static std::uint64_t faded_cell(std::uint64_t value, std::uint32_t behind) noexcept {
    constexpr std::uint32_t enough = 8 * sizeof(Cell);  // halvings that leave one unit at most
    const std::uint32_t times = behind < enough ? behind : enough;
    const std::uint64_t left = (value + (std::uint64_t{1} << times) - 1) >> times;
    const std::uint64_t kept = left > (behind != 0 ? 1U : 0U);
    return left & (0 - kept);
  }

  std::uint64_t large_value(spot at, std::uint32_t behind) const noexcept {
    const std::uint64_t* const large = large_.find(number_of(at));
    return faded(large == nullptr ? elsewhere : *large, behind);
  }

  // Adjacent cells, in a vector that every x86-64 processor has.
  static constexpr std::size_t vector_bytes = 16;
  typedef Cell vector __attribute__((vector_size(vector_bytes)));

  // The count of halvings is treated as a cell, and then set.
  BLOOMTIME_INLINE void catch_up(std::byte* line, spot at, std::uint32_t now) noexcept {
    const std::uint32_t behind = now - load_le16(line);
    ++caught_up_;
    if (std::endian::native != std::endian::little || has_large(line)) [[unlikely]] {
      fade_each(line, at / line_bytes, behind);
    } else {
      for (std::size_t i = 0; i < line_bytes; i += vector_bytes) {
        const vector left = faded_cells(load(line + i), behind);
        std::memcpy(line + i, &left, vector_bytes);
      }
    }
    store_le(line, static_cast<Cell>(now));
  }

  static vector load(const std::byte* p) noexcept {
    vector v;
    std::memcpy(&v, p, vector_bytes);
    return v;
  }

  static bool has_large(const std::byte* line) noexcept {
    vector found{};
    for (std::size_t i = 0; i < line_bytes; i += vector_bytes) {
      const vector v = load(line + i);
      found |= v == static_cast<Cell>(elsewhere) ? v : vector{};
    }
    std::array<std::uint64_t, vector_bytes / 8> words;
    std::memcpy(&words, &found, vector_bytes);
    return (words[0] | words[1]) != 0;
  }

  // faded_cell() of every cell, for behind > 0. As many halvings as a cell has bits leave one unit
  // at most, which is forgotten.
  static vector faded_cells(const vector& v, std::uint32_t behind) noexcept {
    if (behind >= 8 * sizeof(Cell)) return vector{};
    const int times = static_cast<int>(behind);
    const vector whole = v >> times;
    const vector left = (whole << times) == v ? whole : whole + 1;
    return left > 1 ? left : vector{};
  }

  void fade_each(std::byte* line, std::uint64_t number, std::uint32_t behind) noexcept {
    for (std::uint64_t i = 0; i < per_line; ++i) {
      std::byte* const p = place(line, i);
      const std::uint64_t value = load_le<Cell>(p);
      if (value == elsewhere) {
        fade_large(p, number_of(spot_of(number, i)), behind);
      } else {
        store_le(p, static_cast<Cell>(faded_cell(value, behind)));
      }
    }
  }

  void fade_large(std::byte* p, std::uint64_t cell, std::uint32_t behind) noexcept {
    std::uint64_t* const value = large_.find(cell);
    *value = faded(*value, behind);
    if (*value >= elsewhere) return;
    store_le(p, static_cast<Cell>(*value));
    large_.erase(cell);
  }

  buffer lines_;
  side_table large_;
  std::uint64_t caught_up_ = 0;
};

template <std::unsigned_integral Cell>
fading_cells<Cell> fading_cells<Cell>::read(std::span<const std::byte> lines,
                                            std::span<const std::byte> large, std::uint32_t now) {
  std::uint64_t marked = 0;
  for (std::uint64_t at = 0; at < lines.size(); at += line_bytes) {
    const std::byte* const line = lines.data() + at;
    if (load_le16(line) > now) {
      throw error(errc::corrupt, "a line of cells has seen " + std::to_string(load_le16(line)) +
                                     " halvings, and there were " + std::to_string(now));
    }
    for (std::uint64_t i = 0; i < per_line; ++i) {
      marked += load_le<Cell>(place(line, i)) == elsewhere;
    }
  }
  const auto is_marked = [&](std::uint64_t cell, std::uint64_t value) {
    const std::byte* const line = lines.data() + cell / per_line * line_bytes;
    return value >= elsewhere && load_le<Cell>(place(line, cell % per_line)) == elsewhere;
  };
  fading_cells cells;
  cells.large_ = side_table::read(large, lines.size() / line_bytes * per_line, is_marked);
  if (cells.large_.size() != marked) {
    throw error(errc::corrupt, std::to_string(marked) + " cells have their value in a table of " +
                                   std::to_string(cells.large_.size()));
  }
  cells.lines_ = buffer::copy_of(lines);
  return cells;
}

}  // namespace bloomtime::detail
