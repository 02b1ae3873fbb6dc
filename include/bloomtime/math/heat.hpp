#pragma once

#include <cstdint>

// How far the answers of a heat filter of k rows exceed the truth, before it is built. All bounds
// are for plain increments, and hold for minimum increase, which only lowers cells
// (docs/math.md, Error of a heat filter).
namespace bloomtime::math {

struct heat_size {
  unsigned k;
  std::uint64_t row;  // cells of one of k rows
};

// The mean excess of an answer, in hits, when `items` are active and have `heat` hits each on
// average: heat * sum over j >= 1 of P(load >= j)^k, where the load of a cell is the number of
// other items in it. Exact if all are equally hot, an upper bound otherwise.
double heat_excess(std::uint64_t items, double heat, heat_size size);

// An answer exceeds the truth by more than the share epsilon of all heat with probability at most
// delta. Returns epsilon = delta^(-1/k) / row: a row exceeds a times its mean with probability at
// most 1/a, and the k rows are independent (Cormode & Muthukrishnan 2005 take a = e).
double heat_share(heat_size size, double delta);

// The fewest cells for epsilon and delta, with at most most_k rows.
heat_size heat_size_for_share(double epsilon, double delta, unsigned most_k);

}  // namespace bloomtime::math
