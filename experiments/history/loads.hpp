#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/math/allocation.hpp>

#include "exact.hpp"
#include "streams.hpp"

namespace experiments {

inline constexpr std::uint64_t tree_granularity = 4;  // as published

// What the filters of a history have to carry: the keys of each, and how often a question asks it.
struct loads {
  std::vector<bloomtime::math::filter_load> levels;  // by height
  // Of a tree, by height and bucket. None where the tree would have more leaves than there are
  // pairs.
  std::vector<std::vector<bloomtime::math::filter_load>> nodes;
  bloomtime::math::filter_load pairs{};  // of a tree
};

// Counted, for these very data and questions.
loads true_loads(const trace& t, const exact_history& truth, std::span<const question> questions);

// Different (item, bucket) pairs of every height: counted, or as a history of levels estimates
// them.
std::vector<double> level_keys(const trace& t);
std::vector<double> estimated_level_keys(const trace& t);

// How often questions ask each height.
std::vector<double> level_probes(std::uint64_t ticks, std::span<const question> questions);

}  // namespace experiments
