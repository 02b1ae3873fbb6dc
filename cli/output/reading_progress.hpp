#pragma once

#include <string>
#include <utility>

#include "cli/output/status_line.hpp"
#include "logs/event_reader.hpp"

namespace bloomtime::cli {

// "███░░░  63 %   412 MB/s   2.1 M lines/s   2 s left"
std::string reading_text(const logs::reading& so_far, double seconds);

// Shows on standard error what a reader reports: notes, and a progress bar after the label.
class reading_progress {
 public:
  explicit reading_progress(std::string label) : label_(std::move(label)) {}

  logs::listener reports();  // valid while this object lives

 private:
  void advance(const logs::reading& so_far);

  std::string label_;
  status_line line_;
};

}  // namespace bloomtime::cli
