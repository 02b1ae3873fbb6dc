#include <bloomtime/published/persistent/allocation.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>
#include <string>
#include <utility>

#include <bloomtime/math/bloom.hpp>

#include "math/expect.hpp"

namespace bloomtime::published {
namespace {

using math::expect;
using math::max_bits;

constexpr double c = std::numbers::ln2 * std::numbers::ln2;
constexpr std::uint64_t word = 64;

bool takes_part(const filter_load& load) { return load.keys > 0 && load.probes > 0; }

constexpr double fewest_keys = 1e-6;
constexpr double most_keys = 1e18;

void expect_keys(double keys) {
  expect(keys == 0 || (keys >= fewest_keys && keys <= most_keys),
         "keys must be none, or 1e-6 to 1e18", keys);
}

void expect_loads(std::span<const filter_load> loads) {
  for (const filter_load& load : loads) {
    expect_keys(load.keys);
    expect(load.probes >= 0 && std::isfinite(load.probes), "probes must be a number, 0 or more",
           load.probes);
  }
}

// log(1 + e^z) without overflow, and accurate for small values.
double softplus(double z) { return z > 40 ? z : std::log1p(std::exp(z)); }

// log(probes C / keys), with probes relative to the largest, because they may be extremely small.
double a_of(const filter_load& load, double most_probes) {
  return std::log(load.probes) - std::log(most_probes) + std::log(c / load.keys);
}

double bits_at(const filter_load& load, double most_probes, double theta) {
  if (!takes_part(load)) return 0;
  return load.keys / c * softplus(a_of(load, most_probes) - theta);
}

// The sum of all bits falls strictly with theta. The bracket holds since z <= softplus(z) <= e^z.
double theta_for(std::span<const filter_load> loads, double most_probes, double bits) {
  double keys = 0;
  double shares = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const filter_load& load : loads) {
    if (!takes_part(load)) continue;
    keys += load.keys;
    shares += load.probes / most_probes;
    least = std::min(least, a_of(load, most_probes));
  }
  double low = least - bits * c / keys - 1;
  double high = std::log(shares / bits);
  for (int step = 0; step < 200; ++step) {
    const double middle = low + (high - low) / 2;
    double sum = 0;
    for (const filter_load& load : loads) sum += bits_at(load, most_probes, middle);
    (sum > bits ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

// The gain of the objective with one more bit. A filter with less than a word is omitted: it would
// be full and answer yes to everything, whereas without it a finer level is probed.
double marginal_gain(const filter_load& load, std::uint64_t bits) {
  if (!takes_part(load) || bits == 0) return 0;
  const double rate = c / load.keys;
  return load.probes * rate / std::expm1(rate * static_cast<double>(bits));
}

// The number of bits to the next size of the grid.
std::uint64_t step_from(std::uint64_t bits, size_grid grid) {
  return grid == size_grid::words || bits == 0 ? word : bits;
}

std::uint64_t on_grid(double bits, size_grid grid) {
  const auto whole = static_cast<std::uint64_t>(bits / word) * word;
  return grid == size_grid::words || whole == 0 ? whole : std::bit_floor(whole);
}

// Distributes the rest, one step of the grid at a time, by the largest gain.
void give_rest(std::span<const filter_load> loads, std::vector<std::uint64_t>& bits,
               std::uint64_t left, size_grid grid) {
  using wish = std::pair<double, std::size_t>;  // gain and filter
  std::priority_queue<wish> wishes;
  const auto ask = [&](std::size_t i) {
    const double gain = marginal_gain(loads[i], bits[i]);
    if (gain > 0) wishes.push({gain, i});
  };
  for (std::size_t i = 0; i < loads.size(); ++i) ask(i);
  while (left >= word && !wishes.empty()) {
    const std::size_t i = wishes.top().second;
    wishes.pop();
    const std::uint64_t step = step_from(bits[i], grid);
    if (step > left) continue;  // and every later one would be larger
    bits[i] += step;
    left -= step;
    ask(i);
  }
}

}  // namespace

std::vector<double> optimal_bits(std::span<const filter_load> loads, double bits) {
  expect_loads(loads);
  expect(bits > 0 && bits <= static_cast<double>(max_bits),
         "there must be 1 to 2^43 bits to give out", bits);
  if (std::none_of(loads.begin(), loads.end(), takes_part)) {
    throw error(errc::invalid_argument,
                "none of the filters has both keys and probes, so there is nothing to allocate");
  }
  double most_probes = 0;
  for (const filter_load& load : loads) {
    if (takes_part(load)) most_probes = std::max(most_probes, load.probes);
  }
  const double theta = theta_for(loads, most_probes, bits);
  std::vector<double> each;
  for (const filter_load& load : loads) each.push_back(bits_at(load, most_probes, theta));
  return each;
}

unsigned k_for(double keys, std::uint64_t bits, k_rule rule) {
  expect_keys(keys);
  if (bits == 0) return 0;
  if (keys == 0) return most_history_k;
  const double ideal = static_cast<double>(bits) / keys * std::numbers::ln2;
  const auto clamped = [](double k) {
    return static_cast<unsigned>(std::clamp(k, 1.0, static_cast<double>(most_history_k)));
  };
  const unsigned above = clamped(std::ceil(ideal));
  const unsigned below = clamped(std::floor(ideal));
  if (rule == k_rule::published) return above;
  return filter_error(keys, {bits, below}) <= filter_error(keys, {bits, above}) ? below : above;
}

std::vector<filter_size> allocate_bits(std::span<const filter_load> loads, std::uint64_t bits,
                                       size_grid grid, k_rule rule) {
  const std::vector<double> ideal = optimal_bits(loads, static_cast<double>(bits));
  std::vector<std::uint64_t> each;
  std::uint64_t left = bits;
  for (const double one : ideal) {
    each.push_back(std::min(on_grid(one, grid), left / word * word));
    left -= each.back();
  }
  if (left == bits && left >= word) {  // too few for every filter: one is better than none
    each[static_cast<std::size_t>(std::max_element(ideal.begin(), ideal.end()) - ideal.begin())] =
        word;
    left -= word;
  }
  give_rest(loads, each, left, grid);
  std::vector<filter_size> sizes;
  for (std::size_t i = 0; i < each.size(); ++i) {
    sizes.push_back({each[i], k_for(loads[i].keys, each[i], rule)});
  }
  return sizes;
}

std::vector<filter_size> uniform_bits(std::span<const filter_load> loads, std::uint64_t bits,
                                      k_rule rule) {
  expect_loads(loads);
  expect(!loads.empty(), "there must be a filter to give bits to", std::uint64_t{0});
  const std::uint64_t each = bits / loads.size() / word * word;
  expect(each > 0, "every filter needs a word of 64 bits", bits);
  std::vector<filter_size> sizes;
  for (const filter_load& load : loads) sizes.push_back({each, k_for(load.keys, each, rule)});
  return sizes;
}

double filter_error(double keys, filter_size size) {
  if (size.bits == 0) return 1;
  const double fill =
      -std::expm1(-static_cast<double>(size.k) * keys / static_cast<double>(size.bits));
  return std::pow(fill, size.k);
}

double query_error(std::span<const filter_load> loads, std::span<const filter_size> sizes) {
  double right = 0;  // logarithm of the probability that all probes are right
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (!takes_part(loads[i])) continue;
    right += loads[i].probes * std::log1p(-filter_error(loads[i].keys, sizes[i]));
  }
  return -std::expm1(right);
}

}  // namespace bloomtime::published
