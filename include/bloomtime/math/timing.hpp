#pragma once

#include <cstdint>
#include <optional>

#include <bloomtime/layout.hpp>
#include <bloomtime/math/posterior.hpp>

// Sizes and errors of filters whose cells are time stamps (Dautrich & Ravishankar 2019), and what
// their stamps say about an age. Arguments outside their ranges throw bloomtime::error.
namespace bloomtime::math {

// The largest window of a recency filter, in microseconds or insertions.
inline constexpr std::uint64_t most_recent_window = std::uint64_t{1} << 60;

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

// The probability that an item finds all its k timers written by `items` others, with independent
// positions. An upper bound: exact for k = 1, at most 1 % too high from 10 items on (20 % with
// k = 10, 72 % with k = 20 for a single item). The usual (1 - (1 - 1/timers)^(k items))^k is too
// low, for a single item by a factor of 2 with k = 10, because the number of written timers varies
// (docs/math.md, Error of timers).
double timers_error(std::uint64_t items, std::uint64_t timers, unsigned k);

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

// Windows of `oldest` ticks, with at most `items` different items in any of them, and at most `cut`
// in the tick at the end of the window, which stay alive until the whole tick has left. If items
// may arrive in bursts, `cut` is as large as `items`.
struct stamp_load {
  std::uint64_t items = 0;
  std::uint64_t cut = 0;
  std::uint32_t oldest = 0;
};

// The number of different items that are alive in the worst case.
std::uint64_t alive_at_worst(const stamp_load& load) noexcept;

struct stamp_size {
  bloomtime::layout layout = layout::flat;
  unsigned bits = 0;  // of a timer
  unsigned k = 0;
  std::uint64_t cells = 0;
  std::uint32_t oldest = 0;
};

// The fewest bits for the error, or the smallest error for the memory, over k and over both layouts
// unless `kind` is given. So a smaller error or more items never take less memory. Timers have the
// fewest bits with which sweeps examine each of them at most four times per window.
stamp_size stamps_for_error(const stamp_load& load, double error, std::optional<layout> kind = {});
stamp_size stamps_for_memory(const stamp_load& load, std::uint64_t bytes,
                             std::optional<layout> kind = {});
// The probability that an item outside the window finds all its timers alive, if `alive` different
// items are.
double stamp_error(const stamp_size& size, std::uint64_t alive);
// The number of items that `alive` live timers correspond to, and the error of a new item then.
double alive_items(const stamp_size& size, std::uint64_t alive);
double alive_error(const stamp_size& size, std::uint64_t alive);

// -- evidence ----------------------------------------------------------------------------------

// The evidence of an item whose oldest timer has the age `age` in blocks; the present block has
// `filled` insertions. g: the probability that an item last seen earlier would look the same. Ages
// of the result are in insertions.
evidence block_evidence(std::uint32_t age, std::uint64_t filled, std::uint64_t block,
                        double g) noexcept;

// The evidence if only a lower bound of the age is known.
constexpr evidence older_than(double age) noexcept { return {age, age, 1}; }

// The probability that a given timer was written by `distinct` different items:
// 1 - (1 - 1/timers)^(k distinct). Its c-th power, for c timers with the oldest stamp, is the g of
// the paper, F(c, 0, B).
double touched(double distinct, std::uint64_t timers, unsigned k) noexcept;
// The probability that `count` given timers of one item were all written by `distinct` different
// items. In lines they are written by the same few items, those that share the line.
double all_touched(const stamp_size& size, double distinct, unsigned count) noexcept;

// g from the stamps themselves: `count` timers are among those with the oldest age, of all that are
// at least so old (docs/math.md, Census likelihood).
double stamp_census(std::uint64_t with_age, std::uint64_t at_least, unsigned count) noexcept;

}  // namespace bloomtime::math
