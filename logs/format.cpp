#include "logs/format.hpp"

#include <array>

#include <fmt/format.h>

#include "text/suggest.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace {

struct known_format {
  input_format format;
  std::string_view name;
  std::string_view description;
};

// In the order of input_format.
constexpr std::array known{
    known_format{input_format::common, "common", "common log"},
    known_format{input_format::combined, "combined", "combined log"},
    known_format{input_format::vhost_combined, "vhost-combined", "combined log with virtual hosts"},
    known_format{input_format::ndjson, "ndjson", "NDJSON"},
    known_format{input_format::caddy, "caddy", "Caddy JSON"},
    known_format{input_format::traefik, "traefik", "Traefik JSON"},
    known_format{input_format::journald, "journald", "journald JSON"},
    known_format{input_format::logfmt, "logfmt", "logfmt"},
    known_format{input_format::csv, "csv", "CSV"},
    known_format{input_format::tsv, "tsv", "TSV"},
    known_format{input_format::w3c, "w3c", "W3C extended log"},
    known_format{input_format::cloudfront, "cloudfront", "CloudFront log"},
    known_format{input_format::load_balancer, "alb", "AWS load balancer log"},
    known_format{input_format::nginx_error, "nginx-error", "nginx error log"},
    known_format{input_format::apache_error, "apache-error", "Apache error log"},
    known_format{input_format::syslog, "syslog", "syslog"},
    known_format{input_format::timed, "timed", "lines that begin with a time"},
    known_format{input_format::plain, "plain", "plain lines"},
};
constexpr std::string_view automatic = "auto";
constexpr std::string_view by_pattern = "lines of the pattern";

}  // namespace

std::optional<input_format> format_named(const std::string& typed) {
  if (typed == automatic) return std::nullopt;
  for (const known_format& k : known) {
    if (k.name == typed) return k.format;
  }
  const std::vector<std::string> names = format_names();
  text::refuse("--format must be one of {}, got {}.{}", fmt::join(names, ", "), text::shown(typed),
               text::suggestion(typed, names));
}

std::vector<std::string> format_names() {
  std::vector<std::string> names{std::string(automatic)};
  for (const known_format& k : known) names.emplace_back(k.name);
  return names;
}

std::string_view described(input_format f) {
  return f == input_format::pattern ? by_pattern : known[static_cast<std::size_t>(f)].description;
}

}  // namespace bloomtime::logs
