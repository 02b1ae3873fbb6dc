#pragma once

#include <bloomtime/tally/tally_filter.hpp>

namespace bloomtime {

// Counts items that are only added. It raises only those cells of an item that are below its new
// count (minimum increase), so errors are several times smaller. There is no remove(): a cell that
// was not raised when an item was added must not be lowered when it is removed
// (docs/math.md, Minimum increase and removal).
using rising_tally = basic_tally_filter<tally_rule::minimum>;

}  // namespace bloomtime
