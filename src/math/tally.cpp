#include <bloomtime/math/tally.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

#include <bloomtime/detail/side_table.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/tally/detail/escaping_cells.hpp>

#include "math/expect.hpp"
#include "math/line_load.hpp"
#include "math/search.hpp"

namespace bloomtime::math {

line_size lines_for_error(std::uint64_t items, double wanted, unsigned cells_per_line,
                          unsigned most_k) {
  expect_items(items);
  expect_error(wanted);
  expect(cells_per_line >= 1, "a line must have at least one cell", cells_per_line);
  expect_k(most_k, cells_per_line);
  line_size best{max_bits / cells_per_line + 1, 0};
  for (unsigned k = 1; k <= most_k; ++k) {
    load_errors errors = load_errors::of_cells(cells_per_line, k);
    // The search begins at the size of separate rows: a line never needs fewer cells.
    std::uint64_t limit = std::min(best.lines - 1, items / cells_per_line + 1);
    const auto enough = [&](std::uint64_t lines) { return errors.mixed(items, lines) <= wanted; };
    while (limit < best.lines - 1 && !enough(limit)) limit = std::min(best.lines - 1, 2 * limit);
    if (const auto lines = least(limit, enough)) best = {*lines, k};
  }
  if (best.k == 0) refuse_cells(items, wanted);
  return {best.lines, k_for_lines(items, best.lines, cells_per_line, most_k)};
}

unsigned k_for_lines(std::uint64_t items, std::uint64_t lines, unsigned cells_per_line,
                     unsigned most_k) {
  expect_k(most_k, cells_per_line);
  unsigned best = 1;
  double least = 2;
  for (unsigned k = 1; k <= most_k; ++k) {
    const double wrong = line_cells_error(items, lines, cells_per_line, k);
    if (wrong < least) {
      least = wrong;
      best = k;
    }
  }
  return best;
}

// With f the truth, value <= f + e (mass - f) / row, solved for f. The excess is rounded up.
std::uint64_t count_at_least(std::uint64_t value, std::uint64_t mass, std::uint64_t row) {
  if (row < 3) return 0;  // e / row is about 1 or more, so there is no bound
  if (mass <= value) return value;
  const double share = std::numbers::e / (static_cast<double>(row) - std::numbers::e);
  const double excess = std::ceil(static_cast<double>(mass - value) * share * (1 + 0x1p-50));
  if (!(excess < static_cast<double>(value))) return 0;
  return value - std::min(value, static_cast<std::uint64_t>(excess));
}

// -- tallies -------------------------------------------------------------------------------------

namespace {

// P(X >= v) of a Poisson variable, exact.
double poisson_at_least(double mean, unsigned v) {
  if (v == 0) return 1;
  if (mean <= 0) return 0;
  const auto pmf = [&](double j) {
    return std::exp(j * std::log(mean) - mean - std::lgamma(j + 1));
  };
  double sum = 0;
  if (mean < v) {  // terms fall from v on
    double term = pmf(v);
    for (double j = v; term > sum * 1e-17; term *= mean / ++j) sum += term;
    return std::min(1., sum);
  }
  double term = pmf(v - 1);
  for (double j = v - 1; term > sum * 1e-17; term *= j-- / mean) sum += term;
  return std::max(0., 1 - sum);
}

// The counts of the items of a load: the mean, or two whole numbers around it.
struct counts {
  double mean;
  unsigned least;  // limited to what a cell can hold, which is sufficient here
  double more;     // share of items with one more

  explicit counts(const tally_load& load) {
    constexpr double enough = 1 << 20;
    const auto total = static_cast<double>(load.total);
    const auto items = static_cast<double>(load.items);
    mean = load.total == 0 ? static_cast<double>(usual_tally_mean)
                           : std::clamp(total / items, 1., enough);
    least = static_cast<unsigned>(mean);
    more = mean - least;
  }

  // The probability that an item has at least v.
  double one_at_least(unsigned v) const {
    const double equal = least >= v ? 1 : least + 1 == v ? more : 0;
    return std::max(equal, poisson_at_least(mean, v));
  }

  // The probability that a cell with Poisson(load) items counts at least v.
  double sum_at_least(double load, unsigned v) const {
    constexpr double always = 500;  // e^-load is a number up to 745, and v is at most 192
    if (load > always) return 1;
    return std::max(sum_of_equal(load, v), sum_of_random(load, v));
  }

 private:
  double sum_of_random(double load, unsigned v) const {
    double sum = 0;
    double share = std::exp(-load);
    for (unsigned j = 1; j < v; ++j) {
      share *= load / j;
      sum += share * poisson_at_least(j * mean, v);
      if (j > load && share < 1e-18) return sum;
    }
    return sum + poisson_at_least(load, v);  // nearly 1 with this many items
  }
  double sum_of_equal(double load, unsigned v) const {
    const double fewer = load * (1 - more);
    double sum = 0;
    double share = std::exp(-fewer);
    const unsigned alone = (v + least - 1) / least;  // items of the smaller count that suffice
    for (unsigned j = 0; j < alone; share *= fewer / ++j) {
      const unsigned missing = v - j * least;
      sum += share * poisson_at_least(load * more, (missing + least) / (least + 1));
    }
    return sum + poisson_at_least(fewer, alone);
  }
};

// A number of entries that is exceeded with a probability below 1e-4: four standard deviations
// above the mean. An item brings up to k entries at the same time, so the variance is at most k
// times that of independent cells.
std::uint64_t entries_at_most(double mean, double cells, unsigned k) {
  const double spread = std::sqrt(k * mean * std::max(0., 1 - mean / cells));
  return static_cast<std::uint64_t>(std::min(mean + 4 * spread, cells));
}

unsigned first_escape(unsigned cell_bits) {
  return cell_bits == 4 ? detail::escaping_cells<4>::escape : detail::escaping_cells<8>::escape;
}

// Sums share(load) over the cells of all lines, where `load` is the mean number of items of a cell.
template <class Share>
double over_cells(std::uint64_t items, const tally_size& s, Share&& share) {
  const unsigned per_line = 8 * detail::line_bytes / s.cell_bits;
  const auto lines = static_cast<double>(s.lines);
  double sum = 0;
  double known = 0;
  unsigned known_width = 0;
  for (unsigned i = 0; i < s.k; ++i) {  // parts of a line, as line_probes has them
    const unsigned width = (i + 1) * per_line / s.k - i * per_line / s.k;
    if (width != known_width) known = share(static_cast<double>(items) / (lines * width));
    known_width = width;
    sum += lines * width * known;
  }
  return sum;
}

double used_cells(std::uint64_t items, const tally_size& s) {
  return over_cells(items, s, [](double load) { return -std::expm1(-load); });
}

// Computed in doubles: k times the total or the items may exceed 64 bits.
std::uint64_t most_entries(const tally_load& load, const tally_size& s) {
  const double k = s.k;
  const double total = load.total == 0 ? static_cast<double>(load.items) * usual_tally_mean
                                       : static_cast<double>(load.total);
  const double per_count = k * total / first_escape(s.cell_bits);
  const double cells = static_cast<double>(s.cell_bytes) * 8 / s.cell_bits;
  return static_cast<std::uint64_t>(
      std::min({per_count, k * static_cast<double>(load.items), cells, 0x1p62}));
}

tally_size cells_for(const tally_load& load, unsigned cell_bits) {
  const unsigned per_line = 8 * detail::line_bytes / cell_bits;
  line_size size{};
  if (load.error) {
    size = lines_for_error(load.items, *load.error, per_line, tally_line_k);
  } else {
    size.lines = std::max<std::uint64_t>(1, load.memory.value_or(0) / detail::line_bytes);
    size.k = k_for_lines(load.items, size.lines, per_line, tally_line_k);
  }
  return {.cell_bits = cell_bits,
          .k = size.k,
          .lines = size.lines,
          .error = line_cells_error(load.items, size.lines, per_line, size.k),
          .large = 0,
          .cell_bytes = size.lines * detail::line_bytes,
          .large_bytes = 0,
          .rising_large_bytes = 0,
          .most_large_bytes = 0};
}

// The error with this memory.
double error_in(const tally_load& load, unsigned cell_bits, std::uint64_t memory) {
  return cells_for({.items = load.items, .memory = memory}, cell_bits).error;
}

}  // namespace

tally_size tally_size_for(const tally_load& load, unsigned cell_bits) {
  expect(cell_bits == 4 || cell_bits == 8, "a tally's cells have 4 or 8 bits", cell_bits);
  expect(load.items >= 1, "there must be at least one item", load.items);
  tally_size s = cells_for(load, cell_bits);
  const counts each(load);
  const unsigned escape = first_escape(cell_bits);
  const double cells = static_cast<double>(s.cell_bytes) * 8 / cell_bits;
  s.large = over_cells(load.items, s, [&](double n) { return each.sum_at_least(n, escape); });
  s.large_bytes = detail::side_table::bytes_for(entries_at_most(s.large, cells, s.k));
  // A cell shows about the largest count of its items, not their sum.
  const double rising = over_cells(
      load.items, s, [&](double n) { return -std::expm1(-n * each.one_at_least(escape)); });
  s.rising_large_bytes = detail::side_table::bytes_for(entries_at_most(rising, cells, s.k));
  s.most_large_bytes =
      std::max(s.large_bytes, detail::side_table::bytes_for(most_entries(load, s)));
  return s;
}

unsigned tally_cell_bits(const tally_load& load) {
  constexpr double most_share = 1. / 16;  // of the cells in use, in the table of narrow cells
  if (load.items == 0 || load.total == 0) return 8;
  if (counts(load).one_at_least(first_escape(4)) > most_share) return 8;
  const tally_size narrow = tally_size_for(load, 4);
  if (narrow.large > most_share * used_cells(load.items, narrow)) return 8;
  const tally_size wide = tally_size_for(load, 8);
  if (load.error) {
    if (narrow.memory() != wide.memory()) return narrow.memory() < wide.memory() ? 4 : 8;
    return narrow.error <= wide.error ? 4 : 8;
  }
  // The table may exceed the requested memory, but not by much.
  if (narrow.large_bytes > wide.large_bytes + narrow.cell_bytes / 8) return 8;
  const std::uint64_t same = narrow.memory() - std::min(narrow.large_bytes, wide.large_bytes);
  return narrow.error <= error_in(load, 8, same) ? 4 : 8;
}

// -- tables of counts ----------------------------------------------------------------------------

std::uint64_t count_slots(std::uint64_t items, std::uint64_t total, std::uint64_t large) {
  if (items == 0) return 0;
  const auto n = static_cast<double>(items);
  const double sum =
      total == 0 ? n * static_cast<double>(usual_tally_mean) : static_cast<double>(total);
  const double ranks = sum / (static_cast<double>(large - 1) * harmonic(items, 1));
  return items + static_cast<std::uint64_t>(std::min(n, ranks));
}

double usable_count_slots(std::uint64_t slots, std::uint64_t blocks, std::uint64_t used,
                          std::uint64_t prints) noexcept {
  if (prints == 0) return static_cast<double>(slots);
  const double more = static_cast<double>(used - prints) / static_cast<double>(prints);
  return static_cast<double>(slots) - static_cast<double>(blocks) * more;
}

}  // namespace bloomtime::math
