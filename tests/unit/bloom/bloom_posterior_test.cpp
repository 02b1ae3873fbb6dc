#include <gtest/gtest.h>

#include <bloomtime/bloom/bloom_filter.hpp>

#include <cstdint>
#include <limits>
#include <new>
#include <set>

#include "support/bloom_samples.hpp"
#include "support/expect_error.hpp"
#include "support/numbers.hpp"
#include "support/refused_new.hpp"

namespace bloomtime {
namespace bloom_posterior_test {

using support::both_layouts;
using support::expect_error;
using support::infinite;
using support::most;
using support::nan;
using support::small;

// Two probes of an item may hit the same bit, which then is evidence only once.
TEST(bloom_posterior, counts_each_bit_of_an_item_once) {
  const detail::flat_bits bits{{64, 20}};
  bool any_coincide = false;
  for (int i = 0; i < 100; ++i) {
    const digest d = digest_of(i, 0);
    std::set<std::uint64_t> positions;
    for (unsigned j = 0; j < 20; ++j) positions.insert(bits.probes.position(d, j));
    EXPECT_EQ(bits.distinct(d), positions.size());
    any_coincide |= positions.size() < 20;
  }
  EXPECT_TRUE(any_coincide);
}

// Queries neither throw nor allocate.
TEST(bloom_posterior, needs_no_memory) {
  if (!support::refused_new::works) GTEST_SKIP() << "sanitizers bring an operator new of their own";
  for (const layout kind : both_layouts) {
    bloom_filter f = small(kind);
    f.add("x");
    const support::refused_new refused(0);
    const double posterior = f.posterior("x", prior::membership(0.5));
    const bool decision = f.decide("x", prior::share(0.5), {1, 1});
    EXPECT_GT(posterior, 0.5);
    EXPECT_TRUE(decision);
    EXPECT_GT(f.distinct(), 0.5);
  }
}

TEST(bloom_error, of_lines_is_refused_when_memory_is_out) {
  if (!support::refused_new::works) GTEST_SKIP() << "sanitizers bring an operator new of their own";
  bloom_filter f = small(layout::line);
  f.add("x");
  const auto without_memory = [](auto ask) {
    const support::refused_new refused(0);
    ask();
  };
  EXPECT_THROW(without_memory([&] { (void)f.predicted_error(10); }), std::bad_alloc);
  EXPECT_THROW(without_memory([&] { (void)f.current_error(); }), std::bad_alloc);
}

// -- when every bit is set ---------------------------------------------------------------------

bloom_filter full(layout kind) {
  bloom_filter f({.items = 50, .memory = 64, .layout = kind});
  for (int i = 0; f.ones() < f.bits(); ++i) f.add(i);
  return f;
}

TEST(full_bloom_filter, admits_that_it_is_full) {
  for (const layout kind : both_layouts) {
    const bloom_filter f = full(kind);
    EXPECT_EQ(f.fill(), 1);
    EXPECT_EQ(f.distinct(), infinite);
    EXPECT_EQ(f.current_error(), 1);
    EXPECT_EQ(f.predicted_error(most), 1);
    EXPECT_TRUE(f.may_contain("never inserted"));
  }
}

TEST(full_bloom_filter, adds_nothing_to_the_prior) {
  for (const layout kind : both_layouts) {
    const bloom_filter f = full(kind);
    for (const double p : {0.0, 1e-9, 0.25, 0.5, 1.0}) {
      EXPECT_EQ(f.posterior("x", prior::membership(p)), p);
    }
  }
}

// A line is full long before the filter is, and then it proves nothing. Filled for good by its own
// share of the items, it holds no more than the load a full line suggests.
TEST(full_bloom_filter, a_full_line_is_no_proof) {
  bloom_filter f({.items = 1000, .memory = 64 * 64, .layout = layout::line});
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const digest d = digest_of(i);
    f.add(digest{d.lo, i % 64 == 0 ? d.hi : d.hi >> 6});  // most of them into line 0
  }
  const digest absent{digest_of("absent").lo, 0};
  ASSERT_TRUE(f.may_contain(absent));
  EXPECT_LT(f.posterior(absent, prior::membership(0.01)), 0.1);
}

// -- how sure, and what to do ------------------------------------------------------------------

TEST(bloom_posterior, refuses_priors_that_are_no_probabilities) {
  for (const double wrong : {nan, -0.01, 1.01, infinite, -infinite}) {
    expect_error(
        errc::invalid_argument, [&] { (void)prior::membership(wrong); }, "must lie in [0, 1], got");
    expect_error(
        errc::invalid_argument, [&] { (void)prior::share(wrong); }, "must lie in [0, 1], got");
  }
}

TEST(bloom_posterior, refuses_penalties_that_are_no_costs) {
  const bloom_filter f = small(layout::flat);
  for (const double wrong : {nan, -1.0, infinite, -infinite}) {
    for (const math::penalties costs : {math::penalties{wrong, 1}, math::penalties{1, wrong}}) {
      expect_error(
          errc::invalid_argument, [&] { (void)f.decide("x", prior::membership(0.5), costs); },
          "a penalty must be finite and not negative, got");
    }
  }
}

TEST(bloom_posterior, is_sure_of_a_no_whatever_the_prior) {
  for (const layout kind : both_layouts) {
    bloom_filter f = small(kind);
    f.add("x");
    ASSERT_FALSE(f.may_contain("y"));
    for (const double p : {0.0, 0.5, 1.0}) {
      EXPECT_EQ(f.posterior("y", prior::membership(p)), 0);
      EXPECT_EQ(f.posterior("y", prior::share(p)), 0);
      EXPECT_FALSE(f.decide("y", prior::membership(p), {1e-300, 1e300}));
    }
  }
}

TEST(bloom_posterior, follows_the_prior_to_its_ends) {
  for (const layout kind : both_layouts) {
    bloom_filter f = small(kind);
    for (int i = 0; i < 100; ++i) f.add(i);
    EXPECT_EQ(f.posterior(1, prior::membership(0)), 0);
    EXPECT_EQ(f.posterior(1, prior::share(0)), 0);
    EXPECT_EQ(f.posterior(1, prior::membership(1)), 1);
    EXPECT_EQ(f.posterior(1, prior::share(1)), 1);
    double last = 0;
    for (const double p : {1e-6, 1e-3, 0.5, 1 - 1e-3, 1 - 1e-6}) {
      const double now = f.posterior(1, prior::membership(p));
      EXPECT_GT(now, last);
      EXPECT_GT(now, p);
      last = now;
    }
    EXPECT_GT(last, 1 - 1e-6);
  }
}

// Theorem 1 by hand: 0.5 / (0.5 + 0.5 g), with g from the ones; k bits of one item are the only
// ones here, so g is one over the number of ways to choose them.
TEST(bloom_posterior, computes_theorem_1) {
  bloom_filter f({.items = 1, .memory = 64, .layout = layout::flat});
  f.add("x");
  double g = 1;
  for (std::uint64_t t = 0; t < f.ones(); ++t) {
    g *= static_cast<double>(f.ones() - t) / static_cast<double>(f.bits() - t);
  }
  EXPECT_DOUBLE_EQ(f.posterior("x", prior::membership(0.3)), 0.3 / (0.3 + 0.7 * g));
  const double q = 0.9;
  EXPECT_DOUBLE_EQ(f.posterior("x", prior::share(0.1)), (1 - q) / (1 - q + q * g));
  f.add("x");
  EXPECT_DOUBLE_EQ(f.posterior("x", prior::share(0.1)), (1 - q * q) / (1 - q * q + q * q * g));
}

TEST(bloom_posterior, decides_by_the_cheaper_error) {
  bloom_filter f = full(layout::flat);  // its posterior is the prior
  const auto decide = [&](double p, double fp, double fn) {
    return f.decide("x", prior::membership(p), {fp, fn});
  };
  EXPECT_TRUE(decide(0.5, 1, 1)) << "a tie is a yes";
  EXPECT_TRUE(decide(0.25, 1, 3)) << "a tie is a yes";
  EXPECT_FALSE(decide(0.25, 1.0001, 3));
  EXPECT_FALSE(decide(0.25, 1, 2.9999));
  EXPECT_TRUE(decide(0.2501, 1, 3));
  EXPECT_TRUE(decide(0.25, 1e-300, 3e-300));
  EXPECT_FALSE(decide(0.25, 1e300, 2.9e300));
  EXPECT_FALSE(decide(0.99, 1, 0)) << "a false no costs nothing";
  EXPECT_TRUE(decide(0, 0, 1)) << "a false yes costs nothing";
}

TEST(bloom_posterior, answers_as_usual_when_errors_cost_nothing) {
  bloom_filter f = small(layout::line);
  f.add("x");
  EXPECT_TRUE(f.decide("x", prior::membership(0), {0, 0}));
  EXPECT_FALSE(f.decide("y", prior::membership(1), {0, 0}));
  // Where only a false yes is free, both answers to a certain no cost nothing: a tie.
  EXPECT_TRUE(f.decide("y", prior::membership(0.5), {0, 1}));
}

}  // namespace bloom_posterior_test
}  // namespace bloomtime
