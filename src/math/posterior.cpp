#include <bloomtime/math/posterior.hpp>

#include <cmath>
#include <limits>

#include "math/expect.hpp"

namespace bloomtime::math {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double below_one = 1 - std::numeric_limits<double>::epsilon() / 2;

double rate_of(double p) {
  expect(p >= 0 && p <= 1, "the share of an item must lie in [0, 1]", p);
  return -std::log1p(-std::min(p, below_one));
}

// Keeps fraction and exponent apart: a product that underflows would look like a tie.
class product {
 public:
  product(double a, double b) {
    int more = 0;
    fraction_ = std::frexp(a, &exponent_) * std::frexp(b, &more);
    exponent_ += more;
  }

  friend bool operator<=(const product& a, const product& b) {
    if (a.fraction_ == 0 || b.fraction_ == 0) return a.fraction_ == 0;
    return a.fraction_ <= std::ldexp(b.fraction_, b.exponent_ - a.exponent_);
  }

 private:
  double fraction_ = 0;
  int exponent_ = 0;
};

}  // namespace

geometric::geometric(double p) : rate_(rate_of(p)) {}

geometric geometric::of_rate(double rate) {
  expect(rate >= 0 && rate < infinite, "a rate must be finite and not negative", rate);
  geometric prior;
  prior.rate_ = rate;
  return prior;
}

double geometric::before(double t) const noexcept { return -std::expm1(-rate_ * t); }
double geometric::beyond(double t) const noexcept { return std::exp(-rate_ * t); }

// Computes the smaller one; the other is 1 minus it.
geometric::split geometric::at(double t) const noexcept {
  const double x = rate_ * t;
  if (x < 0.5) {
    const double less = -std::expm1(-x);
    return {less, 1 - less};
  }
  const double more = std::exp(-x);
  return {1 - more, more};
}

masses window_masses(const evidence& seen, double w, const geometric& prior) noexcept {
  return masses_by_powers(seen, w, prior);
}

// The masses of each class are divided by (1 - p)^a; multiply by it, relative to the largest one.
masses window_masses(const evidence& seen, double w, std::span<const rate_class> mixture) noexcept {
  double least = infinite;
  for (const rate_class& c : mixture) {
    if (c.weight > 0) least = std::min(least, c.prior.rate() * seen.a);
  }
  masses sum{0, 0};
  for (const auto& [weight, prior] : mixture) {
    if (!(weight > 0)) continue;
    const masses one = prior.rate() > 0 ? window_masses(seen, w, prior) : masses{0, seen.g};
    const double scale = weight * std::exp(least - prior.rate() * seen.a);
    sum.in += scale * one.in;
    sum.out += scale * one.out;
  }
  if (sum.in + sum.out == 0) sum.out = 1;  // contradictory: treated as never inserted
  return sum;
}

masses membership_masses(double insertions, double g, const geometric& prior) noexcept {
  return window_masses({0, insertions, g}, insertions, prior);
}

double census(std::uint64_t ones, std::uint64_t bits, unsigned r) noexcept {
  if (ones >= bits) return 1;
  const auto all = static_cast<unsigned>(std::min<std::uint64_t>(r, bits));
  if (all > ones) return 0;
  double g = 1;
  for (unsigned t = 0; t < all;) {
    // One division for as many factors as a double can hold.
    double chosen = 1;
    double among = 1;
    for (const unsigned end = std::min(all, t + 16); t < end; ++t) {
      chosen *= static_cast<double>(ones - t);
      among *= static_cast<double>(bits - t);
    }
    g *= chosen / among;
  }
  return g;
}

void check(const penalties& cost) {
  for (const double c : {cost.false_positive, cost.false_negative}) {
    expect(c >= 0 && c < infinite, "a penalty must be finite and not negative", c);
  }
}

bool positive(const masses& posterior, const penalties& cost, bool standard) noexcept {
  if (posterior.in == 0 && posterior.out > 0 && cost.false_positive > 0) return false;
  const double yes = cost.false_positive * posterior.out;
  const double no = cost.false_negative * posterior.in;
  if (std::isnormal(yes) && std::isnormal(no)) return yes <= no;
  if (std::max(cost.false_positive, cost.false_negative) == 0 ||
      std::max(posterior.in, posterior.out) == 0) {
    return standard;
  }
  return product(cost.false_positive, posterior.out) <= product(cost.false_negative, posterior.in);
}

}  // namespace bloomtime::math
