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

#include "math/count_law.hpp"
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

unsigned cells_per_line(unsigned cell_bits) { return 8 * detail::line_bytes / cell_bits; }

double mean_count(const tally_load& load) {
  constexpr double enough = 1 << 20;  // more than any cell counts alone
  if (load.total == 0) return static_cast<double>(usual_tally_mean);
  const double mean = static_cast<double>(load.total) / static_cast<double>(load.items);
  return std::clamp(mean, 1., enough);
}

// Sums share(load) over the cells of all lines, where `load` is the mean number of items of a cell.
template <class Share>
double over_cells(std::uint64_t items, const line_size& s, unsigned per_line, Share&& share) {
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
  return over_cells(items, {s.lines, s.k}, cells_per_line(s.cell_bits),
                    [](double load) { return -std::expm1(-load); });
}

// The table of a load: the largest one of those that the laws of counts need.
class expected_table {
 public:
  expected_table(const tally_load& load, unsigned cell_bits)
      : items_(load.items),
        per_line_(cells_per_line(cell_bits)),
        laws_(count_laws(load.items, mean_count(load), first_escape(cell_bits))) {}

  // Cells in the table, on average.
  double entries(const line_size& s) const {
    return largest(s, [](const count_law& law, double load) { return law.sum_reaches(load); });
  }
  // With minimum increase. A cell shows about the largest count of its items, not their sum.
  double rising_entries(const line_size& s) const {
    return largest(s, [](const count_law& law, double load) {
      return -std::expm1(-load * law.one_reaches());
    });
  }
  std::uint64_t bytes(const line_size& s, double entries) const {
    const double cells = static_cast<double>(s.lines) * per_line_;
    return detail::side_table::bytes_for(entries_at_most(entries, cells, s.k));
  }
  std::uint64_t bytes(const line_size& s) const { return bytes(s, entries(s)); }

 private:
  template <class Reaches>
  double largest(const line_size& s, Reaches&& reaches) const {
    double most = 0;
    for (const count_law& law : laws_) {
      const auto share = [&](double load) { return reaches(law, load); };
      most = std::max(most, over_cells(items_, s, per_line_, share));
    }
    return most;
  }

  std::uint64_t items_;
  unsigned per_line_;
  std::array<count_law, 3> laws_;
};

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

// -- lines and a table in a given memory

constexpr std::uint64_t any_table = ~std::uint64_t{0};
constexpr std::uint64_t smallest_table = detail::side_table::bytes_for(1);

// The largest table beside one line; tables have powers of two as sizes.
std::uint64_t largest_table(std::uint64_t memory) {
  const bool fits = memory >= smallest_table + detail::line_bytes;
  return fits ? std::bit_floor(memory - detail::line_bytes) : 0;
}

// The table beside cells: as much of the memory as is left, or none.
std::uint64_t table_in(std::uint64_t memory, std::uint64_t cell_bytes) {
  return detail::side_table::bytes_for(
      detail::side_table::entries_in(memory - std::min(memory, cell_bytes)));
}

// An eighth of the memory at most, and at least the smallest table that there is.
std::uint64_t table_for_any_load(std::uint64_t memory) {
  const std::uint64_t share = std::max(smallest_table, std::bit_floor(memory / 8));
  return std::min(share, largest_table(memory));
}

// The most lines beside which the table that they need has room. Either all that leave room for
// some table, or fewer beside the next smaller table, which is too small for as many as leave room
// for it.
line_size lines_beside_table(const tally_load& load, std::uint64_t memory, unsigned cell_bits) {
  const expected_table needed(load, cell_bits);
  const auto beside = [&](std::uint64_t table) {
    return tally_cells_in(memory - table, load.items, cell_bits);
  };
  const auto of_lines = [&](std::uint64_t lines) {
    return tally_cells_in(lines * detail::line_bytes, load.items, cell_bits);
  };
  const std::uint64_t largest = largest_table(memory);
  std::uint64_t too_small = 0;
  line_size best = beside(0);
  for (std::uint64_t table = 0; needed.bytes(best) > table;) {
    too_small = table;
    if (table == largest) {
      best = of_lines(1);
      break;
    }
    table = std::max(2 * table, smallest_table);
    best = beside(table);
  }
  const auto exceeds = [&](std::uint64_t lines) {
    return needed.bytes(of_lines(lines)) > too_small;
  };
  if (exceeds(best.lines)) return best;
  const auto too_many = least(beside(too_small).lines, exceeds);
  return too_many ? of_lines(*too_many - 1) : best;
}

}  // namespace

line_size tally_cells_in(std::uint64_t memory, std::uint64_t items, unsigned cell_bits) {
  constexpr unsigned usual_k = 4;
  const std::uint64_t lines = std::max<std::uint64_t>(1, memory / detail::line_bytes);
  if (items == 0) return {lines, usual_k};
  return {lines, k_for_lines(items, lines, cells_per_line(cell_bits), tally_line_k)};
}

line_size tally_lines(const tally_load& load, unsigned cell_bits) {
  expect(cell_bits == 4 || cell_bits == 8, "a tally's cells have 4 or 8 bits", cell_bits);
  expect_one(load.error.has_value() + load.memory.has_value(),
             "a tally needs one size, error or memory");
  if (load.error) {
    return lines_for_error(load.items, *load.error, cells_per_line(cell_bits), tally_line_k);
  }
  const std::uint64_t memory = *load.memory;
  if (load.items == 0) return tally_cells_in(memory - table_for_any_load(memory), 0, cell_bits);
  return lines_beside_table(load, memory, cell_bits);
}

tally_size tally_size_for(const tally_load& load, unsigned cell_bits) {
  expect(load.items >= 1, "there must be at least one item", load.items);
  const line_size size = tally_lines(load, cell_bits);
  const expected_table needed(load, cell_bits);
  tally_size s{.cell_bits = cell_bits,
               .k = size.k,
               .lines = size.lines,
               .error = line_cells_error(load.items, size.lines, cells_per_line(cell_bits), size.k),
               .large = needed.entries(size),
               .cell_bytes = size.lines * detail::line_bytes,
               .large_bytes = 0,
               .rising_large_bytes = 0,
               .most_large_bytes = 0};
  const std::uint64_t room = load.memory ? table_in(*load.memory, s.cell_bytes) : any_table;
  s.large_bytes = std::min(room, needed.bytes(size, s.large));
  s.rising_large_bytes = std::min(room, needed.bytes(size, needed.rising_entries(size)));
  s.most_large_bytes =
      std::min(room, std::max(s.large_bytes, detail::side_table::bytes_for(most_entries(load, s))));
  return s;
}

unsigned tally_cell_bits(const tally_load& load) {
  constexpr double most_share = 1. / 16;  // of the cells in use, in the table of narrow cells
  if (load.items == 0 || load.total == 0) return 8;
  const tally_size narrow = tally_size_for(load, 4);
  if (narrow.large > most_share * used_cells(load.items, narrow)) return 8;
  if (load.error) {
    return narrow.memory() <= tally_size_for(load, 8).memory() / 4 * 3 ? 4 : 8;
  }
  tally_load more = load;
  more.memory = *load.memory / 3 * 4;
  return narrow.error <= tally_size_for(more, 8).error ? 4 : 8;
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
