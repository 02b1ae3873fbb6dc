#include <bloomtime/heat/decay_ring.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include <bloomtime/detail/probes.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/rows.hpp>

#include "heat/forward.hpp"
#include "heat/ring_weights.hpp"
#include "math/expect.hpp"

namespace bloomtime {
namespace {

using detail::ring_ages;
using detail::ring_cells;
using math::text_of;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
// More than a thousand roundings of doubles, and one of pow, make of one.
constexpr double rounding = 0x1p-41;

std::int64_t tick_of(const decay_ring_config& c) {
  if (!c.window) return c.tick.count();
  const std::int64_t window = c.window->count();
  if (c.slots == 0 || c.slots >= ring_ages::most_slots || window <= 0 || window % c.slots != 0) {
    throw error(errc::invalid_argument, "a window has 1 to " + text_of(ring_ages::most_slots - 1) +
                                            " slots of whole microseconds, got " +
                                            std::to_string(window) + " microseconds in " +
                                            text_of(c.slots) + " slots");
  }
  return window / c.slots;
}

// 2b ticks back on level 0, and twice as far on each that follows. The slot of all the rest still
// has the factor for a while: it begins beyond 2b * 2^levels, and the reach ends before 2b + 1.
ring_ages dyadic_ages(const decay_ring_config& c) {
  math::expect(*c.polynomial >= 0 && *c.polynomial <= 64, "alpha of polynomial decay is 0 to 64",
               *c.polynomial);
  math::expect(c.per_octave >= 1 && c.per_octave <= 16, "a polynomial has 1 to 16 slots per octave",
               c.per_octave);
  const auto ticks = static_cast<std::uint64_t>(std::max<std::int64_t>(c.reach / c.tick, 0));
  unsigned levels = 0;
  while ((ticks >> levels) > 2 * c.per_octave) ++levels;
  return ring_ages::dyadic(c.per_octave, levels);
}

std::vector<double> weights_of(const decay_ring_config& c) {
  if (c.window) return std::vector<double>(c.slots + 1, 1.0);
  if (!c.g) return c.weights;
  std::vector<double> weights;
  for (unsigned age = 0; age < std::min(c.slots, ring_ages::most_slots + 1); ++age) {
    weights.push_back(c.g(age));
  }
  return weights;
}

struct shape {
  unsigned k;
  std::uint64_t row;
};

shape shape_of(const decay_ring_config& c, std::uint64_t bytes_per_cell, unsigned most_k) {
  if (c.error.has_value() == c.memory.has_value()) {
    throw error(errc::invalid_argument,
                std::string("a decay ring needs one size, error or memory; got ") +
                    (c.error ? "both" : "neither"));
  }
  if (c.error) {
    const auto size = math::size_for_error(layout::rows, c.items, *c.error, most_k);
    return {size.k, (size.bits + size.k - 1) / size.k};
  }
  const std::uint64_t cells = *c.memory / bytes_per_cell;
  math::expect(cells > 0,
               "a decay ring has at least one cell of " + text_of(bytes_per_cell) + " bytes",
               *c.memory);
  const auto most = static_cast<unsigned>(std::min<std::uint64_t>(cells, most_k));
  const unsigned k =
      c.items == 0 ? most : math::size_for_bits(layout::rows, c.items, cells, most).k;
  return {k, cells / k};
}

}  // namespace

decay_ring::decay_ring(const decay_ring_config& c) {
  const int ways =
      c.window.has_value() + c.polynomial.has_value() + !c.weights.empty() + static_cast<bool>(c.g);
  if (ways != 1) {
    throw error(errc::invalid_argument,
                "a decay ring needs one of window, polynomial, weights and g; got " +
                    std::to_string(ways) + " of them");
  }
  clock_ = tick_clock(std::chrono::microseconds(tick_of(c)));
  if (c.polynomial) {
    curve_ = curve::polynomial;
    alpha_ = *c.polynomial;
    ages_ = dyadic_ages(c);
  } else {
    curve_ = c.window ? curve::window : curve::weights;
    weights_ = weights_of(c);
    expect_weights(weights_, errc::invalid_argument);
    ages_ = ring_ages::single(static_cast<unsigned>(weights_.size()));
  }
  const shape size = shape_of(c, ring_cells::bytes_per_cell(slots()), most_k);
  k_ = size.k;
  row_ = size.row;
  if (row_ > detail::max_buffer_bytes / ring_cells::bytes_per_cell(slots()) / k_) {
    throw error(errc::too_large, "a decay ring has at most " + text_of(detail::max_buffer_bytes) +
                                     " bytes of cells, asked for " + text_of(k_) + " rows of " +
                                     text_of(row_));
  }
  seed_ = c.seed;
  ahead_ = forward::ticks_in(c.ahead, clock_.resolution());
  totals_.resize(slots());
  cells_ = ring_cells(k_ * row_, slots());
}

// -- time --------------------------------------------------------------------------------------

void decay_ring::go_to(std::int64_t tick) noexcept {
  ages_.move(totals_, tick_, tick);
  tick_ = tick;
}

void decay_ring::advance(instant now) noexcept {
  const std::int64_t tick = clock_.tick_of(now).number;
  if (events_ != 0 && tick > tick_) go_to(tick);
}

void decay_ring::clear() noexcept {
  cells_.clear();
  std::fill(totals_.begin(), totals_.end(), 0);
  events_ = 0;
  start_ = tick_ = 0;
}

// What a cell would have in each slot, were it written now.
void decay_ring::look_up(std::uint64_t cell, std::int64_t now, counts& values) const noexcept {
  const std::span<std::uint64_t> used(values.data(), slots());
  cells_.get(cell, used);
  const std::uint64_t then = static_cast<std::uint64_t>(start_) + cells_.stamp(cell);
  ages_.move(used, static_cast<std::int64_t>(then), now);
}

// -- events ------------------------------------------------------------------------------------

// Minimum increase, within the slot of the event: on sums over slots it would undercount once the
// slots of other items expire (docs/math.md, Minimum increase under decay).
outcome decay_ring::add_digest(digest d, instant when, std::uint64_t weight) {
  expect_cells();
  const std::int64_t tick = clock_.tick_of(when).number;
  const bool first = events_ == 0;
  const bool later = first || tick > tick_;
  if (too_far_ahead(tick)) return outcome::future;
  if (weight == 0) return outcome::added;
  const std::int64_t now = later ? tick : tick_;
  const auto slot = ages_.slot_of(tick, now);
  if (!slot) return outcome::dropped_late;
  const counts totals = totals_at(now);
  if (weight >
      largest - std::accumulate(totals.begin(), totals.begin() + slots(), std::uint64_t{0})) {
    return outcome::full;
  }

  const detail::row_probes probes{row_, k_};
  std::array<counts, most_k> values;
  std::uint64_t least = largest;
  for (unsigned i = 0; i < k_; ++i) {
    look_up(probes.position(d, i), now, values[i]);
    least = std::min(least, values[i][*slot]);
  }
  if (weight > largest - least) return outcome::full;
  std::uint64_t large = 0;
  for (unsigned i = 0; i < k_; ++i) {
    values[i][*slot] = std::max(values[i][*slot], least + weight);
    large += static_cast<std::uint64_t>(
        std::count_if(values[i].begin(), values[i].begin() + slots(),
                      [](std::uint64_t v) { return v >= ring_cells::elsewhere; }));
  }
  if (large != 0) cells_.reserve(large);
  // From here on nothing fails.
  if (first) start_ = tick_ = tick;
  if (later) go_to(tick);
  for (unsigned i = 0; i < k_; ++i) {
    cells_.set(probes.position(d, i), passed(now), std::span(values[i].data(), slots()));
  }
  totals_[*slot] += weight;
  add_events(1);
  return tick < tick_ ? outcome::late : outcome::added;
}

decay_ring::counts decay_ring::totals_at(std::int64_t now) const noexcept {
  counts totals;
  std::copy(totals_.begin(), totals_.end(), totals.begin());
  ages_.move(std::span(totals.data(), slots()), tick_, now);
  return totals;
}

// -- answers -----------------------------------------------------------------------------------

double decay_ring::weight_above(unsigned slot, std::int64_t now) const noexcept {
  const auto age = ages_.ages_of(slot, now).youngest;
  if (curve_ != curve::polynomial) return weights_[static_cast<std::size_t>(age)];
  // Below the range of normal doubles a weight would lose its digits, or be nothing.
  return std::max(std::pow(1 + static_cast<double>(age), -alpha_),
                  std::numeric_limits<double>::min());
}

double decay_ring::weight_below(unsigned slot, std::int64_t now) const noexcept {
  const auto age = ages_.ages_of(slot, now).oldest;
  if (curve_ == curve::weights) return weights_[static_cast<std::size_t>(age)];
  // The oldest slot of a window has events on both sides of its end.
  if (curve_ == curve::window) return age + 1 < slots() ? 1 : 0;
  return age == ring_ages::unbounded ? 0 : std::pow(1 + static_cast<double>(age), -alpha_);
}

// What counts in full is summed up exactly.
double decay_ring::weighted_above(const counts& values, std::int64_t now) const noexcept {
  forward::unsigned_wide in_full = 0;
  double sum = 0;
  for (unsigned i = 0; i < slots(); ++i) {
    if (values[i] == 0) continue;
    const double weight = weight_above(i, now);
    if (weight == 1) {
      in_full += values[i];
    } else {
      sum += weight * static_cast<double>(values[i]);
    }
  }
  const auto whole = static_cast<double>(in_full);
  if (sum == 0 && whole < 0x1p53) return whole;
  return std::nextafter((whole + sum) * (1 + rounding), forward::infinite);
}

double decay_ring::weighted_below(const counts& values, std::int64_t now) const noexcept {
  double sum = 0;
  for (unsigned i = 0; i < slots(); ++i) {
    if (values[i] != 0) sum += weight_below(i, now) * static_cast<double>(values[i]);
  }
  return sum * (1 - rounding);
}

estimate decay_ring::at_digest(digest d, instant when) const noexcept {
  if (events_ == 0) return {};
  const std::int64_t now = std::max(tick_, clock_.tick_of(when).number);
  const detail::row_probes probes{row_, k_};
  counts least;
  look_up(probes.position(d, 0), now, least);
  for (unsigned i = 1; i < k_; ++i) {
    counts other;
    look_up(probes.position(d, i), now, other);
    for (unsigned s = 0; s < slots(); ++s) least[s] = std::min(least[s], other[s]);
  }
  const double upper = weighted_above(least, now);
  const double others = math::row_share(row_) * mass(when);
  return {upper, std::max(0.0, weighted_below(least, now) - others), upper};
}

estimate decay_ring::rate_of(const estimate& count) const noexcept {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (curve_ == curve::polynomial) return {nan, nan, nan};
  const double ticks = curve_ == curve::window
                           ? slots() - 1
                           : std::accumulate(weights_.begin(), weights_.end(), 0.0);
  const double seconds = ticks * static_cast<double>(clock_.resolution().count()) / 1e6;
  return {count.value / seconds, count.lower / seconds, count.upper / seconds};
}

double decay_ring::mass(instant when) const noexcept {
  if (events_ == 0) return 0;
  const std::int64_t now = std::max(tick_, clock_.tick_of(when).number);
  return weighted_above(totals_at(now), now);
}

std::uint64_t decay_ring::warm_cells() const noexcept {
  std::uint64_t warm = 0;
  counts values;
  for (std::uint64_t cell = 0; events_ != 0 && cell < cells(); ++cell) {
    look_up(cell, tick_, values);
    const auto end = values.begin() + slots();
    warm += std::any_of(values.begin(), end, [](std::uint64_t count) { return count != 0; });
  }
  return warm;
}

BLOOMTIME_VALUE_OF(decay_ring);

}  // namespace bloomtime
