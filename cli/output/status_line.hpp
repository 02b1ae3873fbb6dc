#pragma once

#include <chrono>
#include <string_view>

namespace bloomtime::cli {

// One line on standard error, on a terminal only, for work that takes longer than 0.4 seconds. It
// is cleared when the work is done.
class status_line {
 public:
  status_line();
  status_line(const status_line&) = delete;
  status_line& operator=(const status_line&) = delete;
  ~status_line() { clear(); }

  bool due();  // whether it is time to show something new
  void show(std::string_view text);
  void clear();
  double seconds() const;  // since the work began

 private:
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace bloomtime::cli
