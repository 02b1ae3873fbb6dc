#pragma once

#include <string>
#include <vector>

#include "cli/dedupe/deduper.hpp"
#include "cli/dedupe/line_keys.hpp"
#include "cli/output/report.hpp"

namespace bloomtime::cli {

// What it takes, told before the first line.
std::string plan_of(const deduper& work);

// Printed the moment the filter is past what it was sized for.
std::string overload_of(const deduper& work);

report summary_of(const deduper& work, const std::vector<lacking_field>& lacking);

}  // namespace bloomtime::cli
