#pragma once

#include <cstdint>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/math/binomial.hpp>

namespace bloomtime::cli {

struct bloom_measurement {
  std::uint64_t queries = 0;  // of items that were not added
  std::uint64_t false_positives = 0;
  math::count_range expected{};  // 99.9 % range of the number, if the planned error is right
  double add_ns = 0;             // per item, in bulk
  double lookup_ns = 0;

  double error() const;
  double lowest_expected() const;
  double highest_expected() const;
  bool kept() const { return false_positives <= expected.high; }
};

inline constexpr std::uint64_t most_queries = 10'000'000;

// Adds the integers 0, 1, ... up to the filter's capacity, then looks up as many of the next ones,
// but at most most_queries. Only the times differ from run to run.
bloom_measurement measure(bloom_filter& filter);

}  // namespace bloomtime::cli
