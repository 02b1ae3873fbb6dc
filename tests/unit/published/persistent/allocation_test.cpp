#include <gtest/gtest.h>

#include <bloomtime/published/persistent/allocation.hpp>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime::published {
namespace allocation_test {

using support::expect_error;
using support::infinite;
using support::nan;

std::vector<filter_load> loads_of(const std::vector<double>& keys,
                                  const std::vector<double>& probes) {
  std::vector<filter_load> loads;
  for (std::size_t i = 0; i < keys.size(); ++i) loads.push_back({keys[i], probes[i]});
  return loads;
}

void expect_bits(const std::vector<filter_load>& loads, double bits,
                 const std::vector<double>& expected, double tolerance = 1e-6) {
  const std::vector<double> got = optimal_bits(loads, bits);
  ASSERT_EQ(got.size(), expected.size());
  EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0) / bits, 1, 1e-12);
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], tolerance * expected[i] + 1e-9) << i;
  }
}

// docs/math.md, Allocation of bits to levels.
TEST(optimal_bits, have_their_golden_values) {
  const auto three = loads_of({100, 200, 400}, {1, 1, 1});
  expect_bits(three, 1000, {260.2101, 336.7354, 403.0545});
  expect_bits(three, 10'000, {1634.5091, 2980.6408, 5384.8501});
  expect_bits(loads_of({100, 0, 400, 50}, {1, 1, 0, 0.5}), 2000, {1333.3333, 0, 0, 666.6667});
  expect_bits(
      loads_of({1000, 2000, 4000, 8000, 16000, 32000, 64000, 12800}, {2, 2, 2, 2, 2, 2, 2, 1}), 1e7,
      {78773.947, 154662.504, 303554.228, 595566.896, 1168050.672, 2289935.103, 4487537.723,
       921918.925});
}

std::vector<filter_load> edgar() {
  return loads_of({2127749, 1129054, 579018, 302633, 164418, 95325, 60778, 43495},
                  {1, 1, 1, 1, 1, 1, 1, 1.0 / 128});
}

TEST(allocate_bits, has_its_golden_values) {
  expect_bits(edgar(), 5e7,
              {20739698, 12484089, 7204177, 4173297, 2475898, 1543552, 1041064, 338224});
  const auto sizes = allocate_bits(edgar(), 50'000'000, size_grid::words, k_rule::published);
  std::vector<unsigned> k;
  for (const filter_size& size : sizes) k.push_back(size.k);
  EXPECT_EQ(k, (std::vector<unsigned>{7, 8, 9, 10, 11, 12, 12, 6}));
  EXPECT_NEAR(query_error(edgar(), sizes), 0.01956, 5e-5);
}

TEST(allocate_bits, gives_out_all_but_less_than_a_step) {
  for (const std::uint64_t bits : {64ull, 100ull, 1000ull, 99'999ull, 50'000'000ull}) {
    for (const size_grid grid : {size_grid::words, size_grid::powers_of_two}) {
      const auto sizes = allocate_bits(edgar(), bits, grid);
      std::uint64_t sum = 0;
      for (const filter_size& size : sizes) {
        EXPECT_EQ(size.bits % 64, 0u);
        EXPECT_TRUE(grid == size_grid::words || (size.bits & (size.bits - 1)) == 0);
        EXPECT_EQ(size.bits == 0, size.k == 0);
        sum += size.bits;
      }
      EXPECT_LE(sum, bits);
      EXPECT_TRUE(grid == size_grid::powers_of_two || bits - sum < 64);
    }
  }
}

TEST(allocate_bits, errs_less_than_equal_shares) {
  const auto best = allocate_bits(edgar(), 50'000'000);
  const auto equal = uniform_bits(edgar(), 50'000'000);
  EXPECT_LT(query_error(edgar(), best), query_error(edgar(), equal));
}

TEST(allocate_bits, lets_only_ratios_of_probes_matter) {
  auto scaled = edgar();
  for (filter_load& load : scaled) load.probes *= 1e9;
  EXPECT_EQ(allocate_bits(scaled, 50'000'000), allocate_bits(edgar(), 50'000'000));
}

TEST(allocate_bits, survives_extreme_numbers) {
  for (const auto& loads :
       {loads_of({1e-3, 1, 1e9}, {1e6, 1e-6, 1}), loads_of({1e10, 100}, {1e-320, 1}),
        loads_of({1e18, 1}, {1e-300, 1}), loads_of({1e6, 1e6}, {5e-324, 5e-324}),
        loads_of({1e-6}, {1}), loads_of({1e6, 1e6}, {1e308, 1e308})}) {
    for (const double bits : {1.0, 64.0, 1e12}) {
      double sum = 0;
      for (const double one : optimal_bits(loads, bits)) {
        EXPECT_TRUE(std::isfinite(one) && one >= 0);
        sum += one;
      }
      EXPECT_NEAR(sum / bits, 1, 1e-9);
    }
  }
}

// Scarce bits do not go to a filter that they would not help.
TEST(allocate_bits, leaves_out_what_would_be_full) {
  std::vector<filter_load> loads;
  for (int h = 0; h < 8; ++h) loads.push_back({1e6 / (1 << h), 1});
  const auto sizes = allocate_bits(loads, 64);
  std::uint64_t sum = 0;
  for (const filter_size& size : sizes) sum += size.bits;
  EXPECT_EQ(sum, 64u);
  loads.push_back({1e6, 1e-9});
  EXPECT_EQ(allocate_bits(loads, 100'000).back(), filter_size{});
}

TEST(allocate_bits, refuses_nonsense) {
  const auto refused = [](std::vector<filter_load> loads, double bits, const char* mention) {
    expect_error(
        errc::invalid_argument, [&] { (void)optimal_bits(loads, bits); }, mention);
  };
  refused({{1, 1}}, 0, "bits to give out");
  refused({{1, 1}}, nan, "bits to give out");
  refused({{1, 1}}, 1e19, "2^43");
  refused({{1e-300, 1}}, 64, "1e-6 to 1e18");
  refused({{-1, 1}}, 64, "keys");
  refused({{1, nan}}, 64, "probes");
  refused({{infinite, 1}}, 64, "keys");
  refused({{0, 1}, {1, 0}}, 64, "nothing to allocate");
  refused({}, 64, "nothing to allocate");
  expect_error(
      errc::invalid_argument, [] { (void)uniform_bits(edgar(), 500); }, "64 bits");
}

TEST(filter_error, is_certain_without_a_filter) {
  EXPECT_EQ(filter_error(10, {}), 1);
  EXPECT_EQ(filter_error(0, {64, 3}), 0);
  EXPECT_EQ(query_error(std::vector<filter_load>{{1, 1}}, std::vector<filter_size>{{}}), 1);
}

}  // namespace allocation_test
}  // namespace bloomtime::published
