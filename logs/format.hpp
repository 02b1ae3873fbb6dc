#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomtime::logs {

enum class input_format {
  common,
  combined,
  vhost_combined,
  ndjson,
  caddy,
  traefik,
  journald,
  logfmt,
  csv,
  tsv,
  w3c,
  cloudfront,
  load_balancer,
  nginx_error,
  apache_error,
  syslog,
  timed,
  plain,
  pattern,  // as --pattern says
};

// std::nullopt for "auto", the default. Throws usage_error for an unknown format.
std::optional<input_format> format_named(const std::string& typed);
// All that format_named() takes, "auto" first.
std::vector<std::string> format_names();

std::string_view described(input_format f);  // "combined log"
constexpr bool is_log(input_format f) { return f <= input_format::vhost_combined; }
constexpr bool is_json(input_format f) {
  return f >= input_format::ndjson && f <= input_format::journald;
}
constexpr bool has_keys(input_format f) { return is_json(f) || f == input_format::logfmt; }
constexpr bool has_directives(input_format f) {
  return f == input_format::w3c || f == input_format::cloudfront;
}
constexpr bool has_columns(input_format f) {
  return f == input_format::csv || f == input_format::tsv;
}

}  // namespace bloomtime::logs
