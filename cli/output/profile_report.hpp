#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/time.hpp>

#include "cli/asking/opened_store.hpp"
#include "cli/output/report.hpp"
#include "cli/output/style.hpp"
#include "logs/bad_line.hpp"
#include "profile/profiler.hpp"
#include "store/manifest.hpp"

namespace bloomtime::cli {

// A decayed count for people, with its largest error: "18,204 ± 9".
std::string hits_text(const estimate& heat);

// The n hottest items of each field: for people a table each, for programs one of all.
std::vector<table> hot_tables(const std::vector<const profile::field_profile*>& fields,
                              std::size_t n, instant at, const style& how);

// The keys of the latter, for the help.
entries hot_keys();

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

report report_of(const profile_summary& what, const profile::profiler& profile, std::uint64_t rows,
                 const style& how);

}  // namespace bloomtime::cli
