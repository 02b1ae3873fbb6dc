#pragma once

#include <cstdint>

#include <bloomtime/math/heat.hpp>

// Memory of the pool of digits of a time-decaying filter, before it is built.
namespace bloomtime::published {

// Bits per cell of a filter of hexadecimal digits with a pool of half as many nodes, of which
// `used` are in use, by the four accountings that explain the published results: only nodes in use
// or the whole reserved pool, without or with two links per node. Each includes a digit of 4 bits
// and one bit of membership per cell (docs/math.md, Space of a digit pool).
struct pool_bits {
  double used;
  double reserved;
  double used_linked;
  double reserved_linked;
};
pool_bits pool_bits_per_cell(std::uint64_t cells, std::uint64_t used);

// A steady stream by Zipf's law: every epoch has `hits` hits, and rank i of 1..items gets a share
// proportional to i^-z. Counts are multiplied by lambda between epochs.
struct zipf_load {
  std::uint64_t items;
  double z;
  double hits;
  double lambda;
};

// The decayed count of rank 1 at the end of an epoch: hits / ((1 - lambda) harmonic(items, z)).
// Rank i has i^-z times as much.
double largest_count(const zipf_load& load);

// The nodes that a filter of hexadecimal digits takes from its pool for such a stream (Cheng et al.
// 2005, section 4.3; its model of multiplicities, and the nodes instead of its ratio). An item with
// a count of 16^d or more needs d nodes in each of its k cells; a cell that several such items
// share is counted once. The formula ignores the counts of other items in shared cells, rounding,
// and random variation: every count is its mean.
double zipf_pool_nodes(const zipf_load& load, math::heat_size size);

}  // namespace bloomtime::published
