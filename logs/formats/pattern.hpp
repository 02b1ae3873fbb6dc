#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logs/field.hpp"

namespace bloomtime::logs {

// Lines described by --pattern, in the notation of Apache's LogFormat
//   %h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"
// or of goaccess, which is assumed if one of %^ %d %x %R %e %~ is in it:
//   %h %^[%d:%t %^] "%r" %s %b "%R" "%u"
// A value ends where the text that follows it in the pattern is found first; a quote behind a
// backslash does not end it. docs/input.md lists the directives.
class pattern {
 public:
  // Throws usage_error, with the place, for a pattern that cannot match or is not understood.
  explicit pattern(const std::string& typed);

  const std::vector<field>& fields() const { return fields_; }
  // The columns that were found, one per directive. What follows them is not examined.
  std::size_t split(std::string_view text, std::span<std::string_view> into) const;

  // Throws usage_error if no line has all columns; names the place where the first one differs.
  void expect_match(const std::vector<std::string_view>& lines, const std::string& file) const;

 private:
  struct step {
    std::string before;         // text in front of the value
    bool skips_blanks = false;  // then, blanks
    bool bracketed = false;     // the value may be in [ ], which do not belong to it
    std::size_t place = 0;      // of the directive, from 0
  };

  class parser;

  std::string_view text_after(std::size_t column) const;

  std::string typed_;
  std::vector<step> steps_;
  std::string last_;  // text behind the last value
  std::vector<field> fields_;
};

}  // namespace bloomtime::logs
