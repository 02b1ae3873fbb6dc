#include "support/statistics.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/poisson.hpp>

#include <bloomtime/digest.hpp>
#include <bloomtime/math/binomial.hpp>

namespace bloomtime::support {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

AssertionResult plausible(std::uint64_t hits, std::uint64_t n, double p, double outside) {
  const math::count_range range = math::binomial_range(n, p, outside);
  return (range.contains(hits) ? AssertionSuccess() : AssertionFailure())
         << hits << " of " << n << " with chance " << p << ": expected " << range.low << " to "
         << range.high << " (" << outside << " outside on either side)";
}

AssertionResult plausible_chances(std::span<const std::uint64_t> counts,
                                  std::span<const double> chances) {
  const auto total =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  const double weight = std::accumulate(chances.begin(), chances.end(), 0.0);
  double chi_square = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * chances[i] / weight;
    if (expected < 100) return AssertionFailure() << "cell " << i << " expects only " << expected;
    const double difference = static_cast<double>(counts[i]) - expected;
    chi_square += difference * difference / expected;
  }
  const boost::math::chi_squared distribution(static_cast<double>(counts.size() - 1));
  const double low = quantile(distribution, tail);
  const double high = quantile(complement(distribution, tail));
  return (low <= chi_square && chi_square <= high ? AssertionSuccess() : AssertionFailure())
         << "chi-square " << chi_square << " of " << counts.size() << " cells: expected " << low
         << " to " << high << " (" << tail << " outside on either side)";
}

AssertionResult plausible_uniform(std::span<const std::uint64_t> counts) {
  return plausible_chances(counts, std::vector<double>(counts.size(), 1));
}

// Keys are mixed, which is reversible, and parted by their top bits, so that each part is looked up
// inside the cache.
std::uint64_t repeats(std::vector<std::uint64_t> keys) {
  constexpr unsigned shift = 54;
  for (std::uint64_t& key : keys) key = detail::mix(key);
  std::vector<std::size_t> ends(1u << (64 - shift));
  for (const std::uint64_t key : keys) ++ends[key >> shift];
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::size_t{0});
  std::vector<std::uint64_t> parted(keys.size());
  for (const std::uint64_t key : keys) parted[ends[key >> shift]++] = key;

  std::uint64_t found = 0;
  std::vector<std::uint64_t> table;  // 0 is an empty slot; the key 0 is counted apart
  std::uint64_t zeros = 0;
  for (std::size_t part = 0, first = 0; part < ends.size(); first = ends[part++]) {
    const std::size_t size = std::bit_ceil(2 * (ends[part] - first) + 1);
    const std::size_t mask = size - 1;
    table.assign(size, 0);
    for (std::size_t i = first; i < ends[part]; ++i) {
      const std::uint64_t key = parted[i];
      if (key == 0) {
        ++zeros;
        continue;
      }
      std::size_t slot = key & mask;
      while (table[slot] != 0 && table[slot] != key) slot = (slot + 1) & mask;
      found += table[slot] == key;
      table[slot] = key;
    }
  }
  return found + (zeros > 1 ? zeros - 1 : 0);
}

AssertionResult plausible_repeats(std::uint64_t found, std::uint64_t keys, unsigned bits) {
  const auto n = static_cast<double>(keys);
  const double mean = std::ldexp(n * n, -static_cast<int>(bits) - 1);
  const boost::math::poisson distribution(mean);
  const double low = quantile(distribution, tail);
  const double high = quantile(complement(distribution, tail));
  const auto count = static_cast<double>(found);
  return (low <= count && count <= high ? AssertionSuccess() : AssertionFailure())
         << found << " repeats among " << keys << " keys of " << bits << " bits: expected " << low
         << " to " << high << " (mean " << mean << ", " << tail << " outside on either side)";
}

}  // namespace bloomtime::support
