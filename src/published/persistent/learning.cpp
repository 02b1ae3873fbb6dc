#include <bloomtime/published/persistent/learning.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>
#include <bloomtime/published/persistent/levels.hpp>

#include "detail/refuse.hpp"

namespace bloomtime::published {
namespace {

constexpr std::uint64_t word = 64;
constexpr double most_growth = 4;     // of the number of keys until the end of the partition
constexpr double fullest = 0.95;      // the largest fill from which keys are estimated
constexpr double fewest_keys = 1e-3;  // of a node: an empty one may get some next time

template <class History>
void expect_learnable(const History& last, const query_profile& queries, const learning& how) {
  if (last.grows())
    detail::refuse("a history that grows with time has no next partition to learn for");
  if (queries.ticks() != last.ticks()) {
    detail::refuse("the query profile must span as many ticks as the history that it belongs to, " +
                   std::to_string(last.ticks()) + "; got " + std::to_string(queries.ticks()));
  }
  if (how.elapsed > last.ticks()) {
    detail::refuse("`elapsed` must be at most the ticks of the history, " +
                   std::to_string(last.ticks()) + "; got " + std::to_string(how.elapsed));
  }
}

// The factor from the keys so far to those of a whole partition.
double growth(std::uint64_t ticks, std::uint64_t elapsed) {
  if (elapsed == 0) return 1;
  return std::min(most_growth, static_cast<double>(ticks) / static_cast<double>(elapsed));
}

template <class Config, class History>
Config next_span(const History& last) {
  Config next;
  next.ticks = last.ticks();
  next.first = last.first() + last.ticks();
  next.tick = last.clock().resolution();
  next.origin = last.clock().origin();
  next.seed = last.seed();
  return next;
}

level_config next_levels(const level_history& last) {
  auto next = next_span<level_config>(last);
  next.doubts = last.doubts();
  next.learns = true;
  return next;
}

std::vector<double> keys_of(const level_history& last, const learning& how) {
  if (!last.learns())
    detail::refuse("a level history counts its keys only if it learns; set `learns` in its config");
  const double grown = growth(last.ticks(), how.elapsed);
  std::vector<double> keys;
  for (unsigned h = 0; h < last.heights(); ++h) keys.push_back(grown * *last.keys(h));
  return chained_keys(keys);
}

// The finest level gets at least a word: without it no answer would be finer than the next level.
std::vector<filter_size> sized(std::span<const filter_load> loads, const learning& how) {
  std::vector<filter_size> sizes = allocate_bits(loads, how.bits, how.grid);
  if (sizes[0].bits != 0) return sizes;
  if (how.bits < 2 * word) {
    std::fill(sizes.begin(), sizes.end(), filter_size{});
  } else {
    sizes = allocate_bits(loads, how.bits - word, how.grid);
  }
  sizes[0] = {word, 1};
  return sizes;
}

}  // namespace

level_config learned(const level_history& last, const query_profile& queries, const learning& how) {
  expect_learnable(last, queries, how);
  const std::vector<double> keys = keys_of(last, how);
  const std::vector<double> probes = queries.frequencies(how.smoothing);
  std::vector<filter_load> loads;
  for (std::size_t h = 0; h < keys.size(); ++h) loads.push_back({keys[h], probes[h]});
  level_config next = next_levels(last);
  next.levels = last.records() == 0 ? uniform_bits(loads, how.bits) : sized(loads, how);
  return next;
}

level_config planned(const level_history& last, const query_profile& queries, const learning& how,
                     double most_probes) {
  expect_learnable(last, queries, how);
  if (last.records() == 0) return learned(last, queries, how);
  level_config next = next_levels(last);
  next.levels =
      plan_levels(keys_of(last, how), queries.frequencies(how.smoothing), how.bits, most_probes)
          .levels;
  return next.levels[0].bits != 0 ? next : learned(last, queries, how);
}

// -- trees -------------------------------------------------------------------------------------

namespace {

std::vector<filter_load> flat(const tree_loads& loads) {
  std::vector<filter_load> all;
  for (const auto& height : loads.nodes) all.insert(all.end(), height.begin(), height.end());
  all.push_back(loads.pairs);
  return all;
}

tree_sizes shaped(const tree_loads& loads, const std::vector<filter_size>& sizes) {
  tree_sizes tree;
  auto next = sizes.begin();
  for (const auto& height : loads.nodes) {
    const auto end = next + static_cast<std::ptrdiff_t>(height.size());
    tree.nodes.emplace_back(next, end);
    next = end;
  }
  tree.pairs = *next;
  return tree;
}

// The number of keys of a filter, unless it is absent or too full.
std::optional<double> keys_in(const detail::flat_filter& f) {
  const bool known =
      !f.absent() && static_cast<double>(f.ones()) <= fullest * static_cast<double>(f.size().bits);
  return known ? std::optional(f.keys()) : std::nullopt;
}

// The mean number of keys of the nodes of this height for which it is known.
std::optional<double> mean_keys_in(const tree_history& last, unsigned height) {
  double sum = 0;
  double known = 0;
  for (std::uint64_t i = 0; i < last.nodes(height); ++i) {
    if (const auto keys = keys_in(last.node(height, i))) {
      sum += *keys;
      known += 1;
    }
  }
  return known > 0 ? std::optional(sum / known) : std::nullopt;
}

// Extrapolates unknown means from their known neighbours. From one height to the next a mean grows
// by a factor of 1 to 2; the last known factor is used again.
template <class Iterator>
void extrapolate(Iterator begin, Iterator end, double least, double most, double factor) {
  for (auto next = begin; next != end; ++next) {
    if (next == begin || !*(next - 1)) continue;
    if (!*next) {
      *next = **(next - 1) * factor;
    } else if (**(next - 1) > 0) {
      factor = std::clamp(**next / **(next - 1), least, most);
    }
  }
}

// By height. If no node is known, as if all pairs were of different items.
std::vector<double> mean_keys(const tree_history& last, double pairs) {
  std::vector<std::optional<double>> means;
  for (unsigned h = 0; h < last.heights(); ++h) means.push_back(mean_keys_in(last, h));
  extrapolate(means.begin(), means.end(), 1, 2, 2);
  extrapolate(means.rbegin(), means.rend(), 0.5, 1, 0.5);
  std::vector<double> each;
  for (unsigned h = 0; h < last.heights(); ++h) {
    each.push_back(means[h].value_or(pairs / static_cast<double>(last.nodes(h))));
  }
  return each;
}

// The probability that the leaf of a query is positive, by error or because the item is in it.
double leaf_positive(const tree_history& last, double keys_of_leaf, double items) {
  double errors = 0;
  for (std::uint64_t i = 0; i < last.nodes(0); ++i) errors += last.node(0, i).error();
  const double error = errors / static_cast<double>(last.nodes(0));
  const double there = std::min(1.0, keys_of_leaf / items);
  return 1 - (1 - error) * (1 - there);
}

}  // namespace

tree_sizes allocate_tree(const tree_loads& loads, std::uint64_t bits, size_grid grid) {
  return shaped(loads, allocate_bits(flat(loads), bits, grid));
}

tree_sizes uniform_tree(const tree_loads& loads, std::uint64_t bits) {
  return shaped(loads, uniform_bits(flat(loads), bits));
}

tree_loads learned_loads(const tree_history& last, const query_profile& queries,
                         const learning& how) {
  expect_learnable(last, queries, how);
  if (!queries.counts_nodes() || queries.granularity() != last.granularity()) {
    detail::refuse("a tree history learns from a profile that counts nodes, with leaves of " +
                   std::to_string(last.granularity()) + " ticks");
  }
  const double grown = growth(last.ticks(), how.elapsed);
  const double pairs = keys_in(last.pairs()).value_or(static_cast<double>(last.records()));
  const auto probes = queries.node_frequencies(how.smoothing);
  const std::vector<double> means = mean_keys(last, pairs);
  const auto expected = [&](double keys) { return std::max(fewest_keys, grown * keys); };
  tree_loads loads;
  for (unsigned h = 0; h < last.heights(); ++h) {
    auto& height = loads.nodes.emplace_back();
    for (std::uint64_t i = 0; i < last.nodes(h); ++i) {
      const double keys = keys_in(last.node(h, i)).value_or(means[h]);
      height.push_back({expected((keys + means[h]) / 2), probes[h][i]});
    }
  }
  const double positive = leaf_positive(last, means.front(), std::max(fewest_keys, means.back()));
  loads.pairs = {expected(pairs), queries.pair_frequency(positive, how.smoothing)};
  return loads;
}

tree_config learned(const tree_history& last, const query_profile& queries, const learning& how) {
  const tree_loads loads = learned_loads(last, queries, how);
  auto next = next_span<tree_config>(last);
  next.granularity = last.granularity();
  next.sizes = last.records() == 0 ? uniform_tree(loads, how.bits)
                                   : allocate_tree(loads, how.bits, how.grid);
  return next;
}

}  // namespace bloomtime::published
