#pragma once

#include <bloomtime/published/time_decaying/decaying_filter.hpp>
#include <bloomtime/published/time_decaying/detail/digit_cells.hpp>

namespace bloomtime::published {

extern template class basic_decaying_filter<detail::digit_cells>;

// The optimized filter: counters of one hexadecimal digit and a pool of further ones. Answers
// exactly as decaying_filter with the same cells, until one of them saturates. If counters round up
// and lambda >= 15/16 they stay above 15 for ever, and so do their chains
// (docs/math.md, Rounding of decayed counters).
using pooled_decaying_filter = basic_decaying_filter<detail::digit_cells>;

}  // namespace bloomtime::published
