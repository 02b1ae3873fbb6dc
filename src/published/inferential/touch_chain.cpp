#include <bloomtime/published/inferential/touch_chain.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/expect.hpp"
#include "published/inferential/touch_sums.hpp"

namespace bloomtime::published {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr unsigned most_cells = 2 * touch_chain::most_k;  // of one item
constexpr double least_rate = 1e-100;                     // its square is still a number

using row = std::array<double, most_cells + 1>;

// ln n!. lgamma() is not thread-safe.
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

// The coefficients of (1 + rho x)^c0 (1 + (1 - rho) x)^c1: coefficient j is the sum of the
// probabilities that j given cells were touched and match by chance.
row matching_by_chance(unsigned c0, unsigned c1, double rho) {
  row polynomial{};
  polynomial[0] = 1;
  unsigned degree = 0;
  for (unsigned i = 0; i < c0; ++i) multiply_by_one_plus(polynomial, degree++, rho);
  for (unsigned i = 0; i < c1; ++i) multiply_by_one_plus(polynomial, degree++, 1 - rho);
  return polynomial;
}

// The number of significant terms of the inner sum. Truncation by the size of s_j alone would be
// wrong: its factor grows with j, by at most 1 / (q x1^r) per step.
unsigned terms_that_count(unsigned r, double sigma, double stay) {
  const double theta = sigma / stay;
  const row& factorial = log_factorials();
  for (unsigned j = 1; j <= r; ++j) {
    if (j > theta && (j - 1) * std::log(theta) - factorial[j] < std::log(1e-18)) return j;
  }
  return r;
}

// For l of r cells touched, the sums over ages of the probability of that, times
// sigma^l / (step^l l!), which keeps them near 1: z over all ages, t over ages from w on, y over
// all ages and weighted by the age (docs/math.md, Touch chain of a generalized filter).
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

// The probability of the observed cells, summed over ages: the logarithm of the sum, the share of
// ages below w and that of all others, including "never". mean: the mean age of an inserted item.
struct touch_chain::summary {
  double log_total;
  double inside;
  double beyond;
  double mean;
};

touch_chain::touch_chain(std::uint64_t cells, unsigned k0, unsigned k1) {
  math::expect(cells >= 2, "a generalized filter has at least 2 cells", cells);
  for (const unsigned k : {k0, k1}) {
    math::expect(k >= 1 && k <= most_k, "a generalized filter sets and clears 1 to 64 cells each",
                 k);
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

touch_chain::summary touch_chain::of_all_ages(const touch_pattern& seen, double w,
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
  beyond = std::min(1., beyond / all);
  return {most + std::log(all) + std::log(-std::expm1(-rate)), 1 - beyond, beyond, ages / all};
}

// Relative to the same constant as the sums over ages: matching cells count with the probability of
// a match by chance, the others as touched.
double touch_chain::log_never(const touch_pattern& seen, double insertions) const noexcept {
  const double untouched = std::exp(-touch_ * insertions);
  const double log_zero = std::log(zeros_ * (1 - untouched) + untouched / 2);
  const double log_one = std::log((1 - zeros_) * (1 - untouched) + untouched / 2);
  return seen.c0 * log_zero + seen.c1 * log_one +
         (seen.r0 - seen.c0) * (log_one - std::log1p(-zeros_)) +
         (seen.r1 - seen.c1) * (log_zero - std::log(zeros_));
}

namespace {

// The logarithm of the sum of the terms that the observed cells allow, and their mean age.
struct age_total {
  double log_sum = -infinite;
  double mean = 0;
};

age_total total_of(const touch_sums& sums, const row& ways, unsigned wrong, unsigned r) noexcept {
  row log_term{};
  double most = -infinite;
  for (unsigned l = wrong; l <= r; ++l) {
    log_term[l] = std::log(ways[l - wrong]) + sums.log_sum(l);
    most = std::max(most, log_term[l]);
  }
  if (most == -infinite) return {};
  double all = 0;
  double ages = 0;
  for (unsigned l = wrong; l <= r; ++l) {
    if (log_term[l] == -infinite) continue;
    const double term = std::exp(log_term[l] - most);
    all += term;
    ages += term * sums.mean_age(l);
  }
  return {most + std::log(all), ages / all};
}

}  // namespace

// While some cells may never have been touched: sums over the existing ages, and "never".
touch_chain::summary touch_chain::of_first_ages(const touch_pattern& seen, double w, double rate,
                                                double insertions) const noexcept {
  const auto n = static_cast<std::uint64_t>(insertions);
  const auto within = static_cast<std::uint64_t>(std::min(w, insertions));
  const unsigned r = seen.r0 + seen.r1;
  const unsigned wrong = r - seen.c0 - seen.c1;
  const row ways = matching_by_chance(seen.c0, seen.c1, zeros_);
  age_total in;
  age_total rest;
  if (within != 0) in = total_of(touch_sums(r, rate, touch_, within), ways, wrong, r);
  if (within != n) {
    rest = total_of(touch_sums(r, rate, touch_, n - within).shifted(within), ways, wrong, r);
  }
  const double log_share = std::log(-std::expm1(-rate));
  const double never = log_never(seen, insertions) - rate * insertions - log_share;
  const double most = std::max({in.log_sum, rest.log_sum, never});
  const double a = std::exp(in.log_sum - most);
  const double b = std::exp(rest.log_sum - most);
  const double all = a + b + std::exp(never - most);
  const double inserted = std::exp(in.log_sum - std::max(in.log_sum, rest.log_sum));
  const double later = std::exp(rest.log_sum - std::max(in.log_sum, rest.log_sum));
  return {most + std::log(all) + log_share, a / all, (all - a) / all,
          (inserted * in.mean + later * rest.mean) / (inserted + later)};
}

// Once practically every cell has been touched, "never" looks like any greater age.
touch_chain::summary touch_chain::summarize(const touch_pattern& seen, double w, double rate,
                                            double insertions) const noexcept {
  constexpr double all_touched = 40;
  if (touch_ * insertions < all_touched) return of_first_ages(seen, w, rate, insertions);
  return of_all_ages(seen, std::min(w, insertions), rate);
}

math::masses touch_chain::window(const touch_pattern& seen, double w, const math::geometric& prior,
                                 double insertions) const noexcept {
  const math::rate_class one{1, prior};
  return window(seen, w, {&one, 1}, insertions);
}

math::masses touch_chain::window(const touch_pattern& seen, double w,
                                 std::span<const math::rate_class> mixture,
                                 double insertions) const noexcept {
  const double from = std::max(0., std::ceil(w));
  math::masses sum{0, 0};
  double scale = -infinite;  // of both, a logarithm
  for (const auto& [weight, prior] : mixture) {
    if (!(weight > 0)) continue;
    const double rate = std::max(prior.rate(), least_rate);
    summary one = prior.rate() > 0 ? summarize(seen, from, rate, insertions)
                                   : summary{log_never(seen, insertions), 0, 1, infinite};
    one.log_total += std::log(weight);
    const double next = std::max(scale, one.log_total);
    const double before = std::exp(scale - next);
    const double share = std::exp(one.log_total - next);
    sum = {before * sum.in + share * one.inside, before * sum.out + share * one.beyond};
    scale = next;
  }
  return sum;
}

double touch_chain::mean(const touch_pattern& seen, const math::geometric& prior,
                         double insertions) const noexcept {
  if (insertions == 0) return std::numeric_limits<double>::quiet_NaN();
  if (prior.rate() == 0 && insertions == endless) return infinite;
  const double rate = std::max(prior.rate(), least_rate);
  if (insertions == endless) return of_all_ages(seen, 0, rate).mean;
  return of_first_ages(seen, 0, rate, std::min(insertions, 0x1p62)).mean;
}

}  // namespace bloomtime::published
