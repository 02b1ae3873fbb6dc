#pragma once

#include <bloomtime/tally/tally_filter.hpp>

namespace bloomtime {

// For items that only come: of an item's cells only those below its new count are raised (minimum
// increase), which makes answers several times better. There is no remove(): a cell that was passed
// over when an item was added must not be lowered when it is removed
// (docs/math.md, Minimum increase and removal).
using rising_tally = basic_tally_filter<tally_rule::minimum>;

}  // namespace bloomtime
