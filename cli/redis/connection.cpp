#include "cli/redis/connection.hpp"

#include <cstdlib>

#include <sys/time.h>

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

constexpr timeval patience{10, 0};  // to connect

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

redis_reply redis_connection::ask(std::span<const std::string_view> words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  const std::unique_ptr<void, void (*)(void*)> owned(
      redisCommandArgv(context_.get(), static_cast<int>(texts.size()), texts.data(),
                       lengths.data()),
      freeReplyObject);
  if (!owned) fail(context_->errstr);
  const auto& reply = *static_cast<const redisReply*>(owned.get());
  if (reply.type == REDIS_REPLY_ERROR) fail({reply.str, reply.len});
  return copied(reply);
}

void redis_connection::fail(std::string_view problem) const {
  throw_error(errc::io, "{}: {}", address_.text(), printable(problem));
}

}  // namespace bloomtime::cli
