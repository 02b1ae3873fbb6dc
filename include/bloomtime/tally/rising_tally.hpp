#pragma once

#include <bloomtime/tally/tally_filter.hpp>

namespace bloomtime {

// For items that only come: of an item's cells only those below its new count are raised (minimum
// increase), which makes answers several times better. There is no remove(): a cell that was passed
// over when an item came must not be lowered when it goes (tally.md 4.2 has the smallest example).
using rising_tally = basic_tally_filter<tally_rule::minimum>;

}  // namespace bloomtime
