#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "logs/event_reader.hpp"

namespace bloomtime::cli {

// "███░░░  63 %   412 MB/s   2.1 M lines/s   2 s left"
std::string reading_text(const logs::reading& so_far, double seconds);

// One line on standard error, on a terminal only, for work that takes longer than 0.4 seconds. It
// is cleared when the work is done.
class progress {
 public:
  explicit progress(std::string label, std::uint64_t total = 0);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  // So many more steps of `total` are done.
  void advance(std::uint64_t steps);

  // Shows what a reader reports, also its notes; valid while this object lives.
  logs::listener reports();

 private:
  void advance(const logs::reading& so_far);
  bool due();  // whether it is time to show something new
  void show(std::string_view text);
  void clear();

  std::string label_;
  bool visible_;
  bool drawn_ = false;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace bloomtime::cli
