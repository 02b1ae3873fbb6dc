#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

#include "streams.hpp"

namespace experiments {

template <class Filter>
void feed(Filter& f, const stream& s) {
  for (const hit& h : s.hits) f.add(h.item, at(h.epoch));
}

// Answers minus truths at the end of the stream, over all items that were ever seen, sorted.
// `upper` never undercounts; it is the answer of the published filters that round up. Excludes the
// few items for which a saturated filter knows only the heat of all items together.
template <class Filter>
std::vector<double> excesses(const Filter& f, const stream& s, const exact_heat& exact) {
  const bloomtime::instant now = at(s.epochs - 1);
  std::vector<bool> seen(s.items);
  for (const hit& h : s.hits) seen[h.item] = true;
  std::vector<double> all;
  for (std::uint32_t item = 0; item < s.items; ++item) {
    const double answer = f.at(item, now).upper;
    if (seen[item] && answer != f.mass(now)) all.push_back(answer - exact.at(item, s.epochs - 1));
  }
  std::sort(all.begin(), all.end());
  return all;
}

inline double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// Of sorted values.
inline double quantile(const std::vector<double>& values, double share) {
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// A factor for filters that round counters up: those end at the largest whole number below
// 1 / (1 - lambda), 4 for 4/5 and 9 for 9/10. The doubles 0.8 and 0.9 are slightly larger than
// these fractions, and rates are rounded toward slower decay, which would give 5 and 10. So the
// factor is slightly smaller.
inline double below(double lambda) { return lambda < 1 ? lambda * (1 - 0x1p-50) : lambda; }

// A basic filter of `cells` counters with 16 bits and k = 4.
inline bloomtime::published::decaying_config basic_of(std::uint64_t cells, double lambda) {
  return {.memory = 2 * cells, .lambda = below(lambda)};
}

// An optimized filter with as many cells.
inline bloomtime::published::decaying_config pooled_of(std::uint64_t cells, double lambda) {
  constexpr std::uint64_t bits_per_cell = 4 + 1 + bloomtime::detail::digit_pool::bits_per_node / 2;
  return {.memory = cells / 8 * bits_per_cell, .lambda = below(lambda)};
}

// A heat filter that has this many bytes after the stream, including the table of large counts. The
// table grows by doubling and depends on the cells, so the largest filter that fits is searched.
inline bloomtime::heat_filter heat_filter_in(std::uint64_t bytes, double lambda, const stream& s) {
  std::uint64_t memory = bytes;
  for (;;) {
    bloomtime::heat_filter f({.memory = memory, .lambda = lambda});
    feed(f, s);
    if (f.memory() <= bytes) return f;
    memory -= std::min(memory - 256, f.memory() - bytes);
  }
}

}  // namespace experiments
