#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/published/persistent/allocation.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/query_profile.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

// The next partition is given its bits as the last one would have needed them (Peng et al. 2018,
// section 6): by how many keys its filters held, and what was queried
// (docs/math.md, Learning of keys and probes).
namespace bloomtime::published {

struct learning {
  std::uint64_t bits = 0;     // to give out
  double smoothing = 0.02;    // of what was asked, see query_profile
  std::uint64_t elapsed = 0;  // ticks of the last one that have passed so far; 0: all of them
  size_grid grid = size_grid::words;  // powers of two fold when partitions are joined
};

// Of the span that follows `last`, of the same length; all else is as it was. Keys are what the
// sketches of `last` counted, so it has to learn; the next one does as well. The finest level
// always gets a word.
level_config learned(const level_history& last, const query_profile& asked, const learning& how);

// The same, but levels that help too little are left out: the least error with at most
// `most_probes` on average (plan_levels), which has sizes of whole words.
level_config planned(const level_history& last, const query_profile& asked, const learning& how,
                     double most_probes);

// Every node of a tree, and its pairs.
struct tree_loads {
  std::vector<std::vector<filter_load>> nodes;
  filter_load pairs;
};

// Bits where they help most.
tree_sizes allocate_tree(const tree_loads& loads, std::uint64_t bits,
                         size_grid grid = size_grid::words);
// Every filter the same: basic, as published.
tree_sizes uniform_tree(const tree_loads& loads, std::uint64_t bits);

// Keys come from how full the nodes of `last` are, half of each from the mean of its height, and
// all of it where a node is absent or too full to tell; `asked` has to count nodes.
tree_config learned(const tree_history& last, const query_profile& asked, const learning& how);
// What learned() gives bits to.
tree_loads learned_loads(const tree_history& last, const query_profile& asked, const learning& how);

}  // namespace bloomtime::published
