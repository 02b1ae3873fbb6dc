#include "cli/redis/connection.hpp"

#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include <sys/time.h>

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

constexpr timeval patience{10, 0};  // to connect
constexpr int most_redirections = 16;

redis_reply copied(const redisReply& r) {
  redis_reply copy;
  switch (r.type) {
    case REDIS_REPLY_INTEGER:
      copy.what = redis_reply::kind::number;
      copy.number = r.integer;
      break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      copy.what = redis_reply::kind::text;
      copy.text.assign(r.str, r.len);
      break;
    case REDIS_REPLY_ARRAY:
      copy.what = redis_reply::kind::list;
      for (std::size_t i = 0; i < r.elements; ++i) copy.list.push_back(copied(*r.element[i]));
      break;
    default: break;
  }
  return copy;
}

}  // namespace

redis_connection::redis_connection(const redis_address& address)
    : address_(address),
      context_(redisConnectWithTimeout(address.host.c_str(), address.port, patience), redisFree) {
  if (!context_) fail("out of memory");
  if (context_->err != 0) fail(context_->errstr);
  log_in();
  if (address.database != 0) ask({"SELECT", std::to_string(address.database)});
}

void redis_connection::log_in() {
  const char* const password = std::getenv("REDISCLI_AUTH");
  if (password == nullptr || *password == '\0') {
    if (!address_.user.empty()) {
      refuse("put the password of {} into REDISCLI_AUTH", shown(address_.user));
    }
    return;
  }
  if (address_.user.empty()) {
    ask({"AUTH", password});
  } else {
    ask({"AUTH", address_.user, password});
  }
}

redis_connection::reply_ptr redis_connection::send(std::span<const std::string_view> words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  reply_ptr reply(redisCommandArgv(context_.get(), static_cast<int>(texts.size()), texts.data(),
                                   lengths.data()),
                  freeReplyObject);
  if (!reply) fail(context_->errstr);
  return reply;
}

redis_reply redis_connection::ask(std::span<const std::string_view> words) {
  const std::string_view key = words.size() > 1 ? words[1] : std::string_view();
  const auto home = homes_.find(key);
  redis_connection* node = home != homes_.end() ? home->second : this;
  for (int redirected = 0;; ++redirected) {
    const reply_ptr owned = node->send(words);
    const auto& reply = *static_cast<const redisReply*>(owned.get());
    if (reply.type != REDIS_REPLY_ERROR) return copied(reply);
    const std::string_view problem(reply.str, reply.len);
    const bool moved = problem.starts_with("MOVED ");
    if ((!moved && !problem.starts_with("ASK ")) || redirected == most_redirections) {
      node->fail(problem);
    }
    node = &node_at(problem.substr(problem.rfind(' ') + 1));
    if (moved) {
      homes_.insert_or_assign(std::string(key), node);
    } else {
      const std::array<std::string_view, 1> asking{"ASKING"};
      (void)node->send(asking);
    }
  }
}

// Of host:port, or :port on the same host.
redis_connection& redis_connection::node_at(std::string_view place) {
  const auto known = nodes_.find(place);
  if (known != nodes_.end()) return *known->second;
  const std::size_t colon = place.rfind(':');
  const auto port =
      colon == place.npos ? std::nullopt : number_in<std::uint16_t>(place.substr(colon + 1));
  if (!port) fail(fmt::format("the server refers to {}, which is no address", shown(place)));
  redis_address address = address_;
  address.port = *port;
  if (colon != 0) address.host = place.substr(0, colon);
  auto node = std::make_unique<redis_connection>(address);
  return *nodes_.emplace(std::string(place), std::move(node)).first->second;
}

void redis_connection::fail(std::string_view problem) const {
  throw_error(errc::io, "{}: {}", address_.text(), printable(problem));
}

}  // namespace bloomtime::cli
