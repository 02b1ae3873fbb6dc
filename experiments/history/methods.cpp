#include "methods.hpp"

#include <stdexcept>
#include <string>

#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/levels.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

namespace experiments {
namespace {

using namespace bloomtime;
using namespace bloomtime::published;

// -- one filter --------------------------------------------------------------------------------

subject single(const order& o) {
  return subject_of(single_history({.pairs = o.pairs, .memory = o.bits / 8, .ticks = o.ticks}));
}

// The paper's figures of its baseline fit this k, and not the best one.
subject single_k3(const order& o) {
  return subject_of(
      single_history({.pairs = o.pairs, .memory = o.bits / 8, .k = 3, .ticks = o.ticks}));
}

// k as the paper rounds it: up, and at most 16.
subject single_published(const order& o) {
  const unsigned k =
      published::k_for(static_cast<double>(o.pairs), o.bits / 8 * 8, published::k_rule::published);
  return subject_of(
      single_history({.pairs = o.pairs, .memory = o.bits / 8, .k = k, .ticks = o.ticks}));
}

// -- a tree of filters -------------------------------------------------------------------------

subject tree(const order& o, tree_sizes sizes) {
  return subject_of(
      tree_history({.ticks = o.ticks, .granularity = tree_granularity, .sizes = std::move(sizes)}));
}

subject tree_uniform(const order& o) { return tree(o, uniform_tree(o.truth.tree, o.bits)); }
subject tree_optimal(const order& o) { return tree(o, allocate_tree(o.truth.tree, o.bits)); }
subject tree_learned(const order& o) { return tree(o, allocate_tree(o.learned.tree, o.bits)); }

// -- a filter per level ------------------------------------------------------------------------

subject levels(std::string_view name, const order& o, bool doubts = false) {
  return subject_of(
      level_history({.ticks = o.ticks, .levels = level_sizes(name, o), .doubts = doubts}));
}

published::level_plan planned(const order& o, double most_probes) {
  std::vector<double> keys;
  std::vector<double> probes;
  for (const published::filter_load& load : o.truth.levels) {
    keys.push_back(load.keys);
    probes.push_back(load.probes);
  }
  return published::plan_levels(keys, probes, o.bits, most_probes);
}

subject level_uniform(const order& o) { return levels("level uniform", o); }
subject level_optimal(const order& o) { return levels("level optimal", o); }
subject level_published(const order& o) { return levels("level published k", o); }
subject level_learned(const order& o) { return levels("level learned", o); }
subject level_planned(const order& o) { return levels("level planned", o); }
subject level_doubting(const order& o) { return levels("level doubting", o, true); }

// -- the others --------------------------------------------------------------------------------

subject timeline(const order& o) { return subject_of(timeline_history({.ticks = o.ticks})); }
subject exact(const order&) { return subject_of(exact_history()); }

constexpr method all[] = {
    {"single", false, single},
    {"single k=3", false, single_k3},
    {"single published k", false, single_published},
    {"tree uniform", false, tree_uniform},
    {"tree optimal", true, tree_optimal},
    {"tree learned", true, tree_learned},
    {"level uniform", false, level_uniform},
    {"level optimal", true, level_optimal},
    {"level published k", true, level_published},
    {"level learned", true, level_learned},
    {"level planned", true, level_planned},
    {"level doubting", true, level_doubting},
    {"timeline", false, timeline},
    {"exact", false, exact},
};

}  // namespace

std::span<const method> methods() { return all; }

const method& method_of(std::string_view name) {
  for (const method& m : all) {
    if (m.name == name) return m;
  }
  throw std::logic_error("there is no method " + std::string(name));
}

subject filled(const method& m, const order& o, const trace& t) {
  subject s = m.make(o);
  s.add(t.pairs);
  s.finish();
  return s;
}

std::vector<published::filter_size> level_sizes(std::string_view method, const order& o) {
  if (method == "level uniform") return published::uniform_bits(o.truth.levels, o.bits);
  if (method == "level optimal") return published::allocate_bits(o.truth.levels, o.bits);
  if (method == "level published k") {
    return published::allocate_bits(o.truth.levels, o.bits, published::size_grid::words,
                                    published::k_rule::published);
  }
  if (method == "level learned") return published::allocate_bits(o.learned.levels, o.bits);
  return planned(o, method == "level planned" ? 128 : 16).levels;
}

}  // namespace experiments
