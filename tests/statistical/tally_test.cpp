#include <gtest/gtest.h>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/tally.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/published/dynamic_count/sizes.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "support/oracle_tally.hpp"
#include "support/soaking.hpp"
#include "support/statistics.hpp"

// docs/math.md, Tolerances of statistical tests: 5 or 6 standard deviations of what is measured,
// over seeds where answers of one filter depend on each other.
namespace bloomtime {
namespace tally_statistical {

using namespace published;
using support::over_seeds;

constexpr std::uint64_t usual_items = 1000;

counting_filter counting(std::uint64_t items, std::uint64_t seed) {
  return counting_filter({.items = items, .error = 0.05, .k = 3, .cell_bits = 32, .seed = seed});
}

// The setup of the paper, uniform: `each` of every item on average, drawn one by one.
template <class Use>
void each_arrival(std::uint64_t items, std::uint64_t each, std::uint64_t seed, Use&& use) {
  math::random_source draw(seed);
  for (std::uint64_t i = 0; i < items * each; ++i) use(draw.below(items));
}

TEST(tally_statistics, rows_are_as_empty_as_a_poisson_law_says) {
  counting_filter f = counting(20'000, 1);
  for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_EQ(f.add(i), outcome::added);
  const auto row = static_cast<double>(f.row());
  const double a = 20'000 / row;
  const double sd = std::sqrt((std::exp(-a) - (1 + a) * std::exp(-2 * a)) / row);
  for (unsigned i = 0; i < f.k(); ++i) {
    double empty = 0;
    for (std::uint64_t c = 0; c < f.row(); ++c) empty += f.cell(i * f.row() + c) == 0;
    EXPECT_NEAR(empty / row, std::exp(-a), 6 * sd) << i;
  }
}

// Given how full the rows are.
TEST(tally_statistics, absent_items_show_a_count_as_often_as_rows_are_full) {
  counting_filter f = counting(5000, 2);
  for (std::uint64_t i = 0; i < 5000; ++i) ASSERT_EQ(f.add(i), outcome::added);
  double p = 1;
  for (unsigned i = 0; i < f.k(); ++i) {
    double used = 0;
    for (std::uint64_t c = 0; c < f.row(); ++c) used += f.cell(i * f.row() + c) != 0;
    p *= used / static_cast<double>(f.row());
  }
  constexpr std::uint64_t trials = 100'000;
  std::uint64_t shown = 0;
  for (std::uint64_t i = 0; i < trials; ++i) shown += f.count(1'000'000 + i).value > 0;
  EXPECT_TRUE(support::plausible(shown, trials, p));
}

TEST(tally_statistics, absent_items_show_a_count_in_lines_as_predicted) {
  for (const unsigned bits : {4U, 8U}) {
    double predicted = 0;
    const auto shown = over_seeds(40, [&](std::uint64_t seed) {
      tally_filter f({.items = 3000, .error = 0.02, .cell_bits = bits, .seed = seed});
      for (std::uint64_t i = 0; i < 3000; ++i) f.add(i);
      predicted = f.predicted_error(3000);
      double count = 0;
      for (std::uint64_t i = 0; i < 5000; ++i) count += f.count(100'000 + i).value > 0;
      return count / 5000;
    });
    EXPECT_NEAR(shown.mean, predicted, 5 * shown.error) << bits;
    EXPECT_NEAR(predicted, 0.02, 0.0005);
  }
}

// docs/math.md, Table of large counts: filters that fill(f, seed) fills with `total` of 4000 items.
template <class Fill>
void expect_table_as_predicted(std::uint64_t total, unsigned bits, Fill&& fill) {
  constexpr double error = 0.02;
  const auto shown = over_seeds(30, [&](std::uint64_t seed) {
    tally_filter f(
        {.items = 4000, .error = error, .total = total, .cell_bits = bits, .seed = seed});
    fill(f, seed);
    return static_cast<double>(f.large());
  });
  const math::tally_size predicted =
      math::tally_size_for({.items = 4000, .total = total, .error = error}, bits);
  EXPECT_NEAR(shown.mean, predicted.large, 5 * shown.error) << total << ' ' << bits;
}

TEST(tally_statistics, the_table_is_as_large_as_predicted_for_random_counts) {
  for (const auto& [each, bits] : {std::pair{10U, 4U}, {180U, 8U}}) {
    const std::uint64_t arrivals = each;
    expect_table_as_predicted(4000 * arrivals, bits, [&](tally_filter& f, std::uint64_t seed) {
      std::vector<std::uint64_t> counts(4000);
      each_arrival(4000, arrivals, seed, [&](std::uint64_t x) { ++counts[x]; });
      for (std::uint64_t x = 0; x < 4000; ++x) f.add(x, counts[x]);
    });
  }
}

TEST(tally_statistics, the_table_is_as_large_as_predicted_for_skewed_counts) {
  for (const auto& [scale, bits] : {std::pair{1000U, 4U}, {16'000U, 8U}}) {
    const std::uint64_t most = scale;
    std::uint64_t total = 4000;
    for (std::uint64_t r = 1; r <= 4000; ++r) total += most / r;
    expect_table_as_predicted(total, bits, [&](tally_filter& f, std::uint64_t) {
      for (std::uint64_t r = 1; r <= 4000; ++r) f.add(r, 1 + most / r);
    });
  }
}

// 20,000 items are drawn by Zipf's law, and some of them never appear. The counts of those that do
// need the table that is predicted for their number, to within 4 %, which is one of the random
// deviations of some counts to both sides of the limit.
TEST(tally_statistics, the_table_is_as_large_as_predicted_for_drawn_items) {
  for (const unsigned bits : {4U, 8U}) {
    const std::uint64_t arrivals = bits == 4 ? 20'000 : 800'000;
    const math::zipf law(20'000, 1);
    math::random_source draw(7);
    std::map<std::uint64_t, std::uint64_t> counts;
    for (std::uint64_t i = 0; i < arrivals; ++i) ++counts[law(draw)];
    const math::tally_load load{.items = counts.size(), .total = arrivals, .error = 0.02};
    const auto shown = over_seeds(30, [&](std::uint64_t seed) {
      tally_filter f({.items = load.items, .error = 0.02, .cell_bits = bits, .seed = seed});
      for (const auto& [item, count] : counts) f.add(item, count);
      return static_cast<double>(f.large());
    });
    const double predicted = math::tally_size_for(load, bits).large;
    EXPECT_NEAR(shown.mean / predicted, 1, 0.04) << shown.mean << ' ' << predicted;
  }
}

// The paper's measure: 95.0 % of the counts are exact, with a deviation of 0.73 points per filter.
TEST(tally_statistics, as_many_counts_are_exact_as_predicted) {
  const auto exact = over_seeds(200, [](std::uint64_t seed) {
    counting_filter f = counting(usual_items, seed);
    for (std::uint64_t i = 0; i < usual_items; ++i) f.add(i, 1 + i % 7);
    double right = 0;
    for (std::uint64_t i = 0; i < usual_items; ++i) right += f.count(i).value == 1 + i % 7;
    return right / usual_items;
  });
  EXPECT_NEAR(exact.mean, published::exact_share(usual_items, counting(usual_items, 0).cells(), 3),
              5 * exact.error);
  EXPECT_NEAR(exact.mean, 0.95, 0.0026);
}

// `lower` holds for any item with the chance it is said to hold with. Counts are as different as
// those of a Zipf law with exponent 1.
template <class Kind>
class tally_bounds : public ::testing::Test {};
TYPED_TEST_SUITE(tally_bounds, support::all_kinds);

TYPED_TEST(tally_bounds, hold_as_often_as_they_say) {
  double confidence = 0;
  const auto broken = over_seeds(30, [&](std::uint64_t seed) {
    auto f = TypeParam::make({usual_items, 0.3, seed});
    for (std::uint64_t i = 0; i < usual_items; ++i) f.add(i, 2000 / (i + 1));
    confidence = f.confidence();
    double wrong = 0;
    for (std::uint64_t i = 0; i < usual_items; ++i) {
      EXPECT_GE(f.count(i).upper, 2000 / (i + 1));
      wrong += f.count(i).lower > 2000 / (i + 1);
    }
    return wrong / usual_items;
  });
  EXPECT_LE(broken.mean, 1 - confidence + 5 * broken.error);
}

// Items that share a cell with many others know it.
TEST(tally_statistics, excess_stays_within_the_mass_bound) {
  const auto beyond = over_seeds(30, [](std::uint64_t seed) {
    counting_filter f = counting(usual_items, seed);
    each_arrival(usual_items, 10, seed, [&](std::uint64_t x) { f.add(x); });
    support::oracle_tally exact(f);
    each_arrival(usual_items, 10, seed, [&](std::uint64_t x) { exact.add(f, x, 1); });
    const double most =
        std::numbers::e * static_cast<double>(f.total()) / static_cast<double>(f.row());
    double wrong = 0;
    for (std::uint64_t x = 0; x < usual_items; ++x) {
      wrong += static_cast<double>(f.count(x).value - exact.truth(x)) > most;
    }
    return wrong / usual_items;
  });
  EXPECT_LE(beyond.mean, std::exp(-3) + 5 * beyond.error);
}

// Table 2 of the paper: a million of each of 1000 items in 6999 cells take 22 or 23 bits, the
// latter with a probability of 0.445 (docs/math.md, Largest cell).
TEST(tally_statistics, cells_are_as_wide_as_in_table_2) {
  const double error = math::rows_error(1000, 6999, 3);
  int wide = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    dynamic_count_filter f(
        {.items = 1000, .error = error, .k = 3, .total = 1'000'000'000, .seed = seed});
    ASSERT_EQ(f.cells(), 6999U);
    math::random_source draw(seed);
    for (std::uint64_t x = 0; x < 1000; ++x) {
      double normal = -6;  // a sum of twelve
      for (int i = 0; i < 12; ++i) normal += static_cast<double>(draw() >> 11) * 0x1p-53;
      f.add(x, static_cast<std::uint64_t>(1e6 + 1e3 * normal));
    }
    const unsigned bits = f.base_bits() + f.overflow_bits();
    ASSERT_TRUE(bits == 22 || bits == 23) << bits;
    wide += bits == 23;
  }
  EXPECT_GE(wide, 56);
  EXPECT_LE(wide, 124);
}

// Fill and empty, uniformly: growths and shrinks are one for every bit that the largest cell needs
// beyond the base, within one of the prediction.
TEST(tally_statistics, rebuilds_are_as_few_as_predicted) {
  for (const std::uint64_t n : {1000U, 10'000U, 100'000U}) {
    if (n == 100'000 && !support::soaking()) continue;
    dynamic_count_filter f({.items = n, .error = 0.05, .k = 3, .total = 100 * n});
    const std::uint64_t largest = published::largest_cell(n, 100 * n, f.cells(), 3);
    const auto predicted = static_cast<double>(published::overflow_level(largest >> f.base_bits()));
    std::vector<std::uint64_t> all;
    each_arrival(n, 100, n, [&](std::uint64_t x) {
      all.push_back(x);
      f.add(x);
    });
    EXPECT_NEAR(static_cast<double>(f.growths()), predicted, 1) << n;
    EXPECT_EQ(f.growths(), f.overflow_bits());
    math::random_source draw(n);
    for (std::uint64_t left = all.size(); left > 0; --left) {
      std::swap(all[draw.below(left)], all[left - 1]);
      ASSERT_EQ(f.remove(all[left - 1]), outcome::added);
    }
    EXPECT_EQ(f.shrinks(), f.growths()) << n;
    EXPECT_EQ(f.overflow_bits(), 0U);
  }
}

// docs/math.md, Recurring minimum: it undercounts, and the other two rules never do; minimum
// increase has the smallest error.
TEST(tally_statistics, of_the_three_rules_one_is_two_sided) {
  struct errors {
    std::uint64_t low = 0;
    double sum = 0;
  };
  const auto measure = [](auto f, std::uint64_t seed) {
    std::vector<std::uint64_t> truth(usual_items);
    each_arrival(usual_items, 100, seed, [&](std::uint64_t x) {
      ++truth[x];
      f.add(x);
    });
    errors e;
    for (std::uint64_t x = 0; x < usual_items; ++x) {
      const std::uint64_t value = f.count(x).value;
      e.low += value < truth[x];
      e.sum += std::abs(static_cast<double>(value) - static_cast<double>(truth[x]));
    }
    return e;
  };
  errors selection;
  errors increase;
  errors recurrence;
  const auto add = [](errors& to, const errors& e) {
    to.low += e.low;
    to.sum += e.sum;
  };
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const spectral_config c{.items = usual_items, .error = 0.05, .k = 3, .seed = seed};
    add(selection, measure(spectral_filter(c), seed));
    add(increase, measure(rising_spectral_filter(c), seed));
    add(recurrence, measure(recurring_spectral_filter(c), seed));
  }
  EXPECT_EQ(selection.low, 0U);
  EXPECT_EQ(increase.low, 0U);
  EXPECT_GT(recurrence.low, 10U);
  EXPECT_LT(increase.sum, selection.sum / 4);
  EXPECT_LT(recurrence.sum, selection.sum / 2);
}

}  // namespace tally_statistical
}  // namespace bloomtime
