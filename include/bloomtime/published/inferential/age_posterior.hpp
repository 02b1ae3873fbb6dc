#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <bloomtime/math/posterior.hpp>

namespace bloomtime::published {

// The posterior distribution of the age itself, under the geometric prior
// (docs/math.md, Statistics of an age). After `insertions` insertions ages are below that number;
// an item that is older was never inserted.
class age_posterior {
 public:
  static constexpr double endless = std::numeric_limits<double>::infinity();

  age_posterior(const math::evidence& seen, const math::geometric& prior,
                double insertions = endless) noexcept;

  math::masses window(double w) const noexcept {
    return math::window_masses(seen_, std::min(w, insertions_), prior_);
  }
  double survival(double t) const noexcept;        // P(age >= t, or never inserted)
  double point(std::uint64_t age) const noexcept;  // P(age = this)
  // Given that the item was inserted; infinite if p = 0 or if the evidence excludes that.
  double mean() const noexcept;

  // The likeliest single age is always a. More useful: is the age inside [a, e) or beyond?
  math::masses block() const noexcept { return window(seen_.e); }
  bool block_is_likelier() const noexcept;

  // The smallest age t with P(age <= t) >= alpha; infinite if there is none.
  double quantile(double alpha) const noexcept;

 private:
  bool reaches(double age, double alpha) const noexcept;
  double quantile_estimate(double alpha) const noexcept;
  double mean_within(double length) const noexcept;

  math::evidence seen_;
  math::geometric prior_;
  double insertions_;
  double inside_;  // mass of [a, e)
  double older_;   // mass of [e, inf)
};

}  // namespace bloomtime::published
