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

// The probability that an item finds all its k timers written by `items` others, with independent
// positions. An upper bound: exact for k = 1, at most 1 % too high from 10 items on (20 % with
// k = 10, 72 % with k = 20 for a single item). The usual (1 - (1 - 1/timers)^(k items))^k is too
// low, for a single item by a factor of 2 with k = 10, because the number of written timers varies
// (docs/math.md, Error of timers).
double timers_error(std::uint64_t items, std::uint64_t timers, unsigned k);

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

// The evidence if only a lower bound of the age is known.
constexpr evidence older_than(double age) noexcept { return {age, age, 1}; }

// The probability that a given timer was written by `distinct` different items:
// 1 - (1 - 1/timers)^(k distinct). Its c-th power, for c timers with the oldest stamp, is the g of
// the paper, F(c, 0, B).
double touched(double distinct, std::uint64_t timers, unsigned k) noexcept;
// The probability that `count` given timers of one item were all written by `distinct` different
// items. In lines they are written by the same few items, those that share the line.
double all_touched(const stamp_size& size, double distinct, unsigned count) noexcept;

// This many different items among this many insertions; both are at least 1.
struct distinct_knot {
  double insertions;
  double distinct;
};
// Interpolates between two knots by a power of the insertions (docs/math.md, Number of different
// items).
double distinct_between(const distinct_knot& from, const distinct_knot& to,
                        double insertions) noexcept;

// g from the stamps themselves: the probability that `count` timers are among the `with_age` timers
// of one age, out of the `at_least` timers that are at least as old (docs/math.md, Census
// likelihood).
double stamp_census(std::uint64_t with_age, std::uint64_t at_least, unsigned count) noexcept;

}  // namespace bloomtime::math
