#include "cli/redis/address.hpp"

#include <optional>

#include <fmt/format.h>

#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::string_view scheme = "redis://";
constexpr std::string_view encrypted_scheme = "rediss://";

// What precedes `mark`; removes both from the text. Nothing if there is no mark.
std::optional<std::string_view> taken_until(std::string_view& text, std::size_t mark) {
  if (mark == text.npos) return std::nullopt;
  const std::string_view before = text.substr(0, mark);
  text.remove_prefix(mark + 1);
  return before;
}

[[noreturn]] void refuse_address(std::string_view typed) {
  refuse(
      "a server is written redis://[user@]host[:port][/db], as in redis://localhost:6379/0; got {}",
      shown(typed));
}

}  // namespace

std::string redis_address::text() const {
  const bool v6 = host.find(':') != host.npos;
  return fmt::format("{}{}{}{}{}{}:{}/{}", scheme, user, user.empty() ? "" : "@", v6 ? "[" : "",
                     host, v6 ? "]" : "", port, database);
}

bool is_redis_address(std::string_view typed) {
  return typed.starts_with(scheme) || typed.starts_with(encrypted_scheme);
}

redis_address parse_redis_address(std::string_view typed) {
  if (typed.starts_with(encrypted_scheme)) {
    refuse("this build has no TLS, because Debian's hiredis has none; use {}... through a tunnel",
           scheme);
  }
  if (!typed.starts_with(scheme)) refuse_address(typed);
  std::string_view rest = typed.substr(scheme.size());
  redis_address parsed;
  if (const auto user = taken_until(rest, rest.rfind('@'))) {
    if (user->find(':') != user->npos) {
      refuse("a password in an address is visible to other users; put it into REDISCLI_AUTH");
    }
    parsed.user = *user;
  }
  std::string_view place = rest;
  if (const auto before = taken_until(rest, rest.find('/'))) {
    place = *before;
    if (!rest.empty()) {
      const auto database = number_in<std::uint32_t>(rest);
      if (!database) refuse_address(typed);
      parsed.database = *database;
    }
  }
  const bool v6 = place.starts_with('[');
  if (v6) {
    place.remove_prefix(1);
    const auto host = taken_until(place, place.find(']'));
    if (!host || !(place.empty() || place.starts_with(':'))) refuse_address(typed);
    parsed.host = *host;
  } else {
    parsed.host = place.substr(0, place.find(':'));
    place.remove_prefix(parsed.host.size());
  }
  if (!place.empty()) {
    const auto port = number_in<std::uint16_t>(place.substr(1));
    if (!port || *port == 0) refuse_address(typed);
    parsed.port = *port;
  }
  if (parsed.host.empty()) refuse_address(typed);
  return parsed;
}

}  // namespace bloomtime::cli
