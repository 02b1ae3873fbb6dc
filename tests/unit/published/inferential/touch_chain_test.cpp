#include <gtest/gtest.h>

#include <bloomtime/published/inferential/touch_chain.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime::published {
namespace touch_chain_test {

using namespace math;

// 113 bits of mantissa.
#ifdef __SIZEOF_FLOAT128__
__extension__ using wide_float = __float128;
#else
using wide_float = long double;
#endif

wide_float raised(wide_float x, unsigned n) {
  wide_float result = 1;
  for (; n != 0; n >>= 1, x *= x) {
    if (n & 1) result *= x;
  }
  return result;
}

// One insertion leaves a bit as it is with the chance `stay`; of those it changes it clears
// `zeros`.
struct bit_chances {
  bit_chances(std::uint64_t cells, unsigned k0, unsigned k1) {
    const wide_float miss = 1 - wide_float(1) / cells;
    const wide_float cleared = 1 - raised(miss, k0);
    const wide_float set = (1 - raised(miss, k1)) * raised(miss, k0);
    stay = raised(miss, k0 + k1);
    zeros = cleared / (cleared + set);
  }

  wide_float stay;
  wide_float zeros;
};

// Bayes' rule by brute force: the sum over ages of p q^i P(seen | i), in 113 bits.
class summed_ages : bit_chances {
 public:
  summed_ages(std::uint64_t cells, unsigned k0, unsigned k1, const touch_pattern& seen, double p)
      : bit_chances(cells, k0, k1), seen_(seen), p_(p) {}

  struct result {
    double inside;
    double mean;
  };
  result below(double w) const {
    const unsigned wrong = seen_.r0 + seen_.r1 - seen_.c0 - seen_.c1;
    const wide_float q = 1 - wide_float(p_);
    wide_float untouched = 1;
    wide_float others = 1;
    wide_float in = 0;
    wide_float out = 0;
    wide_float ages = 0;
    double age = 0;
    // Until all is touched, from where on the likelihood is the same, or nothing is left.
    for (; (untouched > wide_float(1e-33) || age < w) && others > wide_float(1e-300); ++age) {
      const wide_float mass = wide_float(p_) * others * likelihood(untouched, wrong);
      (age < w ? in : out) += mass;
      ages += mass * wide_float(age);
      untouched *= stay;
      others *= q;
    }
    const wide_float rest = others * likelihood(0, wrong);
    out += rest;
    ages += rest * (wide_float(age) + q / wide_float(p_));
    return {static_cast<double>(in / (in + out)), static_cast<double>(ages / (in + out))};
  }

 private:
  wide_float likelihood(wide_float untouched, unsigned wrong) const {
    return raised(zeros + (1 - zeros) * untouched, seen_.c0) *
           raised((1 - zeros) + zeros * untouched, seen_.c1) * raised(1 - untouched, wrong);
  }

  touch_pattern seen_;
  double p_;
};

TEST(touch_chain, is_bayes_rule_summed_over_ages) {
  double worst = 0;
  double worst_mean = 0;
  for (const unsigned cells : {64u, 1024u}) {
    for (const unsigned k : {1u, 4u, 9u, 16u, 30u, 64u}) {
      for (const double p : {1e-12, 1e-4, 0.086, 0.5, 0.999}) {
        for (const unsigned wrong0 : {0u, k / 3, k}) {
          const unsigned k1 = std::max(1u, k - 1);
          const touch_pattern seen{k, k - wrong0, k1, k1 - wrong0 / 2};
          const touch_chain chain(cells, k, k1);
          for (const double w : {1., 3., std::ceil(cells / (3. * k))}) {
            const auto exact = summed_ages(cells, k, k1, seen, p).below(w);
            const geometric prior(p);
            worst = std::max(worst,
                             std::abs(chain.window(seen, w, prior).probability() - exact.inside));
            if (exact.mean > 0) {
              worst_mean = std::max(worst_mean, std::abs(chain.mean(seen, prior) / exact.mean - 1));
            }
          }
        }
      }
    }
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_LT(worst_mean, 1e-12);
}

// The same after n insertions: ages below n, and "never" with the initial bits, half of them set,
// where no insertion has touched them. All terms of all ages, in 113 bits.
class first_ages : bit_chances {
 public:
  first_ages(std::uint64_t cells, unsigned k0, unsigned k1, const touch_pattern& seen)
      : bit_chances(cells, k0, k1), seen_(seen) {}

  struct result {
    double inside;
    double mean;  // if inserted
  };
  result below(double w, double p, double n) const {
    const wide_float q = 1 - wide_float(p);
    wide_float untouched = 1;
    wide_float others = 1;
    wide_float in = 0;
    wide_float out = 0;
    wide_float ages = 0;
    for (double age = 0; age < n; ++age) {
      const wide_float mass = wide_float(p) * others * inserted(untouched);
      (age < w ? in : out) += mass;
      ages += mass * wide_float(age);
      untouched *= stay;
      others *= q;
    }
    const wide_float was = in + out;
    out += others * never(untouched);
    return {static_cast<double>(in / (in + out)), static_cast<double>(ages / was)};
  }

 private:
  // Of the cells that an insertion clears and sets: as x left them, or touched since.
  wide_float inserted(wide_float u) const {
    const wide_float zero = zeros * (1 - u);
    const wide_float one = (1 - zeros) * (1 - u);
    return seen(u + zero, one, zero, u + one);
  }
  wide_float never(wide_float u) const {
    const wide_float zero = zeros * (1 - u) + u / 2;
    return seen(zero, 1 - zero, zero, 1 - zero);
  }
  wide_float seen(wide_float zero0, wide_float one0, wide_float zero1, wide_float one1) const {
    return raised(zero0, seen_.c0) * raised(one0, seen_.r0 - seen_.c0) * raised(one1, seen_.c1) *
           raised(zero1, seen_.r1 - seen_.c1);
  }

  touch_pattern seen_;
};

TEST(touch_chain, after_few_insertions_is_bayes_rule_summed_over_ages) {
  double worst = 0;
  double worst_mean = 0;
  for (const unsigned cells : {64u, 1u << 20}) {
    for (const unsigned k : {1u, 10u, 64u}) {
      for (const unsigned wrong : {0u, k / 3, k}) {
        const unsigned k1 = std::max(1u, k - 1);
        const touch_pattern seen{k, k - wrong, k1, k1 - wrong / 2};
        const touch_chain chain(cells, k, k1);
        const first_ages exact(cells, k, k1, seen);
        for (const double p : {1e-12, 1e-4, 0.086, 0.999}) {
          for (const double n : {1., 2., 13., 300.}) {
            for (const double w : {3., 100., 1e9}) {
              const auto truth = exact.below(w, p, n);
              const geometric prior(p);
              const masses told = chain.window(seen, w, prior, n);
              worst = std::max(worst, std::abs(told.probability() - truth.inside));
              if (truth.mean > 0) {
                worst_mean =
                    std::max(worst_mean, std::abs(chain.mean(seen, prior, n) / truth.mean - 1));
              }
            }
          }
        }
      }
    }
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_LT(worst_mean, 1e-11);
}

// Where the two ways to sum up meet, and for a mixture with items that are never inserted.
TEST(touch_chain, few_insertions_become_many_without_a_step) {
  const touch_chain chain(200, 3, 4);
  const touch_pattern seen{3, 3, 4, 3};
  const std::vector<rate_class> mixture{{0.4, geometric(1e-6)}, {0.6, geometric(0)}};
  double before = chain.window(seen, 20, mixture, 1000).probability();
  for (double n = 1001; n < 1300; ++n) {
    const double now = chain.window(seen, 20, mixture, n).probability();
    EXPECT_NEAR(now, before, 1e-13) << n;
    before = now;
  }
  EXPECT_NEAR(before, chain.window(seen, 20, mixture).probability(), 1e-13);
}

TEST(touch_chain, before_any_insertion_knows_that_there_was_none) {
  const touch_chain chain(200, 3, 4);
  const touch_pattern seen{3, 3, 4, 4};
  EXPECT_EQ(chain.window(seen, 20, geometric(0.9), 0).probability(), 0);
  EXPECT_TRUE(std::isnan(chain.mean(seen, geometric(0.9), 0)));
  EXPECT_EQ(chain.mean(seen, geometric(0.9), 1), 0);
}

// docs/math.md, Touch chain of a generalized filter: the published expansion with alternating signs
// is off by 0.45 for this frequent item, and by more than 1 with more probes.
TEST(touch_chain, is_right_where_the_published_sum_is_not) {
  const touch_chain chain(512, 16, 16);
  const touch_pattern seen{16, 16, 16, 16};
  const double p = chain.window(seen, 8, geometric(0.1)).probability();
  EXPECT_NEAR(p, summed_ages(512, 16, 16, seen, 0.1).below(8).inside, 1e-13);
}

TEST(touch_chain, grows_with_the_window) {
  for (const unsigned k : {1u, 8u, 64u}) {
    const touch_chain chain(300, k, k);
    for (const double p : {1e-9, 1e-3, 0.4}) {
      const touch_pattern seen{k, k - k / 4, k, k};
      EXPECT_EQ(chain.window(seen, 0, geometric(p)).probability(), 0);
      EXPECT_EQ(chain.window(seen, -5, geometric(p)).probability(), 0);
      double before = 0;
      for (double w = 1; w < 1e12; w *= 3) {
        const double now = chain.window(seen, std::floor(w), geometric(p)).probability();
        EXPECT_GE(now, before - 1e-13) << w;
        EXPECT_LE(now, 1);
        before = now;
      }
      EXPECT_NEAR(chain.window(seen, 1e15, geometric(p)).probability(), 1, 1e-12);
      EXPECT_EQ(chain.window(seen, support::infinite, geometric(p)).probability(), 1);
      EXPECT_EQ(chain.window(seen, 2.5, geometric(p)).probability(),
                chain.window(seen, 3, geometric(p)).probability());
    }
  }
}

TEST(touch_chain, knows_the_ends_of_shares) {
  const touch_chain chain(4096, 4, 4);
  const touch_pattern seen{4, 4, 4, 4};
  EXPECT_EQ(chain.window(seen, 100, geometric(0)).probability(), 0);
  EXPECT_EQ(chain.mean(seen, geometric(0)), support::infinite);
  EXPECT_NEAR(chain.window(seen, 1, geometric(1)).probability(), 1, 1e-12);
  for (const double p : {1e-300, 1e-100, 1e-50}) {
    const double posterior = chain.window(seen, 100, geometric(p)).probability();
    EXPECT_GE(posterior, 0);
    EXPECT_LT(posterior, 1e-12);
    EXPECT_GT(chain.mean(seen, geometric(p)), 1e40);
    EXPECT_TRUE(std::isfinite(chain.mean(seen, geometric(p))));
  }
}

TEST(touch_chain, mixes_priors) {
  const touch_chain chain(200, 3, 3);
  const touch_pattern seen{3, 3, 3, 2};
  const std::vector<rate_class> same{{0.3, geometric(0.01)}, {0.7, geometric(0.01)}};
  EXPECT_NEAR(chain.window(seen, 20, same).probability(),
              summed_ages(200, 3, 3, seen, 0.01).below(20).inside, 1e-12);
  const double rare = chain.window(seen, 20, geometric(0.001)).probability();
  const double often = chain.window(seen, 20, geometric(0.2)).probability();
  const std::vector<rate_class> both{{1, geometric(0.001)}, {1, geometric(0.2)}};
  const double mixed = chain.window(seen, 20, both).probability();
  EXPECT_GT(mixed, rare);
  EXPECT_LT(mixed, often);
  // An item that may never be inserted shows chance alone: zeros^c0 (1 - zeros)^c1.
  const std::vector<rate_class> inflated{{0.5, geometric(0.2)}, {0.5, geometric(0)}};
  const double less = chain.window(seen, 20, inflated).probability();
  double total = 0;
  for (int age = 0; age < 500; ++age) {
    const double u = std::pow(1 - 1 / 200., 6 * age);
    const double z = chain.zeros();
    total += 0.2 * std::pow(0.8, age) * std::pow(z + (1 - z) * u, 3) * std::pow(1 - z + z * u, 2) *
             (1 - u);
  }
  const double never = std::pow(chain.zeros(), 3) * std::pow(1 - chain.zeros(), 2);
  EXPECT_NEAR(less, often * total / (total + never), 1e-9);
}

TEST(touch_chain, refuses_what_cannot_be) {
  using support::expect_error;
  expect_error(errc::invalid_argument, [] { touch_chain(1, 1, 1); });
  expect_error(errc::invalid_argument, [] { touch_chain(64, 0, 1); });
  expect_error(errc::invalid_argument, [] { touch_chain(64, 1, 65); });
}

}  // namespace touch_chain_test
}  // namespace bloomtime::published
