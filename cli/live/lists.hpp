#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/report.hpp"

namespace bloomtime::cli::live {

// The item of a row: the data of the column with the key "item". Empty without one.
std::string_view item_of(const table& of, const row& r);

// The rows of a table whose items contain a text, ignoring the case of ASCII letters.
struct list {
  const table* of;
  std::vector<const row*> rows;
};

list found_in(const table& all, std::string_view find);
std::vector<list> lists_of(const std::vector<table>& tables, std::string_view find);

// How wide each column is, for the rows of all lists; tables have the same columns. If `columns`
// are too few for what is always shown, the items are narrower, and then the last of the other
// columns are left out (0).
std::vector<std::size_t> widths_of(const std::vector<list>& lists, std::size_t columns);

// The rows from `first` to before `last` as a table with columns of these widths.
table window_of(const list& from, std::size_t first, std::size_t last,
                const std::vector<std::size_t>& widths);

// How many lines each list gets of so many, headings included and one between two lists not. All of
// them are shown if each gets at least five, or else only the list that is in use.
std::vector<std::size_t> heights_of(const std::vector<list>& lists, std::size_t in_use,
                                    std::size_t lines);

}  // namespace bloomtime::cli::live
