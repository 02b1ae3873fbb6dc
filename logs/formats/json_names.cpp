#include "logs/formats/json_names.hpp"

#include <algorithm>
#include <array>

namespace bloomtime::logs {
namespace {

using part = field::part;

struct known_key {
  std::string_view name;
  std::string_view key;
  part what = part::value;
};

// The keys of Caddy, Traefik and journald, and those common in log_format of nginx. The first key
// that occurs counts.
constexpr std::array known{
    known_key{"host", "request.client_ip"},
    known_key{"host", "request.remote_ip"},
    known_key{"host", "request.remote_addr", part::address},
    known_key{"host", "ClientHost"},
    known_key{"host", "ClientAddr", part::address},
    known_key{"host", "_HOSTNAME"},
    known_key{"host", "remote_addr", part::address},
    known_key{"host", "remote_ip"},
    known_key{"host", "client_ip"},
    known_key{"host", "clientip"},
    known_key{"path", "request.uri"},
    known_key{"path", "RequestPath"},
    known_key{"path", "request_uri"},
    known_key{"path", "uri"},
    known_key{"path", "url", part::url_path},
    known_key{"path", "request", part::path},
    known_key{"method", "request.method"},
    known_key{"method", "RequestMethod"},
    known_key{"method", "request_method"},
    known_key{"method", "http_method"},
    known_key{"method", "request", part::method},
    known_key{"status", "DownstreamStatus"},
    known_key{"status", "status_code"},
    known_key{"bytes", "DownstreamContentSize"},
    known_key{"bytes", "body_bytes_sent"},
    known_key{"bytes", "bytes_sent"},
    known_key{"bytes", "size"},
    known_key{"agent", "request.headers.User-Agent"},
    known_key{"agent", "request_User-Agent"},
    known_key{"agent", "http_user_agent"},
    known_key{"agent", "user_agent"},
    known_key{"referrer", "request.headers.Referer"},
    known_key{"referrer", "request_Referer"},
    known_key{"referrer", "http_referer"},
    known_key{"referrer", "http_referrer"},
    known_key{"referrer", "referer"},
    known_key{"site", "request.host"},
    known_key{"site", "RequestHost"},
    known_key{"site", "http_host"},
    known_key{"site", "server_name"},
    known_key{"site", "vhost"},
    known_key{"user", "user_id"},
    known_key{"user", "ClientUsername"},
    known_key{"user", "remote_user"},
    known_key{"protocol", "request.proto"},
    known_key{"protocol", "RequestProtocol"},
    known_key{"protocol", "server_protocol"},
    known_key{"time", "__REALTIME_TIMESTAMP"},
    known_key{"time", "StartUTC"},
    known_key{"program", "SYSLOG_IDENTIFIER"},
    known_key{"program", "_COMM"},
    known_key{"unit", "_SYSTEMD_UNIT"},
    known_key{"pid", "_PID"},
    known_key{"severity", "PRIORITY", part::severity},
    known_key{"message", "MESSAGE"},
    known_key{"message", "msg"},
};

bool has(const std::vector<std::string>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Of nested keys only the second level is listed.
bool may_have(const std::vector<std::string>& keys, std::string_view key) {
  constexpr std::string_view nested = "request.headers.";
  return has(keys, key) || (key.starts_with(nested) && has(keys, "request.headers"));
}

}  // namespace

input_format json_dialect(const std::vector<std::string>& keys) {
  if (has(keys, "__REALTIME_TIMESTAMP")) return input_format::journald;
  if (has(keys, "RequestPath") && has(keys, "DownstreamStatus")) return input_format::traefik;
  if (has(keys, "request.uri") && has(keys, "request.method")) return input_format::caddy;
  return input_format::ndjson;
}

std::optional<field> known_json_field(std::string_view name, const std::vector<std::string>& keys) {
  for (const known_key& k : known) {
    if (k.name != name || !may_have(keys, k.key)) continue;
    return field{.name = std::string(name), .what = k.what, .key = std::string(k.key)};
  }
  return std::nullopt;
}

std::vector<std::string> known_json_names(const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (const known_key& k : known) {
    if (may_have(keys, k.key) && !has(names, k.name) && !has(keys, k.name))
      names.emplace_back(k.name);
  }
  return names;
}

}  // namespace bloomtime::logs
