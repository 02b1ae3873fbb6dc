#include <gtest/gtest.h>

#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/numbers.hpp"
#include "support/statistics.hpp"
#include "support/without_memory.hpp"

namespace bloomtime {
namespace timing_filter_test {

using namespace published;
using support::expect_error;

// w, m, bits, k, B; the rest follows.
timing_filter timing_of(std::uint64_t w, std::uint64_t m, unsigned bits, unsigned k,
                        std::uint64_t block) {
  published::timing_size s{.window = w, .timers = m, .bits = bits, .k = k, .block = block};
  s.oldest = static_cast<std::uint32_t>((w + block - 1) / block);
  s.padding = (1U << bits) - 2 - s.oldest - 1;
  const std::uint64_t visits = block * (s.padding + std::uint64_t{1});
  s.sweep = (m + visits - 1) / visits;
  return timing_filter(s);
}

// Odd shapes: B does not divide w, m < k, m = 1, w = 1, B = w, P = 0, and the plain TBF.
std::vector<timing_filter> odd_timings() {
  std::vector<timing_filter> all;
  all.push_back(timing_of(10, 50, 4, 3, 3));
  all.push_back(timing_of(10, 2, 4, 5, 4));
  all.push_back(timing_of(7, 1, 3, 4, 3));
  all.push_back(timing_of(1, 30, 2, 2, 1));
  all.push_back(timing_of(9, 30, 3, 3, 9));
  all.push_back(timing_of(13, 40, 4, 2, 1));  // P = 0
  all.push_back(timing_of(26, 64, 5, 3, 1));
  all.push_back(timing_of(12, 64, 13, 3, 1));  // stamps counted by groups
  return all;
}

TEST(timing_filter, never_denies_the_last_w_insertions) {
  for (timing_filter& f : odd_timings()) {
    math::random_source random(f.size().timers);
    std::map<std::uint64_t, std::uint64_t> last;
    for (std::uint64_t n = 1; n <= 3000; ++n) {
      const std::uint64_t item = random.below(40);
      f.add(item);
      last[item] = n;
      for (const auto& [x, at] : last) {
        const std::uint64_t age = n - at;
        if (age < f.window()) {
          ASSERT_TRUE(f.seen(x)) << n;
          ASSERT_GT(f.posterior(x, age_prior::share(0.01)), 0);
        }
        const math::evidence e = f.evidence(x);
        ASSERT_LE(e.a, static_cast<double>(age)) << "an age below a is impossible";
        ASSERT_EQ(f.seen(x), e.a < static_cast<double>(f.window()));
      }
    }
    EXPECT_EQ(f.insertions(), 3000u);
  }
}

TEST(timing_filter, tells_the_block_of_an_item) {
  timing_filter f = timing_of(10, 100'000, 4, 3, 4);
  for (int i = 0; i < 9; ++i) f.add(i);  // two blocks and one more
  const auto ages = [&](int item) {
    const math::evidence e = f.evidence(item);
    return std::pair(e.a, e.e);
  };
  EXPECT_EQ(ages(8), std::pair(0., 1.));
  EXPECT_EQ(ages(4), std::pair(1., 5.));
  EXPECT_EQ(ages(0), std::pair(5., 9.));
  // Amax = ceil((10 - 1) / 4) = 3 blocks are in the window.
  EXPECT_EQ(ages(99), std::pair(13., 13.));
  for (int i = 0; i < 4; ++i) f.add(1000 + i);
  EXPECT_EQ(ages(0), std::pair(9., 13.));
  EXPECT_TRUE(f.seen(0));
  f.add(2000);  // b = 2: ceil(8 / 4) = 2
  EXPECT_FALSE(f.seen(0));
  EXPECT_EQ(ages(0), std::pair(10., 10.));
}

TEST(timing_filter, census_is_what_the_stamps_say) {
  timing_filter f = timing_of(12, 20, 4, 3, 4);
  math::random_source random(2);
  for (int i = 0; i < 60; ++i) {
    f.add(random.below(12));
    for (std::uint64_t x = 0; x < 30; ++x) {
      if (!f.seen(x)) continue;
      detail::stamp_cells::places at;
      f.cells().find(digest_of(x, 0), at);
      const auto sight = f.cells().look(at);
      double same = 0;
      double older = 0;
      for (std::uint64_t c = 0; c < 20; ++c) {
        const std::uint32_t age = f.cells().age_of(f.cells().code_at(c));
        same += age == sight.age;
        older += age >= sight.age;
      }
      double g = 1;
      for (unsigned t = 0; t < sight.count; ++t) g *= (same - t) / (older - t);
      ASSERT_NEAR(f.evidence(x).g, g, 1e-15);
    }
  }
}

// Ages of n insertions one by one, and "never" with the likelihood of an old age.
double bayes_after(double n, const math::evidence& seen, double p, double w) {
  long double in = 0;
  long double all = 0;
  long double others = 1;
  for (double age = 0; age < n; ++age) {
    const long double mass = others * p * (age < seen.a ? 0 : age < seen.e ? 1 : seen.g);
    in += age < w ? mass : 0;
    all += mass;
    others *= 1 - static_cast<long double>(p);
  }
  all += others * seen.g;
  return static_cast<double>(in / all);
}

TEST(timing_filter, posteriors_know_how_few_insertions_there_were) {
  timing_filter f = timing_of(40, 30, 4, 3, 5);
  int unsure = 0;
  for (int i = 0; i < 60; ++i) {
    f.add(i);
    const double n = i + 1;
    for (int x = 0; x < 80; ++x) {
      const math::evidence seen = f.evidence(x);
      for (const double p : {0.003, 0.05}) {
        const math::geometric prior(p);
        for (const double w : {3., 40., 1000.}) {
          const double truth = bayes_after(n, seen, p, w);
          ASSERT_NEAR(f.posterior(x, prior, w), truth, 1e-12);
          ASSERT_NEAR(f.posterior(x, age_prior::share(p), w), truth, 1e-12);
          ASSERT_NEAR(f.posterior(
                          x, [&](double t) { return prior.before(t); }, w),
                      truth, 1e-12);
        }
        const double truth = bayes_after(n, seen, p, 40);
        ASSERT_NEAR(f.posterior(x, prior), truth, 1e-12);
        ASSERT_NEAR(f.ages(x, prior).window(40).probability(), truth, 1e-12);
        ASSERT_EQ(f.decide(x, prior, {1, 1}), truth >= 0.5);
        unsure += truth > 0.01 && truth < 0.99;
      }
    }
  }
  EXPECT_GT(unsure, 1000);
}

// The share of other items that are taken for one of the last w, over many filters: with few timers
// their number varies, which the usual formula leaves out.
TEST(timing_filter, keeps_the_error_of_the_shortest_windows) {
  for (const std::uint64_t w : {1u, 2u, 3u, 10u}) {
    for (const double error : {0.01, 1e-3}) {
      std::uint64_t wrong = 0;
      std::uint64_t questions = 0;
      double told = 0;
      constexpr std::uint64_t filters = 400;
      const timing_filter sized({.window = w, .error = error});
      for (std::uint64_t seed = 0; seed < filters; ++seed) {
        timing_filter f(sized.size(), seed);
        for (std::uint64_t i = 0; i < 2 * w; ++i) f.add(i);
        for (std::uint64_t x = 0; x < 500; ++x, ++questions) wrong += f.seen(1'000'000 + x);
        told += f.current_error() / filters;
      }
      EXPECT_LE(wrong, math::binomial_range(questions, error, 1e-9).high) << w << ' ' << error;
      EXPECT_TRUE(support::plausible(wrong, questions, told)) << w << ' ' << error;
      EXPECT_LE(told, sized.predicted_error(sized.window()) * 1.1);
      EXPECT_LE(sized.predicted_error(sized.window()), error);
    }
  }
}

TEST(timing_filter, analytic_likelihood_is_the_paper_s) {
  timing_filter f = timing_of(12, 20, 4, 3, 4);
  for (int i = 0; i < 6; ++i) f.add(i);
  const auto likelihood = f.analytic_with(published::distinct_items::uniform(50));
  const auto touched = [](double j) {
    const double distinct = 50 * (1 - std::pow(1 - 1. / 50, j));
    return 1 - std::pow(1 - 1. / 20, 3 * distinct);
  };
  for (int x = 0; x < 6; ++x) {
    detail::stamp_cells::places at;
    f.cells().find(digest_of(x, 0), at);
    const auto sight = f.cells().look(at);
    EXPECT_NEAR(f.evidence(x, likelihood).g, std::pow(touched(sight.age == 0 ? 2 : 4), sight.count),
                1e-12);
  }
}

TEST(timing_filter, decides_by_what_errors_cost) {
  timing_filter f = timing_of(100, 60, 4, 2, 10);  // crowded: many false positives
  for (int i = 0; i < 300; ++i) f.add(i);
  const age_prior rare = age_prior::share(1e-6);
  int yes = 0;
  int cautious = 0;
  for (int x = 1000; x < 1400; ++x) {
    if (!f.seen(x)) {
      EXPECT_FALSE(f.decide(x, rare, {1, 1000}));
      EXPECT_EQ(f.posterior(x, rare), 0);
      continue;
    }
    ++yes;
    EXPECT_FALSE(f.decide(x, rare, {1, 1}));
    cautious += f.decide(x, rare, {1, 1e9});
    EXPECT_EQ(f.decide(x, rare, {0, 0}), true);  // free errors: the standard answer
    EXPECT_EQ(f.decide(x, age_prior(), {1, 1}), true);
    EXPECT_TRUE(std::isnan(f.posterior(x, age_prior::share(support::nan))));
    EXPECT_EQ(f.posterior(x, age_prior::share(0)), 0);
  }
  EXPECT_GT(yes, 100);
  EXPECT_EQ(cautious, yes);
  for (const math::penalties bad :
       {math::penalties{-1, 1}, {1, support::infinite}, {support::nan, 1}}) {
    expect_error(errc::invalid_argument, [&] { (void)f.decide(1, rare, bad); });
  }
  expect_error(errc::invalid_argument, [] { (void)age_prior::share(-0.1); });
  expect_error(errc::invalid_argument, [] { (void)age_prior::share(1.1); });
}

TEST(timing_filter, posteriors_grow_with_the_window_and_take_any_prior) {
  timing_filter f = timing_of(100, 600, 4, 2, 10);
  for (int i = 0; i < 300; ++i) f.add(i);
  const math::geometric prior(0.01);
  const auto shared = std::make_unique<published::shared_geometric>(prior);
  for (int x = 180; x < 300; ++x) {
    double before = 0;
    for (const double w : {0., 1., 50., 100., 150., 1e6}) {
      const double p = f.posterior(x, prior, w);
      EXPECT_GE(p, before);
      EXPECT_LE(p, 1);
      EXPECT_NEAR(p,
                  f.posterior(
                      x, [&](double t) { return prior.before(t); }, w),
                  1e-12);
      before = p;
    }
    EXPECT_EQ(f.posterior(x, prior), f.posterior(x, age_prior::share(0.01)));
    EXPECT_NEAR(f.posterior(x, prior), f.posterior(x, *shared), 1e-15);
    const published::age_posterior ages = f.ages(x, prior);
    EXPECT_GE(ages.mean(), f.evidence(x).a);
    EXPECT_LE(ages.quantile(0.05), ages.quantile(0.95));
  }
  EXPECT_TRUE(f.ages(299, prior).block_is_likelier());
}

TEST(shared_geometric, has_the_powers_of_its_prior) {
  for (const double share : {1e-12, 1e-5, 0.01, 0.5, 1.}) {
    const math::geometric prior(share);
    const auto shared = std::make_unique<published::shared_geometric>(prior);
    for (const double t :
         {0., 1., 255., 256., 65'537., 1'234'567., 16'777'215., 16'777'216., 1e12, 0.5, 1000.25}) {
      const auto [before, beyond] = shared->at(t);
      EXPECT_NEAR(before, prior.before(t), 1e-14 * prior.before(t)) << share << ' ' << t;
      EXPECT_NEAR(beyond, prior.beyond(t), 1e-12 * prior.beyond(t)) << share << ' ' << t;
    }
    EXPECT_EQ(shared->rate(), prior.rate());
  }
}

TEST(timing_filter, before_any_insertion_says_no) {
  const timing_filter f({.window = 100, .memory = 100});
  EXPECT_FALSE(f.seen("x"));
  EXPECT_FALSE(f.seen(""));
  EXPECT_EQ(f.posterior("x", age_prior::share(0.5)), 0);
  EXPECT_EQ(f.fill(), 0);
  EXPECT_EQ(f.current_error(), 0);
}

TEST(timing_filter, is_sized_by_memory_or_by_error) {
  const timing_filter by_error({.window = 1000, .error = 0.01});
  EXPECT_LE(by_error.predicted_error(by_error.window()), 0.01);
  const timing_filter by_memory({.window = 65536, .memory = 81920, .k = 4, .bits = 4});
  EXPECT_EQ(by_memory.size().block, 8192u);
  EXPECT_EQ(by_memory.memory(), 81920u + 16 * 8);
  using config = timing_config;
  const auto bad = [](const config& c, std::string_view mention = "") {
    expect_error(
        errc::invalid_argument, [&] { timing_filter f(c); }, mention);
  };
  bad({.window = 10}, "neither");
  bad({.window = 10, .error = 0.1, .memory = 10}, "both");
  bad({.window = 0, .error = 0.1}, "window");
  bad({.window = 1 << 16, .memory = 131072, .k = 1, .bits = 3}, "the least that works is 4");
  bad({.window = 10, .memory = 0});
  bad({.window = 10, .memory = 10, .sweep = 0});
  expect_error(errc::too_large, [] { timing_filter f({.window = 10, .memory = support::most}); });
  published::timing_size s = by_memory.size();
  s.sweep = 3;
  expect_error(
      errc::invalid_argument, [&] { timing_filter f(s); }, "plan_timing()");
  s = by_memory.size();
  s.padding = 4;
  expect_error(errc::invalid_argument, [&] { timing_filter f(s); });
}

TEST(timing_filter, continues_after_loading_as_if_nothing_had_been) {
  for (timing_filter& f : odd_timings()) {
    math::random_source random(9);
    timing_filter twin = f;
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t item = random.below(50);
      f.add(item);
      twin.add(item);
      if (i % 37 == 0) twin = timing_filter::load(twin.serialize());
    }
    EXPECT_TRUE(f.serialize() == twin.serialize());
    for (std::uint64_t x = 0; x < 100; ++x) {
      EXPECT_EQ(f.evidence(x).g, twin.evidence(x).g);
    }
  }
  const support::temporary_directory directory;
  timing_filter f = timing_of(10, 50, 4, 3, 3);
  EXPECT_EQ(f.add("x"), outcome::added);
  f.save(directory / "f");
  EXPECT_TRUE(timing_filter::load(directory / "f").serialize() == f.serialize());
}

TEST(timing_filter, changes_nothing_without_memory) {
  timing_filter f = timing_of(10, 50, 4, 3, 3);
  EXPECT_EQ(f.add("x"), outcome::added);
  const timing_filter other({.window = 1000, .error = 0.01});
  support::expect_no_change_without_memory(f, [&] { f = other; });
}

}  // namespace timing_filter_test
}  // namespace bloomtime
