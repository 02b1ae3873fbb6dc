#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/published/persistent/allocation.hpp>
#include <bloomtime/published/persistent/learning.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

#include "exact.hpp"
#include "streams.hpp"

namespace experiments {

// As published, where stated.
inline constexpr std::uint64_t tree_granularity = 4;
inline constexpr std::uint64_t usual_bits = 50'000'000;

// The loads of the filters of a history: the keys of each, and its probes per query.
struct loads {
  std::vector<bloomtime::published::filter_load> levels;  // by height
  bloomtime::published::tree_loads tree;  // no nodes if there would be more than pairs
};

// Counted, for the same data and queries.
loads true_loads(const trace& t, const exact_history& truth, std::span<const question> questions);

// Different (item, bucket) pairs of every height.
std::vector<double> level_keys(const trace& t);

// The probes of each height per query.
std::vector<double> level_probes(std::uint64_t ticks, std::span<const question> questions);

// What histories of another day have learned: sketches, and the fill of the nodes of a tree.
class lesson {
 public:
  explicit lesson(const trace& t);

  // With the queries of that day.
  loads learned(std::span<const question> questions) const;

 private:
  bloomtime::published::level_history levels_;
  std::optional<bloomtime::published::tree_history> tree_;
};

}  // namespace experiments
