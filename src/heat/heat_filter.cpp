#include <bloomtime/heat/heat_filter.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <bloomtime/detail/storing.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/heat.hpp>
#include <bloomtime/math/rows.hpp>

#include "detail/refuse.hpp"
#include "heat/forward.hpp"
#include "heat/merge_weight.hpp"

namespace bloomtime {
namespace {

constexpr std::uint32_t lines_section = 1;
constexpr std::uint32_t large_section = 2;

// A hit counts 2^8 units times the factor of its tick. More would fill cells sooner, less would
// round every hit up by more than 1/256.
constexpr unsigned fraction = 8;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

using std::to_string;

std::uint64_t cells_per_line(unsigned cell_bits) {
  if (cell_bits != 16 && cell_bits != 32) {
    throw error(errc::invalid_argument,
                "the cells of a heat filter have 16 or 32 bits; got " + to_string(cell_bits));
  }
  return 512 / cell_bits - 1;
}

// Rows are whole lines.
math::heat_size shape_of(const heat_config& c, std::uint64_t per_line, unsigned most_k) {
  const auto in_lines = [&](std::uint64_t cells) {
    return (cells + per_line - 1) / per_line * per_line;
  };
  const bool by_share = c.epsilon || c.delta;
  math::expect_one(c.error.has_value() + by_share + c.memory.has_value(),
                   "a heat filter needs one size: error, epsilon and delta, or memory");
  if (by_share) {
    if (!c.epsilon || !c.delta) {
      throw error(errc::invalid_argument,
                  std::string("epsilon and delta must be given together; got only ") +
                      (c.epsilon ? "epsilon" : "delta"));
    }
    const auto size = math::heat_size_for_share(*c.epsilon, *c.delta, most_k);
    return {size.k, in_lines(size.row)};
  }
  if (c.error) {
    const auto size = math::size_for_error(layout::rows, c.items, *c.error, most_k);
    return {size.k, in_lines(size.bits / size.k)};
  }
  const std::uint64_t lines = *c.memory / detail::line_bytes;
  if (lines == 0 || *c.memory > detail::max_buffer_bytes) {
    throw error(lines == 0 ? errc::invalid_argument : errc::too_large,
                "a heat filter's memory is 64 to " + to_string(detail::max_buffer_bytes) +
                    " bytes; got " + to_string(*c.memory));
  }
  const auto most = static_cast<unsigned>(std::min<std::uint64_t>(lines, most_k));
  const unsigned k =
      c.items == 0 ? most : math::size_for_bits(layout::rows, c.items, lines * per_line, most).k;
  return {k, lines / k * per_line};
}

// One unit of a cell, as mass.
constexpr forward::unsigned_wide cell_unit = forward::unsigned_wide{1}
                                             << (forward::mass_fraction - fraction);
// Halvings forget less than this many units: each forgets one, and halves what was forgotten
// before.
constexpr unsigned forgets = 2;
// At least this share of a value was added by events: rounding adds at most one unit in 2^fraction
// to an event, unless it is so late that it has fewer units.
constexpr double least_share = 1 / (1 + 1.0 / (1 << fraction)) * (1 - 0x1p-49);

}  // namespace

heat_filter::heat_filter(const heat_config& config) : cells_(narrow()) {
  decay_ = forward::decay_of(config.half_life, config.lambda, config.tick);
  clock_ = tick_clock(config.tick);
  const std::uint64_t per_line = cells_per_line(config.cell_bits);
  const math::heat_size size = shape_of(config, per_line, most_k);
  k_ = size.k;
  row_ = size.row;
  row_lines_ = row_ / per_line;
  seed_ = config.seed;
  ahead_ = forward::ticks_in(config.ahead, config.tick);
  if (config.cell_bits == 16) {
    cells_ = narrow(k_ * row_lines_);
  } else {
    cells_ = broad(k_ * row_lines_);
  }
}

// -- time --------------------------------------------------------------------------------------

// The number of halvings since the cells began to count them.
std::uint32_t heat_filter::halvings_at(const decay::power& p) const noexcept {
  constexpr decay::wide most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::uint32_t>(std::min(p.halvings - base_, most));
}

void heat_filter::set_tick(std::int64_t tick, const decay::power& p) noexcept {
  detail::forward_state::set_tick(tick, p);
  hit_ = arrival_of(1, p, p);
  unit_ = forward::hits_per_unit(p, fraction);
  mass_unit_ = forward::hits_per_unit(p, forward::mass_fraction);
}

heat_filter::arrival heat_filter::arrival_of(std::uint64_t weight, const decay::power& then,
                                             const decay::power& now) const noexcept {
  return {halvings_at(now), forward::units_above(weight, then, now, fraction),
          forward::units_above(weight, then, now, forward::mass_fraction)};
}

void heat_filter::go_to(std::int64_t tick, const decay::power& next) noexcept {
  const decay::wide behind = next.halvings - power_.halvings;
  mass_ = forward::faded_mass(mass_, behind);
  rounded_up_ = forward::faded_mass(rounded_up_, behind);
  forgotten_ = forward::faded_mass(forgotten_, behind);
  if (next.halvings - base_ > narrow::most_halvings) {
    std::visit([&](auto& cells) { cells.rebase(halvings_at(next)); }, cells_);
    base_ = next.halvings;
  }
  set_tick(tick, next);
}

void heat_filter::advance(instant now) noexcept {
  const std::int64_t tick = clock_.tick_of(now).number;
  if (events_ != 0 && tick > tick_) go_to(tick, decay_.at(tick));
}

void heat_filter::clear() noexcept {
  std::visit([](auto& cells) { cells.clear(); }, cells_);
  forget_time();
  forgotten_ = rounded_up_ = 0;
}

// -- events ------------------------------------------------------------------------------------

template <class Self, class Use>
decltype(auto) heat_filter::dispatch(Self& self, Use&& use) {
  const auto with_k = [&](auto& cells) {
    switch (self.k_) {
      case 1: return use(cells, std::integral_constant<unsigned, 1>());
      case 2: return use(cells, std::integral_constant<unsigned, 2>());
      case 3: return use(cells, std::integral_constant<unsigned, 3>());
      default: return use(cells, std::integral_constant<unsigned, most_k>());
    }
  };
  return std::visit(with_k, self.cells_);
}

template <unsigned k, class Cells>
heat_filter::spots heat_filter::spots_of(const Cells&, digest d) const noexcept {
  const detail::row_line_probes probes{row_lines_, k, Cells::per_line};
  spots where;
  for (unsigned i = 0; i < k; ++i) {
    const auto [line, cell] = probes.at(d, i);
    where[i] = Cells::spot_of(line, cell);
  }
  return where;
}

// Raises the item's cells. Returns false if its count would exceed 64 bits. Calls prepare() after
// the last operation that may fail and before the first change; prepare() returns the number of
// halvings of the cells.
template <unsigned k, class Cells, class Prepare>
BLOOMTIME_INLINE bool heat_filter::count(Cells& cells, const spots& where, const arrival& event,
                                         Prepare&& prepare) {
  const auto seen = cells.template look<k>(where, event.halvings);
  if (seen.current && event.units < cells.elsewhere - seen.least) [[likely]] {
    (void)prepare();
    cells.template raise_current<k>(where, seen,
                                    seen.least + static_cast<std::uint64_t>(event.units));
    mass_ = forward::sum_of_mass(mass_, event.mass);
    add_events(1);
    return true;
  }
  std::array<std::uint64_t, most_k> value;
  std::uint64_t least = largest;
#pragma GCC unroll 4
  for (unsigned i = 0; i < k; ++i) {
    value[i] = cells.get(where[i], event.halvings);
    least = std::min(least, value[i]);
  }
  if (event.units > largest - least) return false;
  const std::uint64_t raised = least + static_cast<std::uint64_t>(event.units);
  if (raised >= cells.elsewhere) [[unlikely]]
    cells.reserve(k);
  const std::uint32_t halvings = prepare();
#pragma GCC unroll 4
  for (unsigned i = 0; i < k; ++i) {
    // Minimum increase: a cell that is already high enough also counts other items.
    if (value[i] < raised) cells.raise(where[i], raised, halvings);
  }
  mass_ = forward::sum_of_mass(mass_, event.mass);
  add_events(1);
  return true;
}

template <unsigned k, class Cells>
BLOOMTIME_INLINE outcome heat_filter::add_to(Cells& cells, const spots& where, instant when,
                                             std::uint64_t weight) {
  if (weight != 1 || !in_newest_tick(when)) return add_elsewhen<k>(cells, where, when, weight);
  return count<k>(cells, where, hit_, [&] { return hit_.halvings; }) ? outcome::added
                                                                     : outcome::full;
}

template <unsigned k, class Cells>
outcome heat_filter::add_elsewhen(Cells& cells, const spots& where, instant when,
                                  std::uint64_t weight) {
  const std::int64_t tick = tick_of(when);
  const decay::power then = power_at(tick);
  if (events_ == 0) {
    base_ = then.halvings;
    set_tick(tick, then);
  }
  const bool later = tick > tick_;
  if (too_far_ahead(tick)) return outcome::future;
  if (weight == 0) return outcome::added;
  const auto catch_up = [&] {
    if (later) go_to(tick, then);
    return hit_.halvings;
  };
  // If events are forgotten at once, nothing is left of a late one; it counts as one unit.
  const bool forgotten = tick < tick_ && decay_.forgets_at_once();
  const arrival event = arrival_of(forgotten ? 1 : weight, then, later ? then : power_);
  if (!count<k>(cells, where, event, catch_up)) return outcome::full;
  if (then.halvings < power_.halvings) {
    rounded_up_ = forward::sum_of_mass(rounded_up_, cell_unit);
  }
  return tick < tick_ ? outcome::late : outcome::added;
}

outcome heat_filter::add_digest(digest d, instant when, std::uint64_t weight) {
  expect_cells();
  return dispatch(*this, [&](auto& cells, auto k) {
    return add_to<k()>(cells, spots_of<k()>(cells, d), when, weight);
  });
}

void heat_filter::add_block(spot_blocks& blocks, std::size_t count,
                            const detail::digest_block& next, std::span<const instant> when,
                            std::span<outcome> outcomes) {
  expect_cells();
  dispatch(*this, [&](auto& cells, auto k) {
    for (std::size_t i = 0; i < std::max(count, next.count); ++i) {
      if (i < next.count) {
        blocks.next()[i] = spots_of<k()>(cells, next[i]);
        for (unsigned j = 0; j < k(); ++j) cells.prefetch_write(blocks.next()[i][j]);
      }
      if (i < count) {
        outcomes[i] = losses_.count(add_to<k()>(cells, blocks.now()[i], when[i], 1));
      }
    }
  });
}

// -- answers -----------------------------------------------------------------------------------

// Other items have more than e times their mean share of the heat in all k rows with probability at
// most e^-k. Halvings round a cell up by 1/2 + 1/4 + ... of a unit.
heat_filter::moment heat_filter::moment_of(instant when) const noexcept {
  if (events_ == 0) return {0, 0, 0, 0};
  const std::int64_t tick = tick_or_newest(when);
  const bool newest = tick == tick_;
  const decay::power now = newest ? power_ : decay_.at(tick);
  const double unit = newest ? unit_ : forward::hits_per_unit(now, fraction);
  const double mass_unit =
      newest ? mass_unit_ : forward::hits_per_unit(now, forward::mass_fraction);
  const auto in_hits = [&](unsigned_wide mass) {
    return forward::mass_in_hits(mass, mass_unit, now.halvings - power_.halvings);
  };
  const double shared = math::row_share(row_) * in_hits(mass_);
  const double rounded_up = in_hits(rounded_up_) + (decay_.fades() ? unit : 0);
  return {halvings_at(now), unit, shared + rounded_up, in_hits(forgotten_)};
}

template <unsigned k, class Cells>
BLOOMTIME_INLINE std::uint64_t heat_filter::least_of(const Cells& cells, const spots& where,
                                                     std::uint32_t halvings) noexcept {
  const auto seen = cells.template look<k>(where, halvings);
  if (seen.current && seen.least != cells.elsewhere) [[likely]]
    return seen.least;
  std::uint64_t least = largest;
#pragma GCC unroll 4
  for (unsigned i = 0; i < k; ++i) least = std::min(least, cells.get(where[i], halvings));
  return least;
}

template <unsigned k, class Cells>
BLOOMTIME_INLINE estimate heat_filter::answer(const Cells& cells, const spots& where,
                                              const moment& now) const noexcept {
  const auto count = static_cast<double>(least_of<k>(cells, where, now.halvings));
  const double value = count * now.unit;
  const double upper = (count + (decay_.fades() ? forgets : 0)) * now.unit;
  return {value, std::max(0.0, value * least_share - now.others), upper + now.forgotten};
}

estimate heat_filter::at_digest(digest d, instant when) const noexcept {
  if (events_ == 0) return {};
  const moment now = moment_of(when);
  return dispatch(*this, [&](const auto& cells, auto k) {
    return answer<k()>(cells, spots_of<k()>(cells, d), now);
  });
}

double heat_filter::value_of(digest d, instant when) const noexcept {
  if (events_ == 0) return 0;
  std::uint32_t halvings = hit_.halvings;
  double unit = unit_;
  if (const std::int64_t tick = tick_or_newest(when); tick != tick_) [[unlikely]] {
    const decay::power now = decay_.at(tick);
    halvings = halvings_at(now);
    unit = forward::hits_per_unit(now, fraction);
  }
  return dispatch(*this, [&](const auto& cells, auto k) {
    return static_cast<double>(least_of<k()>(cells, spots_of<k()>(cells, d), halvings)) * unit;
  });
}

void heat_filter::at_block(spot_blocks& blocks, std::size_t count, const detail::digest_block& next,
                           const moment& asked, std::span<estimate> answers) const noexcept {
  if (events_ == 0) {
    std::fill_n(answers.begin(), count, estimate());
    return;
  }
  dispatch(*this, [&](const auto& cells, auto k) {
    spot_block& ahead = blocks.next();
    const spot_block& here = blocks.now();
    const auto fetch = [&](std::size_t i) {
      ahead[i] = spots_of<k()>(cells, next[i]);
      for (unsigned j = 0; j < k(); ++j) cells.prefetch_read(ahead[i][j]);
    };
    // Alternates between prefetching and answering, which spreads the cache misses evenly.
    const std::size_t both = std::min(count, next.count);
    for (std::size_t i = 0; i < both; ++i) {
      fetch(i);
      answers[i] = answer<k()>(cells, here[i], asked);
    }
    for (std::size_t i = both; i < next.count; ++i) fetch(i);
    for (std::size_t i = both; i < count; ++i) answers[i] = answer<k()>(cells, here[i], asked);
  });
}

std::uint64_t heat_filter::warm_cells() const noexcept {
  if (events_ == 0) return 0;
  const std::uint32_t now = halvings_at(power_);
  return std::visit([&](const auto& cells) { return cells.count_warm(now); }, cells_);
}

unsigned heat_filter::cell_bits() const noexcept {
  return std::holds_alternative<narrow>(cells_) ? 16 : 32;
}

std::uint64_t heat_filter::memory() const noexcept {
  return std::visit([](const auto& cells) { return cells.memory(); }, cells_);
}

std::uint64_t heat_filter::lines_caught_up() const noexcept {
  return std::visit([](const auto& cells) { return cells.caught_up(); }, cells_);
}

// -- sets of filters ---------------------------------------------------------------------------

void heat_filter::merge(const heat_filter& other, double weight) {
  const auto describe = [](const heat_filter& f) {
    return f.shape_text() + ", " + to_string(f.cell_bits()) + " bits, " +
           forward::rate_text(f.decay_);
  };
  if (!same_shape(other) || cells_.index() != other.cells_.index() || decay_ != other.decay_) {
    detail::refuse_merge("heat filters merge if cells, k, seed, decay and clock are equal",
                         describe(*this), describe(other));
  }
  const forward::merge_weight by(weight);
  if (other.events_ == 0 || by.is_zero()) return;
  heat_filter sum(events_ == 0 && by.is_one() ? other : *this);
  sum.ahead_ = ahead_;
  sum.losses_ = losses_;
  if (events_ != 0 || !by.is_one()) sum.add_filter(other, by);
  *this = std::move(sum);
}

void heat_filter::add_filter(const heat_filter& other, const forward::merge_weight& by) {
  if (events_ == 0) {
    base_ = other.power_.halvings;
    set_tick(other.tick_, other.power_);
  }
  if (other.tick_ > tick_) go_to(other.tick_, other.power_);
  add_cells(other, by);
  const decay::wide behind = power_.halvings - other.power_.halvings;
  const auto add = [&](unsigned_wide& mine, unsigned_wide theirs) {
    mine = forward::sum_of_mass(mine, by.mass(theirs));
  };
  add(mass_, forward::faded_mass(other.mass_, behind));
  add(rounded_up_, forward::faded_mass(other.rounded_up_, behind));
  add(forgotten_, forward::faded_mass(other.forgotten_, behind));
  // What halvings rounded up or forgot in the other filter; answer() allows for it in this one.
  add(rounded_up_, cell_unit);
  add(forgotten_, forgets * cell_unit);
  // What rounding the products added.
  if (!by.is_whole()) rounded_up_ = forward::sum_of_mass(rounded_up_, cell_unit);
  add_events(other.events_);
}

// The sum of upper bounds is an upper bound of the sum.
void heat_filter::add_cells(const heat_filter& other, const forward::merge_weight& by) {
  const std::uint32_t now = halvings_at(power_);
  const std::uint32_t others_now = other.halvings_at(power_);
  std::visit(
      [&]<class Cells>(Cells& mine) {
        const Cells& theirs = std::get<Cells>(other.cells_);
        for (std::uint64_t i = 0; i < mine.size(); ++i) {
          const auto at = Cells::spot_of(i / Cells::per_line, i % Cells::per_line);
          const unsigned_wide more = by.above(theirs.get(at, others_now));
          if (more == 0) continue;
          const std::uint64_t had = mine.get(at, now);
          if (more > largest - had) {
            throw error(errc::too_large, "the heat of both filters together exceeds 64 bits");
          }
          mine.raise(at, had + static_cast<std::uint64_t>(more), now);
        }
      },
      cells_);
}

// -- storage -----------------------------------------------------------------------------------

void heat_filter::write(detail::container_writer& out) const {
  expect_cells();
  out.info().engine = kind.engines[decay_.fine_rate() == 0 ? 0 : 1];
  write_head(out);
  auto& p = out.parameters();
  p.u64(cell_bits());
  p.u64(k_);
  p.u64(row_);
  p.u64(decay_.coarse_rate());
  p.u64(ahead_);
  p.u64(events_);
  p.i64(events_ == 0 ? 0 : tick_);  // a first event that was refused left its tick behind
  p.u64(events_ == 0 ? 0 : halvings_at(power_));
  for (const unsigned_wide units : {mass_, rounded_up_, forgotten_}) forward::write(p, units);
  if (decay_.fine_rate() != 0) p.u64(decay_.fine_rate());
  std::visit(
      [&](const auto& cells) {
        out.section(lines_section, cells.storage().bytes());
        out.section(large_section, cells.large().written());
      },
      cells_);
}

heat_filter heat_filter::read(const detail::container_view& view) {
  view.expect_sections(2);
  heat_filter f;
  detail::byte_reader in = view.parameters();
  const std::uint64_t cell_bits = in.u64();
  const std::uint64_t k = in.u64();
  const std::uint64_t row = in.u64();
  const std::uint64_t coarse_rate = in.u64();
  f.ahead_ = in.u64();
  f.events_ = in.u64();
  f.tick_ = in.i64();
  const std::uint64_t halvings = in.u64();
  for (unsigned_wide* units : {&f.mass_, &f.rounded_up_, &f.forgotten_}) {
    *units = forward::read_wide(in);
  }
  f.decay_ = forward::read_decay(coarse_rate, view.info().engine == kind.engines[1], in);
  in.expect_end();
  const std::uint64_t per_line = cell_bits == 16 ? narrow::per_line : broad::per_line;
  if ((cell_bits != 16 && cell_bits != 32) || !f.read_head(view, k, most_k) || row == 0 ||
      row % per_line != 0 || row / per_line > detail::max_buffer_bytes / 64 / k ||
      halvings > narrow::most_halvings ||
      (f.events_ == 0 && (f.tick_ != 0 || halvings != 0 || f.mass_ != 0 || f.rounded_up_ != 0 ||
                          f.forgotten_ != 0))) {
    contradict();
  }
  f.row_ = row;
  f.row_lines_ = row / per_line;
  if (f.events_ != 0) {
    const decay::power newest = f.decay_.at(f.tick_);
    f.base_ = newest.halvings - static_cast<decay::wide>(halvings);
    f.set_tick(f.tick_, newest);
  }
  const auto lines = view.section(lines_section, k * f.row_lines_ * detail::line_bytes);
  const auto large = view.section(large_section);
  if (f.events_ == 0 && !(large.empty() && detail::all_zero(lines))) {
    throw error(errc::corrupt, "this heat filter has no events, but cells that are not empty");
  }
  if (cell_bits == 16) {
    f.cells_ = narrow::read(lines, large, static_cast<std::uint32_t>(halvings));
  } else {
    f.cells_ = broad::read(lines, large, static_cast<std::uint32_t>(halvings));
  }
  return f;
}

BLOOMTIME_VALUE_OF(heat_filter);
template class detail::stored<heat_filter>;

}  // namespace bloomtime
