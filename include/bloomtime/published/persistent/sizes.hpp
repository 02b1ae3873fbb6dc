#pragma once

#include <cstdint>
#include <vector>

// The sizes of histories for a given error, computed from the expected numbers of pairs, items and
// ticks (docs/math.md, Size of a history, Cost of a timeline). A query is about `length`
// consecutive ticks at a random place; `error` is the probability that a negative query is not
// answered "no".
namespace bloomtime::math {

struct history_counts {
  std::uint64_t pairs = 0;  // different (item, tick)
  std::uint64_t items = 0;  // different ones, with at most `ticks` pairs each
  std::uint64_t ticks = 0;  // of the span, at most 2^62
};

// A guess of the number of different (item, 2^h ticks) for every height h: from pairs to items in
// equal ratios, within the limits of chained_keys().
std::vector<double> guessed_keys(const history_counts& counts);

struct history_size {
  std::uint64_t bits = 0;
  double probes = 0;  // mean number of a negative query
  double error = 0;
};

// The lower bound for filters of pairs if items do not repeat: log2(length / error) bits per pair,
// up to a constant.
double bound_bits_per_pair(double error, std::uint64_t length);

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

// Sealed timelines in the worst case: all items have equally many ticks at random places. A
// timeline per item, by name; and all sightings as positions without names.
history_size named_size(const history_counts& counts);
history_size nameless_size(const history_counts& counts, double error, std::uint64_t length);

// The lower bound for exact timelines of items with equally many ticks, if nothing else is known
// about the ticks: log2 of the number of possible sets of ticks, per pair.
double timeline_entropy(const history_counts& counts);

}  // namespace bloomtime::math
