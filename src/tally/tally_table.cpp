#include <bloomtime/tally/tally_table.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/tally.hpp>

#include "detail/refuse.hpp"

namespace bloomtime {
namespace {

using detail::print_change;
using detail::print_counts;
using detail::print_result;
using std::to_string;

constexpr std::uint64_t first_blocks = 64;
constexpr std::uint64_t unknown_items = 100'000'000;
constexpr std::uint64_t most_items = std::uint64_t{1} << 40;  // of math/prints.hpp
constexpr int most_splits_per_call = 2;

constexpr math::print_widths widths{print_counts::bits, print_counts::mark_bits};

// The slots of all items and of their large counts.
std::uint64_t slots_of(const tally_table_config& c) {
  const std::uint64_t items = std::min(c.items != 0 ? c.items : unknown_items, most_items);
  return std::min(most_items, math::count_slots(items, c.total, print_counts::large));
}

math::print_plan plan_for(const tally_table_config& c) {
  if (c.reserve && c.items == 0) {
    detail::refuse("`reserve` needs `items`, the number of different items at one time");
  }
  if (c.memory && *c.memory < detail::line_bytes) {
    detail::refuse("the memory of a tally table is at least 64 bytes; got " + to_string(*c.memory));
  }
  const std::uint64_t slots = slots_of(c);
  const std::uint64_t affordable = c.memory.value_or(~std::uint64_t{0}) / detail::line_bytes;
  if (!c.reserve) {
    const std::uint64_t blocks = std::clamp<std::uint64_t>(affordable, 1, first_blocks);
    return math::prints_growing(slots, c.error, widths, blocks);
  }
  const math::print_plan plan =
      math::prints_reserved(slots, c.error, widths, math::reserved_count_load);
  if (plan.homes > affordable) {
    detail::refuse("`reserve` for " + to_string(c.items) + " items takes " +
                   to_string(plan.homes * detail::line_bytes) + " bytes, and `memory` allows " +
                   to_string(*c.memory));
  }
  return plan;
}

}  // namespace

// -- making one --------------------------------------------------------------------------------

tally_table::tally_table(const tally_table_config& config)
    : face(config.seed), items_(config.items), reserve_(config.reserve), limit_(config.memory) {
  const math::print_plan plan = plan_for(config);
  table_ = table({plan.homes, plan.print_bits, print_counts::bits, print_counts::mark_bits}, {});
  set_limits();
}

tally_table_size tally_table::size_for(tally_table_config config) {
  config.reserve = true;
  const math::print_plan plan = plan_for(config);
  return {plan.homes * detail::line_bytes,
          math::print_share(plan, static_cast<double>(config.items))};
}

void tally_table::expect_usable() const { detail::expect_not_moved_from(usable(), "tally table"); }

void tally_table::clear() {
  expect_usable();
  table_ = table(table_.blocks().shape(), {});
  this->total_ = 0;
  set_limits();
}

math::print_plan tally_table::plan() const noexcept {
  return {table_.blocks().shape().homes, table_.blocks().shape().print_bits};
}

// -- counting ----------------------------------------------------------------------------------

outcome tally_table::add_elsewhere(digest d, std::uint64_t amount, bool in_first) {
  expect_usable();
  if (amount == 0) return outcome::added;
  if (this->exceeds_total(amount)) return outcome::full;
  const detail::print p = table_.print_of(d);
  const std::uint64_t before = counts().slots() + stashed();
  const bool done = !in_first && (table_.append_new(p, amount) || raise_other(p, amount));
  const bool full = !done && change_count(p, amount) == print_result::full;
  if (full || counts().slots() + stashed() != before) settle();
  if (full) return outcome::full;
  this->total_ += amount;
  return outcome::added;
}

bool tally_table::raise_other(const detail::print& p, std::uint64_t amount) noexcept {
  bool found = false;
  return table_.marked(p) && table_.touch(table_.blocks().other(p), raising{amount, found});
}

print_result tally_table::change_count(const detail::print& p, std::uint64_t amount) noexcept {
  return table_.change(p, [&](const std::uint64_t* count) -> print_change {
    return {print_change::set, count == nullptr ? amount : print_counts::sum(*count, amount)};
  });
}

outcome tally_table::remove_digest(digest d, std::uint64_t amount) {
  expect_usable();
  if (amount == 0) return outcome::added;
  outcome became = outcome::refused;
  const std::uint64_t before = counts().slots();
  table_.change(table_.print_of(d), [&](const std::uint64_t* count) -> print_change {
    if (count == nullptr || *count < amount || this->total_ < amount) return {};
    became = outcome::added;
    if (*count == amount) return {print_change::erase};
    return {print_change::set, *count - amount};
  });
  if (became != outcome::added) return became;
  this->total_ -= amount;
  if (counts().slots() != before) settle();
  return became;
}

// Also of tables that have grown or were moved from.
counted tally_table::count_elsewhere(digest d) const noexcept {
  if (!usable()) [[unlikely]]
    return nothing_known;
  std::uint64_t found = 0;
  const detail::print p = table_.print_of(d);
  const bool grown = table_.blocks().can_join();
  if (!(grown && table_.touch(table::two_places(table_.blocks(), p), reading{found})) &&
      table_.marked(p)) {
    table_.find(p, [&](std::uint64_t count, std::uint64_t, unsigned) { found = count; });
  }
  return {found, found, found, false};
}

// -- growth ------------------------------------------------------------------------------------

void tally_table::set_limits() noexcept {
  const detail::print_blocks& blocks = table_.blocks();
  const auto slots = static_cast<double>(blocks.slots());
  const bool grown = blocks.can_join();
  const double most = reserve_ && !grown ? math::reserved_count_load : math::grown_print_load;
  grow_from_ = static_cast<std::uint64_t>(most * slots);
  shrink_below_ = grown ? static_cast<std::uint64_t>(math::least_print_load * slots) : 0;
}

// With a stash, blocks are full before their slots are: counts that take several slots leave some
// of them free.
bool tally_table::should_grow() const noexcept {
  const std::uint64_t used = counts().slots();
  if (used > grow_from_ || table_.stash().empty()) [[likely]]
    return used > grow_from_;
  return crowded_by(used, counts().prints());
}

// Whether blocks would be too full with so many slots in use.
bool tally_table::crowded_by(std::uint64_t used, std::uint64_t prints) const noexcept {
  const detail::print_blocks& blocks = table_.blocks();
  const double usable = math::usable_count_slots(blocks.slots(), blocks.blocks(), used, prints);
  return static_cast<double>(used) > math::grown_print_load * usable;
}

bool tally_table::may_split() const noexcept {
  const detail::print_blocks& blocks = table_.blocks();
  return !limit_ || blocks.block_memory() + blocks.bytes_of_next_split() <= *limit_;
}

void tally_table::settle() noexcept {
  for (int i = 0; i < most_splits_per_call && should_grow(); ++i) {
    if (!may_split() || !table_.split()) break;
    set_limits();
  }
  for (int i = 0; i < most_splits_per_call && counts().slots() < shrink_below_; ++i) {
    if (!table_.join()) break;
    set_limits();
  }
  // One call in 64, chosen by what is stored: a loaded table goes on as this one does.
  if (!table_.stash().empty() && total() * detail::golden >> 58 == 0) [[unlikely]]
    table_.unstash(total());
}

// -- answers -----------------------------------------------------------------------------------

tally_statistics tally_table::statistics() const {
  tally_statistics s;
  s.distinct = static_cast<double>(prints());
  s.total = this->total();
  for_each([&](std::uint64_t, std::uint64_t count) { s.largest = std::max(s.largest, count); });
  return s;
}

double tally_table::predicted_error(std::uint64_t items) const {
  expect_usable();
  return math::print_share(plan(), static_cast<double>(items));
}

double tally_table::current_error() const { return predicted_error(prints()); }

std::uint64_t tally_table::room_for(std::uint64_t n) const noexcept {
  if (!usable() || !limit_) return usable() ? n : 0;
  const auto blocks = static_cast<double>(*limit_ / detail::line_bytes);
  const double slots = blocks * table_.blocks().form(table_.blocks().level()).slots;
  const auto used = static_cast<double>(counts().slots() + stashed());
  const double left = math::grown_print_load * slots - used;
  const double each = prints() == 0 ? 1 : used / static_cast<double>(prints());
  return left <= 0 ? 0 : static_cast<std::uint64_t>(std::min(static_cast<double>(n), left / each));
}

// -- merging -----------------------------------------------------------------------------------

void tally_table::expect_mergeable(const tally_table& other) const {
  expect_usable();
  other.expect_usable();
  if (plan() != other.plan() || this->seed_ != other.seed_) {
    const auto told = [](const tally_table& f) {
      return to_string(f.plan().print_bits) + " bits per print in " + to_string(f.plan().homes) +
             " blocks at first, seed " + to_string(f.seed_);
    };
    this->refuse_merge(told(*this), told(other));
  }
  this->expect_sum_fits(other);
}

// False if there is no room; then only a part was added.
bool tally_table::absorb(const tally_table& other, const shard& only) {
  bool room = true;
  const bool all = only.count == 1;
  other.table_.for_each_in_order([&](const detail::print& p, std::uint64_t count, std::uint64_t) {
    if (!room || !only.has(detail::shard_of_tag(p.tag, only))) return;
    if (!all) this->total_ += count;
    const bool marked = other.table_.marked(other.table_.blocks().other(p));
    room = table_.absorb(p, count, marked) != print_result::full;
    settle();
  });
  if (all) this->total_ += other.total();
  return room;
}

// Prints come in the order of their blocks, which may fill up before the table has grown. Then it
// grows first, as if no item were in both.
void tally_table::merge(const tally_table& other) {
  expect_mergeable(other);
  tally_table sum(*this);
  if (!sum.absorb(other)) {
    sum = *this;
    const std::uint64_t used = counts().slots() + other.counts().slots();
    const std::uint64_t prints = counts().prints() + other.counts().prints();
    while (sum.crowded_by(used, prints) && sum.may_split() && sum.table_.split()) sum.set_limits();
    if (!sum.absorb(other)) {
      detail::refuse_merge(limit_ ? "the memory limit of " + to_string(*limit_) +
                                        " bytes leaves no room for both tables"
                                  : "the tables cannot grow far enough for both");
    }
  }
  *this = std::move(sum);
}

BLOOMTIME_VALUE_OF(tally_table);

}  // namespace bloomtime
