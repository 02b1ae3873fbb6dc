#pragma once

#include <cstdint>

// The sizes and errors of timelines, computed from the expected numbers of pairs, items and ticks
// (docs/math.md, Cost of a timeline). A query is about `length` consecutive ticks at a random
// place; `error` is the probability that a negative query is not answered "no".
namespace bloomtime::math {

struct history_counts {
  std::uint64_t pairs = 0;  // different (item, tick)
  std::uint64_t items = 0;  // different ones, with at most `ticks` pairs each
  std::uint64_t ticks = 0;  // of the span, at most 2^62
};

// Throw error(invalid_argument) unless such a history or query can exist.
void expect_counts(const history_counts& counts);
void expect_query(double error, std::uint64_t length);

struct history_size {
  std::uint64_t bits = 0;
  double probes = 0;  // mean number of a negative query
  double error = 0;
};

// The lower bound for filters of pairs if items do not repeat: log2(length / error) bits per pair,
// up to a constant.
double bound_bits_per_pair(double error, std::uint64_t length);

// Sealed timelines in the worst case: all items have equally many ticks at random places. A
// timeline per item, by name; and all sightings as positions without names.
history_size named_size(const history_counts& counts);
history_size nameless_size(const history_counts& counts, double error, std::uint64_t length);

// The lower bound for exact timelines of items with equally many ticks, if nothing else is known
// about the ticks: log2 of the number of possible sets of ticks, per pair.
double timeline_entropy(const history_counts& counts);

// The number of places for `count` sightings without names with which a query about `length` ticks
// has at most this error, and the inverse: n L / R (docs/math.md, Error of nameless positions).
// There are at most 2^62 places; most_positions() is the number of sightings for which they
// suffice.
std::uint64_t position_range(std::uint64_t count, double error, std::uint64_t length);
std::uint64_t most_positions(double error, std::uint64_t length);
double position_error(std::uint64_t count, std::uint64_t range, std::uint64_t length);

}  // namespace bloomtime::math
