#include <bloomtime/published/persistent/sizes.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/published/persistent/allocation.hpp>
#include <bloomtime/published/persistent/levels.hpp>

#include "math/expect.hpp"

namespace bloomtime::published {
namespace {

using math::expect;
using math::expect_counts;
using math::expect_query;
using math::max_bits;

constexpr std::uint64_t word = 64;
constexpr double usual_probes = 16;

unsigned heights_of(std::uint64_t ticks) {
  return static_cast<unsigned>(std::bit_width(ticks - 1)) + 1;
}

double sum_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

// The fewest bits from `least` on, within a thousandth, with which error_with(bits), which falls
// with bits, is at most `error`. Starts the search at `about`.
template <class Error>
std::uint64_t fewest_bits(std::uint64_t least, std::uint64_t about, double error,
                          Error&& error_with) {
  std::uint64_t high = std::max(least, about);
  while (error_with(high) > error) {
    if (high > max_bits / 2) {
      throw bloomtime::error(errc::too_large, "such a history would take more than 2^43 bits");
    }
    high *= 2;
  }
  std::uint64_t low = high / 2;
  while (low > least && error_with(low) <= error) {
    high = low;
    low /= 2;
  }
  low = std::max(low, least);
  if (low == least && error_with(low) <= error) return low;
  while (high - low > std::max(word, high >> 10)) {
    const std::uint64_t middle = low + (high - low) / 2;
    (error_with(middle) > error ? low : high) = middle;
  }
  return high;
}

std::vector<filter_load> loads_of(const std::vector<double>& keys,
                                  const std::vector<double>& probes) {
  std::vector<filter_load> loads;
  for (std::size_t h = 0; h < keys.size(); ++h) loads.push_back({keys[h], probes[h]});
  return loads;
}

}  // namespace

std::vector<double> guessed_keys(const history_counts& counts) {
  expect_counts(counts);
  const unsigned heights = heights_of(counts.ticks);
  const auto pairs = static_cast<double>(counts.pairs);
  const double ratio = static_cast<double>(counts.items) / pairs;
  std::vector<double> keys;
  for (unsigned h = 0; h < heights; ++h) {
    keys.push_back(pairs * (h == 0 ? 1 : std::pow(ratio, static_cast<double>(h) / (heights - 1))));
  }
  return chained_keys(keys);
}

history_size single_size(const history_counts& counts, double error, std::uint64_t length) {
  expect_counts(counts);
  expect_query(error, length);
  const std::uint64_t asked = std::min(length, counts.ticks);
  const filter_size size = single_size_for_error(counts.pairs, error, asked);
  const auto probes = static_cast<double>(asked);
  const double one = filter_error(static_cast<double>(counts.pairs), size);
  return {size.bits, probes, error_of_probes(one, probes)};
}

// -- levels --------------------------------------------------------------------------------------

history_size level_size(level_rule rule, const history_counts& counts, double error,
                        std::uint64_t length) {
  expect_query(error, length);
  const std::vector<double> keys = guessed_keys(counts);
  const std::vector<double> profile =
      cover_profile(std::min(length, counts.ticks), static_cast<unsigned>(keys.size()));
  const std::vector<filter_load> loads = loads_of(keys, profile);
  const double most_probes = std::max(usual_probes, sum_of(profile));
  const auto plan_with = [&](std::uint64_t bits) {
    if (rule == level_rule::planned) return plan_levels(keys, profile, bits, most_probes);
    level_plan plan{.levels = rule == level_rule::uniform ? uniform_bits(loads, bits)
                                                          : allocate_bits(loads, bits),
                    .probes = sum_of(profile)};
    plan.error = query_error(loads, plan.levels);
    return plan;
  };
  const std::uint64_t bits =
      fewest_bits(word * keys.size(), single_size(counts, error, length).bits, error,
                  [&](std::uint64_t some) { return plan_with(some).error; });
  const level_plan plan = plan_with(bits);
  return {bits, plan.probes, plan.error};
}

// -- trees ---------------------------------------------------------------------------------------

tree_profile tree_cover_profile(std::uint64_t length, std::uint64_t granularity, unsigned heights) {
  expect(length >= 1, "a query is about at least one tick", length);
  expect(std::has_single_bit(granularity), "leaves have a power of two of ticks", granularity);
  tree_profile mean{.nodes = std::vector<double>(heights)};
  const double each = 1 / static_cast<double>(granularity);
  for (std::uint64_t begin = 0; begin < granularity; ++begin) {
    const std::uint64_t left = std::min(length, begin == 0 ? 0 : granularity - begin);
    const std::uint64_t whole = (length - left) / granularity;
    const std::uint64_t right = (length - left) % granularity;
    mean.parts += each * ((left != 0 ? 1 : 0) + (right != 0 ? 1 : 0));
    mean.part_ticks += each * static_cast<double>(left + right);
    if (whole == 0) continue;
    const std::vector<double> nodes = cover_profile(whole, heights);
    for (unsigned h = 0; h < heights; ++h) mean.nodes[h] += each * nodes[h];
  }
  return mean;
}

namespace {

// The filters of one height are treated as one: they share its bits in proportion.
struct tree_shape {
  std::vector<std::uint64_t> nodes;  // by height
  std::vector<double> keys;          // of all nodes of a height
  tree_profile profile;
  double pairs;
  double leaf_has;  // the probability that a queried leaf holds an item that was seen at all

  static tree_shape of(const history_counts& counts, std::uint64_t granularity,
                       std::uint64_t length) {
    tree_shape t;
    t.pairs = static_cast<double>(counts.pairs);
    const std::vector<double> all = guessed_keys(counts);
    const auto leaf = static_cast<std::size_t>(std::countr_zero(granularity));
    for (std::uint64_t n = (counts.ticks - 1) / granularity + 1;; n = (n + 1) / 2) {
      t.keys.push_back(all[std::min(all.size() - 1, leaf + t.nodes.size())]);
      t.nodes.push_back(n);
      if (n == 1) break;
    }
    t.profile = tree_cover_profile(std::min(length, counts.ticks), granularity,
                                   static_cast<unsigned>(t.nodes.size()));
    t.leaf_has = std::min(
        1.0, t.keys[0] / static_cast<double>(t.nodes[0]) / static_cast<double>(counts.items));
    return t;
  }

  std::uint64_t least_bits() const {
    std::uint64_t filters = 1;
    for (const std::uint64_t n : nodes) filters += n;
    return filters > max_bits / word ? max_bits : word * filters;
  }

  // The mean number of probes of the pairs, for this error of leaves.
  double pair_probes(double leaf_error) const {
    return profile.part_ticks * (1 - (1 - leaf_error) * (1 - leaf_has));
  }

  // The bits of every height, and of the pairs last: a word for each filter, and the rest by
  // optimal allocation.
  std::vector<filter_size> sizes(std::uint64_t bits) const {
    constexpr double usual_leaf_error = 0.01;
    std::vector<filter_load> loads = loads_of(keys, profile.nodes);
    loads[0].probes += profile.parts;
    loads.push_back({pairs, pair_probes(usual_leaf_error)});
    std::vector<filter_size> each = allocate_bits(loads, std::max(word, bits - least_bits()));
    for (std::size_t h = 0; h < each.size(); ++h) {
      each[h].bits += word * (h < nodes.size() ? nodes[h] : 1);
      each[h].k = k_for(loads[h].keys, each[h].bits);
    }
    return each;
  }

  // docs/math.md, Error of a tree of filters
  double error(const std::vector<filter_size>& sizes) const {
    const double leaf = filter_error(keys[0], sizes[0]);
    double right = 0;  // logarithm of the probability that all answers are right
    for (std::size_t h = 0; h < nodes.size(); ++h) {
      if (profile.nodes[h] == 0) continue;  // not probed
      right += profile.nodes[h] * std::log1p(-filter_error(keys[h], sizes[h]));
    }
    if (profile.parts > 0) {
      const double ticks = profile.part_ticks / profile.parts;
      const double part = (1 - (1 - leaf) * (1 - leaf_has)) *
                          error_of_probes(filter_error(pairs, sizes.back()), ticks);
      right += profile.parts * std::log1p(-part);
    }
    return -std::expm1(right);
  }

  double probes(const std::vector<filter_size>& sizes) const {
    return sum_of(profile.nodes) + profile.parts + pair_probes(filter_error(keys[0], sizes[0]));
  }
};

}  // namespace

history_size tree_size(const history_counts& counts, std::uint64_t granularity, double error,
                       std::uint64_t length) {
  expect_counts(counts);
  expect_query(error, length);
  const tree_shape tree = tree_shape::of(counts, granularity, length);
  const std::uint64_t bits =
      fewest_bits(tree.least_bits(), single_size(counts, error, length).bits, error,
                  [&](std::uint64_t some) { return tree.error(tree.sizes(some)); });
  const std::vector<filter_size> sizes = tree.sizes(bits);
  return {bits, tree.probes(sizes), tree.error(sizes)};
}

}  // namespace bloomtime::published
