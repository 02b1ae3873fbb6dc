#pragma once

#include <cstdint>
#include <span>

// Errors and sizes of age-partitioned Bloom filters (Shtul, Baquero, Almeida 2020, arXiv
// 2001.03147): slices of bits, each with its own hash functions. An item sets a bit in each of the
// k youngest slices. From time to time a new slice opens and a new generation begins. Eight
// consecutive slices, a band, share their 64-byte lines: an item has one line of each band, and in
// it one bit of each 64-bit word, which belongs to one slice.
//
// As published, an item has the same bit of a slice in every generation, and is found if k
// consecutive slices have its bits. An item of the generation before the window then still has k -
// 1 of the bits of the oldest generation. Here the bit also depends on the generation ("own bits"),
// so an item of another generation is found as rarely as one that was never inserted. Filters of
// older files have shared bits. Derivation: docs/math.md, Error of an age-partitioned filter.
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
// band. The words of a line are assumed to have equal loads, and generations to be independent;
// both make the result slightly too high.
double any_generation_error(std::span<const double> loads, unsigned first, unsigned k,
                            std::uint64_t lines);

// The mean number of items per word of a slice with `ones` set bits, which has one word in each of
// `lines` lines. A full slice counts as if one bit were clear, because its load is unknown.
double word_load(std::uint64_t ones, std::uint64_t lines);

// The same for the current generation and `generations` before it, all of them full: slices that
// have seen k generations have `load` items per bit (ln 2 for half full).
double age_partitioned_error(unsigned k, std::uint64_t generations, double load,
                             std::uint64_t lines);

// -- shared bits, as published -------------------------------------------------------------------

// The probability that a new item finds k consecutive slices with its bits, by a recursion over the
// slices and the length of the run that ends there. Loads as above, and many lines.
double run_error(std::span<const double> loads, unsigned first, unsigned k);

// The same for k + generations slices, of which those that have seen k generations have `load`
// items per bit.
double shared_bits_error(unsigned k, std::uint64_t generations, double load);

// -- sizes ---------------------------------------------------------------------------------------

// What is kept: all of the last `items` insertions; or with `ticks`, all of the last `ticks` ticks
// with up to `items` insertions, however they are distributed: a generation then ends with its tick
// or when it is full.
struct age_partitioned_target {
  std::uint64_t items = 0;
  std::uint64_t ticks = 0;
};

struct age_partitioned_size {
  unsigned k = 0;
  std::uint64_t generations = 0;  // besides the current one
  std::uint64_t quota = 0;        // insertions that make a generation full
  std::uint64_t bands = 0;
  std::uint64_t lines = 0;  // of a band
  double error = 0;

  std::uint64_t bits() const noexcept { return bands * lines * 512; }
};

// The maximum number of bands that k + generations consecutive slices touch.
constexpr std::uint64_t bands_for(unsigned k, std::uint64_t generations) noexcept {
  return (k + generations - 1 + slices_per_band - 1) / slices_per_band + 1;
}

// Any k consecutive slices have at least five slices (half of them if k is small) in one of every
// band_stride(k) bands: for most items only these bands are read.
constexpr std::uint64_t band_stride(unsigned k) noexcept {
  constexpr unsigned enough = 5;
  return k < 2 * enough ? 1 : (k - 2 * enough) / slices_per_band + 1;
}

// The smallest filter for an error. It takes about k (k + l) / (l ln 2) bits per item with l
// generations: more generations take fewer bits and more probes. Chooses the fewest generations
// that cost at most 15 % more bits than the optimum. In windows of time at most max(256, 2 * ticks)
// of them are full ones.
age_partitioned_size age_partitioned_for_error(const age_partitioned_target& kept, double error);
// The smallest error in this many bytes.
age_partitioned_size age_partitioned_for_memory(const age_partitioned_target& kept,
                                                std::uint64_t bytes);

}  // namespace bloomtime::math
