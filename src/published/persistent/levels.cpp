#include <bloomtime/published/persistent/levels.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <bloomtime/math/bloom.hpp>

#include "math/expect.hpp"

namespace bloomtime::published {
namespace {

using math::expect;

constexpr unsigned most_heights = 63;
constexpr unsigned most_tried = 12;  // levels of which all sets are tried

// The number of nodes of this height over all 2^(height + 1) places where a query may begin. In
// units of 2^height its ticks run from low, rounded up, to high, rounded down. If low < high,
// each of the two that is odd adds a node.
double nodes_of_height(std::uint64_t length, unsigned height) {
  const double unit = std::ldexp(1, static_cast<int>(height));
  const auto ticks = static_cast<double>(length);
  const double begins_odd = std::max(0.0, unit - std::max(1.0, 2 * unit - ticks) + 1);
  const double ends_odd_from_even = ticks >= unit ? 1 : 0;
  const double ends_odd = std::max(0.0, 2 * unit - std::max(unit + 1, 3 * unit - ticks));
  return begins_odd + ends_odd_from_even + ends_odd;
}

void expect_profile(std::span<const double> profile) {
  expect(!profile.empty() && profile.size() <= most_heights, "there are 1 to 63 levels",
         std::uint64_t{profile.size()});
}

level_plan planned(std::span<const double> keys, std::span<const double> profile,
                   std::uint64_t bits, const std::vector<bool>& active) {
  const std::vector<double> probes = level_probes(profile, active);
  std::vector<filter_load> loads;
  for (std::size_t h = 0; h < keys.size(); ++h) loads.push_back({keys[h], probes[h]});
  level_plan plan;
  plan.levels = allocate_bits(loads, bits);
  plan.probes = std::accumulate(probes.begin(), probes.end(), 0.0);
  plan.error = query_error(loads, plan.levels);
  return plan;
}

// Keeps the better of two: within the limit of probes first, then by error.
void keep_better(level_plan& best, level_plan other, double most_probes) {
  const bool fits = other.probes <= most_probes;
  const bool best_fits = best.probes <= most_probes;
  if (best.levels.empty() || (fits && !best_fits) ||
      (fits == best_fits && (fits ? other.error < best.error : other.probes < best.probes))) {
    best = std::move(other);
  }
}

level_plan best_of_all_sets(std::span<const double> keys, std::span<const double> profile,
                            std::uint64_t bits, double most_probes,
                            const std::vector<std::size_t>& candidates) {
  level_plan best;
  for (std::uint32_t set = 0; set < 1u << candidates.size(); ++set) {
    std::vector<bool> active(keys.size());
    active[0] = true;
    for (std::size_t i = 0; i < candidates.size(); ++i) active[candidates[i]] = set >> i & 1;
    keep_better(best, planned(keys, profile, bits, active), most_probes);
  }
  return best;
}

level_plan best_by_leaving_out(std::span<const double> keys, std::span<const double> profile,
                               std::uint64_t bits, double most_probes,
                               const std::vector<std::size_t>& candidates) {
  std::vector<bool> active(keys.size());
  active[0] = true;
  for (const std::size_t h : candidates) active[h] = true;
  level_plan best = planned(keys, profile, bits, active);
  for (bool better = true; better;) {
    better = false;
    std::size_t leaves = 0;
    for (const std::size_t h : candidates) {
      if (!active[h]) continue;
      active[h] = false;
      level_plan next = best;
      keep_better(next, planned(keys, profile, bits, active), most_probes);
      active[h] = true;
      if (next.levels == best.levels) continue;
      best = std::move(next);
      leaves = h;
      better = true;
    }
    if (better) active[leaves] = false;
  }
  return best;
}

}  // namespace

std::vector<double> cover_profile(std::uint64_t length, unsigned heights) {
  expect(length >= 1, "a query is about at least one tick", length);
  expect(heights >= 1 && heights <= most_heights, "there are 1 to 63 levels", heights);
  std::vector<double> profile;
  for (unsigned h = 0; h < heights; ++h) {
    const bool always = length >> 1 >> h != 0;  // 2^(h + 1) <= length
    profile.push_back(always ? 1 : nodes_of_height(length, h) / std::ldexp(2, static_cast<int>(h)));
  }
  return profile;
}

std::vector<double> level_probes(std::span<const double> profile, const std::vector<bool>& active) {
  expect_profile(profile);
  expect(active.size() == profile.size(), "every level exists or not",
         std::uint64_t{active.size()});
  expect(active[0], "level 0 must exist, got", std::uint64_t{active[0]});
  std::vector<double> probes(profile.size());
  std::size_t below = 0;
  for (std::size_t h = 0; h < profile.size(); ++h) {
    if (active[h]) below = h;
    probes[below] += std::ldexp(profile[h], static_cast<int>(h - below));
  }
  return probes;
}

std::vector<double> chained_keys(std::span<const double> keys) {
  std::vector<double> chain(keys.begin(), keys.end());
  for (std::size_t h = 1; h < chain.size(); ++h) {
    chain[h] = std::clamp(chain[h], chain[h - 1] / 2, chain[h - 1]);
  }
  return chain;
}

level_plan plan_levels(std::span<const double> keys, std::span<const double> profile,
                       std::uint64_t bits, double most_probes) {
  expect_profile(profile);
  expect(keys.size() == profile.size(), "every level has its number of keys",
         std::uint64_t{keys.size()});
  expect(most_probes >= 1, "a query takes at least one probe", most_probes);
  std::vector<std::size_t> candidates;  // besides level 0
  for (std::size_t h = 1; h < profile.size(); ++h) {
    if (profile[h] > 0 && keys[h] > 0) candidates.push_back(h);
  }
  return candidates.size() < most_tried
             ? best_of_all_sets(keys, profile, bits, most_probes, candidates)
             : best_by_leaving_out(keys, profile, bits, most_probes, candidates);
}

double error_of_probes(double error, double probes) {
  expect(error >= 0 && error <= 1, "an error is a probability between 0 and 1", error);
  expect(probes >= 0, "a number of probes is 0 or more", probes);
  return -std::expm1(probes * std::log1p(-error));
}

double error_of_one_probe(double error, double probes) {
  expect(error > 0 && error < 1, "an error must lie strictly between 0 and 1", error);
  expect(probes > 0, "a query takes probes", probes);
  return -std::expm1(std::log1p(-error) / probes);
}

filter_size single_size_for_error(std::uint64_t pairs, double error, std::uint64_t length) {
  expect(length >= 1, "a query is about at least one tick", length);
  const double one = error_of_one_probe(error, static_cast<double>(length));
  const math::bloom_size size = math::size_for_error(layout::flat, pairs, one, most_history_k);
  return {size.bits, size.k};
}

}  // namespace bloomtime::published
