#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/math/allocation.hpp>

// How often questions about the past ask which level of a dyadic tree, and what follows from it for
// sizes. A question is about `length` neighbouring ticks anywhere.
namespace bloomtime::math {

// The mean number of nodes of height h in the cover of `length` ticks, for h below `heights`, over
// all places where the ticks may begin. Exact: 1 where 2^(h + 1) <= length.
std::vector<double> cover_profile(std::uint64_t length, unsigned heights);

// How often each level is asked if only those that are marked exist and a node of another level is
// looked for in the next one below: sum of profile_h 2^(h - j) over the levels h that end up in j.
// Level 0 must be there.
std::vector<double> level_probes(std::span<const double> profile, const std::vector<bool>& active);

// Numbers of keys as levels can have them: a bucket is two of the next finer level, so d_(h + 1) <=
// d_h <= 2 d_(h + 1). What was estimated is moved there, from the finest level up.
std::vector<double> chained_keys(std::span<const double> keys);

struct level_plan {
  std::vector<filter_size> levels;  // by height, 0 bits where there is none
  double probes = 0;                // that a question answered "no" takes on average
  double error = 0;                 // the chance that such a question is answered "maybe"
};

// Which levels should exist, and how large: the least error with at most `most_probes` on average.
// `keys` are those of every level. All sets of levels are tried if 12 or fewer are ever queried;
// else levels are removed one by one while that helps (docs/math.md, Choice of levels).
level_plan plan_levels(std::span<const double> keys, std::span<const double> profile,
                       std::uint64_t bits, double most_probes);

// The chance that one of `length` probes errs, each with the chance `error`, and back.
double error_of_probes(double error, double probes);
double error_of_one_probe(double error, double probes);

// A single filter of (item, tick) pairs for questions of `length` ticks.
filter_size single_size_for_error(std::uint64_t pairs, double error, std::uint64_t length);

// Into how many places `count` sightings without names must be spread so that a question about
// `length` ticks errs with at most this probability, and back: n L / R
// (docs/math.md, Error of nameless positions). There are at most 2^62 places: most_positions() says
// for how many sightings they are enough.
std::uint64_t position_range(std::uint64_t count, double error, std::uint64_t length);
std::uint64_t most_positions(double error, std::uint64_t length);
double position_error(std::uint64_t count, std::uint64_t range, std::uint64_t length);

}  // namespace bloomtime::math
