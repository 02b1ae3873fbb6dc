#include "math/line_load.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <bloomtime/math/binomial.hpp>

namespace bloomtime::math {
namespace {

constexpr double word = 64;
constexpr double words = 8;

// The logarithm of the probability that an item sets none of the given `bits` of one word. It sets
// one bit in each word it is active in: in the first round in min(k, 8) of the 8 words, in the
// second in k - 8 of them.
double log_miss(double bits, unsigned k) {
  const double first = k < 8 ? k / words : 1;
  const double second = k > 8 ? (k - 8) / words : 0;
  return std::log1p(-first * bits / word) + std::log1p(-second * bits / word);
}

double power(double base, unsigned exponent) {
  double result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

// Sets of probed bits of which an item sets no bit with probability `miss`. `weight` is the number
// of sets with an even number of bits minus the number of sets with an odd one.
struct missed_sets {
  long double weight;
  long double miss;
};

// For k < 8 the words of an item depend on its start, so neighbouring words share items and are not
// independent. The probability that all probed bits are set is the sum, over all sets T of them, of
// (-1)^|T| q_T^load, where q_T is the mean of (63/64)^(bits of T in an item's words) over the eight
// starts (docs/math.md, Error of a line). Many T have the same q_T.
std::vector<missed_sets> missed_by_one_item(unsigned k) {
  std::map<std::array<unsigned, 9>, int> weights;  // by how many starts meet 0..8 bits of T
  const unsigned window = (1U << k) - 1;
  for (unsigned set = 0; set <= window; ++set) {
    std::array<unsigned, 9> starts{};
    for (unsigned start = 0; start < 8; ++start) {
      const unsigned covered = ((window << start) | (window << start >> 8)) & 0xff;
      ++starts[static_cast<unsigned>(std::popcount(set & covered))];
    }
    weights[starts] += std::popcount(set) % 2 == 0 ? 1 : -1;
  }
  std::vector<missed_sets> terms;
  for (const auto& [starts, weight] : weights) {
    long double miss = 0;
    for (unsigned met = 0; met <= 8; ++met) miss += starts[met] / 8.L * std::pow(63 / 64.L, met);
    if (weight != 0) terms.push_back({static_cast<long double>(weight), miss});
  }
  return terms;
}

// Must be called for loads 0, 1, 2, ... in turn. The sum alternates and is accurate to 1e-17, while
// the probability is at least 64^-7 / 8 = 3e-14 for every load except 0.
std::function<double(double)> all_set_few_words(unsigned k) {
  return [terms = missed_by_one_item(k)](double) mutable {
    long double sum = 0;
    for (missed_sets& t : terms) {
      sum += t.weight;
      t.weight *= t.miss;
    }
    return static_cast<double>(sum);
  };
}

// Adds the terms of a log-concave sequence that `next()` returns, until the remaining ones are
// below 1e-19 of the sum. In such a sequence the ratio of neighbours only falls.
template <class Next>
double sum_falling(double first, double sum, std::uint64_t count, Next next) {
  double last = first;
  for (; count != 0; --count) {
    const double term = next();
    sum += term;
    if (term < last && term * term <= 1e-19 * (last - term) * sum) break;
    last = term;
  }
  return sum;
}

// Walks the probabilities of a line's load upward or downward from a known one.
class load_walk {
 public:
  load_walk(std::uint64_t items, std::uint64_t lines, std::uint64_t load)
      : items_(static_cast<double>(items)),
        others_(static_cast<double>(lines - 1)),
        load_(static_cast<double>(load)),
        probability_(binomial_pmf(items, load, 1 / static_cast<double>(lines))) {}

  double probability() const { return probability_; }
  void up() {
    probability_ *= (items_ - load_) / ((load_ + 1) * others_);
    ++load_;
  }
  void down() {
    probability_ *= load_ * others_ / (items_ - load_ + 1);
    --load_;
  }

 private:
  double items_;
  double others_;
  double load_;
  double probability_;
};

// The mean of at(load) when `items` fall on the lines at random, summed outward from the likeliest
// load. at() must not decrease.
template <class At>
double mixed_from(std::uint64_t mode, std::uint64_t items, std::uint64_t lines, At&& at) {
  const load_walk start(items, lines, mode);
  const double first = start.probability() * at(mode);
  load_walk walk = start;
  std::uint64_t load = mode;
  double sum = sum_falling(first, first, items - mode, [&] {
    walk.up();
    return walk.probability() * at(++load);
  });
  walk = start;
  load = mode;
  sum = sum_falling(first, sum, mode, [&] {
    walk.down();
    return walk.probability() * at(--load);
  });
  return sum;
}

}  // namespace

double line_touched(std::uint64_t items, std::uint64_t lines, double hit, unsigned count) noexcept {
  const double miss = std::log1p(-hit);
  const auto at = [=](std::uint64_t load) {
    if (load == 0) return 0.;
    return power(-std::expm1(miss * static_cast<double>(load)), count);
  };
  const double usual = static_cast<double>(items) / static_cast<double>(lines);
  if (miss * usual < -100) return 1;
  return lines == 1 ? at(items) : std::min(1., mixed_from(items / lines, items, lines, at));
}

load_errors::load_errors(std::function<double(double)> error_at, double log_miss)
    : error_at_(std::move(error_at)), saturated_(static_cast<std::uint64_t>(-45 / log_miss) + 1) {}

double line_hit(unsigned k) { return -std::expm1(log_miss(1, k)); }

load_errors load_errors::of_bits(unsigned k) {
  const double one = log_miss(1, k);
  if (k > 1 && k < 8) return {all_set_few_words(k), one};
  const double two = log_miss(2, k);
  const unsigned pairs = k > 8 ? k - 8 : 0;
  // Two probes of one word coincide with probability 1/64; otherwise both bits must be set.
  // Different words are treated as independent; for k = 1, 8 and 16 they are.
  const auto error_at = [=](double load) {
    const double set = -std::expm1(one * load);
    const double both = set + std::exp(one * load) * std::expm1((two - one) * load);
    const double pair = (set + (word - 1) * both) / word;
    return power(set, k - 2 * pairs) * power(pair, pairs);
  };
  return {error_at, one};
}

load_errors load_errors::of_cells(unsigned cells_per_line, unsigned k) {
  const unsigned share = cells_per_line / k;
  const unsigned wider = cells_per_line % k;
  const double narrow = std::log1p(-1. / share);
  const double wide = std::log1p(-1. / (share + 1));
  const auto error_at = [=](double load) {
    if (load == 0) return 0.;
    return power(-std::expm1(narrow * load), k - wider) * power(-std::expm1(wide * load), wider);
  };
  return {error_at, wide};
}

double load_errors::at(std::uint64_t load) {
  if (load >= saturated_) return 1;
  while (known_.size() <= load) known_.push_back(error_at_(static_cast<double>(known_.size())));
  return known_[load];
}

double load_errors::mixed(std::uint64_t items, std::uint64_t lines) {
  if (lines == 1) return at(items);
  const std::uint64_t mode = items / lines;
  return mode < saturated_ ? mixed_around(mode, items, lines) : mixed_saturated(items, lines);
}

double load_errors::mixed_around(std::uint64_t mode, std::uint64_t items, std::uint64_t lines) {
  return mixed_from(mode, items, lines, [&](std::uint64_t load) { return at(load); });
}

// Nearly every line is full: subtract the probability that the line of the query is not.
double load_errors::mixed_saturated(std::uint64_t items, std::uint64_t lines) {
  std::uint64_t load = saturated_;
  load_walk walk(items, lines, load);
  double escape = 0;
  while (load != 0 && walk.probability() > 1e-18) {
    walk.down();
    escape += walk.probability() * (1 - at(--load));
  }
  return 1 - escape;
}

}  // namespace bloomtime::math
