#include <bloomtime/tally/tally_table.hpp>

#include "detail/refuse.hpp"

namespace bloomtime {

// As merge() into an empty table. Where counts need many slots, the table grows before they come.
tally_table tally_table::part(const shard& s) const {
  check(s);
  expect_usable();
  tally_table made(*this);
  made.clear();
  if (made.absorb(*this, s)) return made;
  made.clear();
  const std::uint64_t used = counts().slots() / s.count;
  const std::uint64_t prints = counts().prints() / s.count;
  while (made.crowded_by(used, prints) && made.may_split() && made.table_.split()) {
    made.set_limits();
  }
  if (!made.absorb(*this, s)) {
    detail::refuse("the memory limit of this table leaves no room for a shard of it");
  }
  return made;
}

}  // namespace bloomtime
