#include <bloomtime/math/bloom.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/expect.hpp"
#include "math/line_load.hpp"

namespace bloomtime::math {
namespace {

// The logarithm of the probability that one item does not set a given bit of the filter.
double log_miss(layout kind, double bits, unsigned k) {
  switch (kind) {
    case layout::flat: return k * std::log1p(-1 / bits);
    case layout::rows: return std::log1p(-(k / bits));
    case layout::line: break;
  }
  return std::log1p(-line_hit(k) * (double{line_bits} / bits));
}

double all_set(std::uint64_t items, double log_miss_one, unsigned k) {
  if (items == 0) return 0;  // log_miss_one may be -inf: a single cell
  return std::pow(-std::expm1(static_cast<double>(items) * log_miss_one), k);
}

}  // namespace

double flat_error(std::uint64_t items, std::uint64_t bits, unsigned k) {
  expect(bits >= 1, "a filter must have at least one bit", bits);
  expect_k(k, max_k(layout::flat));
  return all_set(items, log_miss(layout::flat, static_cast<double>(bits), k), k);
}

double rows_error(std::uint64_t items, std::uint64_t cells, unsigned k) {
  expect_k(k, max_k(layout::rows));
  const auto enough = [&] { return "each of " + std::to_string(k) + " rows must have a cell"; };
  expect(cells >= k, enough, cells);
  const std::uint64_t row = cells / k;
  return all_set(items, std::log1p(-1 / static_cast<double>(row)), k);
}

double line_error(std::uint64_t items, std::uint64_t lines, unsigned k) {
  expect(lines >= 1, "a filter must have at least one line", lines);
  expect_k(k, max_k(layout::line));
  return load_errors::of_bits(k).mixed(items, lines);
}

double line_cells_error(std::uint64_t items, std::uint64_t lines, unsigned cells_per_line,
                        unsigned k) {
  expect(lines >= 1, "a filter must have at least one line", lines);
  expect(cells_per_line >= 1, "a line must have at least one cell", cells_per_line);
  expect_k(k, cells_per_line);
  return load_errors::of_cells(cells_per_line, k).mixed(items, lines);
}

double bloom_error(layout kind, std::uint64_t items, std::uint64_t bits, unsigned k) {
  switch (kind) {
    case layout::flat: return flat_error(items, bits, k);
    case layout::rows: return rows_error(items, bits, k);
    case layout::line: break;
  }
  return line_error(items, bits / line_bits, k);
}

double fill_items(std::uint64_t ones, std::uint64_t bits, unsigned k, layout kind) {
  expect(bits >= 1, "a filter must have at least one bit", bits);
  const auto most = [&] { return "at most " + std::to_string(bits) + " bits can be set"; };
  expect(ones <= bits, most, ones);
  expect_k(k, max_k(kind));
  if (ones == bits) return std::numeric_limits<double>::infinity();
  const auto size = static_cast<double>(bits);
  return std::log1p(-static_cast<double>(ones) / size) / log_miss(kind, size, k);
}

// The best linear estimate: with Poisson loads of mean m and z the share of zeros, the ones of a
// line have the covariance k z m with its load and the variance 512 z (1 - z - (k - 1) z log z). A
// line with a one in it has at least one item. Solving the line's own fill for its load instead
// would give infinity for a full line.
double relative_line_load(unsigned line_ones, std::uint64_t ones, std::uint64_t bits, unsigned k) {
  if (ones == bits) return 1;
  const double fill = static_cast<double>(ones) / static_cast<double>(bits);
  const double zeros = 1 - fill;
  const double above = static_cast<double>(line_ones) / static_cast<double>(line_bits) - fill;
  const double mean_load = fill_items(ones, bits, k, layout::line) *
                           static_cast<double>(line_bits) / static_cast<double>(bits);
  return std::max(1 / mean_load, 1 + k * above / (fill - (k - 1) * zeros * std::log(zeros)));
}

double optimal_bits_per_item(double error) {
  expect_error(error);
  return -std::log2(error);
}

}  // namespace bloomtime::math
