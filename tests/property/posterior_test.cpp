#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <bloomtime/math/posterior.hpp>
#include <bloomtime/published/inferential/age_posterior.hpp>

#include "support/magnitude.hpp"

namespace bloomtime::math {
namespace posterior_test {

using published::age_posterior;
using support::magnitude;

// Two results that should be in order may each be a few ulps off.
constexpr double rounding = 4e-15;

double any_share() { return magnitude(-60, 0); }
double any_likelihood() { return *rc::gen::inRange(0, 10) == 0 ? 0 : magnitude(-100, 0); }
double any_age() { return std::floor(magnitude(0, 40)) - 1; }

evidence any_evidence() {
  const double a = any_age();
  return {a, a + 1 + any_age(), any_likelihood()};
}

// Windows near the block as well as far from it.
double any_window(const evidence& seen) {
  return *rc::gen::element(0., seen.a, seen.e) + magnitude(0, 41) - 1;
}

RC_GTEST_PROP(posterior, is_a_probability_and_both_sides_make_one, ()) {
  const evidence seen = any_evidence();
  const masses m = window_masses(seen, any_window(seen), geometric(any_share()));
  RC_ASSERT(m.in >= 0 && std::isfinite(m.in));
  RC_ASSERT(m.out >= 0 && std::isfinite(m.out));
  RC_ASSERT(m.probability() >= 0 && m.probability() <= 1);
}

RC_GTEST_PROP(posterior, is_zero_up_to_a, ()) {
  const evidence seen = any_evidence();
  const double w = std::min(seen.a, any_window(seen));
  RC_ASSERT(window_masses(seen, w, geometric(any_share())).probability() == 0);
}

RC_GTEST_PROP(posterior, grows_with_the_window, ()) {
  const evidence seen = any_evidence();
  const geometric prior(any_share());
  const double w = any_window(seen);
  const double wider = w + magnitude(0, 40);
  const masses narrow = window_masses(seen, w, prior);
  const masses wide = window_masses(seen, wider, prior);
  RC_ASSERT(narrow.in <= wide.in * (1 + rounding));
  RC_ASSERT(narrow.out * (1 + rounding) >= wide.out);
}

RC_GTEST_PROP(posterior, grows_with_the_share, ()) {
  const evidence seen = any_evidence();
  const double w = any_window(seen);
  const double p = any_share();
  const double larger = std::min(1., p * magnitude(0, 10));
  RC_ASSERT(window_masses(seen, w, geometric(p)).probability() <=
            window_masses(seen, w, geometric(larger)).probability() + rounding);
}

RC_GTEST_PROP(posterior, of_a_window_that_holds_the_block_falls_with_g, ()) {
  const evidence seen = any_evidence();
  const double w = std::max(seen.e, any_window(seen));
  const geometric prior(any_share());
  const evidence likelier{seen.a, seen.e, std::min(1., seen.g * magnitude(0, 10))};
  RC_ASSERT(window_masses(likelier, w, prior).probability() <=
            window_masses(seen, w, prior).probability() + rounding);
}

RC_GTEST_PROP(posterior, tends_to_one_without_false_positives, ()) {
  evidence seen = any_evidence();
  seen.g = 0;
  const double w = std::max(seen.e, any_window(seen));
  RC_ASSERT(window_masses(seen, w, geometric(any_share())).probability() == 1);
}

// The two forms of the routine, wherever the general one has digits left: q^a above 1e-3 and
// p * block not below 1e-9.
RC_GTEST_PROP(posterior, both_forms_agree, ()) {
  const geometric prior(magnitude(-30, -1));
  const double a = std::floor(magnitude(0, 2.7) / prior.rate());
  const evidence seen{a, a + std::ceil(magnitude(-9, 5) / prior.rate()), any_likelihood()};
  const double w = a + magnitude(-10, 5) / prior.rate();
  const auto cdf = [&](double t) { return prior.before(t); };
  const double general = window_masses(seen, w, cdf).probability();
  RC_ASSERT(std::abs(general - window_masses(seen, w, prior).probability()) < 1e-9);
}

RC_GTEST_PROP(decision, is_the_threshold_on_the_probability, ()) {
  const masses m{magnitude(-20, 0), magnitude(-20, 0)};
  const penalties cost{magnitude(-10, 10), magnitude(-10, 10)};
  const double threshold = cost.false_positive / (cost.false_positive + cost.false_negative);
  RC_PRE(std::abs(m.probability() - threshold) > 1e-14);
  RC_ASSERT(positive(m, cost, false) == (m.probability() > threshold));
}

// The products may lie far outside the range of a double.
RC_GTEST_PROP(decision, survives_extreme_masses_and_penalties, ()) {
  const masses m{magnitude(-1000, 0), magnitude(-1000, 0)};
  const penalties cost{magnitude(-500, 500), magnitude(-500, 500)};
  const long double for_yes = static_cast<long double>(cost.false_positive) * m.out;
  const long double for_no = static_cast<long double>(cost.false_negative) * m.in;
  RC_PRE(std::abs(for_yes / for_no - 1) > 1e-15L);
  RC_ASSERT(positive(m, cost, false) == (for_yes < for_no));
}

RC_GTEST_PROP(age, quantile_inverts_the_survival, ()) {
  const evidence seen = any_evidence();
  const age_posterior age(seen, geometric(magnitude(-45, -0.1)));
  const double alpha = *rc::gen::element(magnitude(-30, 0), 1 - magnitude(-30, 0));
  const double t = age.quantile(alpha);
  RC_PRE(t < 0x1p51);
  RC_ASSERT(t >= seen.a);
  RC_ASSERT(age.survival(t + 1) <= (1 - alpha) * (1 + 1e-12));
  if (t > seen.a) RC_ASSERT(1 - age.survival(t) <= alpha * (1 + 1e-12) + 1e-15);
}

RC_GTEST_PROP(age, mean_lies_where_the_mass_is, ()) {
  const evidence seen = any_evidence();
  const age_posterior age(seen, geometric(any_share()));
  RC_ASSERT(age.mean() >= seen.a);
  if (seen.g == 0) RC_ASSERT(age.mean() <= seen.e);
}

}  // namespace posterior_test
}  // namespace bloomtime::math
