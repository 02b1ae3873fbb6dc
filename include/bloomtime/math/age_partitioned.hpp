#pragma once

#include <cstdint>
#include <span>

// Age-partitioned Bloom filters (Shtul, Baquero, Almeida 2020, arXiv 2001.03147): slices of bits,
// one hash function each. An item sets a bit in each of the k youngest slices, and from time to
// time a new slice opens: a new generation begins. An item is in if k consecutive slices have its
// bits. Here eight consecutive slices, a band, share their 64-byte lines: an item has one line of
// each band, and in it one bit of each 64-bit word, which belongs to one slice.
namespace bloomtime::math {

inline constexpr unsigned slices_per_band = 8;
inline constexpr unsigned slice_word_bits = 64;  // of one slice in one line
inline constexpr unsigned most_age_k = 64;
inline constexpr std::uint64_t most_generations = 1 << 14;

// The chance that a new item finds k consecutive slices with its bits (the recursion F(i, a) of
// recency.md 10). loads[i]: items per word of slice i on average; the first of them is slice number
// `first` of its band. Lines differ: how many items share one is a Poisson number, taken to be the
// same for all slices of a band. They share all but a few of their generations; the error that this
// makes is on the safe side.
double run_chance(std::span<const double> loads, unsigned first, unsigned k);

// The same for k + generations slices, of which those that have seen k generations have `load`
// items per bit: ln 2 for half full.
double age_partitioned_error(unsigned k, std::uint64_t generations, double load);

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

// Any k consecutive slices reach into one of every so many bands by at least five slices, at one of
// its ends, or lie inside if k is small: only these are asked first.
constexpr std::uint64_t band_stride(unsigned k) noexcept {
  constexpr unsigned enough = 5;  // then one stranger in 16 is looked at more closely
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
