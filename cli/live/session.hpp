#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "cli/live/display.hpp"
#include "cli/output/printer.hpp"
#include "cli/signals.hpp"
#include "logs/event_reader.hpp"

namespace bloomtime::cli::live {

struct settings {
  bool screen = false;       // draw on the terminal; else print a report per interval
  bool input_is_log = true;  // standard input is read as a log
  std::chrono::seconds every{1};
  std::uint64_t rows = 10;  // of a report, per field
  std::chrono::seconds checkpoint{60};
  std::function<std::unique_ptr<display>(const source&)> shows = {};  // in place of both
};

// Follows a log in one thread: the reader calls it between lines and while it waits, and it reads
// keys, draws or prints, and saves when that is due.
class session {
 public:
  session(const settings& how, source from, const printer& out);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  // For the reader; valid while this object lives.
  logs::listener listens();

  // After the last line. The screen stays until the user quits; then the terminal is as it was, the
  // last interval is printed, and notes that were shown on the screen are printed on standard
  // error.
  void finish();

  // The signal that ended it, SIGPIPE if nobody reads the output any more; 0 if none did.
  int ended_by() const;

 private:
  using clock = std::chrono::steady_clock;

  bool attend();
  bool wait(int descriptor);
  bool ending() const;
  void save_if_due(clock::time_point now);

  settings how_;
  source from_;
  signal_watch signals_;
  std::unique_ptr<display> shown_;
  clock::time_point save_due_;
  std::uint64_t saved_lines_ = 0;
  bool caught_up_ = false;  // all that was there has been read once
  bool idle_ = false;       // the reader waits
  clock::time_point look_again_;
};

}  // namespace bloomtime::cli::live
