#include <gtest/gtest.h>

#include <bloomtime/math/posterior.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

#include "support/oracle_calibration.hpp"
#include "support/statistics.hpp"

namespace bloomtime {
namespace age_partitioned_filter_statistical {

struct error_rates {
  double measured;
  double predicted;
};

// Strangers asked while the stream goes on, so that every state of a generation counts.
error_rates rates_of(age_partitioned_filter f, std::uint64_t questions) {
  std::uint64_t n = 0;
  for (; n < 3 * f.items(); ++n) f.add(n);
  std::uint64_t wrong = 0;
  double predicted = 0;
  constexpr std::uint64_t period = 500;
  for (std::uint64_t q = 0; q < questions; ++q) {
    wrong += f.seen((std::uint64_t{1} << 60) + q);
    if (q % 20 == 0) f.add(n++);
    if (q % period == 0) predicted += f.current_error();
  }
  const auto asked = static_cast<double>(questions);
  return {static_cast<double>(wrong) / asked, predicted / (asked / period)};
}

// Loads of the words of a band are taken as equal, which they nearly are: the prediction is up to
// an eighth too high, never too low. Half a percent of the answers depend on one filter's bits;
// six standard errors of a Poisson number are allowed.
TEST(age_partitioned_statistics, errs_as_often_as_predicted) {
  for (const double error : {0.1, 1e-2, 1e-3}) {
    constexpr std::uint64_t questions = 400'000;
    const error_rates r =
        rates_of(age_partitioned_filter({.last = 20'000, .error = error}), questions);
    const double deviation = 6 * std::sqrt(r.predicted / questions) + 0.005 * r.predicted;
    EXPECT_LE(r.predicted, error);
    EXPECT_LT(r.measured, r.predicted + deviation) << error;
    EXPECT_GT(r.measured, 0.875 * r.predicted - deviation) << error;
  }
}

// The prior is exact: every insertion is any of the items with the same probability. 0.02 is the
// bound of docs/math.md, Tolerances of statistical tests.
TEST(age_partitioned_statistics, posteriors_are_calibrated) {
  constexpr std::uint64_t universe = 4096;
  constexpr std::uint64_t window = 4096;
  age_partitioned_filter f({.last = window, .memory = window * 8 / 8});
  const math::geometric prior(1. / universe);
  const auto cdf = [&](double t) { return prior.before(t); };
  math::random_source random(7);
  std::vector<std::uint64_t> last(universe, 0);
  oracle::calibration calibrated;
  int misses = 0;
  for (std::uint64_t n = 1; n <= 200'000; ++n) {
    const std::uint64_t x = random() % universe;
    if (n > 4 * window) {
      // What is in the window as the filter keeps it: whole generations.
      const std::uint64_t done = n - 1;
      const std::uint64_t kept = f.generations() * f.quota() + (done - 1) % f.quota() + 1;
      const std::uint64_t age = done - last[x];
      const double p = f.posterior(x, cdf);
      misses += age < window && p == 0;
      calibrated.add(p, last[x] != 0 && age < kept);
    }
    f.add(x);
    last[x] = n;
  }
  EXPECT_EQ(misses, 0);
  EXPECT_LT(calibrated.expected_error(), 0.03);
}

}  // namespace age_partitioned_filter_statistical
}  // namespace bloomtime
