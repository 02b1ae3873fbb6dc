#include <bloomtime/math/touch_chain.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "expect.hpp"

namespace bloomtime::math {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr unsigned most_cells = 2 * touch_chain::most_k;  // of one item
constexpr double least_rate = 1e-100;                     // its square is still a number

using row = std::array<double, most_cells + 1>;

// ln n!, which lgamma() would also give, but not to several threads at once.
const row& log_factorials() {
  static const row table = [] {
    row t{};
    for (unsigned n = 1; n <= most_cells; ++n) t[n] = t[n - 1] + std::log(n);
    return t;
  }();
  return table;
}

void multiply_by_one_plus(row& polynomial, unsigned degree, double x) {
  for (unsigned j = degree + 1; j > 0; --j) polynomial[j] += x * polynomial[j - 1];
}

// Coefficients of (1 + rho x)^c0 (1 + (1 - rho) x)^c1: in how many ways j of the cells that match
// have been touched and do so by chance.
row matching_by_chance(unsigned c0, unsigned c1, double rho) {
  row polynomial{};
  polynomial[0] = 1;
  unsigned degree = 0;
  for (unsigned i = 0; i < c0; ++i) multiply_by_one_plus(polynomial, degree++, rho);
  for (unsigned i = 0; i < c1; ++i) multiply_by_one_plus(polynomial, degree++, 1 - rho);
  return polynomial;
}

// How many terms of the inner sum count. A cut by the size of s_j alone would be wrong: what it is
// multiplied by grows as j does, by at most 1 / (q x1^r) per step.
unsigned terms_that_count(unsigned r, double sigma, double stay) {
  const double theta = sigma / stay;
  const row& factorial = log_factorials();
  for (unsigned j = 1; j <= r; ++j) {
    if (j > theta && (j - 1) * std::log(theta) - factorial[j] < std::log(1e-18)) return j;
  }
  return r;
}

// For l of r cells touched, sums over ages of the chance of that, times sigma^l / (step^l l!),
// which keeps them near 1: z over all ages, t over those from w on, y over all ages and weighted by
// them.
struct chain {
  row z{};
  row t{};
  row y{};
  double log_ratio = 0;  // ln(step / sigma)

  chain(unsigned r, double rate, double touch, double w);
};

chain::chain(unsigned r, double rate, double touch, double w) {
  const row& factorial = log_factorials();
  const double stay = std::exp(-(rate + r * touch));  // another item, and no cell touched
  const double sigma = -std::expm1(-(rate + r * touch));
  const unsigned terms = terms_that_count(r, sigma, stay);
  log_ratio = std::log(-std::expm1(-touch) / sigma);
  const double log_touched = std::log(-std::expm1(-touch * w)) - log_ratio;  // used if w > 0
  row s{1};
  for (unsigned j = 1; j <= terms; ++j) s[j] = s[j - 1] * sigma / j;

  for (unsigned l = 0; l <= r; ++l) {
    const double exponent = rate + (r - l) * touch;
    const double alpha = std::exp(-exponent);
    const double den = -std::expm1(-exponent);
    const double begins = l == 0 ? 1 : 0;
    const double begins_at_w =
        w > 0 ? std::exp((l == 0 ? 0 : l * log_touched) - factorial[l] - exponent * w) : begins;
    double from_z = 0;
    double from_t = 0;
    double from_y = 0;
    for (unsigned j = 1; j <= std::min(l, terms); ++j) {
      from_z += z[l - j] * s[j];
      from_t += t[l - j] * s[j];
      from_y += y[l - j] * s[j];
    }
    z[l] = (begins + alpha * from_z) / den;
    t[l] = (begins_at_w + alpha * from_t) / den;
    y[l] = alpha * (from_y + from_z + z[l]) / den;
  }
}

}  // namespace

// The chance of what is seen, summed up over ages: its logarithm, the share of it that lies at or
// beyond w, and the mean age.
struct touch_chain::summary {
  double log_total;
  double beyond;
  double mean;
};

touch_chain::touch_chain(std::uint64_t cells, unsigned k0, unsigned k1) {
  expect(cells >= 2, "a generalized filter has at least 2 cells", cells);
  for (const unsigned k : {k0, k1}) {
    expect(k >= 1 && k <= most_k, "a generalized filter sets and clears 1 to 64 cells each", k);
  }
  const double miss = std::log1p(-1 / static_cast<double>(cells));
  const double cleared = -std::expm1(k0 * miss);
  const double set = -std::expm1(k1 * miss) * std::exp(k0 * miss);
  touch_ = (k0 + k1) * -miss;
  zeros_ = cleared / (cleared + set);
}

double touch_chain::matches(const touch_pattern& of, double age) const noexcept {
  const double untouched = std::exp(-touch_ * age);
  return std::pow(zeros_ + (1 - zeros_) * untouched, of.r0) *
         std::pow((1 - zeros_) + zeros_ * untouched, of.r1);
}

touch_chain::summary touch_chain::summarize(const touch_pattern& seen, double w,
                                            double rate) const noexcept {
  const unsigned r = seen.r0 + seen.r1;
  const unsigned wrong = r - seen.c0 - seen.c1;  // certainly touched
  const chain sums(r, rate, touch_, w);
  const row ways = matching_by_chance(seen.c0, seen.c1, zeros_);
  row log_weight{};
  double most = -infinite;
  for (unsigned l = wrong; l <= r; ++l) {
    log_weight[l] =
        std::log(ways[l - wrong]) + l * sums.log_ratio + log_factorials()[l] + std::log(sums.z[l]);
    most = std::max(most, log_weight[l]);
  }
  double all = 0;
  double beyond = 0;
  double ages = 0;
  for (unsigned l = wrong; l <= r; ++l) {
    const double weight = std::exp(log_weight[l] - most);
    all += weight;
    beyond += weight * (sums.t[l] / sums.z[l]);
    ages += weight * (sums.y[l] / sums.z[l]);
  }
  return {most + std::log(all), std::min(1., beyond / all), ages / all};
}

masses touch_chain::window(const touch_pattern& seen, double w,
                           const geometric& prior) const noexcept {
  const rate_class one{1, prior};
  return window(seen, w, {&one, 1});
}

masses touch_chain::window(const touch_pattern& seen, double w,
                           std::span<const rate_class> mixture) const noexcept {
  const double from = std::max(0., std::ceil(w));
  // Of an item never inserted all cells have been touched.
  const double log_never = seen.c0 * std::log(zeros_) + seen.c1 * std::log1p(-zeros_);
  masses sum{0, 0};
  double scale = -infinite;  // of both, a logarithm
  for (const auto& [weight, prior] : mixture) {
    if (!(weight > 0)) continue;
    summary one{log_never, 1, infinite};
    if (prior.rate() > 0) {
      const double rate = std::max(prior.rate(), least_rate);
      one = summarize(seen, from, rate);
      one.log_total += std::log(-std::expm1(-rate));
    }
    one.log_total += std::log(weight);
    const double next = std::max(scale, one.log_total);
    const double before = std::exp(scale - next);
    const double share = std::exp(one.log_total - next);
    sum = {before * sum.in + share * (1 - one.beyond), before * sum.out + share * one.beyond};
    scale = next;
  }
  return sum;
}

double touch_chain::mean(const touch_pattern& seen, const geometric& prior) const noexcept {
  if (prior.rate() == 0) return infinite;
  return summarize(seen, 0, std::max(prior.rate(), least_rate)).mean;
}

}  // namespace bloomtime::math
