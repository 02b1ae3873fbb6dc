#include "loads.hpp"

#include <bit>
#include <limits>

#include <bloomtime/detail/dyadic.hpp>
#include <bloomtime/history/level_history.hpp>
#include <bloomtime/history/query_profile.hpp>
#include <bloomtime/history/tree_history.hpp>

namespace experiments {
namespace {

using namespace bloomtime;

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

void count_keys(const trace& t, loads& l) {
  l.levels.resize(heights_for(t.ticks));
  if (t.ticks / tree_granularity <= t.pairs.size()) {
    for (const std::uint64_t nodes : tree_history::nodes_for(t.ticks, tree_granularity)) {
      l.nodes.emplace_back(nodes);
    }
  }
  l.pairs.keys = static_cast<double>(t.pairs.size());
  for_new_keys(t, [&](std::uint32_t tick, unsigned heights) {
    for (unsigned h = 0; h < heights; ++h) {
      ++l.levels[h].keys;
      if (h >= leaf_height && h - leaf_height < l.nodes.size()) {
        ++l.nodes[h - leaf_height][tick >> h].keys;
      }
    }
  });
}

// Some ticks of one leaf: the leaf is asked, and the pairs if it says yes. It does so in truth, or
// because it errs, which is taken to happen once in a hundred times.
void count_part(const question& q, std::int64_t first, std::int64_t last,
                const exact_history& truth, loads& l) {
  constexpr double leaf_error = 0.01;
  constexpr auto in_leaf = static_cast<std::int64_t>(tree_granularity) - 1;
  const bool yes = truth.was_seen(q.item, {{first & ~in_leaf}, {last | in_leaf}});
  ++l.nodes[0][static_cast<std::size_t>(first >> leaf_height)].probes;
  l.pairs.probes += static_cast<double>(last - first + 1) * (yes ? 1 : leaf_error);
}

// As tree_history asks: whole leaves by nodes, what is left at the ends by pairs.
void count_tree_probes(const question& q, const exact_history& truth, loads& l) {
  constexpr auto in_leaf = static_cast<std::int64_t>(tree_granularity) - 1;
  const std::int64_t first = q.asked.first.number;
  const std::int64_t last = q.asked.last.number;
  const bool starts_inside = (first & in_leaf) != 0;
  const bool ends_inside = (last & in_leaf) != in_leaf;
  if (first >> leaf_height == last >> leaf_height && (starts_inside || ends_inside)) {
    return count_part(q, first, last, truth, l);
  }
  const auto from = static_cast<std::uint64_t>((first >> leaf_height) + starts_inside);
  const auto until = static_cast<std::uint64_t>((last >> leaf_height) + !ends_inside);
  if (from < until) {
    const auto top = static_cast<unsigned>(l.nodes.size()) - 1;
    const detail::dyadic_cover cover(from, until - 1, top);
    for (const detail::dyadic_node& n : cover.nodes()) {
      if (n.bucket < l.nodes[n.height].size()) ++l.nodes[n.height][n.bucket].probes;
    }
  }
  if (starts_inside) count_part(q, first, first | in_leaf, truth, l);
  if (ends_inside) count_part(q, last & ~in_leaf, last, truth, l);
}

}  // namespace

loads true_loads(const trace& t, const exact_history& truth, std::span<const question> questions) {
  loads l;
  count_keys(t, l);
  const std::vector<double> probes = level_probes(t.ticks, questions);
  for (std::size_t h = 0; h < probes.size(); ++h) l.levels[h].probes = probes[h];
  if (l.nodes.empty()) return l;
  for (const question& q : questions) count_tree_probes(q, truth, l);
  return l;
}

std::vector<double> level_keys(const trace& t) {
  std::vector<double> keys(heights_for(t.ticks));
  for_new_keys(t, [&](std::uint32_t, unsigned heights) {
    for (unsigned h = 0; h < heights; ++h) ++keys[h];
  });
  return keys;
}

std::vector<double> estimated_level_keys(const trace& t) {
  std::vector<math::filter_size> sizes(heights_for(t.ticks));
  sizes[0] = {64, 1};  // only what it counts matters
  level_history day({.ticks = t.ticks, .levels = sizes, .learns = true});
  for (const record& r : t.pairs) (void)day.add(r.item, at(r.tick));
  std::vector<double> keys;
  for (unsigned h = 0; h < day.heights(); ++h) keys.push_back(*day.keys(h));
  return keys;
}

std::vector<double> level_probes(std::uint64_t ticks, std::span<const question> questions) {
  query_profile profile(ticks);
  for (const question& q : questions) profile.observe(q.asked);
  return profile.frequencies(0);
}

}  // namespace experiments
