#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "cli/output/report.hpp"

namespace bloomtime::cli {

using json = nlohmann::ordered_json;

json to_json(const value& data);
// The object that `--json` prints.
json to_json(const report& what);

// In one line unless `indent` is given. Items and file names need not be UTF-8; JSON must be.
std::string dumped(const json& document, int indent = -1);

}  // namespace bloomtime::cli
