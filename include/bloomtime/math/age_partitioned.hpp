#pragma once

#include <cstdint>
#include <span>

// Age-partitioned Bloom filters (Shtul, Baquero, Almeida 2020, arXiv 2001.03147): slices of bits,
// each with its own hash functions. An item sets a bit in each of the k youngest slices, and from
// time to time a new slice opens: a new generation begins. Eight consecutive slices, a band, share
// their 64-byte lines: an item has one line of each band, and in it one bit of each 64-bit word,
// which belongs to one slice.
//
// As published, an item has the same bit of a slice in every generation, and is found if k
// consecutive slices have its bits. Then an item of the generation before the window still has k -
// 1 of the bits of the oldest generation. Here the bit depends on the generation as well ("own
// bits"): an item of another generation has none of them, and is found as rarely as an item that
// was never inserted. Filters of older files have shared bits.
namespace bloomtime::math {

inline constexpr unsigned slices_per_band = 8;
inline constexpr unsigned slice_word_bits = 64;  // of one slice in one line
inline constexpr unsigned most_age_k = 64;
inline constexpr std::uint64_t most_generations = 1 << 14;

// -- own bits ------------------------------------------------------------------------------------

// The probability that a new item finds all k bits of any generation. loads[i]: mean number of
// items per word of slice i, in ascending order; the first of them is slice number `first` of its
// band, and the last of them the youngest slice of the last generation. The items of a band are
// spread over `lines` lines at random; lines with more items have more bits set in all words of the
// band. The words of a line are taken to have equal loads, though each has some generations of its
// own, and generations are taken to be independent: both make the result a little too high.
double any_generation_chance(std::span<const double> loads, unsigned first, unsigned k,
                             std::uint64_t lines);

// The mean number of items per word of a slice that has `ones` bits set in as many words as there
// are lines. A full slice counts as if one bit were clear: how many items filled it cannot be told.
double word_load(std::uint64_t ones, std::uint64_t lines);

// The same for the current generation and `generations` before it, all of them full: slices that
// have seen k generations have `load` items per bit (ln 2 for half full).
double age_partitioned_error(unsigned k, std::uint64_t generations, double load,
                             std::uint64_t lines);

// -- shared bits, as published -------------------------------------------------------------------

// The probability that a new item finds k consecutive slices with its bits, by a recursion over the
// slices and the length of the run that ends there. Loads as above, and many lines.
double run_chance(std::span<const double> loads, unsigned first, unsigned k);

// The same for k + generations slices, of which those that have seen k generations have `load`
// items per bit.
double shared_bits_error(unsigned k, std::uint64_t generations, double load);

// -- sizes ---------------------------------------------------------------------------------------

// What is to be kept: all of the last `items` insertions; or with `ticks`, all of the last so many
// ticks, whenever `items` of them came: a generation then ends with its tick, or when it is full.
struct age_partitioned_target {
  std::uint64_t items = 0;
  std::uint64_t ticks = 0;
};

struct age_partitioned_size {
  unsigned k = 0;
  std::uint64_t generations = 0;  // beside the current one
  std::uint64_t quota = 0;        // insertions that make a generation full
  std::uint64_t bands = 0;
  std::uint64_t lines = 0;  // of a band
  double error = 0;

  std::uint64_t bits() const noexcept { return bands * lines * 512; }
};

// Bands that k + generations consecutive slices touch, however they lie.
constexpr std::uint64_t bands_for(unsigned k, std::uint64_t generations) noexcept {
  return (k + generations - 1 + slices_per_band - 1) / slices_per_band + 1;
}

// Any k consecutive slices reach into one of every so many bands by at least five slices, or by
// half of them if k is small: only these bands are read for most items.
constexpr std::uint64_t band_stride(unsigned k) noexcept {
  constexpr unsigned enough = 5;
  return k < 2 * enough ? 1 : (k - 2 * enough) / slices_per_band + 1;
}

// About k (k + l) / (l ln 2) bits per item with l generations: more generations need less, and take
// more probes. The fewest generations that cost at most 15 % more bits than any number would; of
// full ones in windows of time no more than 256, or twice as many as there are ticks.
age_partitioned_size age_partitioned_for_error(const age_partitioned_target& kept, double error);
// The least error in so many bytes.
age_partitioned_size age_partitioned_for_memory(const age_partitioned_target& kept,
                                                std::uint64_t bytes);

}  // namespace bloomtime::math
