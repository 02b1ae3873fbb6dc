#include <bloomtime/math/timing.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <bloomtime/math/bloom.hpp>

#include "math/expect.hpp"
#include "math/line_load.hpp"
#include "math/search.hpp"

namespace bloomtime::math {
namespace {

constexpr unsigned least_bits = 2;
constexpr unsigned most_bits = 32;
constexpr unsigned most_line_k = 16;
constexpr unsigned most_visits = 4;  // of a timer by sweeps, per window
constexpr std::uint64_t most_items = std::uint64_t{1} << 40;

unsigned per_line(unsigned bits) { return static_cast<unsigned>(line_bits / bits); }

void expect_load(const stamp_load& load) {
  expect(load.items >= 1 && load.items <= most_items, "a window has 1 to 2^40 different items",
         load.items);
  expect(load.cut <= most_items, "a tick has at most 2^40 different items", load.cut);
  expect(load.oldest >= 1 && load.oldest <= std::numeric_limits<std::uint32_t>::max() - 3,
         "a window has 1 to 2^32 - 4 ticks", std::uint64_t{load.oldest});
}

// The fewest bits that leave enough ages beyond the window for sweeps to examine every timer while
// its stamp has one of them. They depend on the ticks alone, so more items or a smaller error never
// need fewer bits.
unsigned bits_for(std::uint32_t oldest) {
  const std::uint64_t spare = std::max<std::uint64_t>(1, oldest / most_visits);
  unsigned bits = least_bits;
  while (bits < most_bits && (std::uint64_t{1} << bits) - 2 < oldest + spare) ++bits;
  return bits;
}

// The fewest timers, at most `limit`, with which some k keeps the error.
std::optional<stamp_size> fewest_flat(std::uint64_t alive, double wanted, std::uint64_t limit) {
  std::optional<stamp_size> found;
  for (unsigned k = 1; k <= max_k(layout::flat) && limit != 0; ++k) {
    const auto cells =
        least(limit, [&](std::uint64_t c) { return timers_error(alive, c, k) <= wanted; });
    if (!cells) continue;
    found = {.layout = layout::flat, .k = k, .cells = *cells};
    limit = *cells - 1;
  }
  return found;
}

std::optional<stamp_size> fewest_lines(std::uint64_t alive, double wanted, unsigned bits,
                                       std::uint64_t limit) {
  std::optional<stamp_size> found;
  for (unsigned k = 1; k <= std::min(most_line_k, per_line(bits)) && limit != 0; ++k) {
    load_errors errors = load_errors::of_cells(per_line(bits), k);
    const auto lines =
        least(limit, [&](std::uint64_t l) { return errors.mixed(alive, l) <= wanted; });
    if (!lines) continue;
    found = {.layout = layout::line, .k = k, .cells = *lines * per_line(bits)};
    limit = *lines - 1;
  }
  return found;
}

// The k with the least error.
stamp_size best_k(stamp_size size, unsigned most, std::uint64_t alive) {
  stamp_size best = size;
  double least_error = 2;
  for (size.k = 1; size.k <= most; ++size.k) {
    const double e = stamp_error(size, alive);
    if (e < least_error) {
      least_error = e;
      best = size;
    }
  }
  return best;
}

stamp_size best_lines(const stamp_load& load, unsigned bits, std::uint64_t bytes) {
  const std::uint64_t lines = bytes * 8 / line_bits;
  expect(lines >= 1, "lines of timers need 64 bytes or more", bytes);
  const stamp_size size{
      .layout = layout::line, .bits = bits, .cells = lines * per_line(bits), .oldest = load.oldest};
  return best_k(size, std::min(most_line_k, per_line(bits)), alive_at_worst(load));
}

stamp_size best_flat(const stamp_load& load, unsigned bits, std::uint64_t bytes) {
  const stamp_size size{
      .layout = layout::flat, .bits = bits, .cells = bytes * 8 / bits, .oldest = load.oldest};
  return best_k(size, max_k(layout::flat), alive_at_worst(load));
}

[[noreturn]] void refuse(const stamp_load& load, const std::string& why) {
  throw error(errc::too_large, "there are no timers for a window of " +
                                   std::to_string(load.oldest) + " ticks and " +
                                   std::to_string(load.items) + " items: " + why);
}

}  // namespace

// The mean of (X / timers)^k, where X timers are written by items * k writes: from the mean and
// variance of the share of written timers, as if its logarithm were normally distributed. The share
// varies less than that, so the result is an upper bound (docs/math.md, Error of timers).
double timers_error(std::uint64_t items, std::uint64_t timers, unsigned k) {
  expect(timers >= 1, "a filter must have at least one timer", timers);
  expect(k >= 1 && k <= max_k(layout::flat), "an item has 1 to 64 timers", k);
  if (items == 0) return 0;
  const auto m = static_cast<double>(timers);
  const double writes = static_cast<double>(items) * k;
  const double untouched = timers == 1 ? 0 : std::exp(writes * std::log1p(-1 / m));
  const double mean = timers == 1 ? 1 : -std::expm1(writes * std::log1p(-1 / m));
  if (untouched == 0) return 1;
  // Two timers are both unwritten less often than if they were independent.
  const double together = std::expm1(writes * std::log1p(-1 / ((m - 1) * (m - 1))));
  const double variance = untouched * (mean + (m - 1) * untouched * together) / m;
  const double spread = std::max(0., variance) / (mean * mean);
  return std::min(1., std::pow(mean, k) * std::exp(0.5 * k * (k - 1.) * spread));
}

std::uint64_t alive_at_worst(const stamp_load& load) noexcept { return load.items + load.cut; }

stamp_size stamps_for_error(const stamp_load& load, double wanted, std::optional<layout> kind) {
  expect_load(load);
  expect(wanted > 0 && wanted < 1, "an error must lie strictly between 0 and 1", wanted);
  const std::uint64_t alive = alive_at_worst(load);
  const unsigned bits = bits_for(load.oldest);
  std::optional<stamp_size> size;
  std::uint64_t lines = max_bits / line_bits;
  if (kind != layout::line) {
    size = fewest_flat(alive, wanted, max_bits / bits);
    if (size) lines = size->cells * bits / line_bits;
  }
  if (kind != layout::flat) {
    const auto line = fewest_lines(alive, wanted, bits, lines);
    if (line) size = line;
  }
  if (!size) refuse(load, "they would need more than 2^43 bits; take a larger error");
  size->bits = bits;
  size->oldest = load.oldest;
  return *size;
}

stamp_size stamps_for_memory(const stamp_load& load, std::uint64_t bytes,
                             std::optional<layout> kind) {
  expect_load(load);
  expect(bytes >= 1 && bytes <= max_bits / 8, "timers take 1 byte to 2^40", bytes);
  const unsigned bits = bits_for(load.oldest);
  if (kind == layout::line) return best_lines(load, bits, bytes);
  if (bytes * 8 < bits) {
    refuse(load, "a timer of " + std::to_string(bits) + " bits needs more memory than " +
                     std::to_string(bytes) + " bytes");
  }
  const stamp_size flat = best_flat(load, bits, bytes);
  if (kind == layout::flat || bytes * 8 < line_bits) return flat;
  const stamp_size line = best_lines(load, bits, bytes);
  const std::uint64_t alive = alive_at_worst(load);
  return stamp_error(line, alive) <= stamp_error(flat, alive) ? line : flat;
}

double stamp_error(const stamp_size& size, std::uint64_t alive) {
  if (size.layout == layout::flat) return timers_error(alive, size.cells, size.k);
  return line_cells_error(alive, size.cells / per_line(size.bits), per_line(size.bits), size.k);
}

double alive_items(const stamp_size& size, std::uint64_t alive) {
  const auto cells = static_cast<double>(size.cells);
  if (alive >= size.cells) return std::numeric_limits<double>::infinity();
  return std::log1p(-static_cast<double>(alive) / cells) /
         (size.layout == layout::flat ? size.k * std::log1p(-1 / cells)
                                      : std::log1p(-static_cast<double>(size.k) / cells));
}

double alive_error(const stamp_size& size, std::uint64_t alive) {
  if (size.layout == layout::flat) {
    return std::pow(static_cast<double>(alive) / static_cast<double>(size.cells), size.k);
  }
  const double items = alive_items(size, alive);
  return items < 0x1p62 ? stamp_error(size, static_cast<std::uint64_t>(std::llround(items))) : 1;
}

// -- evidence ----------------------------------------------------------------------------------

double touched(double distinct, std::uint64_t timers, unsigned k) noexcept {
  if (distinct <= 0) return 0;
  return -std::expm1(k * distinct * std::log1p(-1 / static_cast<double>(timers)));
}

double all_touched(const stamp_size& size, double distinct, unsigned count) noexcept {
  if (size.layout == layout::flat) return std::pow(touched(distinct, size.cells, size.k), count);
  const auto per_line = static_cast<unsigned>(line_bits / size.bits);
  const auto items = static_cast<std::uint64_t>(std::llround(std::clamp(distinct, 0., 0x1p53)));
  return line_touched(items, size.cells / per_line, static_cast<double>(size.k) / per_line, count);
}

double distinct_between(const distinct_knot& from, const distinct_knot& to,
                        double insertions) noexcept {
  if (!(from.insertions < to.insertions)) return to.distinct;
  const double start = std::log(from.insertions);
  const double low = std::log(from.distinct);
  const double slope = (std::log(to.distinct) - low) / (std::log(to.insertions) - start);
  return std::exp(low + slope * (std::log(insertions) - start));
}

double stamp_census(std::uint64_t with_age, std::uint64_t at_least, unsigned count) noexcept {
  // The item's own timers have this age, even if the groups of stamps indicate fewer.
  return census(std::max<std::uint64_t>(with_age, count), at_least, count);
}

}  // namespace bloomtime::math
