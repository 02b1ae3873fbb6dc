#include <bloomtime/published/persistent/sizes.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include <bloomtime/history/detail/positions.hpp>
#include <bloomtime/history/detail/timelines.hpp>
#include <bloomtime/published/persistent/allocation.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/published/persistent/levels.hpp>

#include "math/expect.hpp"

namespace bloomtime::math {
namespace {

constexpr std::uint64_t word = 64;
constexpr double usual_probes = 16;
constexpr std::uint64_t most_ticks = std::uint64_t{1} << 62;

void expect_counts(const history_counts& c) {
  expect(c.ticks >= 1 && c.ticks <= most_ticks, "a span has 1 to 2^62 ticks", c.ticks);
  expect(c.items >= 1, "there is at least one item", c.items);
  expect(c.pairs >= c.items, "every item has at least one of the pairs", c.pairs);
  expect((c.pairs - 1) / c.items < c.ticks, "an item has at most one pair per tick", c.pairs);
}

void expect_question(double error, std::uint64_t length) {
  expect(error > 0 && error < 1, "an error must lie strictly between 0 and 1", error);
  expect(length >= 1, "a question is about at least one tick", length);
}

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

double bound_bits_per_pair(double error, std::uint64_t length) {
  expect_question(error, length);
  return std::log2(static_cast<double>(length) / error);
}

history_size single_size(const history_counts& counts, double error, std::uint64_t length) {
  expect_counts(counts);
  expect_question(error, length);
  const std::uint64_t asked = std::min(length, counts.ticks);
  const filter_size size = single_size_for_error(counts.pairs, error, asked);
  const auto probes = static_cast<double>(asked);
  const double one = filter_error(static_cast<double>(counts.pairs), size);
  return {size.bits, probes, error_of_probes(one, probes)};
}

// -- levels --------------------------------------------------------------------------------------

history_size level_size(level_rule rule, const history_counts& counts, double error,
                        std::uint64_t length) {
  expect_question(error, length);
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
    plan.error = question_error(loads, plan.levels);
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
  expect(length >= 1, "a question is about at least one tick", length);
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
  expect_question(error, length);
  const tree_shape tree = tree_shape::of(counts, granularity, length);
  const std::uint64_t bits =
      fewest_bits(tree.least_bits(), single_size(counts, error, length).bits, error,
                  [&](std::uint64_t some) { return tree.error(tree.sizes(some)); });
  const std::vector<filter_size> sizes = tree.sizes(bits);
  return {bits, tree.probes(sizes), tree.error(sizes)};
}

// -- timelines -----------------------------------------------------------------------------------

namespace {

// The bits of a timeline of `count` random ticks, which span (count - 1) / (count + 1) of the span
// on average.
double timeline_bits(std::uint64_t count, std::uint64_t span) {
  using namespace detail;
  const auto ticks = static_cast<double>(count);
  const double reach = static_cast<double>(span) * (ticks - 1) / (ticks + 1);
  timeline_head head{.count = count, .first = 0, .last = 0, .body = 0};
  head.first = static_cast<std::uint64_t>((static_cast<double>(span) - reach) / 2);
  head.last = std::min(
      span - 1, std::max(head.first + count - 1, head.first + static_cast<std::uint64_t>(reach)));
  if (head.has_body() && !head.in_pieces()) head.body = inner_bits(count, head.distance());
  if (head.in_pieces()) {
    const std::uint64_t pieces = pieces_of(count);
    const std::uint64_t distance = std::max(piece_ticks, head.distance() / pieces);
    piece_widths widths{.first = width_of(head.distance()), .distance = width_of(2 * distance)};
    const std::uint64_t bodies = pieces * inner_bits(piece_ticks, distance);
    widths.offset = width_of(bodies);
    head.body = widths.directory(pieces) + bodies;
  }
  return static_cast<double>(head_bits(head, span) + head.body);
}

}  // namespace

history_size named_size(const history_counts& counts) {
  expect_counts(counts);
  const auto items = static_cast<double>(counts.items);
  const double mean = static_cast<double>(counts.pairs) / items;
  const double part = mean - std::floor(mean);
  const auto few = static_cast<std::uint64_t>(mean);
  double each = timeline_bits(few, counts.ticks) * (1 - part);
  if (part > 0) each += timeline_bits(few + 1, counts.ticks) * part;
  detail::timelines_shape shape{.span = counts.ticks};
  shape.bucket_bits = detail::timelines_shape::bucket_bits_for(counts.items);
  each += shape.rest_bits();
  const double stream = items * each;
  const auto buckets = static_cast<double>(shape.buckets());
  constexpr double bits_of_a_count = 3;  // of the items of a bucket, one to two of them
  const double place = std::ceil(std::log2(stream + 1));
  return {static_cast<std::uint64_t>(stream + buckets * (bits_of_a_count + place)), 1,
          items * std::exp2(-static_cast<double>(detail::timeline_key_bits))};
}

history_size nameless_size(const history_counts& counts, double error, std::uint64_t length) {
  expect_counts(counts);
  expect_question(error, length);
  const std::uint64_t range = std::max(counts.ticks, position_range(counts.pairs, error, length));
  const detail::positions_shape shape{
      .first = 0, .span = counts.ticks, .range = range, .count = counts.pairs};
  return {8 * (detail::positions::list_bytes(shape) + detail::positions::marks_bytes(shape)), 1,
          position_error(counts.pairs, range, length)};
}

double timeline_entropy(const history_counts& counts) {
  expect_counts(counts);
  const auto span = static_cast<double>(counts.ticks);
  const double mean = static_cast<double>(counts.pairs) / static_cast<double>(counts.items);
  const double ways = std::lgamma(span + 1) - std::lgamma(mean + 1) - std::lgamma(span - mean + 1);
  return std::max(0.0, ways / std::numbers::ln2 / mean);
}

}  // namespace bloomtime::math
