#pragma once

#include "cli/output/printer.hpp"

namespace bloomtime::cli {

void print_version(const printer& out);

}  // namespace bloomtime::cli
