#pragma once

#include <cstddef>

#include "cli/output/json.hpp"
#include "cli/output/ranked_tables.hpp"
#include "profile/profiler.hpp"

namespace bloomtime::cli {

// The items of a field that a page lists: the first rows of every order, and those that are gone,
// each item once with its timeline.
//
// {"field", "columns", "rows", "times", "orders": {"heat": [row numbers], "total", "trend", "new",
//  "gone"}, "timeline": {"from", "to", "asked_ticks", "error"}}
ordered_json listed_items(const profile::field_profile& field, const asked_ranking& asked,
                          const std::optional<interval>& span);

}  // namespace bloomtime::cli
