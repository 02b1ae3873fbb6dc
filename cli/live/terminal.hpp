#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <termios.h>

#include "cli/live/screen.hpp"

namespace bloomtime::cli::live {

// The terminal on standard output as a screen: the alternate screen without a cursor, and keys one
// by one without an echo. Leaving it restores what was there before, also when the process is
// suspended (Ctrl-Z) and continued. Keys that send signals still do.
class terminal {
 public:
  // Whether standard output is a terminal that can be drawn on.
  static bool usable();

  // Keys come from standard input, or from the terminal itself if that is the log. Nothing changes
  // before enter().
  explicit terminal(bool input_is_log);
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;
  ~terminal();

  // Keys can be read from this descriptor; -1 if there are none.
  int keys() const { return keys_; }
  // The bytes typed since the last call; waits if there are none.
  std::string read_keys();

  screen_size size() const;
  // Whether the size may have changed, or the screen was left and entered again, since the last
  // call.
  bool take_change();
  // Suspends the process if Ctrl-Z asked for it, and returns when it is continued.
  void attend();

  // Shows these lines, one for each row of the screen. Writes nothing if they are shown already.
  // False if the terminal is gone.
  bool draw(const std::vector<std::string>& lines);

  // The next draw() writes everything.
  void forget() { shown_.clear(); }

  void enter();
  void leave() noexcept;

 private:
  int keys_ = -1;
  bool opened_ = false;  // keys_, by this object
  bool entered_ = false;
  bool changed_ = true;
  termios before_{};
  bool has_modes_ = false;
  std::string shown_;
};

}  // namespace bloomtime::cli::live
