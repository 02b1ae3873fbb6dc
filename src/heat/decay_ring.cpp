#include <bloomtime/heat/decay_ring.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <bloomtime/detail/probes.hpp>
#include <bloomtime/detail/storing.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/heat.hpp>
#include <bloomtime/math/rows.hpp>

#include "detail/refuse.hpp"
#include "heat/forward.hpp"
#include "heat/merge_weight.hpp"
#include "math/expect.hpp"

namespace bloomtime {
namespace {

using detail::ring_ages;
using detail::ring_cells;
using math::text_of;

constexpr std::uint32_t cells_section = 1;
constexpr std::uint32_t large_section = 2;
constexpr std::uint32_t totals_section = 3;
constexpr std::uint32_t weights_section = 4;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
// Bounds the relative error of a thousand operations on doubles and one pow.
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

// Level 0 covers ages up to 2b ticks, and each further level twice as much. The factor also holds
// for the youngest events of the last slot, which begins beyond 2b * 2^levels.
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

// Throws unless weights by age begin with 1 and never rise.
void expect_weights(const std::vector<double>& weights, errc code) {
  if (weights.empty() || weights.size() > ring_ages::most_slots) {
    throw error(code, "a decay ring has 1 to " + text_of(ring_ages::most_slots) + " weights, got " +
                          std::to_string(weights.size()));
  }
  const std::string rule =
      "the weights of a decay ring begin with 1 and never rise (polyexponential decay, a^j "
      "lambda^a, begins with 0 and rises before it falls: it is no decay of single events), got ";
  double before = 1;
  for (std::size_t age = 0; age < weights.size(); ++age) {
    const double weight = weights[age];
    if (!(weight >= 0 && weight <= before) || (age == 0 && weight != 1)) {
      throw error(code, rule + text_of(weight) + " at age " + std::to_string(age));
    }
    before = weight;
  }
}

math::heat_size shape_of(const decay_ring_config& c, std::uint64_t bytes_per_cell,
                         unsigned most_k) {
  math::expect_one(c.error.has_value() + c.memory.has_value(),
                   "a decay ring needs one size, error or memory");
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
  math::expect_one(c.window.has_value() + c.polynomial.has_value() + !c.weights.empty(),
                   "a decay ring needs one of window, polynomial and weights");
  clock_ = tick_clock(std::chrono::microseconds(tick_of(c)));
  if (c.polynomial) {
    curve_ = curve::polynomial;
    alpha_ = *c.polynomial;
    ages_ = dyadic_ages(c);
  } else {
    curve_ = c.window ? curve::window : curve::weights;
    weights_ = c.window ? std::vector<double>(c.slots + 1, 1.0) : c.weights;
    expect_weights(weights_, errc::invalid_argument);
    ages_ = ring_ages::single(static_cast<unsigned>(weights_.size()));
  }
  const math::heat_size size = shape_of(c, ring_cells::bytes_per_cell(slots()), most_k);
  k_ = size.k;
  row_ = size.row;
  if (row_ > detail::max_buffer_bytes / ring_cells::bytes_per_cell(slots()) / k_) {
    throw error(errc::too_large, "a decay ring has at most " + text_of(detail::max_buffer_bytes) +
                                     " bytes of cells, got " + text_of(k_) + " rows of " +
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

// The counts of a cell by slot, as of `now`.
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
  // Nothing below can fail.
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
  // A weight below the range of normal doubles would lose precision or become 0.
  return std::max(std::pow(1 + static_cast<double>(age), -alpha_),
                  std::numeric_limits<double>::min());
}

double decay_ring::weight_below(unsigned slot, std::int64_t now) const noexcept {
  const auto age = ages_.ages_of(slot, now).oldest;
  if (curve_ == curve::weights) return weights_[static_cast<std::size_t>(age)];
  // The oldest slot of a window holds events on both sides of the window's end.
  if (curve_ == curve::window) return age + 1 < slots() ? 1 : 0;
  return age == ring_ages::unbounded ? 0 : std::pow(1 + static_cast<double>(age), -alpha_);
}

// Counts of weight 1 are added exactly.
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

// -- rings of several streams ------------------------------------------------------------------

void decay_ring::merge(const decay_ring& other, double weight) {
  const auto describe = [](const decay_ring& r) {
    return r.shape_text() + ", " + text_of(r.slots()) + " slots, decay " +
           text_of(static_cast<unsigned>(r.curve_));
  };
  if (!same_shape(other) || curve_ != other.curve_ || alpha_ != other.alpha_ ||
      weights_ != other.weights_ || ages_ != other.ages_) {
    detail::refuse_merge("decay rings merge if decay, cells, k, seed and clock are equal",
                         describe(*this), describe(other));
  }
  const forward::merge_weight by(weight);
  if (!by.is_whole()) {
    throw error(
        errc::unsupported,
        "decay rings have whole counts and merge with whole weights; got " + text_of(weight));
  }
  if (other.events_ == 0 || by.is_zero()) return;
  const bool copies = events_ == 0 && by.is_one();
  decay_ring sum(copies ? other : *this);
  sum.ahead_ = ahead_;
  sum.losses_ = losses_;
  if (!copies) sum.add_ring(other, by);
  *this = std::move(sum);
}

// In each slot, the sum of upper bounds is an upper bound of the sum.
void decay_ring::add_ring(const decay_ring& other, const forward::merge_weight& by) {
  if (events_ == 0) start_ = tick_ = other.tick_;
  if (other.tick_ > tick_) go_to(other.tick_);
  add_events(other.events_);
  const counts totals = other.totals_at(tick_);
  forward::unsigned_wide sum = std::accumulate(totals_.begin(), totals_.end(), std::uint64_t{0});
  for (unsigned s = 0; s < slots(); ++s) sum += by.above(totals[s]);
  if (sum > largest) {
    throw error(errc::too_large, "the counts of both rings together exceed 64 bits");
  }
  const auto add = [&](std::uint64_t& mine, std::uint64_t theirs) {
    mine = forward::sum(mine, by.above(theirs));
  };
  for (unsigned s = 0; s < slots(); ++s) add(totals_[s], totals[s]);
  counts mine;
  counts theirs;
  for (std::uint64_t cell = 0; cell < cells(); ++cell) {
    look_up(cell, tick_, mine);
    other.look_up(cell, tick_, theirs);
    for (unsigned s = 0; s < slots(); ++s) add(mine[s], theirs[s]);
    cells_.set(cell, passed(tick_), std::span(mine.data(), slots()));
  }
}

// -- storage -----------------------------------------------------------------------------------

void decay_ring::write(detail::container_writer& out) const {
  expect_cells();
  write_head(out);
  auto& p = out.parameters();
  p.u64(static_cast<std::uint64_t>(curve_));
  p.u64(curve_ == curve::polynomial ? ages_.per_octave() : slots());
  p.u64(ages_.levels());
  p.f64(alpha_);
  p.u64(k_);
  p.u64(row_);
  p.u64(ahead_);
  p.u64(events_);
  p.i64(start_);
  p.i64(tick_);
  detail::byte_writer totals;
  for (const std::uint64_t total : totals_) totals.u64(total);
  detail::byte_writer weights;
  for (const double weight : weights_) weights.f64(weight);
  out.section(cells_section, cells_.storage().bytes());
  out.section(large_section, cells_.large().written());
  out.section(totals_section, std::move(totals).written());
  out.section(weights_section, std::move(weights).written());
}

decay_ring decay_ring::read(const detail::container_view& view) {
  view.expect_sections(4);
  decay_ring ring;
  ring.read_parameters(view);
  const std::uint64_t bytes = ring_cells::bytes_per_cell(ring.slots()) * ring.k_ * ring.row_;
  const auto cells = view.section(cells_section, bytes);
  const auto large = view.section(large_section);
  if (ring.events_ == 0 && !(large.empty() && detail::all_zero(cells))) contradict();
  ring.cells_ = ring_cells::read(cells, large, ring.slots(), ring.passed(ring.tick_));
  return ring;
}

void decay_ring::read_parameters(const detail::container_view& view) {
  detail::byte_reader in = view.parameters();
  const std::uint64_t which = in.u64();
  const std::uint64_t number = in.u64();  // of slots, in all or per octave
  const std::uint64_t levels = in.u64();
  alpha_ = in.f64();
  const std::uint64_t k = in.u64();
  row_ = in.u64();
  ahead_ = in.u64();
  events_ = in.u64();
  start_ = in.i64();
  tick_ = in.i64();
  in.expect_end();
  if (which < 1 || which > 3 || !read_head(view, k, most_k) || start_ > tick_ ||
      (events_ == 0 && (start_ != 0 || tick_ != 0))) {
    contradict();
  }
  curve_ = static_cast<curve>(which);
  if (curve_ == curve::polynomial) {
    if (number < 1 || number > 16 || levels > 63 || !(alpha_ >= 0 && alpha_ <= 64)) contradict();
    ages_ = ring_ages::dyadic(static_cast<unsigned>(number), static_cast<unsigned>(levels));
  } else {
    const unsigned fewest = curve_ == curve::window ? 2 : 1;  // a window has one slot to spare
    if (number < fewest || number > ring_ages::most_slots || levels != 0 || alpha_ != 0)
      contradict();
    ages_ = ring_ages::single(static_cast<unsigned>(number));
  }
  const std::uint64_t most = detail::max_buffer_bytes / ring_cells::bytes_per_cell(slots()) / k;
  if (slots() > ring_ages::most_slots || row_ == 0 || row_ > most) contradict();
  const std::uint64_t weights = curve_ == curve::polynomial ? 0 : slots();
  detail::byte_reader decay(view.section(weights_section, 8 * weights));
  for (std::uint64_t i = 0; i < weights; ++i) weights_.push_back(decay.f64());
  if (weights != 0) expect_weights(weights_, errc::corrupt);
  if (curve_ == curve::window && weights_ != std::vector<double>(weights, 1.0)) contradict();
  detail::byte_reader totals(view.section(totals_section, 8 * std::uint64_t{slots()}));
  std::uint64_t sum = 0;
  for (unsigned s = 0; s < slots(); ++s) {
    totals_.push_back(totals.u64());
    if (totals_.back() > largest - sum) contradict();
    sum += totals_.back();
  }
  if (events_ == 0 && sum != 0) contradict();
}

BLOOMTIME_VALUE_OF(decay_ring);
template class detail::stored<decay_ring>;

}  // namespace bloomtime
