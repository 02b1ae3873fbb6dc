#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A small HTTP server on libmicrohttpd. It knows nothing of what it serves.
namespace bloomtime::web {

// Everything a client can make the server spend.
struct limits {
  unsigned connections = 256;
  std::size_t listeners = 128;         // streams of events among them; others are refused
  std::size_t head_bytes = 32 * 1024;  // of a request, and of what is being sent
  std::size_t body_bytes = 256 * 1024;
  std::chrono::seconds idle{15};      // without a byte in either direction
  std::chrono::seconds request{30};   // until a request is complete, however slowly it comes
  std::chrono::seconds response{60};  // until its answer is taken
};

class request {
 public:
  virtual ~request() = default;
  // GET, HEAD or POST; others are refused before.
  virtual std::string_view method() const = 0;
  virtual std::string_view path() const = 0;
  // Empty if there is none.
  virtual std::string_view header(const char* name) const = 0;
  // Names and values of the query, decoded, in order.
  virtual std::vector<std::pair<std::string_view, std::string_view>> arguments() const = 0;
  virtual std::string_view body() const = 0;
};

struct response {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};  // besides those of every answer
  bool events = false;  // the stream of what is published, in place of the body
};

using handler = std::function<response(const request&)>;

// What has happened so far.
struct server_counts {
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;      // with a status of 400 or more
  std::uint64_t connections = 0;  // now
  std::uint64_t listeners = 0;    // streams of events now
};

// Serves until it is destroyed. `answer` is called by several threads at once.
class server {
 public:
  // `address` is numeric. Port 0: any. Throws bloomtime::error if it cannot listen there.
  server(const std::string& address, std::uint16_t port, const limits& most, handler answer);
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server();

  std::uint16_t port() const;
  server_counts counts() const;
  // Sends an event to all listeners, and to new ones. A listener that is slow gets the newest only.
  void publish(std::string_view name, std::string_view data);

 private:
  class daemon;
  std::unique_ptr<daemon> daemon_;
};

}  // namespace bloomtime::web
