#pragma once

#include <cstdint>

#include "cli/live/display.hpp"
#include "cli/output/printer.hpp"

namespace bloomtime::cli::live {

// Prints a report per interval, from the first event on: a JSON object in a line; or rows of TSV
// with one line of keys at the beginning; or tables for people with an empty line between reports.
class interval_display : public display {
 public:
  interval_display(const source& from, const printer& out, std::chrono::seconds every,
                   std::uint64_t rows);

  void attend(time now, bool waits) override;
  void note(std::string_view text) override;
  void advance(const logs::reading& so_far) override;
  int failed() const override { return failed_; }
  void finish(time now) override;  // prints the last interval, which is shorter

 private:
  void print(time now);

  const source& from_;
  const printer& out_;
  std::chrono::seconds every_;
  std::uint64_t rows_;
  log_clock clock_;
  time begun_;  // start of the interval
  time due_;
  std::uint64_t lines_before_ = 0;  // lines before the interval
  bool printed_ = false;
  int failed_ = 0;
};

}  // namespace bloomtime::cli::live
