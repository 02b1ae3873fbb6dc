#include <algorithm>

#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/heat/window_table.hpp>

#include "heat/merge_weight.hpp"

// Shards of heat and window tables: what merge() would add to an empty table, of some items only.
namespace bloomtime {
namespace {

__extension__ using unsigned_wide = unsigned __int128;

// At least one event, so that the shard has a clock.
std::uint64_t share_of(std::uint64_t events, std::uint64_t part, std::uint64_t whole) noexcept {
  if (whole == 0) return events;
  const auto share = static_cast<std::uint64_t>(unsigned_wide{events} * part / whole);
  return std::max<std::uint64_t>(1, share);
}

}  // namespace

heat_table heat_table::part(const shard& s) const {
  check(s);
  expect_cells();
  heat_table made(*this);
  made.clear();
  if (events_ == 0) return made;
  made.set_tick(tick_, power_);
  const forward::merge_weight once(1);
  made.add_prints(*this, once, s);
  made.rounded_up_ = rounded_up_;
  made.forgotten_ = forgotten_;
  made.allow_for_floors(*this, once);
  made.events_ = share_of(events_, made.prints(), prints());
  made.mass_ = mass_ / std::max<std::uint64_t>(1, prints()) * made.prints();
  return made;
}

window_table window_table::part(const shard& s) const {
  check(s);
  expect_cells();
  window_table made(*this);
  made.clear();
  if (events_ == 0) return made;
  made.add_table(*this, 1, s);
  made.events_ = share_of(events_, made.total_, total_);
  return made;
}

}  // namespace bloomtime
