#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/output/style.hpp"

// The output of a command, independent of its form: the printer renders it for people, as TSV or as
// JSON.
namespace bloomtime::cli {

using value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                           std::vector<std::string>, std::vector<std::uint64_t>>;

// A table of names and what they mean, for the help.
using entries = std::vector<std::pair<std::string, std::string>>;

enum class look { plain, strong, good, bad, faint };

// The raw value for programs and the text for people, with a look if it differs from the row's.
struct cell {
  value data;
  std::string text;
  look appearance = look::plain;
};

cell text_cell(std::string text);
cell texts_cell(const std::vector<std::string>& texts);  // a list in JSON, elsewhere with blanks
cell count_cell(std::uint64_t n);
cell bytes_cell(std::uint64_t bytes);
cell probability_cell(double p);
cell nanoseconds_cell(double ns);
cell yes_no_cell(bool yes);
cell nothing();  // null for programs, a blank for people

// Counts as a row of bars from ▁ to █, the highest for the largest of them; · where there is none.
std::string sparkline(std::span<const std::uint64_t> counts);

// For fields of JSON.
inline double in_seconds(std::chrono::microseconds span) {
  return std::chrono::duration<double>(span).count();
}

template <class T>
value or_nothing(const std::optional<T>& data) {
  return data ? value(*data) : value();
}

enum class side { left, right };
enum class audience { everybody, people, programs };

// On a narrow screen the columns with the highest `spare` are dropped first; 0 is always shown.
struct column {
  std::string key;  // for programs: lower case with underscores
  std::string title;
  side alignment = side::right;
  audience readers = audience::everybody;
  unsigned spare = 0;
  std::size_t least = 0;  // columns of the screen that it takes at least
};

struct row {
  std::vector<cell> cells;  // one per column
  look appearance = look::plain;
};

// add(data, text) adds a cell with the text text(), which is made only if people read it: texts
// take longest.
inline auto cells_of(row& r, const style& how) {
  return [&r, people = how.form == view::people](value data, const auto& text) {
    r.cells.push_back({std::move(data), people ? std::string(text()) : std::string()});
  };
}

struct table {
  std::string key;  // the name of the array in JSON
  std::vector<column> columns;
  std::vector<row> rows = {};
  bool as_list = false;  // for people: one line per column instead of one line per row
};

// A table of one row that people see as a list: key, title and value of each column.
struct list_entry {
  std::string key;
  std::string title;
  cell value;
};
table list_of(std::string key, const std::vector<list_entry>& entries);

struct report {
  std::string command;                                     // "plan bloom"
  std::string title = {};                                  // for people only
  std::vector<std::string> summary = {};                   // for people only: below the title
  std::vector<std::pair<std::string, value>> fields = {};  // for JSON only
  std::vector<table> tables = {};
  std::vector<std::string> notes = {};    // for people only: small print
  std::vector<std::string> closing = {};  // for people only: what it means
};

}  // namespace bloomtime::cli
