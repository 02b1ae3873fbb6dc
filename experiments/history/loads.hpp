#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/math/allocation.hpp>
#include <bloomtime/published/persistent/learning.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

#include "exact.hpp"
#include "streams.hpp"

namespace experiments {

// As published, where it could be told.
inline constexpr std::uint64_t tree_granularity = 4;
inline constexpr std::uint64_t usual_bits = 50'000'000;

// What the filters of a history have to carry: the keys of each, and how often a question asks it.
struct loads {
  std::vector<bloomtime::math::filter_load> levels;  // by height
  bloomtime::published::tree_loads tree;  // no nodes where they would be more than the pairs
};

// Counted, for these very data and questions.
loads true_loads(const trace& t, const exact_history& truth, std::span<const question> questions);

// Different (item, bucket) pairs of every height.
std::vector<double> level_keys(const trace& t);

// How often questions ask each height.
std::vector<double> level_probes(std::uint64_t ticks, std::span<const question> questions);

// What histories of another day know of it: sketches, and how full the nodes of a tree are.
class lesson {
 public:
  explicit lesson(const trace& t);

  // With what is asked on that day.
  loads learned(std::span<const question> questions) const;

 private:
  bloomtime::published::level_history levels_;
  std::optional<bloomtime::published::tree_history> tree_;
};

}  // namespace experiments
