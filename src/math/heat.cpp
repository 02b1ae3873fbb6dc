#include <bloomtime/math/heat.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/zipf.hpp>

#include "math/expect.hpp"

namespace bloomtime::math {
namespace {

void expect_size(heat_size size) {
  expect(size.k >= 1, "a filter must have at least one row", size.k);
  expect(size.row >= 1, "a row must have at least one cell", size.row);
}

void expect_delta(double delta) {
  expect(delta > 0 && delta < 1, "delta must lie strictly between 0 and 1", delta);
}

}  // namespace

double heat_excess(std::uint64_t items, double heat, heat_size size) {
  expect_size(size);
  expect(heat >= 0 && std::isfinite(heat), "heat must be a number of hits, 0 or more", heat);
  if (items < 2) return 0;
  const std::uint64_t others = items - 1;
  const double hit = 1 / static_cast<double>(size.row);
  const double mean = static_cast<double>(others) * hit;
  constexpr double crowded = 1000;  // above it all cells are about equal: use the mean, a bound
  if (mean > crowded || size.row == 1) return heat * mean;
  double at_least = -std::expm1(static_cast<double>(others) * std::log1p(-hit));  // P(load >= 1)
  double sum = 0;
  for (std::uint64_t j = 1; j <= others; ++j) {
    const double term = std::pow(at_least, size.k);
    sum += term;
    if (static_cast<double>(j) > mean && term < 1e-12 * sum) break;
    at_least = std::max(0.0, at_least - binomial_pmf(others, j, hit));
  }
  return heat * sum;
}

double heat_share(heat_size size, double delta) {
  expect_size(size);
  expect_delta(delta);
  return std::pow(delta, -1.0 / size.k) / static_cast<double>(size.row);
}

heat_size heat_size_for_share(double epsilon, double delta, unsigned most_k) {
  expect(epsilon > 0 && epsilon < 1, "epsilon must lie strictly between 0 and 1", epsilon);
  expect_delta(delta);
  expect(most_k >= 1, "a filter must have at least one row", most_k);
  const auto cells = [&](unsigned k) { return k * std::pow(delta, -1.0 / k); };
  unsigned best = 1;
  for (unsigned k = 2; k <= most_k; ++k) {
    if (cells(k) < cells(best)) best = k;
  }
  const double row = std::ceil(std::pow(delta, -1.0 / best) / epsilon);
  constexpr double most = 0x1p43;
  expect(row <= most, "epsilon must leave a row of at most 2^43 cells", epsilon);
  return {best, static_cast<std::uint64_t>(row)};
}

}  // namespace bloomtime::math
