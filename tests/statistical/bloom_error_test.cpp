#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/random.hpp>

#include "support/statistics.hpp"

// The probe models of the layouts, played with random numbers instead of hashes. Every trial fills
// a fresh filter and asks it once, so that the number of false positives is binomial.
namespace bloomtime::math {
namespace bloom_error_test {

using support::tail;

// `low` and `high`: the true error as a multiple of the predicted one.
void expect_count(std::uint64_t positives, std::uint64_t trials, double predicted, double low,
                  double high) {
  EXPECT_GE(positives, binomial_range(trials, predicted * low, tail).low) << predicted;
  EXPECT_LE(positives, binomial_range(trials, predicted * high, tail).high) << predicted;
}

// Loads of one line out of `lines`, by inversion.
class load_sampler {
 public:
  load_sampler(std::uint64_t items, std::uint64_t lines) {
    double sum = 0;
    for (std::uint64_t i = 0; i <= items && sum < 1 - 1e-12; ++i) {
      sum += binomial_pmf(items, i, 1 / static_cast<double>(lines));
      cumulative_.push_back(sum);
    }
  }

  std::size_t operator()(random_source& random) const {
    const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, random.unit());
    return static_cast<std::size_t>(at - cumulative_.begin());
  }

 private:
  std::vector<double> cumulative_;
};

// The bits of one item in a line of 8 words.
struct pattern {
  std::uint64_t words[8] = {};

  pattern(unsigned k, random_source& random) {
    const std::uint64_t start = random() >> 61;
    set(start, std::min(k, 8U), random());
    if (k > 8) set(start, k - 8, random());
  }

  void set(std::uint64_t start, unsigned active, std::uint64_t fields) {
    for (unsigned i = 0; i < active; ++i) {
      words[(start + i) % 8] |= std::uint64_t{1} << ((fields >> (6 * i)) & 63);
    }
  }
};

std::uint64_t line_positives(std::uint64_t items, std::uint64_t lines, unsigned k,
                             std::uint64_t trials) {
  random_source random(k);
  const load_sampler load(items, lines);
  std::uint64_t positives = 0;
  for (std::uint64_t t = 0; t < trials; ++t) {
    std::uint64_t line[8] = {};
    for (std::size_t i = load(random); i > 0; --i) {
      const pattern item(k, random);
      for (unsigned j = 0; j < 8; ++j) line[j] |= item.words[j];
    }
    const pattern query(k, random);
    bool all = true;
    for (unsigned j = 0; j < 8; ++j) all &= (query.words[j] & ~line[j]) == 0;
    positives += all;
  }
  return positives;
}

// k arrays of `cells` cells, or k probes into one if `arrays` is 1.
std::uint64_t array_positives(std::size_t items, unsigned arrays, std::size_t cells, unsigned k,
                              std::uint64_t trials) {
  random_source random(cells);
  std::uint64_t positives = 0;
  std::vector<bool> bits;
  const auto position = [&](unsigned i) { return (i % arrays) * cells + random.below(cells); };
  for (std::uint64_t t = 0; t < trials; ++t) {
    bits.assign(arrays * cells, false);
    for (std::size_t i = 0; i < items; ++i) {
      for (unsigned j = 0; j < k; ++j) bits[position(j)] = true;
    }
    bool all = true;
    for (unsigned j = 0; j < k; ++j) all = all && bits[position(j)];
    positives += all;
  }
  return positives;
}

TEST(bloom_error, flat_predicts_the_simulation) {
  struct setting {
    std::size_t items;
    std::size_t bits;
    unsigned k;
  };
  for (const setting& s : {setting{100, 640, 4}, setting{60, 512, 2}, setting{40, 512, 8}}) {
    constexpr std::uint64_t trials = 50'000;
    const double predicted = flat_error(s.items, s.bits, s.k);
    // The k-th power of the mean fill f leaves out k(k-1)/2 Var(f)/f^2 and smaller terms, with
    // Var(f) <= (e^-a - (1 + a) e^-2a) / bits at a load of a
    // (docs/math.md, Error of a Bloom filter).
    const double a = static_cast<double>(s.items * s.k) / static_cast<double>(s.bits);
    const double fill = 1 - std::exp(-a);
    const double spread = (std::exp(-a) - (1 + a) * std::exp(-2 * a)) / static_cast<double>(s.bits);
    const double slack = s.k * (s.k - 1) / 2. * spread / (fill * fill);
    expect_count(array_positives(s.items, 1, s.bits, s.k, trials), trials, predicted, 1,
                 1 + 1.5 * slack);
  }
}

TEST(bloom_error, rows_predict_the_simulation) {
  constexpr std::uint64_t trials = 50'000;
  for (const unsigned k : {1U, 2U, 4U}) {
    const double predicted = rows_error(80, 100 * k, k);
    expect_count(array_positives(80, k, 100, k, trials), trials, predicted, 1, 1);
  }
}

TEST(bloom_error, lines_predict_the_simulation) {
  struct setting {
    unsigned k;
    double bits_per_item;
  };
  constexpr std::uint64_t trials = 30'000;
  constexpr std::uint64_t items = 1'000'000;
  for (const setting& s :
       {setting{1, 8}, setting{2, 6}, setting{3, 8}, setting{4, 6}, setting{6, 8}, setting{7, 6},
        setting{8, 6}, setting{9, 6}, setting{12, 6}, setting{15, 8}, setting{16, 8}}) {
    const auto lines = static_cast<std::uint64_t>(1e6 * s.bits_per_item / 512);
    const double low = s.k <= 8 || s.k == 16 ? 1 : 0.978;  // as stated in math/bloom.hpp
    expect_count(line_positives(items, lines, s.k, trials), trials, line_error(items, lines, s.k),
                 low, 1);
  }
}

TEST(bloom_error, line_cells_predict_the_simulation) {
  constexpr std::uint64_t trials = 200'000;
  constexpr std::uint64_t items = 100'000;
  struct setting {
    unsigned cells;
    unsigned k;
    std::uint64_t lines;
  };
  for (const setting& s : {setting{64, 4, 10'000}, setting{32, 2, 20'000}, setting{16, 3, 50'000},
                           setting{16, 5, 70'000}}) {
    random_source random(s.k);
    const load_sampler load(items, s.lines);
    std::uint64_t positives = 0;
    for (std::uint64_t t = 0; t < trials; ++t) {
      std::uint64_t line = 0;
      const auto cell = [&](unsigned j) {
        const unsigned first = j * s.cells / s.k;
        return std::uint64_t{1} << (first + random.below((j + 1) * s.cells / s.k - first));
      };
      for (std::size_t i = load(random); i > 0; --i) {
        for (unsigned j = 0; j < s.k; ++j) line |= cell(j);
      }
      bool all = true;
      for (unsigned j = 0; j < s.k; ++j) all = all && (line & cell(j)) != 0;
      positives += all;
    }
    expect_count(positives, trials, line_cells_error(items, s.lines, s.cells, s.k), 1, 1);
  }
}

// The tolerance is narrow enough to tell the layouts apart.
TEST(bloom_error, the_simulation_refutes_the_wrong_formula) {
  constexpr std::uint64_t trials = 120'000;
  const std::uint64_t positives = line_positives(1'000'000, 15'625, 8, trials);
  EXPECT_GT(positives, binomial_range(trials, flat_error(1'000'000, 8'000'000, 8), tail).high);
}

}  // namespace bloom_error_test
}  // namespace bloomtime::math
