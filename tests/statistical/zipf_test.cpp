#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>

#include "support/statistics.hpp"

namespace bloomtime::math {
namespace zipf_test {

using support::tail;

struct setting {
  std::uint64_t n;
  double z;
};

class zipf_samples : public ::testing::TestWithParam<setting> {};

TEST_P(zipf_samples, have_the_exact_probabilities) {
  constexpr std::uint64_t draws = 300'000;
  const auto [n, z] = GetParam();
  const zipf law(n, z);
  random_source random(n);
  std::vector<std::uint64_t> counts(20);  // of ranks 1..19
  std::vector<std::uint64_t> octaves(64);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t rank = law(random);
    if (rank < counts.size()) ++counts[rank];
    ++octaves[static_cast<unsigned>(std::bit_width(rank)) - 1];
  }
  for (std::uint64_t rank = 1; rank < counts.size(); ++rank) {
    EXPECT_TRUE(binomial_range(draws, law.probability(rank), tail).contains(counts[rank]))
        << "rank " << rank << ": " << counts[rank];
  }
  for (unsigned octave = 0; octave < 54; ++octave) {
    const std::uint64_t first = std::uint64_t{1} << octave;
    const double p = std::max(0., law.cumulative(2 * first - 1) - law.cumulative(first - 1));
    EXPECT_TRUE(binomial_range(draws, p, tail).contains(octaves[octave]))
        << "octave " << octave << ": " << octaves[octave];
  }
}

INSTANTIATE_TEST_SUITE_P(laws, zipf_samples,
                         ::testing::Values(setting{1, 1}, setting{2, 0.5}, setting{10, 0},
                                           setting{1'000, 1}, setting{65'536, 0.8},
                                           setting{65'536, 1.2}, setting{1'000'000'000, 1},
                                           setting{std::uint64_t{1} << 53, 3}));

// The tolerance tells neighbouring exponents apart.
TEST(zipf_samples, of_another_exponent_are_noticed) {
  constexpr std::uint64_t draws = 300'000;
  const zipf law(1'000, 1);
  random_source random(1);
  std::uint64_t ones = 0;
  for (std::uint64_t i = 0; i < draws; ++i) ones += law(random) == 1;
  EXPECT_TRUE(binomial_range(draws, zipf(1'000, 1).probability(1), tail).contains(ones));
  EXPECT_FALSE(binomial_range(draws, zipf(1'000, 1.02).probability(1), tail).contains(ones));
  EXPECT_FALSE(binomial_range(draws, zipf(1'000, 0.98).probability(1), tail).contains(ones));
}

}  // namespace zipf_test
}  // namespace bloomtime::math
