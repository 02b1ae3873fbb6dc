#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include <sys/types.h>

struct MHD_Connection;

namespace bloomtime::web {

// Server-sent events for any number of listeners. A listener that waits is suspended and costs no
// thread; one that is slow skips events that were replaced meanwhile.
class event_stream {
 public:
  struct listener {
    event_stream* of = nullptr;
    MHD_Connection* connection = nullptr;
    std::shared_ptr<const std::string> sending = {};
    std::size_t sent = 0;
    std::uint64_t seen = 0;  // number of the event that is being sent
    bool suspended = false;
  };

  // Nothing if there are `most` already.
  listener* join(MHD_Connection* connection, std::size_t most);
  void leave(listener* who);
  // Copies what comes next; suspends the connection if that is nothing. As MHD's content reader.
  ssize_t read(listener& who, char* into, std::size_t most);

  void publish(std::string text);
  // A comment, so that a connection that is gone is noticed.
  void beat();
  // Ends all streams.
  void stop();
  std::size_t listeners() const;

 private:
  void resume_all();

  mutable std::mutex guard_;
  std::list<listener> listeners_;
  std::shared_ptr<const std::string> event_;
  std::uint64_t number_ = 0;
  bool stopping_ = false;
};

}  // namespace bloomtime::web
