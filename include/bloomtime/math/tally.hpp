#pragma once

#include <cstdint>
#include <optional>

// Sizes and error bounds of filters of counters. `items` is the number of different items, `total`
// the sum of their counts.
namespace bloomtime::math {

// -- sizes ---------------------------------------------------------------------------------------

struct line_size {
  std::uint64_t lines;
  unsigned k;
};

// The fewest lines of `cells_per_line` cells in which some k <= most_k has at most this error
// (line_cells_error; docs/math.md, Error of a line).
line_size lines_for_error(std::uint64_t items, double error, unsigned cells_per_line,
                          unsigned most_k);
// The k <= most_k with the smallest error in this many lines.
unsigned k_for_lines(std::uint64_t items, std::uint64_t lines, unsigned cells_per_line,
                     unsigned most_k);

// -- bounds --------------------------------------------------------------------------------------

// A lower bound of the count f of an item whose smallest cell in k rows of `row` cells is `value`,
// if all items together have `mass`. It holds with probability 1 - e^-k: in each row the other
// items add more than e times their mean, e (mass - f) / row, with probability at most 1/e.
std::uint64_t count_at_least(std::uint64_t value, std::uint64_t mass, std::uint64_t row);

// -- tallies: narrow cells in lines, and a table for the counts that outgrow them ----------------

inline constexpr unsigned tally_line_k = 8;  // k of a tally, at most

// The mean count of an item that is assumed if the total is unknown. Narrow cells would be a bad
// choice if counts are larger; wide ones cost twice the memory if counts are smaller.
inline constexpr std::uint64_t usual_tally_mean = 10;

struct tally_load {
  std::uint64_t items = 0;                   // 0: unknown
  std::uint64_t total = 0;                   // 0: unknown
  std::optional<double> error = {};          // either this,
  std::optional<std::uint64_t> memory = {};  // or this many bytes of cells and table together
};

// The lines and k of a tally with cells of 4 or 8 bits. By memory, the table has the part of it
// that tally_size expects, or an eighth if items are unknown (docs/math.md, Table of large counts).
line_size tally_lines(const tally_load& load, unsigned cell_bits);
// Those of so many bytes of cells alone.
line_size tally_cells_in(std::uint64_t memory, std::uint64_t items, unsigned cell_bits);

// A tally with cells of 4 or 8 bits for a load. The table is computed for items of the same mean
// count, total / items, of which the counts are equal (or one more), or arrivals drawn at random,
// or distributed by Zipf's law, whichever puts most cells into the table (docs/math.md, Table of
// large counts).
struct tally_size {
  unsigned cell_bits;
  unsigned k;
  std::uint64_t lines;
  double error;
  double large;                      // cells in the table, on average
  std::uint64_t cell_bytes;          // of all lines
  std::uint64_t large_bytes;         // of the table, exceeded with a probability below 1e-4
  std::uint64_t rising_large_bytes;  // the same for minimum increase, by estimate
  std::uint64_t most_large_bytes;    // of the table, for any counts, if nothing is removed

  std::uint64_t memory() const noexcept { return cell_bytes + large_bytes; }
  std::uint64_t most_memory() const noexcept { return cell_bytes + most_large_bytes; }
};
tally_size tally_size_for(const tally_load& load, unsigned cell_bits);

// The recommended bits of a cell, 4 or 8, for cells and table together. Narrow cells are slower:
// they read the table for counts from 12, wide ones from 192. So they are recommended if they take
// at most 3/4 of the memory of wide ones; or, sized by memory, if wide ones in 4/3 of it have no
// smaller error. Always 8 if more than 1/16 of the cells in use would be in the table of narrow
// ones, or if items or total are unknown (0).
unsigned tally_cell_bits(const tally_load& load);

// -- tables of counts ----------------------------------------------------------------------------

// The slots of a table in which counts of `large` or more take two: if the counts follow Zipf's law
// with exponent 1 and sum to `total`, usual_tally_mean of each item if that is 0 (docs/math.md,
// Tables of counts).
std::uint64_t count_slots(std::uint64_t items, std::uint64_t total, std::uint64_t large);

// The slots of so many blocks that prints can be in, if `prints` of them have `used` slots: a print
// that takes several finds no room where fewer are free.
double usable_count_slots(std::uint64_t slots, std::uint64_t blocks, std::uint64_t used,
                          std::uint64_t prints) noexcept;

}  // namespace bloomtime::math
