#pragma once

#include <cstdint>

// Sizes and error bounds of the published filters of counters, and the thresholds at which a
// dynamic count filter is rebuilt. `items` is the number of different items, `total` the sum of
// their counts. Arguments outside their ranges throw bloomtime::error.
namespace bloomtime::published {

// -- rows ----------------------------------------------------------------------------------------

inline constexpr unsigned max_tally_k = 32;

// The fewest cells of a row with which k rows, one cell in each, have at most this error: the
// probability that an absent item shows a count, or that a present one shows too much. Solves
// rows_error for the row.
std::uint64_t row_for_error(std::uint64_t items, double error, unsigned k);

// The share of items whose count is exact, whatever the counts are: at least one of their cells is
// not shared.
double exact_share(std::uint64_t items, std::uint64_t cells, unsigned k);

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

}  // namespace bloomtime::published
