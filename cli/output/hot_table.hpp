#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <bloomtime/time.hpp>

#include "cli/output/report.hpp"
#include "cli/output/style.hpp"
#include "profile/profiler.hpp"

namespace bloomtime::cli {

// A decayed count for people, with as much as it may be off by: "18,204 ± 9".
std::string hits_text(const estimate& heat);

// The n hottest items of each field: for people a table each, for programs one of all.
std::vector<table> hot_tables(const std::vector<const field_profile*>& fields, std::size_t n,
                              instant at, const style& how);

// What the keys of that one mean, for the help.
inline constexpr const char* hot_keys =
    "field, rank (from 1), item, hits (decayed count), lower, upper (bounds of it), guaranteed\n"
    "(whether it is certainly one of the n hottest), rate_per_minute, trend (rate of late over\n"
    "rate: above 1 if rising), recent (events in each of the last 24 half-lives since it was\n"
    "last listed, oldest first), cut (whether the item is longer than its first 1024 bytes, which\n"
    "are shown; ask heat with all of it)\n";

}  // namespace bloomtime::cli
