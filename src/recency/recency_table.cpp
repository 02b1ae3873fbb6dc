#include <bloomtime/recency/recency_table.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"
#include "math/whole.hpp"
#include "recency/window_config.hpp"

namespace bloomtime {
namespace {

using std::to_string;

constexpr std::uint32_t most_ticks = 1024;
constexpr std::uint64_t first_blocks = 64;
constexpr std::uint64_t unknown_items = 100'000'000;
constexpr int most_splits_per_call = 2;

constexpr const char* called = "a recency table";

std::uint64_t tick_of(const recency_table_config& c) {
  if (c.ticks < 1 || c.ticks > most_ticks) {
    detail::refuse("a window of a recency table has 1 to 1024 ticks, got " + to_string(c.ticks));
  }
  return tick_length(c, called);
}

// The items of a window, and those of the tick that it cuts if they arrive evenly. Ticks are
// rounded up, each by less than one.
std::uint64_t with_cut_tick(std::uint64_t items, std::uint32_t ticks) noexcept {
  const std::uint64_t most = std::uint64_t{1} << 40;  // of math/prints.hpp
  items = std::min(items, most);
  return std::min(most, items + math::ratio_up(items, ticks) + ticks);
}

math::print_plan plan_for(const recency_table_config& c, std::uint32_t ticks,
                          const math::print_widths& widths) {
  if (c.reserve && c.items == 0 && !c.last) {
    detail::refuse("`reserve` needs `items`, the number of different items in a window");
  }
  const std::uint64_t items = c.items != 0 ? c.items : c.last.value_or(unknown_items);
  const std::uint64_t alive = with_cut_tick(items, ticks);
  const std::uint64_t affordable = c.memory.value_or(~std::uint64_t{0}) / detail::line_bytes;
  if (!c.reserve) {
    const std::uint64_t blocks = std::clamp<std::uint64_t>(affordable, 1, first_blocks);
    return math::prints_growing(alive, c.error, widths, blocks);
  }
  const math::print_plan plan = math::prints_reserved(alive, c.error, widths);
  if (plan.homes > affordable) {
    detail::refuse("`reserve` for " + to_string(items) + " items takes " +
                   to_string(plan.homes * detail::line_bytes) + " bytes, and `memory` allows " +
                   to_string(*c.memory));
  }
  return plan;
}

}  // namespace

namespace detail {

void refuse_without_time() { refuse("the first event of a window of time needs a time; got none"); }

}  // namespace detail

recency_table::recency_table(const recency_table_config& config)
    : window_(window_length(config, called), tick_of(config), config.window.has_value(),
              ahead_of(config)),
      items_(config.items),
      seed_(config.seed),
      refresh_(config.refresh),
      reserve_(config.reserve),
      forget_oldest_(config.forget_oldest),
      limit_(config.memory) {
  detail::print_stamps stamps(window_.ticks());
  const math::print_plan plan =
      plan_for(config, window_.ticks(), {stamps.bits(), stamps.mark_bits()});
  const detail::print_shape shape{plan.homes, plan.print_bits, stamps.bits(), stamps.mark_bits()};
  table_ = table(shape, std::move(stamps));
  set_limits();
  audit_ = audit_of(config, window(), timed());
}

recency_table_size recency_table::size_for(recency_table_config config) {
  config.reserve = true;
  const detail::recent_window window(window_length(config, called), tick_of(config),
                                     config.window.has_value(), {});
  const unsigned bits = detail::print_stamps::bits_for(window.ticks());
  const math::print_widths widths{bits, bits + 1};
  const math::print_plan plan = plan_for(config, window.ticks(), widths);
  const std::uint64_t items = config.items != 0 ? config.items : config.last.value_or(0);
  const std::uint64_t alive = with_cut_tick(items, window.ticks());
  return {plan.homes * detail::line_bytes,
          math::print_error(plan, widths, {}, static_cast<double>(alive))};
}

void recency_table::expect_usable() const {
  detail::expect_not_moved_from(usable(), "recency table");
}

void recency_table::clear() {
  expect_usable();
  table fresh(table_.blocks().shape(), detail::print_stamps(ticks()));
  if (audit_) audit_.emplace(audit_->config());
  table_ = std::move(fresh);
  window_.clear();
  set_limits();
}

std::uint64_t recency_table::memory() const noexcept {
  if (!usable()) return 0;
  return table_.memory() + stamps().memory() + window_.memory() + (audit_ ? audit_->memory() : 0);
}

// -- events ------------------------------------------------------------------------------------

void recency_table::advance(instant now) noexcept {
  if (usable()) table_.payload().advance(window_.advance(now));
}

BLOOMTIME_INLINE detail::recent_window::arrival recency_table::arrive(instant when) noexcept {
  if (!usable()) [[unlikely]]
    return {outcome::refused, 0, 0, 0};
  const auto event = window_.arrive(when);
  if (event.passed != 0) table_.payload().advance(event.passed);
  return event;
}

template <class Wanted>
BLOOMTIME_INLINE detail::print_change recency_table::renewed(const std::uint64_t* before,
                                                             std::uint32_t back,
                                                             Wanted&& wanted) noexcept {
  detail::print_stamps& stamps = table_.payload();
  const std::uint64_t code = stamps.code(back);
  const std::uint64_t age = before != nullptr ? stamps.age(*before) : 0;
  const bool alive = before != nullptr && age <= ticks();
  if (!wanted(alive ? std::optional(age) : std::nullopt)) return {};
  if (alive && age <= back) return {detail::print_change::set, *before};
  if (alive) stamps.remove(*before);
  if (before != nullptr) stamps.add(code);
  return {detail::print_change::set, code};
}

template <class Wanted>
bool recency_table::record(digest d, std::uint32_t back, Wanted&& wanted) noexcept {
  const detail::print p = table_.print_of(d);
  const auto renew = [&](const std::uint64_t* before) { return renewed(before, back, wanted); };
  if (table_.quick()) return recorded(p, back, placed(p, back, table_.change_quickly(p, renew)));
  limit_search();
  return recorded(p, back, table_.change(p, renew));
}

void recency_table::limit_search() noexcept { table_.set_search({!crowded(), !crowded()}); }

// What became of a print in the end.
BLOOMTIME_INLINE detail::print_result recency_table::placed(detail::print p, std::uint32_t back,
                                                            detail::print_result quickly) noexcept {
  return quickly != detail::print_result::full ? quickly : make_room(p, stamps().code(back));
}

[[gnu::noinline]] detail::print_result recency_table::make_room(detail::print p,
                                                                std::uint64_t code) noexcept {
  limit_search();
  return table_.add(p, code);
}

BLOOMTIME_INLINE bool recency_table::recorded(detail::print p, std::uint32_t back,
                                              detail::print_result became) noexcept {
  if (became == detail::print_result::full) [[unlikely]]
    return forget_for(p, stamps().code(back));
  if (became == detail::print_result::added) {
    table_.payload().add(stamps().code(back));
    settle();
  }
  return true;
}

bool recency_table::forget_for(detail::print p, std::uint64_t code) noexcept {
  if (!forget_oldest_) return false;
  detail::print_stamps& stamps = table_.payload();
  const auto gone = table_.displace(
      p, code, [&](std::uint64_t c) { return -static_cast<std::int64_t>(stamps.age(c)); });
  if (!gone) return false;
  stamps.remove(*gone);
  stamps.add(code);
  ++losses_.forgot_early;
  return true;
}

BLOOMTIME_INLINE void recency_table::count(digest d,
                                           const detail::recent_window::arrival& event) noexcept {
  if (const std::uint64_t passed = window_.count(event.back)) table_.payload().advance(passed);
  if (audit_) [[unlikely]]
    audit_->insertion(d, event.at);
}

outcome recency_table::add_digest(digest d, instant when) noexcept {
  const auto event = arrive(when);
  if (!event.recorded()) return losses_.count(event.became);
  if (!record(d, event.back, [](std::optional<std::uint64_t>) { return true; })) {
    return losses_.count(outcome::full);
  }
  count(d, event);
  return event.became;
}

// Most events belong to the present tick, and no audit sees them. This path is kept short; the
// others are in test_and_set_elsewhen().
novelty recency_table::test_and_set(digest d, instant when, const math::penalties* costs) noexcept {
  if (audit_ || !usable() || !window_.is_present(when) || !table_.quick()) [[unlikely]]
    return test_and_set_elsewhen(d, when, costs);
  window_.pass_to(when);
  bool duplicate = false;
  const auto wanted = [&](std::optional<std::uint64_t> age) {
    duplicate = age && *age <= window_.oldest_now();
    return !duplicate || refresh_;
  };
  const detail::print p = table_.print_of(d);
  const auto renew = [&](const std::uint64_t* before) __attribute__((always_inline)) {
    return renewed(before, 0, wanted);
  };
  const bool room = recorded(p, 0, placed(p, 0, table_.change_quickly<true>(p, renew)));
  if (!room) [[unlikely]]
    return {!duplicate, losses_.count(outcome::full)};
  if (!duplicate || refresh_) {
    if (const std::uint64_t passed = window_.count(0)) table_.payload().advance(passed);
  }
  return {!duplicate, outcome::added};
}

[[gnu::noinline]] novelty recency_table::test_and_set_elsewhen(
    digest d, instant when, const math::penalties* costs) noexcept {
  const auto event = arrive(when);
  const moment asked = window_.moment_of(event.became == outcome::future ? when : window_.latest());
  if (!event.recorded()) return {!seen_digest(d, asked), losses_.count(event.became)};
  std::optional<bool> decided;
  if (audit_ && (costs != nullptr || audit_->samples(d))) [[unlikely]] {
    const math::penalties each = costs != nullptr ? *costs : math::penalties{1, 1};
    const opinions said = opinions_of(look(d), asked, {});
    if (costs != nullptr) decided = chosen(said, each);
    audit_->question(d, asked.at, said, each);
  }
  bool duplicate = false;
  const bool room = record(d, event.back, [&](std::optional<std::uint64_t> age) {
    duplicate = decided.value_or(age && detail::recent_window::inside(*age, asked));
    return !duplicate || refresh_;
  });
  if (!room) return {!duplicate, losses_.count(outcome::full)};
  if (!duplicate || refresh_) count(d, event);
  return {!duplicate, event.became};
}

// -- growth ------------------------------------------------------------------------------------

void recency_table::set_limits() noexcept {
  const detail::print_blocks& blocks = table_.blocks();
  const auto slots = static_cast<double>(blocks.slots());
  const bool grown = blocks.can_join();
  const double most =
      reserve_ && !grown ? math::reserved_print_load : math::growing_print_load(blocks.blocks());
  grow_from_ = static_cast<std::uint64_t>(most * slots);
  shrink_below_ = grown ? static_cast<std::uint64_t>(math::least_print_load * slots) : 0;
  constexpr std::uint64_t in_stash = 64;  // of any table
  crowded_from_ = static_cast<std::uint64_t>(math::crowded_print_load * slots) + in_stash;
}

// Nearly full, and it cannot grow: moves would examine many blocks and find no room.
bool recency_table::crowded() const noexcept {
  return stamps().alive() > crowded_from_ && !may_split();
}

bool recency_table::may_split() const noexcept {
  const detail::print_blocks& blocks = table_.blocks();
  return blocks.can_split() &&
         (!limit_ || blocks.block_memory() + blocks.bytes_of_next_split() <= *limit_);
}

BLOOMTIME_INLINE void recency_table::settle() noexcept {
  const std::uint64_t alive = stamps().alive();
  if (alive > grow_from_ || alive < shrink_below_ || !table_.stash().empty()) [[unlikely]]
    resize(alive);
}

void recency_table::resize(std::uint64_t alive) noexcept {
  for (int i = 0; i < most_splits_per_call && alive > grow_from_; ++i) {
    if (!may_split() || !table_.split()) break;
    set_limits();
  }
  if (alive < shrink_below_ && table_.join()) set_limits();
  if (!table_.stash().empty() && insertions() % 64 == 0) [[unlikely]]
    table_.unstash(insertions() / 64);
}

// -- answers -----------------------------------------------------------------------------------

recency_table::sight recency_table::look(digest d) const noexcept {
  sight seen;
  if (!usable()) return seen;
  table_.find(table_.print_of(d), [&](std::uint64_t code, std::uint64_t epoch, unsigned level) {
    const std::int64_t age = stamps().age(code, epoch);
    if (age > std::int64_t{ticks()}) return;
    seen = {static_cast<std::uint32_t>(std::max<std::int64_t>(0, age)),
            table_.blocks().print_bits(level)};
  });
  return seen;
}

// Prints of the same tick in both blocks may be equal to that of an item that is not there.
double recency_table::census_g(const sight& seen) const noexcept {
  const auto others = static_cast<double>(std::max<std::uint64_t>(1, stamps().with_age(*seen.age)));
  const double in_block = others / static_cast<double>(table_.blocks().blocks());
  return math::print_collision(2 * in_block, seen.bits);
}

math::print_plan recency_table::plan() const noexcept {
  return {table_.blocks().shape().homes, table_.blocks().shape().print_bits};
}

math::print_widths recency_table::widths() const noexcept {
  return {stamps().bits(), stamps().mark_bits()};
}

double recency_table::predicted_error(std::uint64_t items) const {
  if (!usable()) return 0;
  const auto alive = static_cast<double>(items) * (1 + 1. / ticks());
  return math::print_error(plan(), widths(), math::growth_for(plan(), widths(), alive), alive);
}

double recency_table::current_error() const {
  if (!usable()) return 0;
  return math::print_share(plan(), alive_items());
}

std::uint64_t recency_table::room_for(std::uint64_t n) const {
  if (!usable()) return 0;
  const std::uint64_t alive = stamps().alive();
  const std::uint64_t hinted = items_ != 0 ? items_ : timed() ? unknown_items : window();
  // A window of insertions never has more items than insertions.
  if (timed() || hinted < window()) n = std::min(n, hinted - std::min(hinted, alive));
  if (!limit_) return n;
  const auto blocks = static_cast<double>(*limit_ / detail::line_bytes);
  const double slots = blocks * table_.blocks().form(table_.blocks().level()).slots;
  const auto held = static_cast<std::uint64_t>(math::grown_print_load * slots);
  return std::min(n, held - std::min(held, alive));
}

// -- merging -----------------------------------------------------------------------------------

void recency_table::expect_mergeable(const recency_table& other) const {
  expect_usable();
  other.expect_usable();
  if (table_.blocks().shape() != other.table_.blocks().shape() || timed() != other.timed() ||
      window() != other.window() || clock() != other.clock() || seed_ != other.seed_) {
    const auto told = [](const recency_table& f) {
      return to_string(f.plan().print_bits) + " bits per print in " + to_string(f.plan().homes) +
             " blocks at first, a window of " + to_string(f.window()) +
             (f.timed() ? " microseconds" : " insertions") + " in ticks of " +
             to_string(f.clock().resolution().count()) + ", the seed " + to_string(f.seed_);
    };
    detail::refuse_merge(
        "recency tables merge if error, items, window, ticks and seed are the same", told(*this),
        told(other));
  }
  if (other.insertions() > detail::recent_window::most_insertions - insertions()) {
    throw error(errc::too_large, "both tables together have more than 2^62 insertions");
  }
}

void recency_table::merge(const recency_table& other) {
  expect_mergeable(other);
  if (!other.window_.started()) return;
  recency_table sum(*this);
  sum.add_prints(other);
  merge_audits(sum.audit_, other.audit_, timed(), other.insertions(), sum.window_.now());
  *this = std::move(sum);
}

void recency_table::add_prints(const recency_table& other, const shard& only) {
  const auto shift = window_.merge(other.window_);
  table_.set_search({});
  table_.payload().advance(shift.passed);
  other.table_.for_each_in_order(
      [&](const detail::print& p, std::uint64_t code, std::uint64_t epoch) {
        if (!only.has(detail::shard_of_tag(p.tag, only))) return;
        const std::uint64_t age = static_cast<std::uint64_t>(other.stamps().age(code, epoch));
        if (age > ticks() || shift.behind > ticks() - age) return;
        const bool marked = other.table_.marked(other.table_.blocks().other(p));
        const std::uint64_t own = stamps().code(age + shift.behind);
        if (table_.absorb(p, own, marked) == detail::print_result::full) {
          detail::refuse_merge("the memory limit of " + to_string(limit_.value_or(0)) +
                               " bytes leaves no room for both tables");
        }
        settle();
      });
}

recency_table recency_table::part(const shard& s) const {
  check(s);
  expect_usable();
  if (!timed()) {
    throw error(errc::unsupported,
                "a window of insertions cannot be divided into shards; use a window of time");
  }
  recency_table made(*this);
  made.audit_.reset();
  made.clear();
  if (window_.started()) made.add_prints(*this, s);
  return made;
}

BLOOMTIME_VALUE_OF(recency_table);

}  // namespace bloomtime
