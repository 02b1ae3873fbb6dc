#pragma once

#include <cstdint>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/math/binomial.hpp>

namespace bloomtime::cli {

struct bloom_measurement {
  std::uint64_t queries = 0;  // of items that were not inserted
  std::uint64_t false_positives = 0;
  math::count_range expected{};  // where chance leaves them in 99.9 % of cases if the plan is right
  double insert_ns = 0;          // per item, in bulk
  double lookup_ns = 0;

  double error() const;
  double lowest_expected() const;
  double highest_expected() const;
  bool kept() const { return false_positives <= expected.high; }
};

inline constexpr std::uint64_t most_queries = 10'000'000;

// Inserts the integers 0, 1, ... up to the filter's capacity, then asks for as many of the next
// ones, but at most most_queries. The same numbers every time, but for the times.
bloom_measurement measure(bloom_filter& filter);

}  // namespace bloomtime::cli
