#pragma once

namespace bloomtime::cli {

// While it lives, SIGUSR1 requests a summary, and SIGINT, SIGTERM and SIGHUP request an orderly
// end. They interrupt a read that waits. A closed pipe becomes an error of write().
class signal_watch {
 public:
  signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;
  ~signal_watch();

  bool take_summary_request();
  // The signal that requested the end; 0 if there was none.
  int ending() const;
  // Ends the process as if by this signal.
  static void die_of(int number);
};

}  // namespace bloomtime::cli
