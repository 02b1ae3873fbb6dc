#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <bloomtime/error.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/prior.hpp>
#include <bloomtime/published/inferential/age_posterior.hpp>

#include "support/numbers.hpp"

namespace bloomtime::math {
namespace math_posterior_test {

using rational = boost::multiprecision::cpp_rational;
using quad = boost::multiprecision::cpp_bin_float_quad;  // 113 bits
using wide = boost::multiprecision::cpp_bin_float_100;   // 100 digits
using published::age_posterior;
using support::infinite;
using support::nan;

rational power(const rational& base, unsigned exponent) {
  rational result = 1;
  for (unsigned i = 0; i < exponent; ++i) result *= base;
  return result;
}

double relative_error(double got, const rational& truth) {
  if (truth == 0) return got == 0 ? 0 : infinite;
  return std::abs(static_cast<double>((rational(got) - truth) / truth));
}

// Bayes' theorem term by term: likelihood(i) * p q^i for every age up to `horizon`, and the rest
// at once, since from there on the likelihood is g.
struct bayes {
  rational p;
  unsigned a;
  unsigned e;
  rational g;

  rational likelihood(unsigned age) const { return age < a ? 0 : age < e ? rational(1) : g; }

  rational within(unsigned w) const {
    const unsigned horizon = std::max(w, e);
    rational in = 0;
    rational all = g * power(1 - p, horizon);
    rational prior = p;
    for (unsigned age = 0; age < horizon; ++age) {
      const rational mass = likelihood(age) * prior;
      if (age < w) in += mass;
      all += mass;
      prior *= 1 - p;
    }
    return in / all;
  }
};

// A block timing filter seen through one item: blocks of `block` insertions, `filled` in the
// current one, the oldest stamp `lambda` blocks old.
struct stamp {
  unsigned block;
  unsigned filled;
  unsigned lambda;

  unsigned a() const { return lambda == 0 ? 0 : (lambda - 1) * block + filled; }
  unsigned e() const { return lambda * block + filled; }
};

const std::vector<rational> shares = {rational(1, 7), rational(3, 10), rational(1, 100)};
const std::vector<rational> likelihoods = {rational(1, 5), rational(1, 1000), rational(9, 10)};

// All cases of docs/math.md, Posterior of a timing filter; visit(p, g, stamp, w, oldest live
// lambda).
template <class Visit>
void for_all_stamps(Visit visit) {
  for (const rational& p : shares) {
    for (const rational& g : likelihoods) {
      for (unsigned block = 1; block <= 5; ++block) {
        for (unsigned w = block; w <= 13; ++w) {
          for (unsigned filled = 0; filled < block; ++filled) {
            const unsigned oldest = (w - filled + block - 1) / block;
            for (unsigned lambda = filled == 0; lambda <= oldest; ++lambda) {
              visit(p, g, stamp{block, filled, lambda}, w, oldest);
            }
          }
        }
      }
    }
  }
}

// Theorems 3 to 5 as the paper prints them, the exponent of Theorem 4 as a parameter.
rational theorem(const rational& p, const rational& g, const stamp& s, unsigned w, unsigned oldest,
                 unsigned exponent) {
  const rational q = 1 - p;
  if (s.lambda == 0) return 1 - power(q, w) / ((1 - power(q, s.filled)) / g + power(q, s.filled));
  const rational from_a = power(q, w - s.a());
  if (s.lambda == oldest) return (1 - from_a) / (1 - power(q, s.block) * (1 - g));
  return 1 - from_a / ((1 - power(q, s.block)) / g + power(q, exponent));
}

// A dozen roundings, of which each costs at most a few ulps of the result.
constexpr double few_ulps = 2e-15;

// The routine gets p and g rounded to doubles; q^t with t <= 26 turns half an ulp of p into at
// most nine of the result.
TEST(posterior, equals_bayes_for_every_stamp_and_every_window) {
  for_all_stamps([](const rational& p, const rational& g, const stamp& s, unsigned w, unsigned) {
    const bayes truth{p, s.a(), s.e(), g};
    const evidence seen{double(s.a()), double(s.e()), double(g)};
    for (const unsigned asked : {0U, s.a(), s.a() + 1, s.e(), s.e() + 1, w, 2 * w}) {
      const masses m = window_masses(seen, asked, geometric(double(p)));
      const rational within = truth.within(asked);
      ASSERT_LT(relative_error(m.probability(), within), 2 * few_ulps);
      ASSERT_LT(relative_error(m.out / (m.in + m.out), 1 - within), 2 * few_ulps);
    }
  });
}

TEST(posterior, equals_the_theorems_of_the_paper) {
  unsigned cases = 0;
  for_all_stamps(
      [&](const rational& p, const rational& g, const stamp& s, unsigned w, unsigned oldest) {
        ++cases;
        const rational truth = bayes{p, s.a(), s.e(), g}.within(w);
        ASSERT_EQ(theorem(p, g, s, w, oldest, s.block), truth);
      });
  EXPECT_GT(cases, 4000U);
}

// docs/math.md, Corrections of the inferential filters: Theorem 4 ends with exponent w, not B.
TEST(posterior, the_misprint_of_theorem_4_is_told_apart) {
  unsigned cases = 0;
  for_all_stamps(
      [&](const rational& p, const rational& g, const stamp& s, unsigned w, unsigned oldest) {
        if (s.lambda == 0 || s.lambda == oldest || w == s.block) return;
        ++cases;
        ASSERT_NE(theorem(p, g, s, w, oldest, w), bayes({p, s.a(), s.e(), g}).within(w));
      });
  EXPECT_GT(cases, 2000U);
}

// Theorem 3 silently needs b <= w.
TEST(posterior, windows_shorter_than_the_current_block_work) {
  const rational p(1, 10);
  const rational g(1, 5);
  const double printed = static_cast<double>(theorem(p, g, stamp{5, 4, 0}, 2, 1, 5));
  EXPECT_NEAR(printed, 0.659, 5e-4);
  const double ours = window_masses({0, 4, 0.2}, 2, geometric(0.1)).probability();
  EXPECT_NEAR(ours, 0.400, 5e-4);
  EXPECT_LT(relative_error(ours, bayes({p, 0, 4, g}).within(2)), few_ulps);
}

// "Never inserted" has the likelihood of an old age, so n insertions mean a window of min(w, n).
TEST(posterior, finite_streams_are_shorter_windows) {
  for (const rational& p : shares) {
    for (const rational& g : likelihoods) {
      for (unsigned n = 1; n <= 12; ++n) {
        for (unsigned w = 1; w <= 14; ++w) {
          const unsigned e = std::min(4U, n);
          rational in = 0;
          rational all = g * power(1 - p, n);
          for (unsigned age = 1; age < n; ++age) {
            const rational mass = p * power(1 - p, age) * (age < e ? rational(1) : g);
            if (age < w) in += mass;
            all += mass;
          }
          const evidence seen{1, double(e), double(g)};
          const double ours =
              window_masses(seen, std::min(w, n), geometric(double(p))).probability();
          ASSERT_NEAR(ours, double(in / all), 1e-14);  // double(p), double(g) are rounded
        }
      }
    }
  }
}

// Zero-inflated and mixed priors, by the form that takes any distribution function.
TEST(posterior, any_prior_equals_bayes) {
  const rational weights[] = {rational(1, 2), rational(3, 10)};  // 1/5 never
  const rational rates[] = {rational(1, 7), rational(1, 50)};
  const auto cdf = [&](double t) {
    double sum = 0;
    for (int j : {0, 1}) sum += double(weights[j]) * -std::expm1(t * std::log1p(-double(rates[j])));
    return sum;
  };
  for (const rational& g : likelihoods) {
    for (unsigned a = 0; a < 6; ++a) {
      for (unsigned e = a + 1; e < 9; ++e) {
        for (unsigned w = 0; w < 12; ++w) {
          rational in = 0;
          rational all = g / 5;
          for (int j : {0, 1}) {
            const rational q = 1 - rates[j];
            for (unsigned age = a; age < 12; ++age) {
              const rational mass =
                  weights[j] * rates[j] * power(q, age) * (age < e ? rational(1) : g);
              if (age < w) in += mass;
              all += mass;
            }
            all += weights[j] * g * power(q, 12);
          }
          const masses m = window_masses({double(a), double(e), double(g)}, w, cdf);
          // Differences of a distribution function near 1/2 that are as small as 0.01.
          ASSERT_NEAR(m.probability(), double(in / all), 1e-13);
        }
      }
    }
  }
}

TEST(posterior, both_forms_agree_on_real_windows) {
  const geometric prior(0.01);
  const auto cdf = [&](double t) { return prior.before(t); };
  for (double w = 0; w < 60; w += 0.37) {
    const evidence seen{10.5, 31.25, 0.03};
    const masses general = window_masses(seen, w, cdf);
    const masses special = window_masses(seen, w, prior);
    EXPECT_NEAR(general.probability(), special.probability(), 1e-14);
    // The general form is not divided by q^a.
    EXPECT_NEAR(general.out, special.out * prior.beyond(10.5), 1e-15);
  }
  // Between whole ages a real window interpolates with q^w.
  const double half = window_masses({0, 4, 0.5}, 2.5, geometric(0.19)).in;
  EXPECT_NEAR(half, 1 - std::pow(0.81, 2.5), 1e-15);
}

struct quad_posterior {
  quad in;
  quad out;
};

quad_posterior reference(double p, const evidence& seen, double w) {
  const quad rate = -log1p(-quad(p));
  const auto before = [&](double t) { return quad(-expm1(-rate * quad(t))); };
  const auto beyond = [&](double t) { return quad(exp(-rate * quad(t))); };
  const double inner = std::clamp(w, seen.a, seen.e);
  const double outer = std::max(w, seen.e);
  const quad in =
      before(inner - seen.a) + quad(seen.g) * beyond(seen.e - seen.a) * before(outer - seen.e);
  const quad out =
      beyond(inner - seen.a) * before(seen.e - inner) + quad(seen.g) * beyond(outer - seen.a);
  return {in / (in + out), out / (in + out)};
}

// docs/math.md, Posterior of a timing filter, promises 1e-14. Where q^t itself is below 1e-40 its
// relative error grows with the exponent, and nothing depends on it.
TEST(posterior, keeps_its_digits_at_the_extremes) {
  double worst = 0;
  unsigned cases = 0;
  for (const double p :
       {1e-300, 1e-100, 1e-30, 1e-17, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.999, 1 - 0x1p-53}) {
    const geometric prior(p);
    for (const double a : {0., 1., 5e3, 0x1p40}) {
      for (const double length : {1., 2., 1e3, 0x1p20, 0x1p36}) {
        for (const double g : {1e-200, 1e-30, 1e-6, 0.1, 1.}) {
          for (const double w : {a + 1, a + length / 2, a + length, a + length + 7, a + 0x1p41}) {
            const evidence seen{a, a + length, g};
            const masses m = window_masses(seen, w, prior);
            const quad_posterior truth = reference(p, seen, w);
            const double all = m.in + m.out;
            for (const auto& [got, wanted] :
                 {std::pair(m.in / all, truth.in), std::pair(m.out / all, truth.out)}) {
              if (wanted < 1e-40) continue;
              worst = std::max(worst, std::abs(static_cast<double>(quad(got) / wanted - 1)));
              ++cases;
            }
          }
        }
      }
    }
  }
  EXPECT_LT(worst, 1e-14);
  EXPECT_GT(cases, 5000U);
  RecordProperty("worst_relative_error_e17", static_cast<int>(worst * 1e17));
}

// docs/math.md, Posterior of a timing filter: the cost of evaluating with q = 1 - p.
TEST(posterior, the_literal_formula_is_visibly_worse) {
  struct row {
    double p;
    double at_least;
  };
  for (const row& r : {row{1e-12, 1e-6}, row{1e-15, 1e-4}, row{1e-17, 0.99}}) {
    const double q = 1 - r.p;
    const double block = 1000;
    const double g = 1e-6;
    const evidence seen{5000, 6000, g};
    const double literal =
        1 - std::pow(q, 1e5 - 5000) / ((1 - std::pow(q, block)) / g + std::pow(q, block));
    const quad truth = reference(r.p, seen, 1e5).in;
    const double ours = window_masses(seen, 1e5, geometric(r.p)).probability();
    EXPECT_GT(std::abs(static_cast<double>(quad(literal) / truth - 1)), r.at_least);
    EXPECT_LT(std::abs(static_cast<double>(quad(ours) / truth - 1)), 1e-15);
  }
}

TEST(posterior, special_values) {
  const evidence seen{3, 8, 0.1};
  EXPECT_EQ(window_masses(seen, 20, geometric(0)).probability(), 0);
  EXPECT_EQ(window_masses({3, 8, 0}, 20, geometric(0)).probability(), 0);
  EXPECT_FALSE(positive(window_masses({3, 8, 0}, 20, geometric(0)), {1, 1}, true));
  EXPECT_EQ(window_masses({3, 8, 0}, 8, geometric(0.2)).probability(), 1);
  EXPECT_EQ(window_masses(seen, 3, geometric(1)).probability(), 0);
  EXPECT_NEAR(window_masses(seen, 4, geometric(1)).probability(), 1, 1e-15);
  EXPECT_GT(window_masses(seen, 4, geometric(1)).out, 0);
  // Expired: nothing but "older than a" is known, and the prior starts again there.
  EXPECT_NEAR(window_masses({9, 9, 1}, 12, geometric(0.5)).probability(), 0.875, 1e-15);
  EXPECT_EQ(window_masses({9, 9, 1}, 9, geometric(0.5)).probability(), 0);
  for (const double p : {-1e-300, 1.0001, nan}) EXPECT_THROW(geometric{p}, error);
  EXPECT_EQ((masses{0, 0}).probability(), 0);
  EXPECT_EQ((masses{3, 1}).probability(), 0.75);
}

TEST(membership, is_theorem_1) {
  for (const rational& p : shares) {
    for (const rational& g : likelihoods) {
      for (unsigned n = 0; n <= 20; ++n) {
        const rational share(static_cast<double>(p));
        const rational level(static_cast<double>(g));
        const rational missed = power(1 - share, n);
        const rational truth = (1 - missed) / (1 - missed + missed * level);
        const auto m = prior::share(double(p)).of(n, double(g));
        EXPECT_LT(relative_error(m.probability(), truth), few_ulps);
      }
    }
  }
  EXPECT_EQ(membership_masses(10, 0.5, geometric(0)).probability(), 0);
}

TEST(membership, of_a_known_probability) {
  const masses m = prior::membership(0.25).of(1'000'000, 0.01);
  EXPECT_EQ(m.in, 0.25);
  EXPECT_EQ(m.out, 0.75 * 0.01);
  EXPECT_EQ(prior::membership(1).of(5, 0.5).probability(), 1);
  EXPECT_EQ(prior::membership(0).of(5, 0).probability(), 0);
  // The share that makes an insertion among n as likely.
  const double share = -std::expm1(std::log(0.75) / 1e6);
  EXPECT_NEAR(prior::share(share).of(1'000'000, 0.01).probability(), m.probability(), 1e-12);
}

TEST(membership, refuses_what_is_no_probability) {
  for (const double p : {-0.1, 1.1, nan, infinite}) {
    EXPECT_THROW(prior::membership(p), error);
    EXPECT_THROW(prior::share(p), error);
  }
}

TEST(census, is_a_draw_without_replacement) {
  EXPECT_EQ(census(10, 20, 0), 1);
  EXPECT_EQ(census(10, 20, 1), 0.5);
  EXPECT_DOUBLE_EQ(census(10, 20, 3), 10. * 9 * 8 / (20. * 19 * 18));
  EXPECT_EQ(census(2, 20, 3), 0);
  EXPECT_EQ(census(0, 20, 1), 0);
  EXPECT_EQ(census(20, 20, 5), 1);
  EXPECT_EQ(census(25, 20, 5), 1);  // a miscount must not exceed certainty
  EXPECT_EQ(census(3, 3, 64), 1);
  EXPECT_EQ(census(2, 3, 64), 0);
  EXPECT_EQ(census(0, 0, 1), 1);
}

TEST(decision, takes_the_cheaper_answer) {
  const masses m{0.2, 0.8};
  EXPECT_TRUE(positive(m, {1, 5}, false));
  EXPECT_FALSE(positive(m, {1, 3}, true));
  EXPECT_TRUE(positive({0.25, 0.75}, {1, 3}, false));  // a tie
  for (const double scale : {0x1p-900, 0x1p-30, 0x1p900}) {
    EXPECT_TRUE(positive(m, {scale, 5 * scale}, false));
    EXPECT_FALSE(positive(m, {scale, 3 * scale}, true));
    EXPECT_TRUE(positive({0.25, 0.75}, {scale, 3 * scale}, false));
  }
}

TEST(decision, free_errors_leave_the_standard_answer) {
  EXPECT_TRUE(positive({0, 1}, {0, 0}, true));
  EXPECT_FALSE(positive({1, 0}, {0, 0}, false));
  EXPECT_TRUE(positive({0, 0}, {1, 1}, true));
  EXPECT_FALSE(positive({0, 0}, {1, 1}, false));
  EXPECT_TRUE(positive({0.001, 1}, {0, 1}, false));
  EXPECT_FALSE(positive({1, 0.001}, {1, 0}, true));
}

// A posterior that rounds to 1 still has an outside, and tiny masses do not vanish in products.
TEST(decision, works_where_the_probability_rounds) {
  const masses nearly{1, 1e-30};
  EXPECT_EQ(nearly.probability(), 1);
  EXPECT_TRUE(positive(nearly, {1e29, 1}, false));
  EXPECT_FALSE(positive(nearly, {1e31, 1}, true));
  EXPECT_FALSE(positive({1e-300, 1e-290}, {1e-30, 1e-25}, true));
  EXPECT_TRUE(positive({1e-300, 1e-290}, {1e-30, 1e-15}, false));
}

TEST(decision, refuses_bad_penalties) {
  EXPECT_NO_THROW(check({0, 0}));
  EXPECT_NO_THROW(check({1, 1e300}));
  for (const double bad : {-1., nan, infinite}) {
    EXPECT_THROW(check({bad, 1}), error);
    EXPECT_THROW(check({1, bad}), error);
  }
}

// Sums over ages, the part beyond the horizon in closed form.
TEST(age, equals_sums_over_ages) {
  for (const rational& exact_p : shares) {
    for (const rational& exact_g : likelihoods) {
      for (const stamp& s : {stamp{1, 0, 1}, stamp{5, 3, 0}, stamp{4, 2, 1}, stamp{5, 1, 3}}) {
        const rational p(double{exact_p});
        const rational g(double{exact_g});
        const rational q = 1 - p;
        const bayes b{p, s.a(), s.e(), g};
        const unsigned horizon = s.e() + 10;
        rational all = g * power(q, horizon);
        rational sum = all * (horizon + q / p);
        for (unsigned age = 0; age < horizon; ++age) {
          const rational mass = b.likelihood(age) * p * power(q, age);
          all += mass;
          sum += age * mass;
        }
        const age_posterior age({double(s.a()), double(s.e()), double(g)}, geometric(double(p)));
        ASSERT_LT(relative_error(age.mean(), sum / all), 1e-13);
        rational before = 0;
        for (unsigned t = 0; t < horizon; ++t) {
          ASSERT_LT(relative_error(age.survival(t), 1 - before), few_ulps);
          const rational point = b.likelihood(t) * p * power(q, t) / all;
          ASSERT_LT(relative_error(age.point(t), point), few_ulps);
          before += point;
        }
        const rational inside = b.within(s.e());
        ASSERT_LT(relative_error(age.block().probability(), inside), few_ulps);
        ASSERT_EQ(age.block_is_likelier(), 2 * inside >= 1);
      }
    }
  }
}

// After n insertions: an age of n or more means that the item was never inserted.
TEST(age, equals_sums_over_the_ages_of_a_finite_stream) {
  for (const rational& exact_p : shares) {
    for (const rational& exact_g : likelihoods) {
      for (const stamp& s : {stamp{1, 0, 1}, stamp{5, 3, 0}, stamp{4, 2, 1}}) {
        for (const unsigned more : {0u, 1u, 7u}) {
          const rational p(double{exact_p});
          const rational g(double{exact_g});
          const unsigned n = s.e() + more;
          const bayes b{p, s.a(), s.e(), g};
          rational inserted = 0;
          rational sum = 0;
          for (unsigned age = 0; age < n; ++age) {
            const rational mass = b.likelihood(age) * p * power(1 - p, age);
            inserted += mass;
            sum += age * mass;
          }
          const rational all = inserted + g * power(1 - p, n);
          const age_posterior age({double(s.a()), double(s.e()), double(g)}, geometric(double(p)),
                                  n);
          ASSERT_LT(relative_error(age.mean(), sum / inserted), 1e-13);
          ASSERT_LT(relative_error(age.survival(n + 5.), 1 - inserted / all), 1e-13);
          ASSERT_EQ(age.point(n), 0);
          ASSERT_EQ(age.quantile(double(inserted / all) + 1e-9), infinite);
          ASSERT_LE(age.quantile(double(inserted / all) - 1e-9), n - 1.);
        }
      }
    }
  }
}

// docs/math.md, Statistics of an age: q/p - N(1-g)q^N / (1-(1-g)q^N), with enough digits for its
// cancellations.
TEST(age, mean_keeps_its_digits) {
  for (const double p : {1e-9, 1e-6, 1e-3, 0.1, 0.39, 0.4, 0.9, 0.999999, 1 - 0x1p-53}) {
    for (const double length : {1., 2., 3., 100., 240., 0x1p20}) {
      for (const double g : {0., 1e-30, 1e-6, 0.3, 1.}) {
        const wide rate = -log1p(-wide(p));
        const wide rest = (1 - wide(g)) * exp(-rate * wide(length));
        const wide truth = (1 - wide(p)) / wide(p) - wide(length) * rest / (1 - rest);
        const double mean = age_posterior({0, length, g}, geometric(p)).mean();
        if (length == 1 && g == 0) {
          EXPECT_EQ(mean, 0);
          continue;
        }
        EXPECT_LT(std::abs(static_cast<double>(wide(mean) / truth - 1)), 1e-14)
            << p << " " << length << " " << g;
      }
    }
  }
  EXPECT_EQ(age_posterior({2, 5, 0.5}, geometric(0)).mean(), infinite);
  EXPECT_NEAR(age_posterior({2, 1002, 0}, geometric(1e-300)).mean(), 2 + 499.5, 1e-12);
}

TEST(age, quantile_is_the_first_age_that_reaches_alpha) {
  for (const double p : {1e-300, 1e-18, 1e-12, 1e-6, 0.01, 0.5, 1 - 0x1p-53}) {
    for (const double g : {0., 1e-12, 0.01, 1.}) {
      for (const double length : {1., 10., 1e6}) {
        const age_posterior age({100, 100 + length, g}, geometric(p));
        for (const double alpha : {0., 1e-9, 0.1, 0.5, 0.9, 0.999999}) {
          const double t = age.quantile(alpha);
          ASSERT_GE(t, 100);
          if (t > 0x1p50) continue;
          // Exactly on a step either side is right to within rounding.
          EXPECT_LE(age.survival(t + 1), (1 - alpha) * (1 + 1e-12));
          if (t > 100) {
            EXPECT_GE(age.survival(t), (1 - alpha) * (1 - 1e-12));
          }
        }
      }
    }
  }
  const age_posterior certain({100, 101, 0}, geometric(0.1));
  EXPECT_EQ(certain.quantile(0), 100);
  EXPECT_EQ(certain.quantile(0.999), 100);
  EXPECT_EQ(certain.quantile(1), infinite);
  EXPECT_EQ(certain.quantile(nan), infinite);
  EXPECT_EQ(age_posterior({1, 2, 0.5}, geometric(0)).quantile(0.5), infinite);
}

// With a prior this flat a block is uniform; its survival, 1 - 5e-13 in the middle, knows the age
// to three digits only.
TEST(age, quantile_survives_a_tiny_share) {
  const age_posterior age({0, 1000, 0}, geometric(1e-15));
  EXPECT_EQ(age.quantile(0.5), 499);
  EXPECT_EQ(age.quantile(0.9), 899);
}

TEST(age, of_an_item_never_inserted) {
  const age_posterior age({2, 5, 0.5}, geometric(0));
  EXPECT_EQ(age.survival(1000), 1);
  EXPECT_EQ(age.point(3), 0);
  EXPECT_EQ(age.block().probability(), 0);
}

}  // namespace math_posterior_test
}  // namespace bloomtime::math
