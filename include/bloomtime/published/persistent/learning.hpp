#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/published/persistent/allocation.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/query_profile.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

// Allocates the bits of the next partition as the last one would have needed them (Peng et al.
// 2018, section 6): from the number of keys that its filters held and from the queries to it
// (docs/math.md, Learning of keys and probes).
namespace bloomtime::published {

struct learning {
  std::uint64_t bits = 0;             // to allocate
  double smoothing = 0.02;            // of the query profile, see frequencies()
  std::uint64_t elapsed = 0;          // ticks of the last partition that have passed; 0: all
  size_grid grid = size_grid::words;  // powers of two fold when partitions are joined
};

// The configuration of the span that follows `last`, with the same length and settings. The
// sketches of `last` give the numbers of keys, so `last` must have `learns` set; the next one has
// it as well. The finest level always gets a word.
level_config learned(const level_history& last, const query_profile& queries, const learning& how);

// The same, but omits levels that help too little: the smallest error with at most `most_probes` on
// average (plan_levels), with sizes of whole words.
level_config planned(const level_history& last, const query_profile& queries, const learning& how,
                     double most_probes);

// The loads of all nodes of a tree and of its pairs.
struct tree_loads {
  std::vector<std::vector<filter_load>> nodes;
  filter_load pairs;
};

// Allocates bits where they help most.
tree_sizes allocate_tree(const tree_loads& loads, std::uint64_t bits,
                         size_grid grid = size_grid::words);
// The same number of bits for every filter: the basic variant, as published.
tree_sizes uniform_tree(const tree_loads& loads, std::uint64_t bits);

// The number of keys of a node is estimated from its fill in `last`, averaged with the mean of its
// height. A node that is absent or too full for an estimate gets the mean. `queries` must count
// nodes.
tree_config learned(const tree_history& last, const query_profile& queries, const learning& how);
// The loads from which learned() allocates bits.
tree_loads learned_loads(const tree_history& last, const query_profile& queries,
                         const learning& how);

}  // namespace bloomtime::published
