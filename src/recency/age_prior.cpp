#include <bloomtime/recency/age_prior.hpp>

#include <cmath>

#include "math/expect.hpp"

namespace bloomtime {

void age_prior::add(double weight, double share) {
  classes_[count_] = {weight, math::geometric(share)};
  ++count_;
}

double age_prior::operator()(double t) const noexcept {
  double all = 0;
  double before = 0;
  for (const math::rate_class& c : classes()) {
    all += c.weight;
    before += c.weight * c.prior.before(t);
  }
  return before / all;
}

age_prior age_prior::share(double p) {
  age_prior prior;
  if (!std::isnan(p)) prior.add(1, p);
  return prior;
}

age_prior age_prior::inflated(double member, double p) {
  math::expect(member >= 0 && member <= 1,
               "the probability of being inserted at all must lie in [0, 1]", member);
  age_prior prior;
  prior.add(member, p);
  prior.add(1 - member, 0);
  return prior;
}

age_prior age_prior::mixture(std::span<const rate> rates) {
  math::expect(!rates.empty() && rates.size() <= most_classes,
               "a mixture has 1 to 8 shares with weights", std::uint64_t{rates.size()});
  age_prior prior;
  for (const rate& r : rates) {
    math::expect(r.weight > 0 && std::isfinite(r.weight),
                 "the weight of a share must be positive and finite", r.weight);
    prior.add(r.weight, r.share);
  }
  return prior;
}

}  // namespace bloomtime
