#include "cli/signals.hpp"

#include <array>
#include <csignal>

namespace bloomtime::cli {
namespace {

volatile std::sig_atomic_t summary_asked = 0;
volatile std::sig_atomic_t end_asked = 0;

extern "C" void bloomtime_on_summary(int) { summary_asked = 1; }
extern "C" void bloomtime_on_end(int number) { end_asked = number; }

constexpr std::array ends{SIGINT, SIGTERM, SIGHUP};

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  if (handler != SIG_DFL) {
    // What the caller ignores, as nohup does, stays ignored.
    (void)::sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN && number != SIGUSR1) return;
    action = {};
  }
  action.sa_handler = handler;
  // A second one ends what cannot end in good order, such as a write that nobody reads.
  if (number != SIGUSR1) action.sa_flags = static_cast<int>(SA_RESETHAND);
  (void)::sigaction(number, &action, nullptr);
}

}  // namespace

signal_watch::signal_watch() {
  handle(SIGUSR1, bloomtime_on_summary);
  for (const int number : ends) handle(number, bloomtime_on_end);
  (void)std::signal(SIGPIPE, SIG_IGN);
}

signal_watch::~signal_watch() {
  handle(SIGUSR1, SIG_IGN);  // one that comes too late must not kill what is done
  for (const int number : ends) handle(number, SIG_DFL);
  (void)std::signal(SIGPIPE, SIG_DFL);
}

bool signal_watch::take_summary_request() {
  const bool asked = summary_asked != 0;
  summary_asked = 0;
  return asked;
}

int signal_watch::ending() const { return end_asked; }

void signal_watch::die_of(int number) {
  (void)std::signal(number, SIG_DFL);
  (void)std::raise(number);
}

}  // namespace bloomtime::cli
