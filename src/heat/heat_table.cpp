#include <bloomtime/heat/heat_table.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"
#include "heat/forward.hpp"
#include "heat/merge_weight.hpp"

namespace bloomtime {
namespace {

using detail::print;
using detail::print_change;
using detail::print_result;
using detail::print_weights;
using std::to_string;

// A hit counts 2^8 units times the factor of its tick, as in heat_filter.
constexpr unsigned fraction = 8;
constexpr forward::unsigned_wide count_unit = forward::unsigned_wide{1}
                                              << (forward::mass_fraction - fraction);
// At least this share of a count was added by events (heat_filter.cpp).
constexpr double least_share = 1 / (1 + 1.0 / (1 << fraction)) * (1 - 0x1p-49);
// Each halving drops at most the threshold, and halves what was dropped before.
constexpr std::uint64_t most_dropped = 2 * print_weights::threshold;
// After these a floor that an item started from is less than a unit of its count.
constexpr std::uint64_t floor_life = print_weights::floor_halvings + 8;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t first_blocks = 64;
constexpr std::uint64_t unknown_items = 100'000'000;
constexpr std::uint64_t most_items = std::uint64_t{1}
                                     << 39;   // of math/prints.hpp, with their slots
constexpr std::uint64_t slots_of_limit = 14;  // of a block that is as full as growth allows
constexpr int most_splits_per_call = 2;

constexpr math::print_widths widths{print_weights::bits, print_weights::mark_bits};

math::print_plan plan_for(const heat_table_config& c) {
  if (c.reserve && c.items == 0) {
    detail::refuse("`reserve` needs `items`, the number of different items at one time");
  }
  const std::uint64_t items = std::min(c.items != 0 ? c.items : unknown_items, most_items);
  const std::uint64_t warm = math::slots_of_warm(items);
  const std::uint64_t affordable = c.memory.value_or(largest) / detail::line_bytes;
  if (!c.reserve) {
    const std::uint64_t blocks = std::clamp<std::uint64_t>(affordable, 1, first_blocks);
    const std::uint64_t most = std::min(affordable, most_items) * slots_of_limit;
    return math::prints_growing(std::clamp<std::uint64_t>(most, 1, warm), c.error, widths, blocks);
  }
  const math::print_plan plan =
      math::prints_reserved(warm, c.error, widths, math::reserved_heat_load);
  if (plan.homes > affordable) {
    detail::refuse("`reserve` for " + to_string(items) + " items takes " +
                   to_string(plan.homes * detail::line_bytes) + " bytes, and `memory` allows " +
                   to_string(*c.memory));
  }
  return plan;
}

}  // namespace

heat_table::heat_table(const heat_table_config& config)
    : items_(config.items), reserve_(config.reserve), limit_(config.memory) {
  decay_ = forward::decay_of(config.half_life, config.lambda, config.tick);
  clock_ = tick_clock(config.tick);
  seed_ = config.seed;
  ahead_ = forward::ticks_in(config.ahead, config.tick);
  const math::print_plan plan = plan_for(config);
  table_ = table({plan.homes, plan.print_bits, print_weights::bits, print_weights::mark_bits},
                 print_weights());
  set_limits();
}

heat_table_size heat_table::size_for(heat_table_config config) {
  config.reserve = true;
  const math::print_plan plan = plan_for(config);
  const auto warm = static_cast<double>(math::slots_of_warm(config.items));
  return {plan.homes * detail::line_bytes, math::print_error(plan, widths, {}, warm)};
}

void heat_table::clear() {
  expect_cells();
  table_ = table(table_.blocks().shape(), print_weights());
  forget_time();
  floors_until_ = 0;
  rounded_up_ = forgotten_ = 0;
  set_limits();
}

std::uint64_t heat_table::memory() const noexcept {
  return usable() ? table_.memory() + weights().large().bytes() : 0;
}

// -- time --------------------------------------------------------------------------------------

void heat_table::set_tick(std::int64_t tick, const decay::power& p) noexcept {
  detail::forward_time::set_tick(tick, p);
  hit_ = arrival_of(1, p, p);
}

heat_table::arrival heat_table::arrival_of(std::uint64_t weight, const decay::power& then,
                                           const decay::power& now) const noexcept {
  return {forward::units_above(weight, then, now, fraction),
          forward::units_above(weight, then, now, forward::mass_fraction)};
}

void heat_table::go_to(std::int64_t tick, const decay::power& next) noexcept {
  const decay::wide behind = next.halvings - power_.halvings;
  mass_ = forward::faded_mass(mass_, behind);
  rounded_up_ = forward::faded_mass(rounded_up_, behind);
  forgotten_ = forward::faded_mass(forgotten_, behind);
  set_tick(tick, next);
  if (behind == 0) return;
  const auto halvings =
      static_cast<std::uint64_t>(std::min<decay::wide>(behind, print_weights::all_halvings));
  print_weights& weights = table_.payload();
  if (stashed() != 0) {
    table_.age_stash([&](std::uint64_t payload) -> std::optional<std::uint64_t> {
      if (payload == print_weights::elsewhere) return payload;
      const std::uint64_t left = print_weights::faded(payload, halvings);
      if (left != 0) return left;
      weights.remove_print();
      return std::nullopt;
    });
  }
  weights.advance(halvings, [&](std::uint64_t key, std::uint64_t count) {
    table_.set_at(table_.print_of_key(key), count);
  });
}

void heat_table::advance(instant now) noexcept {
  const std::int64_t tick = clock_.tick_of(now).number;
  if (events_ != 0 && tick > tick_) go_to(tick, decay_.at(tick));
}

// -- events ------------------------------------------------------------------------------------

const std::uint64_t* heat_table::large_of(const print& p) const noexcept {
  const std::uint64_t* const count = weights().find_large(table_.key_of(p));
  return count != nullptr ? count : weights().find_large(table_.key_of(table_.blocks().other(p)));
}

std::uint64_t* heat_table::large_of(const print& p) noexcept {
  return const_cast<std::uint64_t*>(std::as_const(*this).large_of(p));
}

// An item may have been given up in either of its blocks.
heat_table::floors heat_table::floors_of(const print& p, std::uint64_t halvings) const noexcept {
  const auto floor_at = [&](const print& place) {
    const auto [mark, epoch] = table_.mark_of(place);
    return print_weights::floor_of(mark, weights().now() - epoch + halvings);
  };
  const std::uint64_t first = floor_at(p);
  return {first, std::max(first, floor_at(table_.blocks().other(p)))};
}

template <class Change>
BLOOMTIME_INLINE heat_table::recorded heat_table::record(const print& p, unsigned_wide units,
                                                         floors under, Change&& change) noexcept {
  struct lift {
    print place;
    std::uint64_t count;
  };
  std::array<lift, 2> lifts;
  unsigned lifted = 0;
  std::uint64_t payload = 0;
  bool fits = true;
  table_.set_search({!at_limit_ || prints() <= grow_from_, !at_limit_});
  const auto raise = [&](const std::uint64_t* before, const print& place) -> print_change {
    std::uint64_t* large = nullptr;
    if (before != nullptr && *before == print_weights::elsewhere) large = large_of(place);
    const std::uint64_t had =
        before == nullptr ? under.both : std::max(large != nullptr ? *large : *before, under.first);
    if (units > largest - had) {
      fits = false;
      return {};
    }
    const std::uint64_t raised = had + static_cast<std::uint64_t>(units);
    payload = std::min(raised, print_weights::elsewhere);
    if (large != nullptr) {
      *large = raised;
    } else if (raised >= print_weights::elsewhere) [[unlikely]] {
      lifts[lifted++] = {place, raised};
    }
    return {print_change::set, payload};
  };
  const print_result result = change(raise);
  if (!fits) return recorded::too_large;
  if (result == print_result::full && !find_room(p, payload)) return recorded::no_room;
  for (unsigned i = 0; i < lifted; ++i) {
    const print place = table_.place_of(lifts[i].place);
    table_.payload().raise_large(table_.key_of(place), lifts[i].count);
  }
  if (result == print_result::added) table_.payload().add_print();
  if (result == print_result::added || prints() < shrink_below_) settle();
  return recorded::yes;
}

// For a print that is not in the table: by growth, or in the place of another one.
bool heat_table::find_room(const print& p, std::uint64_t payload) noexcept {
  for (int i = 0; i < most_splits_per_call && split(); ++i) {
    const auto result = table_.change(p, [&](const std::uint64_t*) -> print_change {
      return {print_change::set, payload};
    });
    if (result == print_result::full) continue;
    table_.payload().add_print();
    return true;
  }
  const auto light = [](std::uint64_t kept, std::uint64_t) { return kept; };
  const auto exact = [&](std::uint64_t kept, std::uint64_t key) {
    const std::uint64_t* const large =
        kept == print_weights::elsewhere ? weights().find_large(key) : nullptr;
    return large != nullptr ? *large : kept;
  };
  if (!table_.give_up_least(p, payload, print_weights::elsewhere, light) &&
      !table_.give_up_least(p, payload, print_weights::highest_floor + 1, exact)) {
    return false;
  }
  floors_until_ = weights().now() + floor_life;
  ++losses_.forgot_early;
  return true;
}

outcome heat_table::count(const print& p, const arrival& event, outcome counted) noexcept {
  const floors under = has_floors() ? floors_of(p, 0) : floors{};
  const recorded became = record(p, event.units, under, [&](auto&& raise) {
    return table_.change(p, [&](const std::uint64_t* before) { return raise(before, p); });
  });
  if (became != recorded::yes) return outcome::full;
  mass_ = forward::sum_of_mass(mass_, event.mass);
  add_events(1);
  return counted;
}

outcome heat_table::add_print(const print& p, instant when, std::uint64_t weight) {
  expect_cells();
  if (weight != 1 || !in_newest_tick(when)) return add_elsewhen(p, when, weight);
  table_.payload().reserve_large(1);
  return count(p, hit_, outcome::added);
}

// No count exceeds the mass by more than one unit per event for rounding, a few for halvings, and a
// floor: far below 2^60 they need no look.
bool heat_table::may_overflow(const arrival& event) const noexcept {
  constexpr unsigned far_below = 60;
  const unsigned_wide most = forward::sum_of_mass(mass_, event.mass) / count_unit + events_;
  return most >> far_below != 0;
}

outcome heat_table::add_elsewhen(const print& p, instant when, std::uint64_t weight) {
  const std::int64_t tick = tick_of(when);
  const decay::power then = power_at(tick);
  if (events_ == 0) set_tick(tick, then);
  const bool later = tick > tick_;
  if (too_far_ahead(tick)) return outcome::future;
  if (weight == 0) return outcome::added;
  // If events are forgotten at once, nothing is left of a late one; it counts as one unit.
  const bool forgotten = tick < tick_ && decay_.forgets_at_once();
  const arrival event = arrival_of(forgotten ? 1 : weight, then, later ? then : power_);
  table_.payload().reserve_large(1);
  if (later) {
    if (may_overflow(event)) [[unlikely]] {
      const auto passing =
          std::min<decay::wide>(then.halvings - power_.halvings, print_weights::all_halvings);
      const std::uint64_t had = count_at(p, static_cast<std::uint64_t>(passing));
      if (event.units > largest - had) return outcome::full;
    }
    go_to(tick, then);
  }
  const bool late = tick < tick_;
  const outcome became = count(p, event, late ? outcome::late : outcome::added);
  if (became != outcome::full && then.halvings < power_.halvings) {
    rounded_up_ = forward::sum_of_mass(rounded_up_, count_unit);
  }
  return became;
}

void heat_table::prefetch(const detail::digest_block& items) const noexcept {
  if (!usable()) return;
  for (std::size_t i = 0; i < items.count; ++i) table_.prefetch(table_.print_of(items[i]));
}

// -- growth ------------------------------------------------------------------------------------

bool heat_table::may_split() const noexcept {
  const detail::print_blocks& blocks = table_.blocks();
  return blocks.can_split() &&
         (!limit_ || blocks.block_memory() + blocks.bytes_of_next_split() <= *limit_);
}

bool heat_table::split() noexcept {
  if (at_limit_ || !table_.split()) return false;
  set_limits();
  return true;
}

void heat_table::set_limits() noexcept {
  const detail::print_blocks& blocks = table_.blocks();
  const auto slots = static_cast<double>(blocks.slots());
  const bool grown = blocks.can_join();
  at_limit_ = !may_split();
  const bool filled = at_limit_ || (reserve_ && !grown);
  const double most =
      filled ? math::reserved_print_load : math::growing_print_load(blocks.blocks());
  grow_from_ = static_cast<std::uint64_t>(most * slots);
  shrink_below_ = grown ? static_cast<std::uint64_t>(math::least_print_load * slots) : 0;
}

void heat_table::settle() noexcept {
  for (int i = 0; i < most_splits_per_call && prints() > grow_from_ && split(); ++i) {
  }
  if (prints() < shrink_below_ && table_.join()) set_limits();
  if (stashed() != 0 && events_ % 64 == 0) [[unlikely]]
    table_.unstash(events_ / 64);
}

// -- answers -----------------------------------------------------------------------------------

heat_table::moment heat_table::moment_of(instant when) const noexcept {
  if (events_ == 0) return {};
  const decay::power now = power_at(tick_or_newest(when));
  const double unit = forward::hits_per_unit(now, fraction);
  const auto in_hits = [&](unsigned_wide mass) { return forward::mass_in_hits(mass, power_, now); };
  const auto halvings =
      std::min<decay::wide>(now.halvings - power_.halvings, print_weights::all_halvings);
  const bool fades = decay_.fades();
  return {static_cast<std::uint64_t>(halvings), unit,
          (fades ? most_dropped * unit : 0) + in_hits(forgotten_),
          (fades ? (1 + print_weights::threshold) * unit : 0) + in_hits(rounded_up_), has_floors()};
}

// The count of an item in units, so many halvings after the newest event.
std::uint64_t heat_table::count_at(const print& p, std::uint64_t halvings) const noexcept {
  std::uint64_t count = 0;
  table_.find(p, [&](std::uint64_t payload, std::uint64_t epoch, unsigned) {
    const std::uint64_t* const large = payload == print_weights::elsewhere ? large_of(p) : nullptr;
    count = large != nullptr ? print_weights::faded(*large, halvings)
                             : print_weights::faded(payload, weights().now() - epoch + halvings);
  });
  if (!has_floors()) return count;
  const floors under = floors_of(p, halvings);
  return count != 0 ? std::max(count, under.first) : under.both;
}

estimate heat_table::answer(const print& p, const moment& asked) const noexcept {
  if (events_ == 0) return {};
  const double value = static_cast<double>(count_at(p, asked.halvings)) * asked.unit;
  double above = asked.rounded_up;
  if (asked.floors) {
    const std::uint64_t floor = floors_of(p, asked.halvings).both;
    above += static_cast<double>(std::max(floor, print_weights::threshold)) * asked.unit;
  }
  return {value, std::max(0.0, value * least_share - above), value + asked.dropped};
}

estimate heat_table::at_digest(digest d, instant when) const noexcept {
  return answer(table_.print_of(d), moment_of(when));
}

// Prints that are warm at the newest event; others are dropped when their block is next written.
std::uint64_t heat_table::warm_cells() const noexcept {
  if (!usable()) return 0;
  std::uint64_t warm = 0;
  table_.for_each([&](const print&, std::uint64_t payload, std::uint64_t epoch) {
    const std::uint64_t behind = weights().now() - epoch;
    warm += payload == print_weights::elsewhere || print_weights::faded(payload, behind) != 0;
  });
  return warm;
}

math::print_plan heat_table::plan() const noexcept {
  return {table_.blocks().shape().homes, table_.blocks().shape().print_bits};
}

double heat_table::error_of(std::uint64_t warm) const {
  return usable() ? math::print_share(plan(), static_cast<double>(warm)) : 1;
}

// An item has its print alone unless one that is warm or one that is dropped has it too.
double heat_table::confidence() const noexcept {
  if (!usable()) return 1;
  return 1 - math::print_share(plan(), 2 * static_cast<double>(prints()));
}

double heat_table::predicted_error(std::uint64_t items) const {
  if (!usable()) return 1;
  const auto warm = static_cast<double>(math::slots_of_warm(std::min(items, most_items)));
  const math::print_growth grown = math::growth_for(plan(), widths, warm);
  if (limit_) {
    const double blocks =
        static_cast<double>(plan().homes << grown.level) + static_cast<double>(grown.split);
    if (blocks * detail::line_bytes > static_cast<double>(*limit_)) return 1;
  }
  return math::print_error(plan(), widths, grown, warm);
}

// -- merging -----------------------------------------------------------------------------------

void heat_table::expect_mergeable(const heat_table& other) const {
  expect_cells();
  other.expect_cells();
  if (plan() == other.plan() && seed_ == other.seed_ && clock_ == other.clock_ &&
      decay_ == other.decay_) {
    return;
  }
  const auto told = [](const heat_table& t) {
    return to_string(t.plan().print_bits) + " bits per print in " + to_string(t.plan().homes) +
           " blocks at first, seed " + to_string(t.seed_) + ", ticks of " +
           to_string(t.clock_.resolution().count()) + " microseconds, " +
           forward::rate_text(t.decay_);
  };
  detail::refuse_merge("heat tables merge if error, items, seed, decay and clock are the same",
                       told(*this), told(other));
}

void heat_table::merge(const heat_table& other, double weight) {
  expect_mergeable(other);
  const forward::merge_weight by(weight);
  if (other.events_ == 0 || by.is_zero()) return;
  heat_table sum(*this);
  sum.add_table(other, by);
  *this = std::move(sum);
}

void heat_table::add_table(const heat_table& other, const forward::merge_weight& by) {
  if (events_ == 0) set_tick(other.tick_, other.power_);
  if (other.tick_ > tick_) go_to(other.tick_, other.power_);
  add_prints(other, by);
  const decay::wide behind = power_.halvings - other.power_.halvings;
  const auto add = [&](unsigned_wide& mine, unsigned_wide theirs) {
    mine = forward::sum_of_mass(mine, by.mass(theirs));
  };
  add(mass_, forward::faded_mass(other.mass_, behind));
  add(rounded_up_, forward::faded_mass(other.rounded_up_, behind));
  add(forgotten_, forward::faded_mass(other.forgotten_, behind));
  // What halvings rounded up or dropped in the other table; answer() allows for it in this one.
  if (decay_.fades()) {
    add(rounded_up_, (1 + print_weights::threshold) * count_unit);
    add(forgotten_, most_dropped * count_unit);
  }
  allow_for_floors(other, by);
  // What rounding the products added.
  if (!by.is_whole()) rounded_up_ = forward::sum_of_mass(rounded_up_, count_unit);
  add_events(other.events_);
}

std::uint64_t heat_table::highest_floor() const noexcept {
  std::uint64_t highest = 0;
  table_.blocks().for_each([&](const detail::print_blocks::spot& s, const print&) {
    const std::uint32_t mark = table_.blocks().block(s).mark();
    highest = std::max(highest, print_weights::floor_of(mark, weights().now() - *s.epoch));
  });
  return highest;
}

// What items that the other table does not have may have had there, and what others started from.
void heat_table::allow_for_floors(const heat_table& other,
                                  const forward::merge_weight& by) noexcept {
  if (!other.has_floors()) return;
  const std::uint64_t floor = std::max(other.highest_floor(), print_weights::threshold);
  for (unsigned_wide* const allowed : {&forgotten_, &rounded_up_}) {
    *allowed = forward::sum_of_mass(*allowed, by.mass(floor * count_unit));
  }
}

void heat_table::add_prints(const heat_table& other, const forward::merge_weight& by,
                            const shard& only) {
  const auto behind = static_cast<std::uint64_t>(
      std::min<decay::wide>(power_.halvings - other.power_.halvings, print_weights::all_halvings));
  other.table_.for_each_in_order([&](const print& p, std::uint64_t payload, std::uint64_t epoch) {
    if (!only.has(detail::shard_of_tag(p.tag, only))) return;
    const std::uint64_t count =
        payload == print_weights::elsewhere
            ? print_weights::faded(*other.large_of(p), behind)
            : print_weights::faded(payload, other.weights().now() - epoch + behind);
    if (count == 0) return;
    const print elsewhere = table_.blocks().other(p);
    const bool marked = other.table_.marked(elsewhere);
    floors under = has_floors() ? floors_of(p, 0) : floors{};
    under.first = under.both;
    table_.payload().reserve_large(2);
    const recorded became = record(p, by.above(count), under,
                                   [&](auto&& raise) { return table_.change_both(p, raise); });
    if (became == recorded::too_large) {
      throw error(errc::too_large, "the heat of both tables together exceeds 64 bits");
    }
    if (became == recorded::no_room) {
      detail::refuse_merge("the memory limit of " + to_string(limit_.value_or(0)) +
                           " bytes leaves no room for both tables");
    }
    if (marked) {
      table_.leave_mark_at(elsewhere, std::min(count_at(p, 0), print_weights::elsewhere));
    }
  });
}

BLOOMTIME_VALUE_OF(heat_table);

}  // namespace bloomtime
