#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/time.hpp>

#include "cli/asking/opened_store.hpp"
#include "cli/output/ranked_tables.hpp"
#include "cli/output/report.hpp"
#include "cli/output/style.hpp"
#include "logs/bad_line.hpp"
#include "profile/profiler.hpp"
#include "store/manifest.hpp"

namespace bloomtime::cli {

// What web logs say about responses, as fields of JSON, and their keys for the help.
std::vector<std::pair<std::string, value>> web_fields(const profile::profiler& profile);
entries web_keys();

struct shown_rows {
  std::uint64_t number = 10;  // of each field
  profile::order by = profile::order::heat;
};

struct profile_summary {
  std::vector<std::string> files;
  store::facts read;
  logs::line_counts counts;  // of this run
  std::uint64_t records_before = 0;
  std::string store;               // empty if it was not kept
  std::optional<instant> at = {};  // of the heat; nothing: the newest event
};

// A sentence for each memory limit that is exceeded: by a history at all, by heat by more than an
// eighth, since a few hot items always take a little more than the cells.
std::vector<std::string> over_budget_texts(const profile::profiler& profile);

report report_of(const profile_summary& what, const profile::profiler& profile,
                 const shown_rows& rows, const style& how);

}  // namespace bloomtime::cli
