#pragma once

#include <cstddef>
#include <cstdint>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/layout.hpp>

// Converts a digest to positions of cells, for three layouts, with one hash and one reduction:
// position = floor(hash * cells / 2^64). The reduction nests: dividing a position by c gives the
// position in an array c times smaller. Folding, merging and growth rely on that.
namespace bloomtime::detail {

constexpr std::uint64_t reduce(std::uint64_t hash, std::uint64_t size) noexcept {
  return multiply(hash, size).high;
}

// The i-th hash of a digest. It does not depend on k, so a filter built with k probes can be
// queried with fewer. It is a folded product and not lo + i * hi: plain double hashing has a floor
// of about items / cells^2 under its error, which small filters reach. It uses lo ^ and not lo +:
// with a sum both halves of the product are arithmetic progressions in i, and one item in about
// (cells * k)^2 / 4 has steps so small that all its probes hit the same cell.
constexpr std::uint64_t probe(digest d, unsigned i) noexcept {
  return fold(d.lo ^ (i * golden), d.hi | 1);
}

// k positions anywhere in one array; two of them may coincide.
struct flat_probes {
  std::uint64_t cells;
  unsigned k;

  constexpr std::uint64_t position(digest d, unsigned i) const noexcept {
    return reduce(probe(d, i), cells);
  }
};

// Row i of `row` cells owns position i: k different cells, and every row sums to the same total.
struct row_probes {
  std::uint64_t row;
  unsigned k;

  constexpr std::uint64_t position(digest d, unsigned i) const noexcept {
    return i * row + reduce(probe(d, i), row);
  }
};

// Rows of whole 64-byte lines of `per_line` cells each. The upper half of a product selects the
// line and the lower half the cell in it, so nothing is divided.
struct row_line_probes {
  std::uint64_t lines;  // of one row
  unsigned k;
  unsigned per_line;

  struct spot {
    std::uint64_t line;
    std::uint64_t cell;  // of the line
  };

  constexpr spot at(digest d, unsigned i) const noexcept {
    __extension__ using wide = unsigned __int128;
    const wide place = static_cast<wide>(probe(d, i)) * lines;  // as fold() does
    return {i * lines + static_cast<std::uint64_t>(place >> 64),
            static_cast<std::uint64_t>(
                static_cast<wide>(static_cast<std::uint64_t>(place)) * per_line >> 64)};
  }
};

// All k cells in one 64-byte line of `per_line` cells, position i in the i-th of k disjoint
// sub-ranges of the line: k different cells with one memory access.
struct line_probes {
  std::uint64_t lines;
  unsigned k;
  unsigned per_line;

  constexpr std::uint64_t line(digest d) const noexcept { return reduce(d.hi, lines); }

  // Always inlined: with a constant k nearly all of it is constant, but g++ 12 would emit a call
  // for each cell.
  BLOOMTIME_INLINE constexpr unsigned in_line(digest d, unsigned i) const noexcept {
    const unsigned first = i * per_line / k;
    const unsigned width = (i + 1) * per_line / k - first;
    const auto field = static_cast<std::uint16_t>(probe(d, 1 + i / 4) >> (16 * (i % 4)));
    return first + ((field * width) >> 16);
  }

  BLOOMTIME_INLINE constexpr std::uint64_t position(digest d, unsigned i) const noexcept {
    return line(d) * per_line + in_line(d, i);
  }
};

// Always inlined: g++ 12 considers a function that only prefetches to have no effect, and removes
// calls to it.
BLOOMTIME_INLINE void prefetch_read(const std::byte* p) noexcept { __builtin_prefetch(p, 0, 3); }
BLOOMTIME_INLINE void prefetch_write(const std::byte* p) noexcept { __builtin_prefetch(p, 1, 3); }

}  // namespace bloomtime::detail
