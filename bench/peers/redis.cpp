#include "bench/peers/peers.hpp"

#if __has_include(<hiredis/hiredis.h>)
#include <hiredis/hiredis.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "bench/harness/log_file.hpp"
#include "bench/harness/process.hpp"

namespace bench {
namespace {

using bloomtime::instant;

struct reply_free {
  void operator()(redisReply* r) const { freeReplyObject(r); }
};
using reply = std::unique_ptr<redisReply, reply_free>;

// A private server on a socket in a temporary file, without persistence.
class server {
 public:
  server() {
    const std::string path = socket_.path();
    process_ = start_process({}, [path] {
      return run_program({"redis-server", "--port", "0", "--unixsocket", path, "--save", ""});
    });
    for (int i = 0; i < 1000 && (client_ == nullptr || client_->err != 0); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      client_.reset(redisConnectUnix(path.c_str()));
    }
    if (client_ == nullptr || client_->err != 0) throw std::runtime_error("redis-server is silent");
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server() {
    client_.reset();
    ::kill(process_, SIGKILL);
    (void)cost_of_process(process_, SIGKILL);
  }

  // Appends without waiting; finish() reads all answers.
  void append(std::span<const std::string_view> words) {
    std::array<const char*, 4> texts{};
    std::array<std::size_t, 4> sizes{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      texts[i] = words[i].data();
      sizes[i] = words[i].size();
    }
    redisAppendCommandArgv(client_.get(), static_cast<int>(words.size()), texts.data(),
                           sizes.data());
    if (++waiting_ == 1000) finish();
  }
  void finish() {
    for (; waiting_ != 0; --waiting_) (void)next();
  }
  long long number(const char* command) {
    redisAppendCommand(client_.get(), command);
    return next()->integer;
  }
  // Of the thread that executes commands, including the protocol.
  double cpu_seconds() {
    redisAppendCommand(client_.get(), "INFO cpu");
    const std::string text = next()->str;
    double all = 0;
    for (const char* name : {"used_cpu_sys_main_thread:", "used_cpu_user_main_thread:"}) {
      all += std::stod(text.substr(text.find(name) + std::strlen(name)));
    }
    return all;
  }

 private:
  struct disconnect {
    void operator()(redisContext* c) const { redisFree(c); }
  };

  reply next() {
    void* found = nullptr;
    if (redisGetReply(client_.get(), &found) != REDIS_OK) throw std::runtime_error("redis-server");
    return reply(static_cast<redisReply*>(found));
  }

  temporary_file socket_{"redis"};
  pid_t process_ = 0;
  std::unique_ptr<redisContext, disconnect> client_;
  int waiting_ = 0;
};

std::string_view bytes_of(const short_key& key) {
  return {reinterpret_cast<const char*>(&key), sizeof key};
}

// add(server, key, time) and ask(server, key) append a command each.
template <class Add, class Ask>
std::function<figures(std::uint64_t)> redis_trial(Add add, Ask ask) {
  return [=](std::uint64_t items) {
    server s;
    const auto time_of_commands = [&](std::uint64_t calls, auto&& use) {
      const double start = s.cpu_seconds();
      for (std::uint64_t i = 0; i < calls; ++i) use(i);
      s.finish();
      return (s.cpu_seconds() - start) * 1e9 / static_cast<double>(calls);
    };
    figures f;
    f.add = time_of_commands(
        items, [&](std::uint64_t i) { add(s, bytes_of(key_of<short_key>(i)), time_of(i, items)); });
    f.bytes = static_cast<std::uint64_t>(s.number("MEMORY USAGE seen SAMPLES 0"));
    std::vector<short_key> keys(most_questions);
    query_set(items, 50, 1).fill(std::span(keys));
    f.ask = time_of_commands(keys.size(), [&](std::uint64_t i) { ask(s, bytes_of(keys[i])); });
    return f;
  };
}

}  // namespace

std::vector<candidate> redis_candidates(subject asked) {
  if (!is_installed("redis-server")) return {};
  const std::string promise = "exact; shared by processes; times are the server's CPU";
  if (asked == subject::ever) {
    return {{"a Redis set", promise, false, 0,
             redis_trial(
                 [](server& s, std::string_view key, instant) {
                   s.append(std::array<std::string_view, 3>{"SADD", "seen", key});
                 },
                 [](server& s, std::string_view key) {
                   s.append(std::array<std::string_view, 3>{"SISMEMBER", "seen", key});
                 })}};
  }
  if (asked == subject::recency) {
    return {{"a Redis sorted set", promise, false, 0,
             redis_trial(
                 [](server& s, std::string_view key, instant t) {
                   const std::string time = std::to_string(t.micros / 1000);
                   s.append(std::array<std::string_view, 4>{"ZADD", "seen", time, key});
                 },
                 [](server& s, std::string_view key) {
                   s.append(std::array<std::string_view, 3>{"ZSCORE", "seen", key});
                 })}};
  }
  return {};
}

}  // namespace bench
#else
namespace bench {
std::vector<candidate> redis_candidates(subject) { return {}; }
}  // namespace bench
#endif
