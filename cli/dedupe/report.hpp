#pragma once

#include <string>
#include <vector>

#include "cli/dedupe/deduper.hpp"
#include "cli/output/report.hpp"
#include "logs/event_reader.hpp"

namespace bloomtime::cli {

// One line about memory, window and error, printed before the first line.
std::string plan_of(const deduper& work);

// The warning that more different keys came than --expect.
std::string overload_of(const deduper& work);

// The warning that the memory is full.
std::string fullness_of(const deduper& work);

report summary_of(const deduper& work, const std::vector<logs::lacking_field>& lacking,
                  std::uint64_t repeated_headers);

}  // namespace bloomtime::cli
