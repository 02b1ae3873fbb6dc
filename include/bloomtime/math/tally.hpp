#pragma once

#include <cstdint>
#include <optional>

// Sizes and error bounds of filters of counters, and the thresholds at which a dynamic count filter
// is rebuilt. `items` is the number of different items, `total` the sum of their counts.
namespace bloomtime::math {

// -- sizes ---------------------------------------------------------------------------------------

inline constexpr unsigned max_tally_k = 32;

// The fewest cells of a row with which k rows, one cell in each, have at most this error: the
// probability that an absent item shows a count, or that a present one shows too much. Solves
// rows_error for the row.
std::uint64_t row_for_error(std::uint64_t items, double error, unsigned k);

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

// The share of items whose count is exact, whatever the counts are: at least one of their cells is
// not shared.
double exact_share(std::uint64_t items, std::uint64_t cells, unsigned k);

// -- bounds --------------------------------------------------------------------------------------

// Of an item whose least cell in k rows of `row` cells shows `value`, where all items together have
// `mass`: what it has at least, with a chance of 1 - e^-k. Each row shows more than e times its
// mean share of the others, e (mass - f) / row, with a chance of at most 1/e.
std::uint64_t count_at_least(std::uint64_t value, std::uint64_t mass, std::uint64_t row);

// -- tallies: narrow cells in lines, and a table for the counts that outgrow them ----------------

inline constexpr unsigned tally_line_k = 8;  // k of a tally, at most

// The mean count of an item that is assumed if the total is unknown. Narrow cells would be a bad
// choice if counts are larger; wide ones cost twice the memory if counts are smaller.
inline constexpr std::uint64_t usual_tally_mean = 10;

struct tally_load {
  std::uint64_t items = 0;
  std::uint64_t total = 0;                   // 0: unknown
  std::optional<double> error = {};          // either this,
  std::optional<std::uint64_t> memory = {};  // or this many bytes of cells
};

// A tally with cells of 4 or 8 bits for a load. The table is computed for items of the same mean
// count, total / items: with equal counts (or one more), or with arrivals drawn at random,
// whichever puts more cells into the table (docs/math.md, Table of large counts).
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

// The recommended bits of a cell, 4 or 8. Sized by error: the width that takes less memory
// including the table. Sized by memory: the width with the smaller error, where wide cells also get
// the memory of the narrow ones' table, and 8 if that table takes more than 1/8 of the cells.
// Always 8 if more than 1/16 of the cells in use would be in the table of narrow ones, which makes
// them slow, or if items or total are unknown (0).
unsigned tally_cell_bits(const tally_load& load);

// -- dynamic count filters (Aguilar-Saborit et al.) ----------------------------------------------
// Corrected (docs/math.md, Levels of a dynamic count filter).

// x, the bits of the base vector: max(1, floor(log2(total / items))); 4 if either is unknown (0).
unsigned base_bits_for(std::uint64_t total, std::uint64_t items);

// The level of an overflow counter: 2^(l-1) <= overflow < 2^l; in the paper powers of two have no
// level. The overflow vector needs as many bits as the highest level.
unsigned overflow_level(std::uint64_t overflow);

// A vector of y > 0 bits may become one bit narrower once no cell has this count: the least whole
// number at or above 2^(x+y-2) (1 + lambda).
std::uint64_t shrink_threshold(unsigned x, unsigned y, double lambda);
// The same, but keeps a quarter of the capacity of the narrower vector free, so that no lambda
// makes every operation a rebuild.
std::uint64_t shrink_threshold_with_gap(unsigned x, unsigned y, double lambda);

// The value that splits the cells of a level into lower and higher ones: 2^(x+l-1) (1 + lambda),
// rounded up. The paper has (2^x - 1) lambda for level 0, which is unusable for shrinking.
std::uint64_t level_threshold(unsigned x, unsigned level, double lambda);
std::uint64_t published_level_threshold(unsigned x, unsigned level, double lambda);

// The count that the largest of all cells reaches with probability one half, if all items are
// equally frequent: a cell holds Poisson(k items / cells) of them (docs/math.md, Largest cell).
std::uint64_t largest_cell(std::uint64_t items, std::uint64_t total, std::uint64_t cells,
                           unsigned k);

// -- spectral filters ----------------------------------------------------------------------------

// Groups of a string-array index over N bits of counters: log N counters make a group, loglog N a
// chunk, and offsets inside have 3 loglog N bits. Logarithms are rounded down; N counts
// as 16 at least.
struct string_groups {
  unsigned group;
  unsigned chunk;
  unsigned offset_bits;
};
string_groups string_groups_for(std::uint64_t bits);

// Bits of the index as published: log N per group, one offset per chunk and one per counter.
std::uint64_t published_index_bits(std::uint64_t counters, std::uint64_t bits);
// Bits of an index without offsets of counters: a length of 6 bits for each, and 64 bits for every
// 64 of them.
std::uint64_t compact_index_bits(std::uint64_t counters);

}  // namespace bloomtime::math
