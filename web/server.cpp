#include "web/server.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include <bloomtime/error.hpp>

#include "web/event_stream.hpp"

namespace bloomtime::web {
namespace {

using clock = std::chrono::steady_clock;

struct socket_address {
  sockaddr_storage bytes{};
  bool six = false;
};

socket_address parse_address(const std::string& text, std::uint16_t port) {
  socket_address a;
  auto* const four = reinterpret_cast<sockaddr_in*>(&a.bytes);
  auto* const six = reinterpret_cast<sockaddr_in6*>(&a.bytes);
  if (::inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
  } else if (::inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    a.six = true;
  } else {
    throw error(errc::invalid_argument,
                fmt::format("{} is not an address; give numbers, as in 127.0.0.1", text));
  }
  return a;
}

// A connection, and when its next step is due.
struct peer {
  int socket = -1;
  std::atomic<clock::time_point> due;
};

// A request on its way.
class exchange : public request {
 public:
  exchange(MHD_Connection* connection, const char* method, const char* path)
      : connection_(connection), method_(method), path_(path) {}

  std::string_view method() const override { return method_; }
  std::string_view path() const override { return path_; }
  std::string_view body() const override { return body_; }
  std::string_view header(const char* name) const override {
    const char* const found = MHD_lookup_connection_value(connection_, MHD_HEADER_KIND, name);
    return found == nullptr ? std::string_view() : found;
  }
  std::vector<std::pair<std::string_view, std::string_view>> arguments() const override {
    std::vector<std::pair<std::string_view, std::string_view>> found;
    found.reserve(usual_arguments);
    const auto keep = [](void* into, MHD_ValueKind, const char* name, std::size_t name_size,
                         const char* value, std::size_t value_size) -> MHD_Result {
      static_cast<decltype(found)*>(into)->emplace_back(
          std::string_view(name, name_size),
          value == nullptr ? std::string_view() : std::string_view(value, value_size));
      return MHD_YES;
    };
    MHD_get_connection_values_n(connection_, MHD_GET_ARGUMENT_KIND, keep, &found);
    return found;
  }

  bool take(const char* data, std::size_t size, std::size_t most) {
    if (size > most - body_.size()) return false;
    body_.append(data, size);
    return true;
  }

 private:
  static constexpr std::size_t usual_arguments = 4;

  MHD_Connection* connection_;
  std::string_view method_;
  std::string_view path_;
  std::string body_;
};

}  // namespace

class server::daemon {
 public:
  daemon(const std::string& address, std::uint16_t port, const limits& most, handler answer);
  ~daemon();

  std::uint16_t port() const;
  server_counts counts() const;
  event_stream& events() { return events_; }

 private:
  static MHD_Result on_request(void* self, MHD_Connection* c, const char* path, const char* method,
                               const char*, const char* data, std::size_t* size, void** context);
  static void* on_address(void* self, const char* address, MHD_Connection* c);
  static void on_completed(void* self, MHD_Connection* c, void** context,
                           MHD_RequestTerminationCode);
  static void on_connection(void* self, MHD_Connection* c, void** context,
                            MHD_ConnectionNotificationCode what);

  MHD_Result begin(MHD_Connection* c, const char* path, const char* method, void** context);
  MHD_Result send(MHD_Connection* c, response&& r);
  MHD_Result refuse(MHD_Connection* c, unsigned status, const char* why);
  void set_due(MHD_Connection* c, std::chrono::seconds after);
  void watch();

  limits most_;
  handler answer_;
  event_stream events_;
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  mutable std::mutex guard_;
  std::list<peer> peers_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  MHD_Daemon* running_ = nullptr;
  std::thread watcher_;
};

server::daemon::daemon(const std::string& address, std::uint16_t port, const limits& most,
                       handler answer)
    : most_(most), answer_(std::move(answer)) {
  const socket_address at = parse_address(address, port);
  const unsigned threads = std::max(2U, std::thread::hardware_concurrency());
  const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                         (at.six ? unsigned{MHD_USE_IPv6} : 0U);
  running_ =
      MHD_start_daemon(flags, 0, nullptr, nullptr, &daemon::on_request, this,  //
                       MHD_OPTION_SOCK_ADDR, reinterpret_cast<const sockaddr*>(&at.bytes),
                       MHD_OPTION_THREAD_POOL_SIZE, threads,                 //
                       MHD_OPTION_CONNECTION_LIMIT, most.connections,        //
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, most.head_bytes,  //
                       MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(most.idle.count()),
                       MHD_OPTION_STRICT_FOR_CLIENT, 1,                           //
                       MHD_OPTION_URI_LOG_CALLBACK, &daemon::on_address, this,    //
                       MHD_OPTION_NOTIFY_COMPLETED, &daemon::on_completed, this,  //
                       MHD_OPTION_NOTIFY_CONNECTION, &daemon::on_connection, this, MHD_OPTION_END);
  if (running_ == nullptr) {
    throw error(errc::io, fmt::format("cannot listen on {}:{}: {}", address, port,
                                      std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe)
  }
  watcher_ = std::thread([this] { watch(); });
}

server::daemon::~daemon() {
  {
    const std::scoped_lock held(guard_);
    stopping_ = true;
  }
  stopped_.notify_all();
  watcher_.join();
  events_.stop();
  MHD_stop_daemon(running_);
}

std::uint16_t server::daemon::port() const {
  return MHD_get_daemon_info(running_, MHD_DAEMON_INFO_BIND_PORT)->port;
}

server_counts server::daemon::counts() const {
  const std::scoped_lock held(guard_);
  return {requests_, refused_, peers_.size(), events_.listeners()};
}

// Ends connections whose request or answer takes too long: MHD's own timeout begins anew with every
// byte.
void server::daemon::watch() {
  constexpr int beats = 10;  // seconds
  std::unique_lock held(guard_);
  for (int second = 0; !stopping_; ++second) {
    stopped_.wait_for(held, std::chrono::seconds(1), [this] { return stopping_; });
    const clock::time_point now = clock::now();
    for (const peer& p : peers_) {
      if (p.due.load() < now) ::shutdown(p.socket, SHUT_RDWR);
    }
    if (second % beats != 0) continue;
    held.unlock();
    events_.beat();
    held.lock();
  }
}

void server::daemon::on_connection(void* self, MHD_Connection* c, void** context,
                                   MHD_ConnectionNotificationCode what) {
  auto& d = *static_cast<daemon*>(self);
  const std::scoped_lock held(d.guard_);
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    peer& p = d.peers_.emplace_back();
    p.socket = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    p.due = clock::now() + d.most_.request;
    *context = &p;
  } else {
    const auto* const p = static_cast<const peer*>(*context);
    d.peers_.remove_if([p](const peer& other) { return &other == p; });
  }
}

void server::daemon::set_due(MHD_Connection* c, std::chrono::seconds after) {
  const auto* const info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (info == nullptr || info->socket_context == nullptr) return;
  static_cast<peer*>(info->socket_context)->due = clock::now() + after;
}

void server::daemon::on_completed(void* self, MHD_Connection* c, void** context,
                                  MHD_RequestTerminationCode) {
  delete static_cast<exchange*>(*context);
  *context = nullptr;
  auto& d = *static_cast<daemon*>(self);
  d.set_due(c, d.most_.request);
}

// MHD keeps each parameter in the memory of the head, in 64 bytes and its text. If that is full
// before the address is read, MHD neither answers nor ends the connection (0.9.75), so such an
// address is refused here: MHD then reads the end that the client sends.
void* server::daemon::on_address(void* self, const char* address, MHD_Connection* c) {
  constexpr std::size_t bytes_each = 64;
  constexpr std::size_t other_bytes = 4096;  // for the headers
  const std::string_view text = address;
  const auto parameters = static_cast<std::size_t>(std::count(text.begin(), text.end(), '&'));
  auto& d = *static_cast<daemon*>(self);
  if (text.size() + bytes_each * parameters + other_bytes <= d.most_.head_bytes) return nullptr;
  constexpr std::string_view answer =
      "HTTP/1.1 414 URI Too Long\r\nContent-Type: application/json\r\nContent-Length: 43\r\n"
      "Connection: close\r\n\r\n{\"error\":\"the address has too much in it\"}\n";
  const int socket = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  (void)::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(socket, SHUT_WR);
  d.requests_.fetch_add(1, std::memory_order_relaxed);
  d.refused_.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

MHD_Result server::daemon::on_request(void* self, MHD_Connection* c, const char* path,
                                      const char* method, const char*, const char* data,
                                      std::size_t* size, void** context) {
  auto& d = *static_cast<daemon*>(self);
  try {
    if (*context == nullptr) return d.begin(c, path, method, context);
    auto& e = *static_cast<exchange*>(*context);
    if (*size != 0) {
      if (!e.take(data, *size, d.most_.body_bytes)) return MHD_NO;
      *size = 0;
      return MHD_YES;
    }
    d.set_due(c, d.most_.response);
    return d.send(c, d.answer_(e));
  } catch (const std::exception&) {
    return d.refuse(c, 500, "internal error");
  }
}

MHD_Result server::daemon::begin(MHD_Connection* c, const char* path, const char* method,
                                 void** context) {
  const std::string_view asked = method;
  if (asked != "GET" && asked != "HEAD" && asked != "POST") {
    return refuse(c, 405, "only GET, HEAD and POST are answered");
  }
  auto e = std::make_unique<exchange>(c, method, path);
  const std::string_view length = e->header("Content-Length");
  if (length.size() > 9 ||
      (!length.empty() && std::strtoull(length.data(), nullptr, 10) > most_.body_bytes)) {
    return refuse(c, 413, "the body is too long");
  }
  *context = e.release();
  return MHD_YES;
}

MHD_Result server::daemon::refuse(MHD_Connection* c, unsigned status, const char* why) {
  return send(c, {.status = status, .body = fmt::format("{{\"error\":\"{}\"}}\n", why)});
}

MHD_Result server::daemon::send(MHD_Connection* c, response&& r) {
  event_stream::listener* const listener = r.events ? events_.join(c, most_.listeners) : nullptr;
  if (r.events && listener == nullptr) return refuse(c, 503, "too many pages are shown live");
  requests_.fetch_add(1, std::memory_order_relaxed);
  if (r.status >= 400) refused_.fetch_add(1, std::memory_order_relaxed);
  MHD_Response* made = nullptr;
  if (r.events) {
    constexpr std::size_t block = 16 * 1024;
    const auto read = [](void* who, std::uint64_t, char* into, std::size_t most) {
      auto& l = *static_cast<event_stream::listener*>(who);
      return l.of->read(l, into, most);
    };
    const auto leave = [](void* who) {
      auto* const l = static_cast<event_stream::listener*>(who);
      l->of->leave(l);
    };
    set_due(c, std::chrono::hours(24 * 365));
    made = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block, read, listener, leave);
  } else {
    made = MHD_create_response_from_buffer(r.body.size(), r.body.data(), MHD_RESPMEM_MUST_COPY);
  }
  if (made == nullptr) return MHD_NO;
  MHD_add_response_header(made, "Content-Type", r.type.c_str());
  MHD_add_response_header(made, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(made, "Cache-Control", "no-store");
  for (const auto& [name, value] : r.headers) {
    MHD_add_response_header(made, name.c_str(), value.c_str());
  }
  const MHD_Result done = MHD_queue_response(c, r.status, made);
  MHD_destroy_response(made);
  return done;
}

// -- the server ----------------------------------------------------------------------------------

server::server(const std::string& address, std::uint16_t port, const limits& most, handler answer)
    : daemon_(std::make_unique<daemon>(address, port, most, std::move(answer))) {}

server::~server() = default;

std::uint16_t server::port() const { return daemon_->port(); }
server_counts server::counts() const { return daemon_->counts(); }

void server::publish(std::string_view name, std::string_view data) {
  while (data.ends_with('\n')) data.remove_suffix(1);
  daemon_->events().publish(fmt::format("event: {}\ndata: {}\n\n", name, data));
}

}  // namespace bloomtime::web
