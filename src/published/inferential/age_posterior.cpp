#include <bloomtime/published/inferential/age_posterior.hpp>

#include <cmath>

namespace bloomtime::published {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// 1/z - 1/(e^z - 1), the mean of an exponential truncated to [0, 1]. The series is that of the
// Bernoulli numbers up to z^9.
double truncated_mean(double z) {
  if (z >= 0.25) return 1 / z - 1 / std::expm1(z);
  const double s = z * z;
  return 0.5 - z / 12 * (1 - s / 60 * (1 - s / 42 * (1 - s / 40 * (1 - s / 39.6))));
}

}  // namespace

age_posterior::age_posterior(const math::evidence& seen, const math::geometric& prior,
                             double insertions) noexcept
    : seen_(seen),
      prior_(prior),
      insertions_(insertions),
      inside_(prior.before(seen.e - seen.a)),
      older_(seen.g * prior.beyond(seen.e - seen.a)) {}

double age_posterior::survival(double t) const noexcept {
  const math::masses m = window(t);
  return m.out / (m.in + m.out);
}

double age_posterior::point(std::uint64_t age) const noexcept {
  const auto t = static_cast<double>(age);
  if (prior_.rate() == 0 || t < seen_.a || t >= insertions_) return 0;
  const double level = t < seen_.e ? 1 : seen_.g;
  return level * prior_.before(1) * prior_.beyond(t - seen_.a) / (inside_ + older_);
}

bool age_posterior::block_is_likelier() const noexcept {
  const math::masses m = block();
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
  const math::masses m = window(age + 1);
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

}  // namespace bloomtime::published
