#pragma once

#include <csignal>

namespace bloomtime::store {

// Blocks SIGINT, SIGTERM and SIGHUP while it lives, so that a file is replaced as a whole.
class signals_held {
 public:
  signals_held();
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  ~signals_held();

 private:
  sigset_t before_{};
};

}  // namespace bloomtime::store
