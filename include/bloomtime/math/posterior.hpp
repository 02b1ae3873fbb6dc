#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <bloomtime/detail/cpu.hpp>

// The posterior probability of a positive answer. What a filter shows about the age of an item (the
// number of insertions since its own last one) is a likelihood with three levels. One routine
// combines it with a prior (docs/math.md, Posterior of a timing filter; Theorems 1-5 of
// Dautrich & Ravishankar 2019 are special cases). Ages are doubles: whole numbers are exact up to
// 2^53, and windows may be real.
namespace bloomtime::math {

// The unnormalised posterior of "within the window" and of its opposite. Both are kept, because 1
// minus a probability near 1 loses all digits.
struct masses {
  double in;
  double out;

  double probability() const noexcept { return in > 0 ? in / (in + out) : 0; }
};

// The relative likelihood of an age: 0 below a, 1 on [a, e), g from e on. 0 <= a <= e and
// 0 <= g <= 1; a = e (only known: the item is older than a) needs g > 0.
struct evidence {
  double a;
  double e;
  double g;
};

// The prior from p, the probability that any one insertion is this item: P(age < t) = 1 - (1 -
// p)^t. p = 1 counts as 1 - 2^-53, so that contradicting evidence can prevail. Throws if p is
// outside [0, 1].
class geometric {
 public:
  geometric() noexcept = default;  // p = 0
  explicit geometric(double p);
  // With time instead of insertions: a rate per unit of time, finite and not negative.
  static geometric of_rate(double rate);

  double rate() const noexcept { return rate_; }  // -ln(1 - p)
  double before(double t) const noexcept;         // P(age < t)
  double beyond(double t) const noexcept;         // P(age >= t)
  // Both, at the cost of one.
  struct split {
    double before;
    double beyond;
  };
  split at(double t) const noexcept;

 private:
  double rate_ = 0;
};

// For any prior, given as a callable cdf(t) = P(age < t); 1 - cdf(infinity) is "never inserted".
template <class Cdf>
BLOOMTIME_PER_ISA masses window_masses(const evidence& seen, double w, const Cdf& cdf) {
  const auto [a, e, g] = seen;
  const double inner = std::clamp(w, a, e);
  const double outer = std::max(w, e);
  const double at_e = cdf(e);
  const double at_inner = cdf(inner);
  const double at_outer = cdf(outer);
  return {(at_inner - cdf(a)) + g * (at_outer - at_e), (at_e - at_inner) + g * (1 - at_outer)};
}

// The same for a memoryless prior that gives both sides of an age, divided by beyond(a). Only
// positive terms are added, so nothing cancels.
template <class Powers>
BLOOMTIME_PER_ISA masses masses_by_powers(const evidence& seen, double w,
                                          const Powers& prior) noexcept {
  if (prior.rate() == 0) return {0, 1};
  const auto [a, e, g] = seen;
  const auto block = prior.at(e - a);
  const double older = g * block.beyond;
  if (w <= a) return {0, block.before + older};
  const auto rest = prior.at(w > e ? w - e : w - a);
  if (w > e) return {block.before + older * rest.before, older * rest.beyond};
  return {rest.before, rest.beyond * prior.before(e - w) + older};
}

// For the geometric prior. With p = 0 the item is never inserted, whatever the evidence.
masses window_masses(const evidence& seen, double w, const geometric& prior) noexcept;

// One of several priors, with its weight. Weights need not sum to 1.
struct rate_class {
  double weight;
  geometric prior;
};

// The posterior if either of these priors may be the right one (docs/math.md, Mixtures of priors).
// Items of a class with p = 0 are never inserted; the evidence is as likely for them as for any age
// beyond e.
masses window_masses(const evidence& seen, double w, std::span<const rate_class> mixture) noexcept;

// Was the item inserted at all, given that all its cells are set? g is the probability that they
// are set if it was not.
masses membership_masses(double insertions, double g, const geometric& prior) noexcept;

// The probability that r different cells are all among the `ones` set cells of `bits`: the
// likelihood g from the fill of the filter.
double census(std::uint64_t ones, std::uint64_t bits, unsigned r) noexcept;

// The costs of wrong answers. check() throws unless both are finite and not negative.
struct penalties {
  double false_positive;
  double false_negative;
};

void check(const penalties& cost);

// The answer with the smaller expected cost; "yes" on a tie. If errors cost nothing or the evidence
// excludes both, the answer is `standard` (docs/math.md, Cheapest answer).
bool positive(const masses& posterior, const penalties& cost, bool standard) noexcept;

}  // namespace bloomtime::math
