#include <bloomtime/published/dynamic_count/sizes.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <bloomtime/math/bloom.hpp>

#include "math/expect.hpp"

namespace bloomtime::published {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

void expect_lambda(double lambda) {
  math::expect(lambda >= 0 && lambda <= 1, "a threshold must lie from 0 to 1", lambda);
}

void expect_width(unsigned x, unsigned y) {
  math::expect(x >= 1 && x <= 64 && y <= 64 - x, "a counter has 1 to 64 bits", x + y);
}

// log(1 - e^x) for x < 0, exact at both ends.
double log_of_rest(double x) {
  return x < -std::numbers::ln2 ? std::log1p(-std::exp(x)) : std::log(-std::expm1(x));
}

// 2^exponent (1 + lambda), rounded up.
std::uint64_t raised_power(unsigned exponent, double lambda) {
  return static_cast<std::uint64_t>(std::ceil(std::ldexp(1 + lambda, static_cast<int>(exponent))));
}

// The probability that a Poisson variable is at least v, by the normal approximation.
double poisson_tail(double mean, double v) {
  if (mean <= 0) return 0;
  return std::erfc((v - 0.5 - mean) / std::sqrt(2 * mean)) / 2;
}

}  // namespace

std::uint64_t row_for_error(std::uint64_t items, double wanted, unsigned k) {
  math::expect_items(items);
  math::expect_error(wanted);
  math::expect_k(k, max_tally_k);
  const double log_used = std::log(wanted) / k;  // of the largest allowed share of used cells
  const double row = -1 / std::expm1(log_of_rest(log_used) / static_cast<double>(items));
  const std::uint64_t limit = math::max_bits / k;
  if (!(row < static_cast<double>(limit))) math::refuse_cells(items, wanted);
  const auto enough = [&](std::uint64_t cells) {
    return math::rows_error(items, cells * k, k) <= wanted;
  };
  // Rounding makes this wrong by a few cells, and by many if the error is close to 1.
  std::uint64_t too_few = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(row)) - 1;
  std::uint64_t cells = too_few + 1;
  for (std::uint64_t step = 1; !enough(cells); step *= 2) {
    if (step > limit - cells) math::refuse_cells(items, wanted);
    too_few = cells;
    cells += step;
  }
  while (cells - too_few > 1) {
    const std::uint64_t middle = too_few + (cells - too_few) / 2;
    (enough(middle) ? cells : too_few) = middle;
  }
  return cells;
}

double exact_share(std::uint64_t items, std::uint64_t cells, unsigned k) {
  return 1 - math::rows_error(items == 0 ? 0 : items - 1, cells, k);
}

unsigned base_bits_for(std::uint64_t total, std::uint64_t items) {
  if (total == 0 || items == 0) return 4;
  const std::uint64_t each = total / items;  // has the same floor(log2) as the exact ratio
  return std::max(1U, static_cast<unsigned>(std::bit_width(each)) - (each == 0 ? 0U : 1U));
}

unsigned overflow_level(std::uint64_t overflow) {
  return static_cast<unsigned>(std::bit_width(overflow));
}

std::uint64_t shrink_threshold(unsigned x, unsigned y, double lambda) {
  expect_width(x, y);
  expect_lambda(lambda);
  math::expect(y >= 1, "only a vector with bits can become narrower", y);
  return raised_power(x + y - 2, lambda);
}

std::uint64_t shrink_threshold_with_gap(unsigned x, unsigned y, double lambda) {
  const std::uint64_t threshold = shrink_threshold(x, y, lambda);
  const std::uint64_t capacity = std::uint64_t{1} << (x + y - 1);
  return std::min(threshold, capacity - std::max<std::uint64_t>(1, capacity / 4));
}

std::uint64_t level_threshold(unsigned x, unsigned level, double lambda) {
  expect_width(x, level);
  expect_lambda(lambda);
  // A threshold above 64 bits splits nothing.
  return x + level == 64 && 1 + lambda >= 2 ? most : raised_power(x + level - 1, lambda);
}

std::uint64_t published_level_threshold(unsigned x, unsigned level, double lambda) {
  if (level > 0) return level_threshold(x, level, lambda);
  expect_width(x, 0);
  expect_lambda(lambda);
  return static_cast<std::uint64_t>(std::ceil((std::ldexp(1, static_cast<int>(x)) - 1) * lambda));
}

std::uint64_t largest_cell(std::uint64_t items, std::uint64_t total, std::uint64_t cells,
                           unsigned k) {
  math::expect(items >= 1, "there must be at least one item", items);
  math::expect(cells >= 1, "there must be at least one cell", cells);
  const double load =
      static_cast<double>(k) * static_cast<double>(items) / static_cast<double>(cells);
  const double each = static_cast<double>(total) / static_cast<double>(items);
  const double wanted = std::numbers::ln2 / static_cast<double>(cells);
  constexpr double many = 500;  // e^-load is a number up to 745
  const auto reached = [&](std::uint64_t v) {
    if (load > many) {  // the sum is nearly normal
      const double spread = std::sqrt(2 * load * each * (each + 1));
      return std::erfc((static_cast<double>(v) - load * each) / spread) / 2 >= wanted;
    }
    double sum = 0;
    for (double j = 1, share = std::exp(-load) * load; j < load + 40 * std::sqrt(load) + 40;
         ++j, share *= load / j) {
      sum += share * poisson_tail(j * each, static_cast<double>(v));
    }
    return sum >= wanted;
  };
  std::uint64_t largest = 0;
  for (std::uint64_t step = std::bit_floor(std::max<std::uint64_t>(1, total)); step > 0;
       step /= 2) {
    if (step <= total - largest && reached(largest + step)) largest += step;
  }
  return largest;
}

string_groups string_groups_for(std::uint64_t bits) {
  const auto log = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(bits, 16))) - 1;
  const unsigned loglog = static_cast<unsigned>(std::bit_width(log)) - 1;
  return {log, loglog, 3 * loglog};
}

std::uint64_t published_index_bits(std::uint64_t counters, std::uint64_t bits) {
  const string_groups g = string_groups_for(bits);
  const std::uint64_t groups = (counters + g.group - 1) / g.group;
  const std::uint64_t chunks = (counters + g.chunk - 1) / g.chunk;
  return groups * g.group + (chunks + counters) * g.offset_bits;
}

std::uint64_t compact_index_bits(std::uint64_t counters) {
  return 6 * counters + 64 * ((counters + 63) / 64);
}

}  // namespace bloomtime::published
