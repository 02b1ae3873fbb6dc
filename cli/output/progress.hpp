#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace bloomtime::cli {

// One line on standard error, on a terminal only, for work that takes longer than a moment; it is
// gone when the work is done.
class progress {
 public:
  progress(std::string label, std::uint64_t total);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  void advance(std::uint64_t steps);

 private:
  void draw();

  std::string label_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace bloomtime::cli
