#pragma once

#include <string>

#include "cli/dedupe/deduper.hpp"
#include "cli/output/report.hpp"

namespace bloomtime::cli {

// What it takes, told before the first line.
std::string plan_of(const deduper& work);

report summary_of(const deduper& work);

}  // namespace bloomtime::cli
