#include "cli/live/lists.hpp"

#include <algorithm>
#include <optional>

#include "cli/text.hpp"

namespace bloomtime::cli::live {
namespace {

std::optional<std::size_t> item_column(const table& of) {
  for (std::size_t c = 0; c < of.columns.size(); ++c) {
    if (of.columns[c].key == "item") return c;
  }
  return std::nullopt;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view item, std::string_view part) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return part.empty() ||
         std::search(item.begin(), item.end(), part.begin(), part.end(), same) != item.end();
}

// Narrower items are not recognised. On 20 columns it leaves room for a number of six characters.
constexpr std::size_t least_item = 10;

bool shown_to_people(const column& c) { return c.readers != audience::programs; }

}  // namespace

std::string_view item_of(const table& of, const row& r) {
  const auto column = item_column(of);
  if (!column) return "";
  const auto* const text = std::get_if<std::string>(&r.cells[*column].data);
  return text == nullptr ? std::string_view() : *text;
}

list found_in(const table& all, std::string_view find) {
  list found{.of = &all, .rows = {}};
  for (const row& r : all.rows) {
    if (contains(item_of(all, r), find)) found.rows.push_back(&r);
  }
  return found;
}

std::vector<list> lists_of(const std::vector<table>& tables, std::string_view find) {
  std::vector<list> lists;
  for (const table& t : tables) lists.push_back(found_in(t, find));
  return lists;
}

std::vector<std::size_t> widths_of(const std::vector<list>& lists, std::size_t columns) {
  constexpr std::size_t gap = 2;
  if (lists.empty()) return {};
  const std::vector<column>& named = lists.front().of->columns;
  std::vector<std::size_t> widths(named.size(), 0);
  const auto item = item_column(*lists.front().of);
  for (std::size_t c = 0; c < named.size(); ++c) {
    if (!shown_to_people(named[c])) continue;
    for (const list& l : lists) {
      widths[c] = std::max(widths[c], display_width(l.of->columns[c].title));
      for (const row* r : l.rows) {
        widths[c] = std::max(widths[c], display_width(r->cells[c].text));
      }
    }
  }
  if (!item) return widths;
  const auto taken = [&](std::size_t c) { return widths[c] == 0 ? 0 : widths[c] + gap; };
  std::size_t others = 0;
  for (std::size_t c = 0; c < named.size(); ++c) {
    if (c != *item && named[c].spare == 0) others += taken(c);
  }
  const std::size_t least = std::min(least_item, widths[*item]);
  for (std::size_t c = named.size(); c-- > 0 && others + least > columns;) {
    if (c == *item || named[c].spare != 0) continue;
    others -= taken(c);
    widths[c] = 0;
  }
  widths[*item] = std::min(widths[*item], std::max<std::size_t>(columns - others, 1));
  return widths;
}

table window_of(const list& from, std::size_t first, std::size_t last,
                const std::vector<std::size_t>& widths) {
  table window{.key = from.of->key, .columns = from.of->columns, .rows = {}};
  for (std::size_t i = first; i < std::min(last, from.rows.size()); ++i) {
    window.rows.push_back(*from.rows[i]);
  }
  for (std::size_t c = 0; c < widths.size(); ++c) {
    window.columns[c].least = widths[c];
    if (widths[c] == 0) window.columns[c].readers = audience::programs;
  }
  if (const auto item = item_column(window)) {
    window.columns[*item].title = cut_to(window.columns[*item].title, widths[*item]);
    for (row& r : window.rows) r.cells[*item].text = cut_to(r.cells[*item].text, widths[*item]);
  }
  return window;
}

std::vector<std::size_t> heights_of(const std::vector<list>& lists, std::size_t in_use,
                                    std::size_t lines) {
  constexpr std::size_t least = 5;
  std::vector<std::size_t> heights(lists.size(), 0);
  if (lists.empty()) return heights;
  const std::size_t gaps = lists.size() - 1;
  if (lines < lists.size() * least + gaps) {
    heights[in_use] = lines;
    return heights;
  }
  // An empty list takes one line, which says so.
  const auto needs = [&](std::size_t i) {
    return std::max<std::size_t>(lists[i].rows.size(), 1) + 1;
  };
  std::size_t left = lines - gaps;
  const std::size_t each = left / lists.size();
  for (std::size_t i = 0; i < lists.size(); ++i) {
    heights[i] = std::min(each, needs(i));
    left -= heights[i];
  }
  // Lines that a list does not need go to the list in use, then to the others.
  for (std::size_t n = 0; n < lists.size(); ++n) {
    const std::size_t i = (in_use + n) % lists.size();
    const std::size_t more = std::min(left, needs(i) - heights[i]);
    heights[i] += more;
    left -= more;
  }
  return heights;
}

}  // namespace bloomtime::cli::live
