#pragma once

#include <string_view>

#include "cli/output/report.hpp"
#include "cli/output/style.hpp"
#include "text/write_all.hpp"

namespace bloomtime::cli {

// The one way to standard output. Every write is checked: a full disk or a closed descriptor
// throws bloomtime::error instead of losing data in silence.
class printer {
 public:
  explicit printer(const style& how) : how_(how) {}

  const style& how() const { return how_; }
  void print(const report& what) const;
  void print(std::string_view text) const;
  // Writes as much as is accepted; fail() throws the reason for the rest.
  text::write_result try_print(std::string_view text) const noexcept;
  [[noreturn]] static void fail(int reason);
  // Some file systems report a failed write only when the file is closed.
  void finish() const;

 private:
  style how_;
};

// A sentence on standard error, after "bloomtime: ".
void complain(std::string_view sentence);

// A line on standard error that is not an error.
void note(std::string_view line);

// Allocates nothing.
void complain_of_memory() noexcept;

}  // namespace bloomtime::cli
