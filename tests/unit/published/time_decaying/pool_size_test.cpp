#include <gtest/gtest.h>

#include <bloomtime/published/time_decaying/pool_size.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime::published {
namespace pool_size_test {

using math::heat_size;
using support::expect_error;

// docs/math.md, Space of a digit pool: m = 120 000, links of 17 bits.
TEST(math_heat, counts_a_pool_in_four_ways) {
  const auto bits = published::pool_bits_per_cell(120'000, 15'600);  // 0.13 nodes per cell
  EXPECT_NEAR(bits.used, 5.52, 1e-9);
  EXPECT_EQ(bits.reserved, 7);
  EXPECT_NEAR(bits.used_linked, 9.94, 1e-9);
  EXPECT_EQ(bits.reserved_linked, 24);
  EXPECT_EQ(published::pool_bits_per_cell(1 << 17, 0).reserved_linked, 24);
  EXPECT_EQ(published::pool_bits_per_cell((1 << 17) + 1, 0).reserved_linked, 25);
  support::expect_error(errc::invalid_argument, [] { (void)published::pool_bits_per_cell(0, 0); });
}

// Section 4.3 of Cheng et al. 2005, rank by rank.
double counted_pool_nodes(const zipf_load& load, heat_size size) {
  std::vector<double> ranks(20);  // by digits: how many ranks have so many beyond the first
  for (std::uint64_t i = 1; i <= load.items; ++i) {
    double count = largest_count(load) * std::pow(static_cast<double>(i), -load.z);
    for (std::size_t digits = 1; count >= 16; ++digits, count /= 16) ++ranks[digits];
  }
  double nodes = 0;
  const auto row = static_cast<double>(size.row);
  for (const double n : ranks) nodes += size.k * row * (1 - std::pow(1 - 1 / row, n));
  return nodes;
}

TEST(math_heat, predicts_the_pool_of_a_zipf_stream) {
  for (const double z : {0.0, 0.6, 1.0, 1.5}) {
    for (const double lambda : {0.0, 0.5, 0.97}) {
      const zipf_load load{.items = 3000, .z = z, .hits = 50'000, .lambda = lambda};
      for (const heat_size size : {heat_size{4, 1}, heat_size{4, 4500}, heat_size{3, 1 << 20}}) {
        const double expected = counted_pool_nodes(load, size);
        EXPECT_NEAR(zipf_pool_nodes(load, size), expected, 1e-6 * (1 + expected))
            << "z " << z << ", lambda " << lambda << ", row " << size.row;
      }
    }
  }
}

TEST(math_heat, pool_of_a_zipf_stream_in_closed_form) {
  // 10 + 5 + 2.5 and so on.
  EXPECT_DOUBLE_EQ(largest_count({.items = 1, .z = 1, .hits = 10, .lambda = 0.5}), 20);
  // z = 1 and long rows: k A / 15, less what rounding ranks down takes, at most one for each digit.
  const zipf_load harmonic_load{.items = 1 << 20, .z = 1, .hits = 1e6, .lambda = 0.9};
  const double largest = largest_count(harmonic_load);
  const double all = zipf_pool_nodes(harmonic_load, {4, std::uint64_t{1} << 40});
  EXPECT_LE(all, 4 * largest / 15);
  EXPECT_GE(all, 4 * (largest / 15 - std::log(largest) / std::log(16) - 1));
  // Flat: all items or none. With 16 hits of each there is one node in every cell that is in use.
  const heat_size size{4, 30'000};
  EXPECT_EQ(zipf_pool_nodes({.items = 20'000, .z = 0, .hits = 300'000, .lambda = 0}, size), 0);
  EXPECT_NEAR(zipf_pool_nodes({.items = 20'000, .z = 0, .hits = 340'000, .lambda = 0}, size),
              120'000 * (1 - std::exp(-2.0 / 3)), 1);
}

TEST(math_heat, refuses_streams_without_a_steady_state) {
  const zipf_load good{.items = 10, .z = 1, .hits = 1, .lambda = 0.5};
  const auto refused = [](zipf_load load, const char* word) {
    expect_error(
        errc::invalid_argument,
        [&] {
          (void)zipf_pool_nodes(load, {4, 10});
        },
        word);
  };
  zipf_load bad = good;
  bad.items = 0;
  refused(bad, "item");
  bad = good;
  bad.lambda = 1;
  refused(bad, "lambda");
  bad = good;
  bad.hits = -1;
  refused(bad, "hits");
  bad = good;
  bad.z = -1;
  refused(bad, "Zipf");
  expect_error(
      errc::invalid_argument,
      [&] {
        (void)zipf_pool_nodes(good, {4, 0});
      },
      "row");
}

}  // namespace pool_size_test
}  // namespace bloomtime::published
