#pragma once

#include "cli/output/report.hpp"
#include "traffic/profile.hpp"

namespace bloomtime::cli {

report report_of(const traffic::profile& what);

}  // namespace bloomtime::cli
