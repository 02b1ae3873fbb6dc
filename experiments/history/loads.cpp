#include "loads.hpp"

#include <bit>
#include <limits>

#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/published/persistent/levels.hpp>
#include <bloomtime/published/persistent/query_profile.hpp>

namespace experiments {
namespace {

using namespace bloomtime;
using namespace bloomtime::published;

constexpr unsigned leaf_height = std::countr_zero(tree_granularity);

unsigned heights_for(std::uint32_t ticks) {
  return static_cast<unsigned>(std::bit_width(ticks - 1)) + 1;
}

// Calls found(tick, heights) for every pair: it is the first of its item in its bucket at this many
// heights, from the finest on.
template <class Found>
void for_new_keys(const trace& t, Found&& found) {
  constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
  const unsigned all = heights_for(t.ticks);
  std::vector<std::uint32_t> last(t.items, never);
  for (const record& r : t.pairs) {
    const std::uint32_t before = last[r.item];
    last[r.item] = r.tick;
    found(r.tick, before == never ? all : static_cast<unsigned>(std::bit_width(before ^ r.tick)));
  }
}

bool has_tree(const trace& t) { return 2 * (t.ticks / tree_granularity) <= t.pairs.size(); }

void count_keys(const trace& t, loads& l) {
  l.levels.resize(heights_for(t.ticks));
  if (has_tree(t)) {
    for (const std::uint64_t nodes : tree_history::nodes_for(t.ticks, tree_granularity)) {
      l.tree.nodes.emplace_back(nodes);
    }
  }
  l.tree.pairs.keys = static_cast<double>(t.pairs.size());
  for_new_keys(t, [&](std::uint32_t tick, unsigned heights) {
    for (unsigned h = 0; h < heights; ++h) {
      ++l.levels[h].keys;
      if (h >= leaf_height && h - leaf_height < l.tree.nodes.size()) {
        ++l.tree.nodes[h - leaf_height][tick >> h].keys;
      }
    }
  });
}

// The pairs are probed for some ticks of a leaf if the leaf answers yes: correctly, or by an error,
// which is assumed to happen once in a hundred times.
double pair_ticks(const question& q, const exact_history& truth) {
  constexpr double leaf_error = 0.01;
  constexpr std::uint64_t in_leaf = tree_granularity - 1;
  const detail::tick_range range{static_cast<std::uint64_t>(q.asked.first.number),
                                 static_cast<std::uint64_t>(q.asked.last.number)};
  double ticks = 0;
  const detail::leaf_cut cut(range, leaf_height);
  for (const detail::tick_range& part : cut.parts()) {
    const interval leaf{{static_cast<std::int64_t>(part.first & ~in_leaf)},
                        {static_cast<std::int64_t>(part.last | in_leaf)}};
    const double yes = truth.was_seen(q.item, leaf) ? 1 : leaf_error;
    ticks += yes * static_cast<double>(part.last - part.first + 1);
  }
  return ticks;
}

void count_tree_probes(std::uint64_t ticks, const exact_history& truth,
                       std::span<const question> questions, tree_loads& tree) {
  query_profile profile(ticks, tree_granularity);
  for (const question& q : questions) {
    profile.observe(q.asked);
    tree.pairs.probes += pair_ticks(q, truth);
  }
  for (unsigned h = 0; h < tree.nodes.size(); ++h) {
    for (std::size_t i = 0; i < tree.nodes[h].size(); ++i) {
      tree.nodes[h][i].probes = profile.count(h, i);
    }
  }
}

level_history sketched(const trace& t) {
  std::vector<published::filter_size> sizes(heights_for(t.ticks));
  sizes[0] = {64, 1};  // only what it counts matters
  return level_history({.ticks = t.ticks, .levels = sizes, .learns = true});
}

}  // namespace

loads true_loads(const trace& t, const exact_history& truth, std::span<const question> questions) {
  loads l;
  count_keys(t, l);
  const std::vector<double> probes = level_probes(t.ticks, questions);
  for (std::size_t h = 0; h < probes.size(); ++h) l.levels[h].probes = probes[h];
  if (has_tree(t)) count_tree_probes(t.ticks, truth, questions, l.tree);
  return l;
}

std::vector<double> level_keys(const trace& t) {
  std::vector<double> keys(heights_for(t.ticks));
  for_new_keys(t, [&](std::uint32_t, unsigned heights) {
    for (unsigned h = 0; h < heights; ++h) ++keys[h];
  });
  return keys;
}

std::vector<double> level_probes(std::uint64_t ticks, std::span<const question> questions) {
  query_profile profile(ticks);
  for (const question& q : questions) profile.observe(q.asked);
  return profile.frequencies(0);
}

lesson::lesson(const trace& t) : levels_(sketched(t)) {
  if (has_tree(t)) {
    loads l;
    count_keys(t, l);
    tree_.emplace(tree_config{.ticks = t.ticks,
                              .granularity = tree_granularity,
                              .sizes = uniform_tree(l.tree, usual_bits)});
  }
  for (const record& r : t.pairs) {
    levels_.add(r.item, at(r.tick));
    if (tree_) tree_->add(r.item, at(r.tick));
  }
}

loads lesson::learned(std::span<const question> questions) const {
  loads l;
  std::vector<double> keys;
  for (unsigned h = 0; h < levels_.heights(); ++h) keys.push_back(*levels_.keys(h));
  keys = published::chained_keys(keys);
  const std::vector<double> probes = level_probes(levels_.ticks(), questions);
  for (std::size_t h = 0; h < keys.size(); ++h) l.levels.push_back({keys[h], probes[h]});
  if (!tree_) return l;
  query_profile profile(tree_->ticks(), tree_granularity);
  for (const question& q : questions) {
    profile.observe(q.asked, 0, tree_->pair_ticks(q.item, q.asked));
  }
  l.tree = learned_loads(*tree_, profile, {.bits = usual_bits, .smoothing = 0});
  return l;
}

}  // namespace experiments
