#include <bloomtime/math/binomial.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include "math/expect.hpp"

namespace bloomtime::math {
namespace {

constexpr double negligible = 1e-17;

// Both probabilities are kept, because 1 - p would lose the digits of a small p.
struct trial {
  double success;
  double failure;

  trial reversed() const { return {failure, success}; }
};

trial checked(double p) {
  expect(p >= 0 && p <= 1, "a probability must lie in [0, 1]", p);
  return {p, 1 - p};
}

// ln n! minus the logarithm of Stirling's sqrt(2 pi n) (n/e)^n. From n = 16 on the series leaves
// out 1.1e-16.
double stirling_remainder(double n) {
  if (n < 16) {
    double factorial = 1;
    for (double i = 2; i <= n; ++i) factorial *= i;
    return std::log(factorial) - (n + 0.5) * std::log(n) + n - 0.5 * std::log(2 * std::numbers::pi);
  }
  const double r = 1 / (n * n);
  return (1. / 12 - r * (1. / 360 - r * (1. / 1260 - r * (1. / 1680 - r / 1188)))) / n;
}

// x ln(x / mean) + mean - x. Near the mean the terms cancel; there, with v = (x - mean)/(x + mean),
// the logarithm is 2 (v + v^3/3 + v^5/5 + ...) and the linear parts cancel on paper.
double deviance(double x, double mean) {
  const double v = (x - mean) / (x + mean);
  if (std::abs(v) > 0.1) return x * std::log(x / mean) + mean - x;
  double sum = (x - mean) * v;
  double power = 2 * x * v;
  for (double j = 3;; j += 2) {
    power *= v * v;
    const double next = sum + power / j;
    if (next == sum) return sum;
    sum = next;
  }
}

// The saddle-point form of C. Loader (2000): ln n! has 11 digits before the point at n = 1e10, so
// a difference of log-gammas would leave four correct digits.
double log_pmf(std::uint64_t n, std::uint64_t k, trial t) {
  constexpr double impossible = -std::numeric_limits<double>::infinity();
  if (k > n) return impossible;
  if (t.success == 0) return k == 0 ? 0 : impossible;
  if (t.failure == 0) return k == n ? 0 : impossible;
  const auto size = static_cast<double>(n);
  const auto hits = static_cast<double>(k);
  const auto misses = static_cast<double>(n - k);
  const auto log_of = [](double probability, double other) {
    return other < 0.5 ? std::log1p(-other) : std::log(probability);
  };
  if (k == 0) return size * log_of(t.failure, t.success);
  if (k == n) return size * log_of(t.success, t.failure);
  return stirling_remainder(size) - stirling_remainder(hits) - stirling_remainder(misses) -
         deviance(hits, size * t.success) - deviance(misses, size * t.failure) +
         0.5 * std::log(size / (2 * std::numbers::pi * hits * misses));
}

// P(X >= k) term by term; quick and accurate for k above the mean, where the terms fall.
double sum_from(std::uint64_t n, std::uint64_t k, trial t) {
  double term = std::exp(log_pmf(n, k, t));
  double sum = term;
  const double odds = t.success / t.failure;
  for (std::uint64_t i = k; i < n; ++i) {
    const double ratio = static_cast<double>(n - i) / static_cast<double>(i + 1) * odds;
    term *= ratio;
    sum += term;
    if (ratio < 1 && term * ratio <= negligible * (1 - ratio) * sum) break;
  }
  return sum;
}

double upper_tail(std::uint64_t n, std::uint64_t k, trial t) {
  if (k == 0) return 1;
  if (k > n) return 0;
  if (t.failure == 0) return 1;
  const bool above_mean = static_cast<double>(k) > static_cast<double>(n) * t.success;
  return above_mean ? sum_from(n, k, t) : 1 - sum_from(n, n - k + 1, t.reversed());
}

// The smallest high with P(X > high) <= tail.
std::uint64_t highest(std::uint64_t n, trial t, double tail) {
  std::uint64_t low = 0;
  std::uint64_t high = n;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    // One term alone often settles it and saves a long sum near the mean.
    const bool too_low =
        std::exp(log_pmf(n, middle + 1, t)) > tail || upper_tail(n, middle + 1, t) > tail;
    (too_low ? low : high) = too_low ? middle + 1 : middle;
  }
  return low;
}

}  // namespace

double log_binomial_pmf(std::uint64_t n, std::uint64_t k, double p) {
  return log_pmf(n, k, checked(p));
}

double binomial_pmf(std::uint64_t n, std::uint64_t k, double p) {
  return std::exp(log_binomial_pmf(n, k, p));
}

double binomial_upper_tail(std::uint64_t n, std::uint64_t k, double p) {
  return upper_tail(n, k, checked(p));
}

double binomial_lower_tail(std::uint64_t n, std::uint64_t k, double p) {
  const trial t = checked(p);
  return k >= n ? 1 : upper_tail(n, n - k, t.reversed());
}

count_range binomial_range(std::uint64_t n, double p, double tail) {
  expect(tail > 0 && tail < 0.5, "a tail must lie strictly between 0 and 1/2", tail);
  const trial t = checked(p);
  return {n - highest(n, t.reversed(), tail), highest(n, t, tail)};
}

}  // namespace bloomtime::math
