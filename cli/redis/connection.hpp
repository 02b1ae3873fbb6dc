#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/redis/address.hpp"

struct redisContext;

namespace bloomtime::cli {

// A reply of a server; errors are thrown instead.
struct redis_reply {
  enum class kind { nothing, number, text, list };

  kind what = kind::nothing;
  std::int64_t number = 0;
  std::string text;
  std::vector<redis_reply> list;
};

// A connection to one server, as the user and in the database of the address. The password is taken
// from REDISCLI_AUTH. If a server of a cluster redirects a command, it is sent to the server that
// was named, and so are later commands for the same key. All members throw error(io) with the
// address and the server's own words.
class redis_connection {
 public:
  explicit redis_connection(const redis_address& address);

  redis_reply ask(std::span<const std::string_view> words);
  redis_reply ask(std::initializer_list<std::string_view> words) {
    return ask(std::span(words.begin(), words.size()));
  }
  const redis_address& address() const noexcept { return address_; }

 private:
  using reply_ptr = std::unique_ptr<void, void (*)(void*)>;

  [[noreturn]] void fail(std::string_view problem) const;
  void log_in();
  reply_ptr send(std::span<const std::string_view> words);
  redis_connection& node_at(std::string_view place);

  redis_address address_;
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
  std::map<std::string, std::unique_ptr<redis_connection>, std::less<>> nodes_;  // by host:port
  std::map<std::string, redis_connection*, std::less<>> homes_;                  // of keys
};

}  // namespace bloomtime::cli
