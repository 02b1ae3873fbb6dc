#pragma once

#include <bloomtime/published/time_decaying/decaying_filter.hpp>
#include <bloomtime/published/time_decaying/detail/digit_cells.hpp>

namespace bloomtime::published {

extern template class basic_decaying_filter<detail::digit_cells>;

// The optimized filter: counters of one hexadecimal digit and a pool of further digits. Its answers
// are those of decaying_filter with the same cells, until a counter overflows. If counters round up
// and lambda >= 15/16, counters above 15 stay above 15 for ever and keep their digits of the pool
// (docs/math.md, Rounding of decayed counters).
using pooled_decaying_filter = basic_decaying_filter<detail::digit_cells>;

}  // namespace bloomtime::published
