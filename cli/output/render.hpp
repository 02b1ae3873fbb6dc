#pragma once

#include <string>

#include "cli/output/report.hpp"
#include "cli/output/style.hpp"

namespace bloomtime::cli {

// Title, aligned tables, notes, closing lines.
std::string render_people(const report& what, const style& how);

// A line of keys and a line per row for each table, an empty line between tables. In text a tab, a
// line end and a backslash are written \t, \n, \r and \\, other control characters \xNN; no value
// is an empty field.
std::string render_tsv(const report& what);

inline constexpr unsigned json_schema = 2;

// One object: "schema", "command", the fields, and each table as an array of objects. The schema
// number changes when a key changes its meaning or is removed; keys may be added at any time.
std::string render_json(const report& what);

// The same in one line, for a stream of objects.
std::string render_json_line(const report& what);

inline std::string render(const report& what, const style& how) {
  switch (how.form) {
    case view::people: return render_people(what, how);
    case view::tsv: return render_tsv(what);
    case view::json: break;
  }
  return render_json(what);
}

}  // namespace bloomtime::cli
