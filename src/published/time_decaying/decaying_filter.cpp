#include <bloomtime/published/time_decaying/decaying_filter.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <bloomtime/detail/probes.hpp>
#include <bloomtime/detail/storing.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/heat.hpp>
#include <bloomtime/math/rows.hpp>
#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

#include "detail/refuse.hpp"
#include "heat/forward.hpp"
#include "heat/merge_weight.hpp"

namespace bloomtime::published {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr double random_tail = 1e-9;  // of random rounding, beyond `upper`
constexpr double slack = 0x1p-50;     // for the rounding of a few operations on doubles

// A sweep multiplies by a factor that is too large by less than 2^-52.9 of itself
// (decay::power::upper). At most 2^-52.9 V of that excess is left of each earlier sweep in a
// counter V, and less of sweeps so long ago that 64 bits have faded. The sum is at most 2^-52.9 V
// (64 half-lives + 1 / (1 - lambda)), where a half-life is at most ln 2 / (1 - lambda).
constexpr double factor_excess = 0x1p-47;

using std::to_string;

double not_below(std::uint64_t n) {
  const auto d = static_cast<double>(n);
  return n < std::uint64_t{1} << 53 ? d
                                    : std::nextafter(d, std::numeric_limits<double>::infinity());
}

double not_above(std::uint64_t n) {
  const auto d = static_cast<double>(n);
  return n < std::uint64_t{1} << 53 ? d : std::nextafter(d, 0);
}

bool is_rounding(std::uint64_t n) { return n >= 1 && n <= 3; }
bool is_increase(std::uint64_t n) { return n == 1 || n == 2; }

// One event of the newest epoch, as mass.
forward::unsigned_wide one_hit(const decay::power& now) {
  return forward::units_above(1, now, now, forward::mass_fraction);
}

template <class Cells>
math::heat_size shape_of(const decaying_config& c, std::uint64_t setting, unsigned most_k,
                         unsigned usual_k) {
  math::expect_one(c.error.has_value() + c.memory.has_value(),
                   std::string(Cells::kind.called) + " needs one size, error or memory");
  if (c.error) {
    const auto size = math::size_for_error(layout::rows, c.items, *c.error, most_k);
    return {size.k, size.bits / size.k};
  }
  const std::uint64_t cells = Cells::cells_in(*c.memory, setting);
  if (cells < usual_k || *c.memory > detail::max_buffer_bytes) {
    throw error(cells < usual_k ? errc::invalid_argument : errc::too_large,
                std::string(Cells::kind.called) + " has room for " + to_string(usual_k) +
                    " cells and at most " + to_string(detail::max_buffer_bytes) + " bytes, got " +
                    to_string(*c.memory) + " bytes");
  }
  const unsigned k =
      c.items == 0 ? usual_k : math::size_for_bits(layout::rows, c.items, cells, most_k).k;
  return {k, cells / k};
}

// The most that rounding up adds to a counter, 1 / (1 - lambda) hits, in units of mass. Computed
// from integers, because it is stored.
forward::unsigned_wide most_rounded_up(const decay& fading, const decay::power& now) {
  if (!fading.fades()) return 0;
  const decay::power step = fading.at(-1);  // lambda itself, below 1
  constexpr std::uint64_t one = std::uint64_t{1} << decay::factor_bits;
  const std::uint64_t lambda = forward::halved(
      step.upper,
      forward::exponent(-step.halvings) < 63 ? static_cast<unsigned>(-step.halvings) : 63U);
  if (lambda >= one) return forward::endless_mass;
  const std::uint64_t hits = one / (one - lambda) + 1;
  return forward::units_above(hits, now, now, forward::mass_fraction);
}

}  // namespace

template <class Cells>
basic_decaying_filter<Cells>::basic_decaying_filter(const decaying_config& config) {
  decay_ = forward::decay_of(config.half_life, config.lambda, config.epoch);
  clock_ = tick_clock(config.epoch);
  const std::uint64_t setting = Cells::setting_of(config);
  const math::heat_size size = shape_of<Cells>(config, setting, most_k, usual_k);
  k_ = size.k;
  row_ = size.row;
  seed_ = config.seed;
  rounding_ = config.rounding;
  increase_ = config.increase;
  ahead_ = forward::ticks_in(config.ahead, config.epoch);
  if (!Cells::is_setting(setting, this->cells())) {
    throw error(errc::too_large, std::string(Cells::kind.called) + " cannot have " +
                                     to_string(this->cells()) +
                                     " cells; give less memory or fewer items");
  }
  cells_ = Cells(this->cells(), setting);
}

// -- time --------------------------------------------------------------------------------------

template <class Cells>
detail::fade basic_decaying_filter<Cells>::fade_to(std::int64_t epoch) const noexcept {
  const std::uint64_t passed = epoch > tick_ ? face::ticks_between(tick_, epoch) : 0;
  return {decay_, passed, rounding_,
          static_cast<std::uint64_t>(epoch) ^ detail::mix(seed_.value())};
}

template <class Cells>
void basic_decaying_filter<Cells>::go_to(std::int64_t epoch, const decay::power& next) noexcept {
  cells_.sweep(fade_to(epoch));
  const decay::wide halvings = next.halvings - power_.halvings;
  mass_ = forward::faded_mass(mass_, halvings);
  late_ = forward::faded_mass(late_, halvings);
  face::set_tick(epoch, next);
}

template <class Cells>
void basic_decaying_filter<Cells>::advance(instant now) noexcept {
  const std::int64_t epoch = face::tick_of(now);
  if (events_ != 0 && epoch > tick_) go_to(epoch, decay_.at(epoch));
}

template <class Cells>
void basic_decaying_filter<Cells>::clear() {
  cells_ = Cells(this->cells(), cells_.setting());
  face::forget_time();
  late_ = 0;
}

// -- events ------------------------------------------------------------------------------------

template <class Cells>
outcome basic_decaying_filter<Cells>::add_digest(digest d, instant when, std::uint64_t weight) {
  face::expect_cells();
  const std::int64_t epoch = face::tick_of(when);
  const bool first = events_ == 0;
  const bool later = !first && epoch > tick_;
  const bool late = !first && epoch < tick_;
  if (face::too_far_ahead(epoch)) return outcome::future;
  if (weight == 0) return late ? outcome::late : outcome::added;

  std::uint64_t units = weight;
  if (late) {
    const std::uint64_t age = face::ticks_between(epoch, tick_);
    units = detail::fade(decay_, age, rounding::up, 0)(weight, 0);
  }
  const raises plan =
      this->plan(d, first ? detail::fade(decay_, 0, rounding_, 0) : fade_to(epoch), units);
  cells_.prepare(plan.span());
  // Nothing below can fail.
  const decay::power then = face::power_at(epoch);
  if (first) face::set_tick(epoch, then);
  if (later) go_to(epoch, then);
  bool pinned = plan.all_pinned;
  for (const detail::raise& r : plan.span()) pinned |= !cells_.set(r);
  mass_ = forward::sum_of_mass(mass_,
                               forward::units_above(weight, then, power_, forward::mass_fraction));
  if (late) late_ = forward::sum_of_mass(late_, one_hit(power_));
  face::add_events(1);
  return pinned ? outcome::saturated : late ? outcome::late : outcome::added;
}

// The cells that an event raises and their new values, after the decay until its time. Pinned cells
// may be below the truth and are ignored.
template <class Cells>
auto basic_decaying_filter<Cells>::plan(digest d, const detail::fade& passing,
                                        std::uint64_t units) const noexcept -> raises {
  const detail::row_probes probes{row_, k_};
  const bool in_parts = increase_ == increase::plain && passing.changes_nothing();
  raises plan;
  std::uint64_t least = largest;
  for (unsigned i = 0; i < k_; ++i) {
    const std::uint64_t cell = probes.position(d, i);
    if (cells_.pinned(cell)) continue;
    plan.all_pinned = false;
    const std::uint64_t value =
        in_parts ? cells_.part(cell, units) : passing(cells_.get(cell), cell);
    least = std::min(least, value);
    plan.list[plan.count++] = {cell, value, forward::sum(value, units)};
  }
  if (increase_ == increase::plain) return plan;
  const unsigned count = std::exchange(plan.count, 0);
  for (unsigned i = 0; i < count; ++i) {
    const auto [cell, value, unused] = plan.list[i];
    if (value < forward::sum(least, units))
      plan.list[plan.count++] = {cell, value, forward::sum(least, units)};
  }
  return plan;
}

// -- answers -----------------------------------------------------------------------------------

// How far rounding may have lowered a counter. With random rounding, plain counters are independent
// random walks (Azuma's inequality). With minimum increase every event copies the lowest of k
// walks, so only the bound for rounding down holds.
template <class Cells>
double basic_decaying_filter<Cells>::rounded_off() const noexcept {
  if (rounding_ == rounding::up || !decay_.fades()) return 0;
  const double down = 1 / decay_.loss();
  if (rounding_ == rounding::down || increase_ == increase::minimum) return down * (1 + slack);
  const double lambda = decay_.factor();
  return std::sqrt(std::log(k_ / random_tail) / (2 * decay_.loss() * (1 + lambda))) * (1 + slack);
}

// A lower bound of the item's own count, from the smallest of its k cells. Subtracts what rounding
// up added (less than 1 / (1 - lambda), and factor_excess), late events (less than 1 each) and
// other items.
template <class Cells>
double basic_decaying_filter<Cells>::lower_of(std::uint64_t least, double mass,
                                              double late) const noexcept {
  const double value = not_above(least);
  const double rounded_up = decay_.fades() ? (1 + value * factor_excess) / decay_.loss() : 0;
  const double others = math::row_share(row_) * (mass + late);
  return std::max(0.0, std::nextafter(value - (rounded_up + late + others) * (1 + slack), 0));
}

template <class Cells>
estimate basic_decaying_filter<Cells>::at_digest(digest d, instant when) const noexcept {
  if (events_ == 0) return {};
  const detail::row_probes probes{row_, k_};
  const std::int64_t epoch = face::tick_or_newest(when);
  const detail::fade passing = fade_to(epoch);
  std::uint64_t least = largest;
  std::uint64_t guess = largest;  // from pinned cells, of which only the overflow is known
  bool pinned = false;
  for (unsigned i = 0; i < k_; ++i) {
    const std::uint64_t cell = probes.position(d, i);
    const std::uint64_t value = cells_.get(cell);
    if (cells_.pinned(cell)) {
      guess = std::min(guess, value);
      pinned = true;
    } else {
      least = std::min(least, passing(value, cell));
    }
  }
  const decay::power now = face::power_at(epoch);
  const double mass = forward::mass_in_hits(mass_, power_, now);
  if (least == largest) return {std::min(not_below(guess), mass), 0, mass};
  const double value = not_below(least);
  const double missing = rounded_off();
  const double upper = missing == 0 ? value : std::nextafter(value + missing, forward::infinite);
  // With a pinned cell, fewer than k rows bound the counts of other items.
  if (pinned) return {value, 0, upper};
  return {value, lower_of(least, mass, forward::mass_in_hits(late_, power_, now)), upper};
}

template <class Cells>
std::uint64_t basic_decaying_filter<Cells>::warm_cells() const noexcept {
  std::uint64_t warm = 0;
  for (std::uint64_t i = 0; i < this->cells(); ++i) warm += cells_.get(i) != 0;
  return warm;
}

// -- sets of filters ---------------------------------------------------------------------------

template <class Cells>
void basic_decaying_filter<Cells>::merge(const basic_decaying_filter& other, double weight) {
  const auto describe = [](const basic_decaying_filter& f) {
    return f.shape_text() + ", " + forward::rate_text(f.decay_) + ", rounding " +
           to_string(static_cast<std::uint8_t>(f.rounding_)) + ", setting " +
           to_string(f.cells_.setting());
  };
  if (!face::same_shape(other) || decay_ != other.decay_ ||
      cells_.setting() != other.cells_.setting() || rounding_ != rounding::up ||
      other.rounding_ != rounding::up) {
    detail::refuse_merge(
        "decaying filters merge if cells, k, seed, decay and clock are equal and counters round up "
        "(1)",
        describe(*this), describe(other));
  }
  const forward::merge_weight by(weight);
  if (other.events_ == 0 || by.is_zero()) return;
  basic_decaying_filter merged(*this);
  if (events_ == 0) merged.set_tick(other.tick_, other.power_);
  if (other.tick_ > merged.tick_) merged.go_to(other.tick_, other.power_);
  merged.add_cells(other, by);
  const decay::wide behind = merged.power_.halvings - other.power_.halvings;
  const auto add = [&](unsigned_wide& mine, unsigned_wide more) {
    mine = forward::sum_of_mass(mine, by.mass(more));
  };
  add(merged.mass_, forward::faded_mass(other.mass_, behind));
  add(merged.late_, forward::faded_mass(other.late_, behind));
  // What the other filter rounded up; lower_of() allows for it once.
  if (events_ != 0 || !by.is_one()) add(merged.late_, most_rounded_up(decay_, merged.power_));
  if (!by.is_whole()) {
    merged.late_ = forward::sum_of_mass(merged.late_, one_hit(merged.power_));
  }
  merged.add_events(other.events_);
  *this = std::move(merged);
}

// The sum of upper bounds is an upper bound of the sum.
template <class Cells>
void basic_decaying_filter<Cells>::add_cells(const basic_decaying_filter& other,
                                             const forward::merge_weight& by) {
  const detail::fade passing = other.fade_to(tick_);
  for (std::uint64_t i = 0; i < this->cells(); ++i) {
    const std::uint64_t had = cells_.get(i);
    const bool pinned = cells_.pinned(i) || other.cells_.pinned(i);
    const unsigned_wide more = by.above(passing(other.cells_.get(i), i));
    const detail::raise r{
        i, had, pinned || more > largest - had ? largest : had + static_cast<std::uint64_t>(more)};
    if (r.to == had) continue;
    cells_.prepare({&r, 1});
    cells_.set(r);
  }
}

// -- storage -----------------------------------------------------------------------------------

template <class Cells>
void basic_decaying_filter<Cells>::write(detail::container_writer& out) const {
  face::expect_cells();
  out.info().engine = kind.engines[decay_.fine_rate() == 0 ? 0 : 1];
  face::write_head(out);
  auto& p = out.parameters();
  p.u64(cells_.setting());
  p.u64(k_);
  p.u64(row_);
  p.u64(decay_.coarse_rate());
  p.u64(ahead_);
  p.u64(static_cast<std::uint8_t>(rounding_));
  p.u64(static_cast<std::uint8_t>(increase_));
  p.u64(events_);
  p.i64(tick_);
  forward::write(p, mass_);
  forward::write(p, late_);
  if (decay_.fine_rate() != 0) p.u64(decay_.fine_rate());
  cells_.write(out);
}

template <class Cells>
auto basic_decaying_filter<Cells>::read(const detail::container_view& view)
    -> basic_decaying_filter {
  view.expect_sections(Cells::sections);
  basic_decaying_filter f;
  detail::byte_reader in = view.parameters();
  const std::uint64_t setting = in.u64();
  const std::uint64_t k = in.u64();
  f.row_ = in.u64();
  const std::uint64_t coarse_rate = in.u64();
  f.ahead_ = in.u64();
  const std::uint64_t rounding_id = in.u64();
  const std::uint64_t increase_id = in.u64();
  f.events_ = in.u64();
  f.tick_ = in.i64();
  f.mass_ = forward::read_wide(in);
  f.late_ = forward::read_wide(in);
  f.decay_ = forward::read_decay(coarse_rate, view.info().engine == kind.engines[1], in);
  in.expect_end();
  if (!f.read_head(view, k, most_k) || f.row_ == 0 || f.row_ > detail::max_buffer_bytes / 4 / k ||
      !Cells::is_setting(setting, k * f.row_) || !is_rounding(rounding_id) ||
      !is_increase(increase_id) ||
      (f.events_ == 0 && (f.tick_ != 0 || f.mass_ != 0 || f.late_ != 0))) {
    basic_decaying_filter::contradict();
  }
  f.rounding_ = static_cast<bloomtime::published::rounding>(rounding_id);
  f.increase_ = static_cast<bloomtime::published::increase>(increase_id);
  if (f.events_ != 0) f.set_tick(f.tick_, f.decay_.at(f.tick_));
  f.cells_ = Cells::read(view, f.cells(), setting);
  for (std::uint64_t i = 0; f.events_ == 0 && i < f.cells(); ++i) {
    if (f.cells_.get(i) != 0) {
      throw error(errc::corrupt,
                  std::string(kind.called) + " has no events, but cells that are not empty");
    }
  }
  return f;
}

BLOOMTIME_VALUE_OF_TEMPLATE(template <class Cells>, basic_decaying_filter,
                            basic_decaying_filter<Cells>);

template class basic_decaying_filter<detail::counter_cells>;
template class basic_decaying_filter<detail::digit_cells>;

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::decaying_filter>;
template class bloomtime::detail::stored<bloomtime::published::pooled_decaying_filter>;
