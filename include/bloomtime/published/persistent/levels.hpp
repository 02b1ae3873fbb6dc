#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/published/persistent/allocation.hpp>

// How often queries about the past probe each level of a dyadic tree, and the sizes that follow. A
// query is about `length` consecutive ticks at a random place.
namespace bloomtime::published {

// The mean number of nodes of height h in the cover of `length` ticks, for h below `heights`, over
// all places where the ticks may begin. Exact; 1 where 2^(h + 1) <= length
// (docs/math.md, Dyadic cover).
std::vector<double> cover_profile(std::uint64_t length, unsigned heights);

// How often each level is probed if only the `active` ones exist and a node of another level is
// replaced by its descendants in the next one below: the sum of profile_h 2^(h - j) over the levels
// h that descend to j. Level 0 must be active.
std::vector<double> level_probes(std::span<const double> profile, const std::vector<bool>& active);

// Adjusts estimated numbers of keys to what levels can have, from the finest level up: a bucket is
// two of the next finer level, so d_(h + 1) <= d_h <= 2 d_(h + 1).
std::vector<double> chained_keys(std::span<const double> keys);

struct level_plan {
  std::vector<filter_size> levels;  // by height; 0 bits for an omitted level
  double probes = 0;                // mean number of a negative query
  double error = 0;                 // probability that a negative query is answered "maybe"
};

// Which levels should exist, and their sizes: the smallest error with at most `most_probes` on
// average. `keys` are those of every level. All sets of levels are tried if at most 12 are ever
// queried; otherwise levels are removed one by one while that helps
// (docs/math.md, Choice of levels).
level_plan plan_levels(std::span<const double> keys, std::span<const double> profile,
                       std::uint64_t bits, double most_probes);

// The probability that any of `probes` probes errs, each with probability `error`, and the inverse.
double error_of_probes(double error, double probes);
double error_of_one_probe(double error, double probes);

// A single filter of (item, tick) pairs for queries of `length` ticks.
filter_size single_size_for_error(std::uint64_t pairs, double error, std::uint64_t length);

}  // namespace bloomtime::published
