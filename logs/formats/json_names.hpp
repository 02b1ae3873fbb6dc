#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logs/field.hpp"
#include "logs/format.hpp"

namespace bloomtime::logs {

// Which server wrote an object with these keys: caddy, traefik or journald; otherwise ndjson.
input_format json_dialect(const std::vector<std::string>& keys);

// The field that is known by this name in lines with these keys: "path" is the key request.uri of
// Caddy and request_uri of nginx. Nothing if no such key is there.
std::optional<field> known_json_field(std::string_view name, const std::vector<std::string>& keys);

// The names that known_json_field() finds.
std::vector<std::string> known_json_names(const std::vector<std::string>& keys);

}  // namespace bloomtime::logs
