#pragma once

#include <cstdint>
#include <string>

#include "cli/output/status_line.hpp"

namespace bloomtime::cli {

std::string bar_text(double share);  // ██████░░░░░░░░░░░░

// Progress of work with a known number of steps.
class progress {
 public:
  progress(std::string label, std::uint64_t total);

  void advance(std::uint64_t steps);

 private:
  std::string label_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  status_line line_;
};

}  // namespace bloomtime::cli
