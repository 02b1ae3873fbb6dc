#pragma once

#include "cli/output/printer.hpp"

namespace bloomtime::cli {

const char* version_number();
void print_version(const printer& out);

}  // namespace bloomtime::cli
