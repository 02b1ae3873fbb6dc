#include "cli/web/gate.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <fmt/format.h>

#include "cli/output/json.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::string_view cookie = "bloomtime_token=";

// "example.org" of "example.org:7979", "[::1]" of "[::1]:7979".
std::string_view without_port(std::string_view host) {
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.find(':', bracket == host.npos ? 0 : bracket);
  return host.substr(0, colon);
}

// A name can be made to point anywhere; an address cannot.
bool is_address(std::string_view host) {
  std::array<unsigned char, 16> bytes{};
  std::string text(host);
  if (text.starts_with('[') && text.ends_with(']')) {
    return ::inet_pton(AF_INET6, text.substr(1, text.size() - 2).c_str(), bytes.data()) == 1;
  }
  return ::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1;
}

// Takes as long for every text of the same length.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

std::string_view cookie_in(std::string_view header) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view one = header.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(cookie)) return one.substr(cookie.size());
    header.remove_prefix(std::min(end + 1, header.size()));
  }
  return {};
}

}  // namespace

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

web::response error_response(unsigned status, const std::string& sentence) {
  return {.status = status, .body = dumped(ordered_json{{"error", sentence}}), .headers = {}};
}

request_gate::request_gate(std::string token, std::vector<std::string> hosts)
    : token_(std::move(token)), hosts_(std::move(hosts)) {}

bool request_gate::is_known(std::string_view host) const {
  const std::string_view name = without_port(host);
  return name == "localhost" || is_address(name) ||
         std::find(hosts_.begin(), hosts_.end(), name) != hosts_.end();
}

bool request_gate::has_token(const web::request& r) const {
  constexpr std::string_view bearer = "Bearer ";
  std::string_view given = r.header("Authorization");
  if (given.starts_with(bearer)) return same_secret(given.substr(bearer.size()), token_);
  return same_secret(cookie_in(r.header("Cookie")), token_);
}

std::optional<web::response> request_gate::refuses(const web::request& r) const {
  const std::string_view host = r.header("Host");
  if (!is_known(host)) {
    return error_response(403,
                          "the Host header names another server; start it with --host NAME "
                          "if this is its name");
  }
  const std::string_view origin = r.header("Origin");
  const std::size_t scheme = origin.find("://");
  const bool foreign =
      !origin.empty() && (scheme == origin.npos || origin.substr(scheme + 3) != host);
  if (foreign || r.header("Sec-Fetch-Site") == "cross-site") {
    return error_response(403, "requests of other sites are not answered");
  }
  if (token_.empty() || has_token(r)) return std::nullopt;
  // A browser gets it as a cookie, and loses it from the address.
  std::vector<std::string_view> typed;
  for (const auto& [name, text] : r.arguments()) {
    if (name == "token") typed.push_back(text);
  }
  if (r.path() == "/" && typed.size() == 1 && same_secret(typed.front(), token_)) {
    return web::response{
        .status = 303,
        .type = "text/plain",
        .body = "",
        .headers = {{"Location", "/"},
                    {"Set-Cookie",
                     fmt::format("{}{}; HttpOnly; SameSite=Strict; Path=/", cookie, token_)}}};
  }
  web::response no = error_response(
      401, "give the token: Authorization: Bearer TOKEN, or /?token=TOKEN in a browser");
  no.headers.emplace_back("WWW-Authenticate", "Bearer");
  return no;
}

}  // namespace bloomtime::cli
