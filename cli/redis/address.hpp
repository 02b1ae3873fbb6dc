#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomtime::cli {

// redis://[user@]host[:port][/db]
struct redis_address {
  std::string user;  // empty: the server's default user
  std::string host;
  std::uint16_t port = 6379;
  std::uint32_t database = 0;

  std::string text() const;  // as a person would type it
};

// Whether the text names a server: it begins with redis:// or rediss://.
bool is_redis_address(std::string_view typed);

// Throws usage_error.
redis_address parse_redis_address(std::string_view typed);

}  // namespace bloomtime::cli
