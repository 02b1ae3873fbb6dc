#pragma once

#include <string>

#include "cli/output/report.hpp"
#include "cli/store/reader.hpp"

namespace bloomtime::cli {

// What stores say about themselves, one row each.
table store_table();
row store_row(const std::string& path, const store::reader& opened);

}  // namespace bloomtime::cli
