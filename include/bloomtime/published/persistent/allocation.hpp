#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Distributes bits among the Bloom filters that a query probes, so that the error of the answer is
// smallest (Peng et al. 2018, equations 10 to 13; docs/math.md, Allocation of bits to levels).
namespace bloomtime::published {

// One of the filters: how many different keys it will hold, and how often a negative query probes
// it.
struct filter_load {
  double keys = 0;
  double probes = 0;
};

// m_i = keys_i / C * log(1 + e^(a_i - theta)), where a_i = log(probes_i C / keys_i), C = (ln 2)^2,
// and theta is such that the sum is `bits`. It maximises the sum of probes_i log(1 - e^(-C m_i /
// keys_i)), the logarithm of the probability that every answer is right. Filters without keys or
// probes get nothing. Only the ratios of probes matter.
std::vector<double> optimal_bits(std::span<const filter_load> loads, double bits);

struct filter_size {
  std::uint64_t bits = 0;  // 0 for an omitted filter
  unsigned k = 0;

  friend bool operator==(const filter_size&, const filter_size&) = default;
};

inline constexpr unsigned most_history_k = 16;  // as published

// Whole words, or powers of two, which can be folded into each other when filters are merged.
enum class size_grid : std::uint8_t { words, powers_of_two };
// The k with the smallest error, or ceil(bits / keys * ln 2) as published.
enum class k_rule : std::uint8_t { best, published };

// The k of a filter with this many bits for this many keys.
unsigned k_for(double keys, std::uint64_t bits, k_rule rule = k_rule::best);

// optimal_bits() on a grid: rounded down, less than a word to nothing, and the rest distributed by
// marginal gain to the filters that have bits. The sum never exceeds `bits`.
std::vector<filter_size> allocate_bits(std::span<const filter_load> loads, std::uint64_t bits,
                                       size_grid grid = size_grid::words,
                                       k_rule rule = k_rule::best);

// The same number of bits for every filter.
std::vector<filter_size> uniform_bits(std::span<const filter_load> loads, std::uint64_t bits,
                                      k_rule rule = k_rule::best);

// (1 - e^(-k keys / bits))^k; 1 for an omitted filter that is probed nevertheless.
double filter_error(double keys, filter_size size);

// 1 - prod (1 - error_i)^probes_i: the probability that any probe errs. For queries of different
// shapes slightly more than the mean (Jensen). A filter without keys never errs.
double query_error(std::span<const filter_load> loads, std::span<const filter_size> sizes);

}  // namespace bloomtime::published
