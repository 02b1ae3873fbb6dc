#pragma once

namespace bloomtime::cli {

// While it lives SIGUSR1 asks for a summary, and Ctrl-C and its like for an end in good order. A
// read that waits is interrupted. A closed pipe becomes an error of write().
class signal_watch {
 public:
  signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;
  ~signal_watch();

  bool take_summary_request();
  // The signal that asks for the end; 0 if none came.
  int ending() const;
  // Ends the process as the signal would have done.
  static void die_of(int number);
};

}  // namespace bloomtime::cli
