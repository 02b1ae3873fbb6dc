#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/heat/decay.hpp>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime {
namespace decay_test {

using namespace std::chrono_literals;
using exact = boost::multiprecision::cpp_bin_float_oct;  // 237 bits
using support::expect_error;
using support::nan;

constexpr std::int64_t last_tick = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t first_tick = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t one = std::uint64_t{1} << decay::factor_bits;

constexpr decay::unsigned_wide halving = decay::unsigned_wide{1} << decay::fraction_bits;

exact rate_of(const decay& d) {
  return ldexp(exact(d.rate()), -static_cast<int>(decay::fraction_bits));
}

TEST(decay, by_factor_knows_the_powers_of_two_exactly) {
  EXPECT_TRUE(decay::by_factor(1).rate() == 0);
  EXPECT_TRUE(decay::by_factor(0.5).rate() == halving);
  EXPECT_TRUE(decay::by_factor(0x1p-20).rate() == 20 * halving);
  EXPECT_EQ(decay::by_factor(0x1p-20).coarse_rate(), std::uint64_t{20} << 54);
  EXPECT_EQ(decay::by_factor(0x1p-20).fine_rate(), 0u);
  EXPECT_FALSE(decay::by_factor(1).fades());
  EXPECT_TRUE(decay::by_factor(0).forgets_at_once());
  EXPECT_FALSE(decay::by_factor(std::numeric_limits<double>::denorm_min()).forgets_at_once());
}

// Rounded down, by less than two units of the last digit: each of 118 squarings adds less than
// 2^-127 of its number, which is worth less the later it is.
void expect_logarithm(double lambda) {
  const exact expected = -log2(exact(lambda));
  const exact rate = rate_of(decay::by_factor(lambda));
  EXPECT_LE(rate, expected) << lambda;
  EXPECT_LT(expected - rate, ldexp(exact(2), -118)) << lambda;
}

RC_GTEST_PROP(decay, by_factor_is_the_logarithm, (std::uint32_t n)) {
  expect_logarithm((n + 1.0) / 4294967297.0);
}

TEST(decay, by_factor_is_the_logarithm_near_its_ends) {
  for (const double lambda : {std::nextafter(1, 0), std::nextafter(0.5, 1), std::nextafter(0.5, 0),
                              0x1.fp-1022, 0x1p-1022, std::nextafter(0x1p-1022, 1), 0.8, 0.9}) {
    expect_logarithm(lambda);
  }
}

TEST(decay, by_half_life_is_the_quotient_rounded_down) {
  EXPECT_EQ(decay::by_half_life(1s, 1s), decay::by_factor(0.5));
  EXPECT_TRUE(decay::by_half_life(1h, 1s).rate() == halving / 3600);
  EXPECT_TRUE(decay::by_half_life(std::chrono::microseconds(last_tick), 1us).rate() ==
              halving / last_tick);
  EXPECT_NEAR(decay::by_half_life(6s, 1s).factor(), std::pow(0.5, 1. / 6), 1e-15);
  EXPECT_EQ(decay::by_factor(0).factor(), 0);
}

TEST(decay, knows_its_half_life_in_ticks) {
  EXPECT_NEAR(decay::by_half_life(1h, 1s).half_life(), 3600, 1e-9);
  EXPECT_EQ(decay::by_factor(0.25).half_life(), 0.5);
  EXPECT_EQ(decay::by_factor(0).half_life(), 0);
  EXPECT_EQ(decay::by_factor(1).half_life(), std::numeric_limits<double>::infinity());
}

TEST(decay, refuses_what_is_no_decay) {
  for (const double lambda : {-0.1, 1.1, nan, std::numeric_limits<double>::infinity()}) {
    expect_error(
        errc::invalid_argument, [&] { (void)decay::by_factor(lambda); }, "0 (forget at once)");
  }
  expect_error(
      errc::invalid_argument, [] { (void)decay::by_half_life(0s, 1s); }, "at least one tick");
  expect_error(
      errc::invalid_argument, [] { (void)decay::by_half_life(-1s, 1s); }, "at least one tick");
  expect_error(
      errc::invalid_argument, [] { (void)decay::by_half_life(1s, 0s); }, "microsecond");
}

void expect_power(const decay& d, std::int64_t tick) {
  const decay::power p = d.at(tick);
  const exact exponent = rate_of(d) * tick;
  const exact whole = floor(exponent);
  EXPECT_EQ(exact(p.halvings), whole);
  const exact factor = ldexp(exp2(exact(exponent - whole)), static_cast<int>(decay::factor_bits));
  EXPECT_LE(exact(p.lower), factor) << tick;
  EXPECT_GE(exact(p.upper), factor) << tick;
  // A root is enclosed within two units. A product adds the widths of both and two for rounding,
  // and what follows at most doubles it: eight units for each of 60, and six for the rest.
  EXPECT_LE(p.upper - p.lower, 8 * 60u + 6) << tick;
  EXPECT_GE(p.lower, one);
  EXPECT_LE(p.lower, 2 * one);
}

TEST(decay, encloses_its_powers) {
  for (const double lambda : {1.0, 0.99, 0.9375, 0.9, 0.5, 0.3, 0x1p-20, 1 - 0x1p-20, 1e-300}) {
    const decay d = decay::by_factor(lambda);
    for (std::int64_t e = -50; e <= 50; ++e) expect_power(d, e);
    for (const std::int64_t e :
         {first_tick, last_tick, std::int64_t{1} << 40, -(std::int64_t{1} << 40)}) {
      expect_power(d, e);
    }
  }
}

RC_GTEST_PROP(decay, encloses_any_power,
              (std::uint64_t coarse, std::uint64_t fine, std::int64_t tick)) {
  if (coarse == ~std::uint64_t{0}) coarse = 0;
  expect_power(decay::by_rate(coarse, fine), tick);
  expect_power(decay::by_rate(coarse, 0), tick);
  expect_power(decay::by_rate(0, fine), tick);
}

TEST(decay, refuses_rates_beyond_the_one_that_forgets_at_once) {
  EXPECT_TRUE(decay::by_rate(~std::uint64_t{0}, 0).forgets_at_once());
  expect_error(
      errc::invalid_argument, [] { (void)decay::by_rate(~std::uint64_t{0}, 1); }, "at most");
}

// The known bits of 2^(1/2), 2^(1/4) and 2^(3/4), from their published decimals.
TEST(decay, has_the_roots_of_two) {
  const decay quarter = decay::by_rate(halving / 4);
  EXPECT_NEAR(std::ldexp(static_cast<double>(quarter.at(2).lower), -62), 1.4142135623730951, 1e-15);
  EXPECT_NEAR(std::ldexp(static_cast<double>(quarter.at(5).lower), -62), 1.1892071150027210, 1e-15);
  EXPECT_NEAR(std::ldexp(static_cast<double>(quarter.at(-1).upper), -62), 1.6817928305074290,
              1e-15);
  EXPECT_EQ(static_cast<int>(quarter.at(-1).halvings), -1);
  EXPECT_EQ(static_cast<int>(quarter.at(7).halvings), 1);
}

TEST(decay, that_forgets_at_once_leaves_nothing_of_a_cell) {
  const decay d = decay::by_factor(0);
  EXPECT_EQ(static_cast<int>(d.at(5).halvings - d.at(4).halvings), 64);
}

}  // namespace decay_test
}  // namespace bloomtime
