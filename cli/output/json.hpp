#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "cli/output/report.hpp"

namespace bloomtime::cli {

using nlohmann::ordered_json;

ordered_json to_json(const value& data);
// The object that `--json` prints.
ordered_json to_json(const report& what);

// In one line unless `indent` is given. Items and file names need not be UTF-8; JSON must be.
std::string dumped(const ordered_json& document, int indent = -1);

}  // namespace bloomtime::cli
