#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>
#include <bloomtime/recency/recency_filter.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/oracle_calibration.hpp"
#include "support/statistics.hpp"

namespace bloomtime {
namespace recency_filter_statistical {

using namespace published;
using math::random_source;
using support::over_seeds;
using support::spread;

// The share of strangers that are taken for items seen lately, over filters with other seeds. Five
// standard errors, measured over these: 6e-7 by chance.
void expect_error_rate(const spread& measured, double predicted) {
  EXPECT_NEAR(measured.mean, predicted, 5 * measured.error + 1e-3 * predicted);
}

TEST(recency_error, of_a_full_window_is_as_predicted) {
  using namespace std::chrono_literals;
  for (const layout kind : {layout::flat, layout::line}) {
    constexpr std::uint64_t items = 3000;
    double predicted = 0;
    const spread measured = over_seeds(16, [&](std::uint64_t seed) {
      recency_filter f(
          {.window = 10s, .items = items, .error = 0.03, .layout = kind, .seed = seed});
      predicted = f.predicted_error(items);
      // The most that is alive: a whole window, and as many in the tick that it cuts.
      for (std::uint64_t i = 0; i < 2 * items; ++i) {
        EXPECT_EQ(f.add(i, instant(i < items ? 0 : 10'000'001)), outcome::added);
      }
      std::uint64_t wrong = 0;
      constexpr std::uint64_t asked = 20'000;
      for (std::uint64_t i = 0; i < asked; ++i) wrong += f.seen(1'000'000 + i);
      return static_cast<double>(wrong) / asked;
    });
    expect_error_rate(measured, predicted);
  }
}

TEST(timing_error, of_different_items_is_as_predicted) {
  double predicted = 0;
  const spread measured = over_seeds(16, [&](std::uint64_t seed) {
    timing_filter f({.window = 3000, .memory = 3000 * 20 / 8, .k = 4, .bits = 4, .seed = seed});
    predicted = f.predicted_error(f.window());
    // Until the present block lacks one insertion: window + block - 1 are alive at most.
    std::uint64_t next = 0;
    while (next < 3 * f.window() || f.filled() + 1 != f.size().block) f.add(next++);
    std::uint64_t wrong = 0;
    constexpr std::uint64_t asked = 20'000;
    for (std::uint64_t i = 0; i < asked; ++i) wrong += f.seen(1'000'000 + i);
    return static_cast<double>(wrong) / asked;
  });
  // The window may end before the last insertion of a block: what is predicted is the worst.
  EXPECT_LE(measured.mean, predicted + 5 * measured.error);
  EXPECT_GE(measured.mean, 0.8 * predicted - 5 * measured.error);
}

struct judged {
  double census;
  double analytic;
};

// Mean distance of posteriors from the truth, of items that are all alike, asked for before each
// insertion (docs/math.md, Census likelihood).
judged calibration_errors() {
  constexpr std::uint64_t items = 1 << 13;
  constexpr std::uint64_t window = 1 << 13;
  timing_filter f({.window = window, .memory = window * 10 / 8, .k = 4, .bits = 4});
  const math::geometric prior(1. / items);
  const auto likelihood = f.analytic_with(published::distinct_items::uniform(items));
  oracle::calibration census;
  oracle::calibration analytic;
  std::vector<std::optional<std::uint64_t>> last(items);
  random_source random(12345);
  for (std::uint64_t n = 0; n < 300'000; ++n) {
    const std::uint64_t x = random.below(items);
    if (n >= 4 * window) {
      const bool within = last[x] && n - *last[x] <= window;
      census.add(f.posterior(x, prior), within);
      analytic.add(f.posterior(x, prior, {}, likelihood), within);
    }
    f.add(x);
    last[x] = n;
  }
  return {census.expected_error(), analytic.expected_error()};
}

TEST(timing_posterior, is_calibrated_by_the_census) {
  const judged errors = calibration_errors();
  EXPECT_LE(errors.census, 0.005);  // docs/math.md, Tolerances of statistical tests
  // The paper's likelihood takes "touched in the block" and "not touched since" for independent.
  EXPECT_GE(errors.analytic, 0.015);
  EXPECT_LE(errors.analytic, 0.055);
}

}  // namespace recency_filter_statistical
}  // namespace bloomtime
