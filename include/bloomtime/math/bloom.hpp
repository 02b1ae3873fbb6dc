#pragma once

#include <cstdint>

#include <bloomtime/layout.hpp>

// The false-positive rate ("error") of Bloom filters by layout, and the inverse: how many bits for
// an error, which k for a number of bits. `items` counts different items. Arguments outside their
// ranges throw bloomtime::error. Derivation: docs/math.md, Error of a Bloom filter.
namespace bloomtime::math {

inline constexpr std::uint64_t line_bits = 512;
inline constexpr std::uint64_t max_bits = std::uint64_t{1} << 43;  // 1 TiB

constexpr unsigned max_k(layout kind) noexcept { return kind == layout::line ? 16 : 64; }

// k independent positions in one array: (1 - (1 - 1/bits)^(k items))^k. Takes the fill as certain,
// so it is slightly too low for filters of a few words (Bose et al. 2008).
double flat_error(std::uint64_t items, std::uint64_t bits, unsigned k);

// k rows of cells / k, one probe in each: (1 - (1 - k/cells)^items)^k. Exact for independent
// hashes, since the rows are.
double rows_error(std::uint64_t items, std::uint64_t cells, unsigned k);

// Bits in 64-byte lines, one or two probes in each of the eight words, averaged over the binomial
// load of a line. Exact for k <= 8 and k = 16 with independent hashes. For k = 9..15 the words are
// taken as independent; the true error (by inclusion and exclusion over the probed bits) is 0.978
// to 1 times this one for 4 to 32 bits per item.
double line_error(std::uint64_t items, std::uint64_t lines, unsigned k);

// Cells wider than a bit: each of the k probes has its own part of the cells of one line, in parts
// as equal as possible. Exact for independent hashes, unlike the common formula for probes
// anywhere in the line (docs/math.md, Error of a line).
double line_cells_error(std::uint64_t items, std::uint64_t lines, unsigned cells_per_line,
                        unsigned k);

// One of the first three by layout; bits of a line filter are rounded down to whole lines.
double bloom_error(layout kind, std::uint64_t items, std::uint64_t bits, unsigned k);

struct bloom_size {
  bloomtime::layout layout;
  std::uint64_t bits;
  unsigned k;
  double error;

  friend bool operator==(const bloom_size&, const bloom_size&) = default;
};

// The fewest bits with which some k <= most_k has at most this error. Whole words for flat, whole
// lines for line, k equal rows for rows. Throws errc::too_large for more than max_bits.
bloom_size size_for_error(layout kind, std::uint64_t items, double error, unsigned most_k);
bloom_size size_for_error(layout kind, std::uint64_t items, double error);

// The k <= most_k with the smallest error in the given bits, rounded down to whole words, lines or
// rows, but at least one. The inverse of size_for_error.
bloom_size size_for_bits(layout kind, std::uint64_t items, std::uint64_t bits, unsigned most_k);
bloom_size size_for_bits(layout kind, std::uint64_t items, std::uint64_t bits);

// The recommended layout: one cache line and one bit per word (k <= 8) if that costs at most 15 %
// more bits than flat; else two bits per word (k <= 16) on the same condition; else flat.
bloom_size plan_bloom(std::uint64_t items, double error);

// The same rule for a given size: line where flat would need at least 1 / 1.15 of the bits for the
// same error.
bloom_size plan_bloom_in_bits(std::uint64_t items, std::uint64_t bits);

// An estimate of the number of different items from the number of set bits. Infinite if every bit
// is set.
double fill_items(std::uint64_t ones, std::uint64_t bits, unsigned k, layout kind = layout::flat);

// The estimated load of a line with `line_ones` set bits, relative to the mean load of a line, in a
// filter with `ones` set bits (docs/math.md, Evidence of a line).
double relative_line_load(unsigned line_ones, std::uint64_t ones, std::uint64_t bits, unsigned k);

// The lower bound for any structure: log2(1 / error) bits per item.
double optimal_bits_per_item(double error);

}  // namespace bloomtime::math
