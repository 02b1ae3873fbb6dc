#pragma once

#include <cstdint>
#include <vector>

#include <bloomtime/math/history.hpp>

// The sizes of persistent Bloom filters for a given error, computed from the expected numbers of
// pairs, items and ticks (docs/math.md, Size of a history). A query is about `length` consecutive
// ticks at a random place; `error` is the probability that a negative query is not answered "no".
namespace bloomtime::published {

using math::history_counts;
using math::history_size;

// A guess of the number of different (item, 2^h ticks) for every height h: from pairs to items in
// equal ratios, within the limits of chained_keys().
std::vector<double> guessed_keys(const history_counts& counts);

// One filter of pairs, probed once per tick.
history_size single_size(const history_counts& counts, double error, std::uint64_t length);

// How bits are distributed over levels: equally, optimally, or optimally with levels omitted as by
// plan_levels(), with at most 16 probes or as many as all levels take.
enum class level_rule : std::uint8_t { uniform, optimal, planned };

// A filter per height, without doubting. Accurate to a thousandth of the bits, as is tree_size().
history_size level_size(level_rule rule, const history_counts& counts, double error,
                        std::uint64_t length);

// The mean number of probes of a query into a tree with leaves of `granularity` ticks.
struct tree_profile {
  std::vector<double> nodes;  // by height, including leaves that are queried as a whole
  double parts = 0;           // leaves of which only some ticks are queried
  double part_ticks = 0;      // the ticks of these
};
tree_profile tree_cover_profile(std::uint64_t length, std::uint64_t granularity, unsigned heights);

// A filter per node, at least a word each, and one of pairs, with optimal bits. The pairs are
// probed only if a partly queried leaf errs or holds the item at another tick.
history_size tree_size(const history_counts& counts, std::uint64_t granularity, double error,
                       std::uint64_t length);

}  // namespace bloomtime::published
