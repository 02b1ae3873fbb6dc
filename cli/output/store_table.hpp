#pragma once

#include <string>

#include "cli/output/report.hpp"
#include "store/reader.hpp"

namespace bloomtime::cli {

// What stores say about themselves, one row each; times for people in the zone of the log, or in
// UTC.
table store_table();
row store_row(const std::string& path, const store::reader& opened, bool utc);

}  // namespace bloomtime::cli
