#pragma once

#include <cstdint>
#include <vector>

// What histories take for an error, before anything is known of them but how much there will be to
// remember (docs/math.md, Size of a history, Cost of a timeline). A question is about `length`
// neighbouring ticks anywhere, and `error` the chance that one that should be answered "no" is not.
namespace bloomtime::math {

struct history_counts {
  std::uint64_t pairs = 0;  // different (item, tick)
  std::uint64_t items = 0;  // different ones, with at most `ticks` pairs each
  std::uint64_t ticks = 0;  // of the span, at most 2^62
};

// Different (item, 2^h ticks) for every height h, guessed: from pairs to items in equal ratios, as
// far as levels can have them.
std::vector<double> guessed_keys(const history_counts& counts);

struct history_size {
  std::uint64_t bits = 0;
  double probes = 0;  // that a question answered "no" takes on average
  double error = 0;
};

// No filter of pairs can take less for questions of this length, if items do not repeat:
// log2(length / error) for each, but for a constant.
double bound_bits_per_pair(double error, std::uint64_t length);

// One filter of pairs, asked for every tick.
history_size single_size(const history_counts& counts, double error, std::uint64_t length);

// How bits are given to levels: the same to each, where they help most, or that and levels left out
// as plan_levels() does, with at most 16 probes, or as many as all levels take.
enum class level_rule : std::uint8_t { uniform, optimal, planned };

// A filter per height, each positive believed. To within a thousandth of the bits, as are trees.
history_size level_size(level_rule rule, const history_counts& counts, double error,
                        std::uint64_t length);

// What a question asks of a tree with leaves of `granularity` ticks, on average.
struct tree_profile {
  std::vector<double> nodes;  // by height, leaves asked as a whole among them
  double parts = 0;           // leaves of which only some ticks are asked
  double part_ticks = 0;      // all of these ticks
};
tree_profile tree_cover_profile(std::uint64_t length, std::uint64_t granularity, unsigned heights);

// A filter per node, at least a word each, and one of pairs: where bits help most. A leaf that is
// asked in part errs, or holds the item at another tick, before the pairs are asked.
history_size tree_size(const history_counts& counts, std::uint64_t granularity, double error,
                       std::uint64_t length);

// Sealed timelines if all items have equally many ticks and these lie anywhere, which is the most
// that so many can take: a timeline each, by name; and all as positions without names.
history_size named_size(const history_counts& counts);
history_size nameless_size(const history_counts& counts, double error, std::uint64_t length);

// log2 of the number of ways in which items can be seen in equally many ticks, for each pair: what
// no exact timelines can go below, if nothing else is known of the ticks.
double timeline_entropy(const history_counts& counts);

}  // namespace bloomtime::math
