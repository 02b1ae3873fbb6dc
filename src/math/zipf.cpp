#include <bloomtime/math/zipf.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/expect.hpp"

namespace bloomtime::math {
namespace {

constexpr std::uint64_t most_ranks = std::uint64_t{1} << 53;

void expect_exponent(double z) {
  expect(z >= 0 && z < std::numeric_limits<double>::infinity(),
         "the exponent of Zipf's law must be finite and not negative", z);
}

double expm1_over(double x) { return x == 0 ? 1 : std::expm1(x) / x; }
double log1p_over(double x) { return x == 0 ? 1 : std::log1p(x) / x; }

// The integral of t^-z from 1 to x and its inverse, without a special case at z = 1.
double area(double x, double z) {
  const double log_x = std::log(x);
  return log_x * expm1_over((1 - z) * log_x);
}

double area_inverse(double y, double z) {
  const double t = std::max(y * (1 - z), -1.);  // rounding may pass the pole
  return std::exp(y * log1p_over(t));
}

// The sum over m..n by Euler and Maclaurin, up to the fifth derivative.
double sum_by_integral(double m, double n, double z) {
  const auto correction = [z](double x) {
    const double s = 1 / (x * x);
    const double third = z * (z + 1) * (z + 2) * s;
    const double fifth = third * (z + 3) * (z + 4) * s;
    return std::pow(x, -z) / x * (z / 12 - third / 720 + fifth / 30240);
  };
  const double integral = std::pow(m, 1 - z) * area(n / m, z);
  return integral + (std::pow(m, -z) + std::pow(n, -z)) / 2 + correction(m) - correction(n);
}

}  // namespace

double harmonic(std::uint64_t n, double z) {
  expect_exponent(z);
  constexpr std::uint64_t exact = 100;
  double sum = n > exact ? sum_by_integral(exact + 1, static_cast<double>(n), z) : 0;
  for (auto i = static_cast<double>(std::min(n, exact)); i > 0; --i) sum += std::pow(i, -z);
  return sum;
}

zipf::zipf(std::uint64_t n, double z) : n_(n), z_(z) {
  expect(n >= 1 && n <= most_ranks, "Zipf's law needs from 1 to 2^53 ranks", n);
  expect_exponent(z);
  total_ = harmonic(n, z);
  first_ = area(1.5, z) - 1;
  last_ = area(static_cast<double>(n) + 0.5, z);
  squeeze_ = 2 - area_inverse(area(2.5, z) - std::pow(2., -z), z);
}

double zipf::probability(std::uint64_t rank) const noexcept {
  if (rank < 1 || rank > n_) return 0;
  return std::pow(static_cast<double>(rank), -z_) / total_;
}

double zipf::cumulative(std::uint64_t rank) const {
  return harmonic(std::min(rank, n_), z_) / total_;
}

// Rejection-inversion (Hoermann & Derflinger 1996): invert the integral of the continuous density,
// round to a rank, and accept if the point lies in the part of the rank's strip whose area is its
// probability.
std::uint64_t zipf::operator()(random_source& random) const noexcept {
  for (;;) {
    const double y = last_ + random.unit() * (first_ - last_);
    const double x = area_inverse(y, z_);
    const double rank = std::clamp(std::floor(x + 0.5), 1., static_cast<double>(n_));
    if (rank - x <= squeeze_ || y >= area(rank + 0.5, z_) - std::pow(rank, -z_)) {
      return static_cast<std::uint64_t>(rank);
    }
  }
}

}  // namespace bloomtime::math
