#include "store/signals_held.hpp"

#include <initializer_list>

namespace bloomtime::store {

signals_held::signals_held() {
  sigset_t held;
  sigemptyset(&held);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, number);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

signals_held::~signals_held() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace bloomtime::store
