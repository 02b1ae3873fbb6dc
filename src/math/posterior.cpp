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

// 1/z - 1/(e^z - 1), the mean of an exponential truncated to [0, 1]. The series is that of the
// Bernoulli numbers up to z^9.
double truncated_mean(double z) {
  if (z >= 0.25) return 1 / z - 1 / std::expm1(z);
  const double s = z * z;
  return 0.5 - z / 12 * (1 - s / 60 * (1 - s / 42 * (1 - s / 40 * (1 - s / 39.6))));
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

// The smaller one is computed, the other is 1 minus it.
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

age_posterior::age_posterior(const evidence& seen, const geometric& prior,
                             double insertions) noexcept
    : seen_(seen),
      prior_(prior),
      insertions_(insertions),
      inside_(prior.before(seen.e - seen.a)),
      older_(seen.g * prior.beyond(seen.e - seen.a)) {}

double age_posterior::survival(double t) const noexcept {
  const masses m = window(t);
  return m.out / (m.in + m.out);
}

double age_posterior::point(std::uint64_t age) const noexcept {
  const auto t = static_cast<double>(age);
  if (prior_.rate() == 0 || t < seen_.a || t >= insertions_) return 0;
  const double level = t < seen_.e ? 1 : seen_.g;
  return level * prior_.before(1) * prior_.beyond(t - seen_.a) / (inside_ + older_);
}

bool age_posterior::block_is_likelier() const noexcept {
  const masses m = block();
  return m.in >= m.out;
}

// The mean of an age below `length`. Both forms are equal; the first is accurate for small rates,
// where 1/L would dominate, the second for large ones, where the two h cancel.
double age_posterior::mean_within(double length) const noexcept {
  const double rate = prior_.rate();
  if (length == endless) return 1 / std::expm1(rate);
  if (rate < 0.5) return length * truncated_mean(rate * length) - truncated_mean(rate);
  return 1 / std::expm1(rate) - length / std::expm1(rate * length);
}

double age_posterior::mean() const noexcept {
  const double block = std::min(seen_.e, insertions_) - seen_.a;
  const double rest = insertions_ - seen_.e;
  if (prior_.rate() == 0 || (block <= 0 && rest <= 0)) return infinite;
  double sum = 0;
  double all = 0;
  if (block > 0) {
    all = prior_.before(block);
    sum = all * mean_within(block);
  }
  if (rest > 0 && older_ > 0) {
    const double older = older_ * prior_.before(rest);
    all += older;
    sum += older * (seen_.e - seen_.a + mean_within(rest));
  }
  return all > 0 ? seen_.a + sum / all : infinite;
}

// P(age <= t) >= alpha, on whichever side of the comparison is the smaller number.
bool age_posterior::reaches(double age, double alpha) const noexcept {
  const masses m = window(age + 1);
  const double all = inside_ + older_;
  return alpha <= 0.5 ? m.in >= alpha * all : m.out <= (1 - alpha) * all;
}

// Where the continuous distribution function reaches alpha, counted from a. Uses log1p, because at
// a small p the survival is close to 1 and its logarithm would have few digits.
double age_posterior::quantile_estimate(double alpha) const noexcept {
  const double rate = prior_.rate();
  const double wanted = alpha * (inside_ + older_);
  if (wanted <= inside_) return -std::log1p(-wanted) / rate;
  const double rest = (1 - alpha) * (inside_ + older_);
  const double beyond_e = (wanted - inside_) / older_;
  return seen_.e - seen_.a -
         (beyond_e < 0.5 ? std::log1p(-beyond_e) : std::log(rest / older_)) / rate;
}

double age_posterior::quantile(double alpha) const noexcept {
  if (prior_.rate() == 0 || !(alpha < 1) || !reaches(infinite, alpha)) return infinite;
  double high = seen_.a + std::max(0., std::ceil(quantile_estimate(alpha)) - 1);
  // The estimate is off by rounding only, if at all: step away until the result is enclosed, then
  // bisect.
  double step = 1;
  double low = high - step;
  for (; !reaches(high, alpha); step *= 2) {
    low = high;
    high += step;
  }
  for (step = 1; low >= seen_.a && reaches(low, alpha); step *= 2) {
    high = low;
    low -= step;
  }
  low = std::max(low, seen_.a - 1);
  while (high - low > 1) {
    const double middle = std::floor(low + (high - low) / 2);
    if (middle <= low || middle >= high) break;  // ages beyond 2^53
    (reaches(middle, alpha) ? high : low) = middle;
  }
  return high;
}

}  // namespace bloomtime::math
