#include "web/event_stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <microhttpd.h>

namespace bloomtime::web {

event_stream::listener* event_stream::join(MHD_Connection* connection, std::size_t most) {
  const std::scoped_lock held(guard_);
  if (listeners_.size() >= most) return nullptr;
  listeners_.push_back({.of = this, .connection = connection});
  return &listeners_.back();
}

void event_stream::leave(listener* who) {
  const std::scoped_lock held(guard_);
  listeners_.remove_if([who](const listener& l) { return &l == who; });
}

ssize_t event_stream::read(listener& who, char* into, std::size_t most) {
  const std::scoped_lock held(guard_);
  if (stopping_) return MHD_CONTENT_READER_END_OF_STREAM;
  if (!who.sending || who.sent == who.sending->size()) {
    if (who.seen == number_) {
      who.sending.reset();
      who.suspended = true;
      MHD_suspend_connection(who.connection);
      return 0;
    }
    who.sending = event_;
    who.seen = number_;
    who.sent = 0;
  }
  const std::size_t count = std::min(most, who.sending->size() - who.sent);
  std::memcpy(into, who.sending->data() + who.sent, count);
  who.sent += count;
  return static_cast<ssize_t>(count);
}

void event_stream::publish(std::string text) {
  const std::scoped_lock held(guard_);
  event_ = std::make_shared<const std::string>(std::move(text));
  ++number_;
  resume_all();
}

void event_stream::beat() {
  static const auto comment = std::make_shared<const std::string>(": still here\n\n");
  const std::scoped_lock held(guard_);
  for (listener& l : listeners_) {
    if (!l.suspended) continue;
    l.sending = comment;
    l.sent = 0;
  }
  resume_all();
}

void event_stream::stop() {
  const std::scoped_lock held(guard_);
  stopping_ = true;
  resume_all();
}

std::size_t event_stream::listeners() const {
  const std::scoped_lock held(guard_);
  return listeners_.size();
}

void event_stream::resume_all() {
  for (listener& l : listeners_) {
    if (std::exchange(l.suspended, false)) MHD_resume_connection(l.connection);
  }
}

}  // namespace bloomtime::web
