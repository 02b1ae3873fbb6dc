#pragma once

#include <cstdint>
#include <optional>

#include <bloomtime/math/posterior.hpp>

// Sizes of a timing filter (docs/math.md, Plan of a timing filter). Arguments outside their ranges
// throw bloomtime::error.
namespace bloomtime::published {

// A timing filter for windows of `window` insertions, divided into blocks. A window overlaps at
// most `oldest` full blocks and the present one.
struct timing_size {
  std::uint64_t window = 0;
  std::uint64_t timers = 0;
  unsigned bits = 0;  // of a timer
  unsigned k = 0;
  std::uint64_t block = 0;    // B, insertions
  std::uint32_t oldest = 0;   // A: the largest age in blocks that may lie in the window
  std::uint32_t padding = 0;  // P: ages beyond A + 1
  std::uint64_t sweep = 0;    // S: timers to examine after each insertion

  friend bool operator==(const timing_size&, const timing_size&) = default;
};

// The smallest blocks with which no expired stamp of `bits` bits is taken for a new one, if at most
// `most_sweep` timers are examined per insertion (docs/math.md, Plan of a timing filter). If there
// are none, the error names the least that works.
timing_size plan_timing(std::uint64_t window, std::uint64_t memory_bits, unsigned k, unsigned bits,
                        std::uint64_t most_sweep);

// The probability that an item outside the window finds all its timers alive, in the worst case:
// when the blocks hold window + block - 1 insertions, all of different items.
double timing_error(const timing_size& size);

// Parameters that are not given are chosen: the smallest error for the memory, or the smallest
// memory, within a thousandth, for the error. Sweeps examine k timers unless `sweep` is given.
struct timing_choice {
  std::optional<unsigned> k = {};
  std::optional<unsigned> bits = {};
  std::optional<std::uint64_t> sweep = {};
};
timing_size timing_for_memory(std::uint64_t window, std::uint64_t memory_bits,
                              const timing_choice& choice = {});
timing_size timing_for_error(std::uint64_t window, double error, const timing_choice& choice = {});

// The evidence of an item whose oldest timer has the age `age` in blocks; the present block has
// `filled` insertions. g: the probability that an item last seen earlier would look the same. Ages
// of the result are in insertions.
math::evidence block_evidence(std::uint32_t age, std::uint64_t filled, std::uint64_t block,
                              double g) noexcept;

}  // namespace bloomtime::published
