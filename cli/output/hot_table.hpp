#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <bloomtime/time.hpp>

#include "cli/output/report.hpp"
#include "cli/output/style.hpp"
#include "profile/profiler.hpp"

namespace bloomtime::cli {

// A decayed count for people, with its largest error: "18,204 ± 9".
std::string hits_text(const estimate& heat);

// The n hottest items of each field: for people a table each, for programs one of all.
std::vector<table> hot_tables(const std::vector<const profile::field_profile*>& fields,
                              std::size_t n, instant at, const style& how);

// The keys of the latter, for the help.
entries hot_keys();

}  // namespace bloomtime::cli
