#include <gtest/gtest.h>

#include <bloomtime/detail/probes.hpp>
#include <bloomtime/heat/decay_ring.hpp>
#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <array>
#include <cmath>
#include <cstdint>

#include "support/moments.hpp"

// Bounds of decayed counts where numbers are extreme: counters that are too small, counts near 2^62
// and heat below the range of doubles. The twin computes with 237 bits.
namespace bloomtime::decaying_bounds_test {

using namespace published;
using namespace std::chrono_literals;
using exact = boost::multiprecision::cpp_bin_float_oct;
using support::after;
using support::midnight;

constexpr std::uint64_t huge = std::uint64_t{1} << 62;
constexpr std::array lambdas{0.3, 0.8, 0.9, 0.99, 1 - 0x1p-10};

exact left_after(const decay& by, std::int64_t epochs) {
  const exact rate = ldexp(exact(by.rate()), -static_cast<int>(decay::fraction_bits));
  return exp2(exact(-rate * epochs));
}

template <class Filter>
bool has_pinned_cell(const Filter& f, std::uint64_t item) {
  const detail::row_probes probes{f.cells() / f.k(), f.k()};
  const digest d = detail::as_digest(item, f.seed());
  for (unsigned i = 0; i < f.k(); ++i) {
    if (f.counters().pinned(probes.position(d, i))) return true;
  }
  return false;
}

struct observed {
  std::uint64_t asked = 0;
  std::uint64_t touched = 0;      // items with a pinned cell
  std::uint64_t overstated = 0;   // lower bounds above the truth
  std::uint64_t not_doubted = 0;  // pinned cells and a lower bound nevertheless
};

// Heavy items pin more than half of all cells and fade away; the pins stay. Then other items come,
// a tenth of which have a thousand times the heat of the rest.
template <class Filter>
observed observe_pinned(decaying_config c) {
  observed sum;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    c.seed = seed;
    Filter f(c);
    for (std::uint64_t i = 0; i < 2000; ++i) f.add(i, midnight, 60'000 + i);
    for (std::uint64_t i = 0; i < 2000; ++i) f.add(i, midnight, 10'000);
    EXPECT_GT(f.saturated(), f.cells() / 2);
    const instant now = after(64s);
    const auto truth = [](std::uint64_t i) { return i % 10 == 0 ? 1000 : 1; };
    for (std::uint64_t i = 10'000; i < 11'000; ++i) f.add(i, now, truth(i));
    for (std::uint64_t i = 10'000; i < 11'000; ++i) {
      const double lower = f.at(i, now).lower;
      const bool pinned = has_pinned_cell(f, i);
      ++sum.asked;
      sum.touched += pinned;
      sum.overstated += lower > truth(i);
      sum.not_doubted += pinned && lower != 0;
    }
  }
  return sum;
}

// With a pinned cell fewer than k rows bound the share of other items, and the promise is for k.
template <class Filter>
void expect_no_lower_bound_where_pinned(decaying_config c) {
  c.lambda = 0.5;
  c.items = 1000;
  const Filter shape(c);
  ASSERT_EQ(shape.k(), 6u);
  const observed o = observe_pinned<Filter>(c);
  EXPECT_GT(o.touched, o.asked / 2);
  EXPECT_LT(o.touched, o.asked);
  EXPECT_EQ(o.not_doubted, 0u);
  EXPECT_LE(static_cast<double>(o.overstated), std::exp(-6.) * static_cast<double>(o.asked));
}

TEST(decaying_filter, has_no_lower_bound_where_a_counter_was_too_small) {
  expect_no_lower_bound_where_pinned<decaying_filter>({.memory = 18'000});
}

TEST(pooled_decaying_filter, has_no_lower_bound_where_the_pool_was_empty) {
  expect_no_lower_bound_where_pinned<pooled_decaying_filter>(
      {.memory = 53'000, .pool_memory = 60'000});
}

// One item alone, so that both bounds must hold. Every epoch is a sweep of its own.
void expect_bounds_of_huge_counts(double lambda, rounding how, increase raises) {
  pooled_decaying_filter f({.memory = 4096, .lambda = lambda, .rounding = how, .increase = raises});
  ASSERT_EQ(f.add("x", midnight, huge), outcome::added);
  ASSERT_EQ(f.add("x", after(40s), huge), outcome::added);
  for (int i = 41; i <= 120; ++i) {
    f.advance(after(i * 1s));
    const exact truth = huge * (left_after(f.decay(), i) + left_after(f.decay(), i - 40));
    const estimate e = f.at("x", after(i * 1s));
    ASSERT_GE(exact(e.upper), truth) << lambda << " after " << i;
    ASSERT_LE(exact(e.lower), truth) << lambda << " after " << i;
    ASSERT_TRUE(e.lower <= e.value && e.value <= e.upper) << lambda << " after " << i;
  }
}

TEST(pooled_decaying_filter, bounds_hold_for_counts_near_two_to_the_62) {
  for (const double lambda : lambdas) {
    for (const rounding how : {rounding::up, rounding::down, rounding::random}) {
      for (const increase raises : {increase::plain, increase::minimum}) {
        expect_bounds_of_huge_counts(lambda, how, raises);
      }
    }
  }
}

template <class Filter>
void expect_some_mass(Filter f) {
  ASSERT_EQ(f.add("x", midnight, 1000), outcome::added);
  for (const auto later : {1000h, 1070h, 1085h, 1100h, 30'000h}) {
    const exact truth = 1000 * exp2(exact(-static_cast<double>(later.count())));
    EXPECT_GE(exact(f.mass(after(later))), truth) << later.count();
    EXPECT_GE(exact(f.at("x", after(later)).upper), truth) << later.count();
    EXPECT_LE(exact(f.mass(after(later))), truth * (1 + ldexp(exact(1), -30)) + 1e-300)
        << later.count();
  }
}

TEST(heat_mass, is_never_below_the_truth_beyond_the_range_of_doubles) {
  expect_some_mass(heat_filter({.memory = 4096, .half_life = 1h, .tick = 1h}));
  expect_some_mass(hot_list({.half_life = 1h, .tick = 1h}));
  expect_some_mass(decaying_filter({.memory = 4096, .half_life = 1h, .epoch = 1h}));
  expect_some_mass(pooled_decaying_filter({.memory = 4096, .half_life = 1h, .epoch = 1h}));
}

TEST(decay_ring, is_never_below_the_truth_beyond_the_range_of_doubles) {
  decay_ring ring({.memory = 4096, .polynomial = 64, .tick = 1s});
  ASSERT_EQ(ring.add("x", midnight, 1000), outcome::added);
  for (const auto later : {10h, 18h, 19h, 1000h, 1'000'000h}) {
    const exact age = static_cast<double>(std::chrono::seconds(later).count());
    const exact truth = 1000 * pow(1 + age, -64);
    EXPECT_GE(exact(ring.at("x", after(later)).upper), truth) << later.count();
    EXPECT_GE(exact(ring.mass(after(later))), truth) << later.count();
  }
}

}  // namespace bloomtime::decaying_bounds_test
