#include <gtest/gtest.h>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/math/binomial.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "support/oracle_bloom.hpp"
#include "support/statistics.hpp"

// Measured error rates against predicted ones. Items are counted up and never used twice, so every
// run sees the same numbers, and every filter other items.
namespace bloomtime {
namespace bloom_filter_statistical {

constexpr std::array errors{0.2, 0.05, 0.01, 1e-3, 1e-4};
constexpr std::array loads{0.5, 1.0, 2.0};  // of the capacity

class item_source {
 public:
  std::vector<std::uint64_t> take(std::size_t count) {
    std::vector<std::uint64_t> items(count);
    std::iota(items.begin(), items.end(), next_);
    next_ += count;
    return items;
  }
  std::uint64_t take() { return next_++; }

 private:
  std::uint64_t next_ = 0;
};

template <class T>
std::uint64_t count_positives(const bloom_filter& f, const std::vector<T>& items) {
  const auto answers = std::make_unique<bool[]>(items.size());
  f.may_contain_bulk(items, std::span(answers.get(), items.size()));
  return static_cast<std::uint64_t>(std::count(answers.get(), answers.get() + items.size(), true));
}

// The true error over the predicted one, as math/bloom.hpp states it for the line layout.
struct slack {
  double low;
  double high;
};

slack model_slack(const bloom_filter& f) {
  const unsigned k = f.k();
  if (f.layout() == layout::flat || k <= 8 || k == 16) return {1, 1};
  return {0.978, 1};
}

// The mean of (number of ones / bits)^k, with the exact distribution of the ones after items * k
// throws. The formula for flat takes the power of the mean, which tiny filters can tell apart.
double exact_flat_error(std::uint64_t items, std::uint64_t bits, unsigned k) {
  std::vector<double> chance(bits + 1, 0);
  chance[0] = 1;
  const auto size = static_cast<double>(bits);
  for (std::uint64_t thrown = 0; thrown < items * k; ++thrown) {
    for (std::size_t ones = bits; ones > 0; --ones) {
      chance[ones] = chance[ones] * static_cast<double>(ones) / size +
                     chance[ones - 1] * (size - static_cast<double>(ones - 1)) / size;
    }
    chance[0] = 0;
  }
  double mean = 0;
  for (std::size_t ones = 0; ones <= bits; ++ones) {
    mean += chance[ones] * std::pow(static_cast<double>(ones) / size, k);
  }
  return mean;
}

struct sample {
  double mean = 0;
  double deviation = 0;  // of one value

  explicit sample(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    mean = std::accumulate(values.begin(), values.end(), 0.) / n;
    double squares = 0;
    for (const double v : values) squares += (v - mean) * (v - mean);
    deviation = std::sqrt(squares / (n - 1));
  }
};

// At most, of distinct(): with z the share of zeros, ones have the variance
// bits z (1 - z - (k - 1) z log z) in lines of random load, less in flat, and an item sets k z.
double distinct_deviation(const bloom_filter& f) {
  const double z = 1 - f.fill();
  const double k = f.k();
  const double variance = static_cast<double>(f.bits()) * z * (1 - z - (k - 1) * z * std::log(z));
  return std::sqrt(variance) / (k * z);
}

constexpr std::size_t filters = 32;

// How far the mean of 32 filters may lie from the truth: Student's t with 31 degrees of freedom
// exceeds 8 in absolute value with a chance of 5e-9.
double mean_tolerance(const sample& s) { return 8 * s.deviation / std::sqrt(double{filters}); }

class bloom_rates : public ::testing::TestWithParam<layout> {};

INSTANTIATE_TEST_SUITE_P(layouts, bloom_rates, ::testing::Values(layout::flat, layout::line),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// One question per filter: the number of wrong answers is binomial.
TEST_P(bloom_rates, tiny_filters_err_as_predicted) {
  item_source source;
  double widest = 0;
  for (const std::uint64_t capacity : {3U, 10U, 60U}) {
    for (const double error : errors) {
      const bloom_filter empty({.items = capacity, .error = error, .layout = GetParam()});
      for (const double load : loads) {
        const auto items = static_cast<std::uint64_t>(load * static_cast<double>(capacity));
        const std::uint64_t trials = 120'000 / items;
        std::uint64_t positives = 0;
        for (std::uint64_t t = 0; t < trials; ++t) {
          bloom_filter f = empty;
          for (std::uint64_t i = 0; i < items; ++i) f.add(source.take());
          positives += f.may_contain(source.take());
        }
        const double predicted = empty.predicted_error(items);
        const slack model = model_slack(empty);
        const double high = GetParam() == layout::flat
                                ? exact_flat_error(items, empty.bits(), empty.k())
                                : std::min(1.0, predicted * model.high);
        const std::uint64_t least =
            math::binomial_range(trials, predicted * model.low, support::tail).low;
        const std::uint64_t greatest = math::binomial_range(trials, high, support::tail).high;
        EXPECT_TRUE(least <= positives && positives <= greatest)
            << positives << " of " << trials << ", expected " << least << " to " << greatest << " ("
            << predicted << " predicted; " << empty.bits() << " bits, k " << empty.k() << ", "
            << items << " items)";
        widest =
            std::max(widest, static_cast<double>(greatest - least) / static_cast<double>(trials));
      }
    }
  }
  RecordProperty("widest_range", std::to_string(widest));
}

// Two steps, each with its own tolerance: the answers against the bits as they are (binomial), and
// the bits of 32 filters against the prediction (Student's t, and what the model leaves out).
TEST_P(bloom_rates, filters_err_as_predicted) {
  constexpr std::size_t questions = 8'000;
  item_source source;
  double worst = 0;
  for (const std::uint64_t capacity : {500U, 10'000U}) {
    for (const double error : errors) {
      const bloom_filter empty({.items = capacity, .error = error, .layout = GetParam()});
      std::vector<bloom_filter> all(filters, empty);
      std::uint64_t inserted = 0;
      for (const double load : loads) {
        const auto items = static_cast<std::uint64_t>(load * static_cast<double>(capacity));
        std::vector<double> given_bits;
        std::uint64_t positives = 0;
        for (bloom_filter& f : all) {
          f.add_bulk(source.take(items - inserted));
          given_bits.push_back(oracle::exact_error(f));
          positives += count_positives(f, source.take(questions));
        }
        inserted = items;
        SCOPED_TRACE(std::to_string(empty.bits()) + " bits, k " + std::to_string(empty.k()) +
                     ", error " + std::to_string(error) + ", " + std::to_string(items) + " items");
        const sample rates(given_bits);
        EXPECT_TRUE(support::plausible(positives, filters * questions, rates.mean));

        const double predicted = empty.predicted_error(items);
        const slack model = model_slack(empty);
        const double tolerance = mean_tolerance(rates);
        EXPECT_GE(rates.mean, predicted * model.low - tolerance);
        EXPECT_LE(rates.mean, predicted * model.high + tolerance);
        worst = std::max(worst, tolerance / predicted);
      }
      EXPECT_LE(empty.predicted_error(capacity), error);
    }
  }
  RecordProperty("widest_relative_tolerance", std::to_string(worst));
}

TEST_P(bloom_rates, filters_know_their_error_and_their_items) {
  item_source source;
  for (const std::uint64_t capacity : {500U, 10'000U}) {
    for (const double error : errors) {
      const bloom_filter empty({.items = capacity, .error = error, .layout = GetParam()});
      std::vector<bloom_filter> all(filters, empty);
      std::uint64_t inserted = 0;
      for (const double load : loads) {
        const auto items = static_cast<std::uint64_t>(load * static_cast<double>(capacity));
        std::vector<double> counts;
        std::vector<double> differences;
        double truth = 0;
        for (bloom_filter& f : all) {
          const auto more = source.take(items - inserted);
          f.add_bulk(more);
          f.add_bulk(more);  // a repeated item counts as an insertion and not as another item
          counts.push_back(f.distinct());
          differences.push_back(f.current_error() - oracle::exact_error(f));
          truth += oracle::exact_error(f) / filters;
          EXPECT_EQ(f.insertions(), 2 * items);
        }
        inserted = items;
        SCOPED_TRACE(std::to_string(empty.bits()) + " bits, k " + std::to_string(empty.k()) +
                     ", error " + std::to_string(error) + ", " + std::to_string(items) + " items");

        // The logarithm in the estimate bends; its mean is off by less than one item.
        const sample distinct(counts);
        EXPECT_NEAR(distinct.mean, static_cast<double>(items), 1 + mean_tolerance(distinct));
        // The sample variance of 32 exceeds 3 times the true one with a chance below 1e-8
        // (chi-square, 31 degrees of freedom).
        EXPECT_LE(distinct.deviation, std::sqrt(3) * distinct_deviation(all[0]));

        const sample off(differences);
        const slack model = model_slack(empty);
        if (GetParam() == layout::flat) {
          EXPECT_NEAR(off.mean, 0, 1e-12 * truth);
        } else {
          EXPECT_GE(off.mean, truth * (1 / model.high - 1) - mean_tolerance(off));
          EXPECT_LE(off.mean, truth * (1 / model.low - 1) + mean_tolerance(off));
        }
      }
    }
  }
}

TEST_P(bloom_rates, memory_buys_the_error_it_promises) {
  constexpr std::size_t questions = 100'000;
  item_source source;
  for (const std::uint64_t memory : {64U, 1000U, 20'000U}) {
    for (const std::uint64_t bits_per_item : {2U, 5U, 10U, 16U}) {
      const std::uint64_t items = memory * 8 / bits_per_item;
      bloom_filter f({.items = items, .memory = memory, .layout = GetParam()});
      f.add_bulk(source.take(items));
      SCOPED_TRACE(std::to_string(memory) + " bytes, k " + std::to_string(f.k()));
      EXPECT_LE(f.memory(), memory);
      EXPECT_TRUE(support::plausible(count_positives(f, source.take(questions)), questions,
                                     oracle::exact_error(f)));
    }
  }
}

// Regular and textual items meet the same error as any others.
TEST_P(bloom_rates, no_kind_of_item_is_worse) {
  constexpr std::uint64_t items = 20'000;
  const bloom_filter empty({.items = items, .error = 0.01, .layout = GetParam()});
  const auto judge = [&](const auto& make) {
    std::vector<decltype(make(std::uint64_t{}))> inside;
    std::vector<decltype(make(std::uint64_t{}))> outside;
    for (std::uint64_t i = 0; i < items; ++i) inside.push_back(make(i));
    for (std::uint64_t i = items; i < 11 * items; ++i) outside.push_back(make(i));
    bloom_filter f = empty;
    f.add_bulk(inside);
    EXPECT_EQ(count_positives(f, inside), items);
    EXPECT_TRUE(
        support::plausible(count_positives(f, outside), outside.size(), oracle::exact_error(f)));
    // 6 standard deviations of a normal distribution: 1e-9 on either side.
    EXPECT_NEAR(f.distinct(), items, 6 * distinct_deviation(f));
  };
  judge([](std::uint64_t i) { return i << 40; });
  judge([](std::uint64_t i) { return -static_cast<std::int64_t>(i) - 1; });
  judge([](std::uint64_t i) { return i * 0x9e3779b97f4a7c15; });
  judge([](std::uint64_t i) { return "/articles/" + std::to_string(i) + "/index.html"; });
  judge([](std::uint64_t i) { return std::string(i % 300, 'a') + std::to_string(i); });
}

// An item whose probes fall together is in as soon as one bit is. Of 15 independent probes of 64
// cells at most 3 different ones are hit with a chance of C(64, 3) (3/64)^15 = 5e-16, so a million
// items show none, but for a chance of 5e-10.
TEST(bloom_probes, never_fall_together) {
  const detail::flat_bits probes{{64, 15}};
  std::uint64_t together = 0;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) together += probes.distinct(digest_of(i)) <= 3;
  EXPECT_EQ(together, 0U);
}

// Filters of different seeds err about different items.
TEST_P(bloom_rates, seeds_make_errors_independent) {
  constexpr std::uint64_t items = 5'000;
  constexpr std::uint64_t questions = 200'000;
  bloom_filter one({.items = items, .error = 0.05, .layout = GetParam(), .seed = 1});
  bloom_filter other({.items = items, .error = 0.05, .layout = GetParam(), .seed = 2});
  const auto text = [](std::uint64_t i) { return std::to_string(i); };
  for (std::uint64_t i = 0; i < items; ++i) {
    one.add(i);
    one.add(text(i));
    other.add(i);
    other.add(text(i));
  }
  std::array<std::uint64_t, 2> both{};
  for (std::uint64_t i = items; i < items + questions; ++i) {
    both[0] += one.may_contain(i) && other.may_contain(i);
    both[1] += one.may_contain(text(i)) && other.may_contain(text(i));
  }
  const double chance = oracle::exact_error(one) * oracle::exact_error(other);
  EXPECT_TRUE(support::plausible(both[0], questions, chance));
  EXPECT_TRUE(support::plausible(both[1], questions, chance));
}

}  // namespace bloom_filter_statistical
}  // namespace bloomtime
