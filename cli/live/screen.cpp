#include "cli/live/screen.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/live/lists.hpp"
#include "cli/output/render.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli::live {
namespace {

using lines = std::vector<std::string>;

constexpr std::size_t marker = 2;  // columns before a row, for the mark of the selected one

// -- text ----------------------------------------------------------------------------------------

lines split(std::string_view page) {
  lines all;
  while (!page.empty()) {
    all.emplace_back(page.substr(0, page.find('\n')));
    page.remove_prefix(std::min(page.size(), all.back().size() + 1));
  }
  return all;
}

lines rendered(const report& what, style how, std::size_t columns) {
  how.form = view::people;
  how.width = std::max<std::size_t>(columns, 1);
  return split(render_people(what, how));
}

std::string cut(std::string_view words, std::size_t columns, const style& how) {
  if (display_width(words) <= columns) return std::string(words);
  if (columns == 0) return "";
  return how.unicode ? cut_to(words, columns) : std::string(words.substr(0, columns));
}

// The same for a line with colours.
std::string cut_colored(std::string_view line, std::size_t columns, const style& how) {
  std::string kept;
  bool colored = false;
  while (!line.empty()) {
    if (line.front() == '\x1b') {
      const std::string_view color = line.substr(0, line.find('m') + 1);
      kept += color;
      colored = color != "\x1b[0m";
      line.remove_prefix(color.size());
      continue;
    }
    const std::string_view words = line.substr(0, line.find('\x1b'));
    kept += cut(words, columns, how);
    columns -= std::min(columns, display_width(words));
    line.remove_prefix(words.size());
  }
  return colored ? kept + "\x1b[0m" : kept;
}

std::string styled(const std::string& words, look l, const style& how) {
  const table one{.key = "", .columns = {{"", "", side::left}}, .rows = {{{{{}, words}}, l}}};
  return rendered({.command = "", .tables = {one}}, how, 1).back();
}

lines title_lines(const model& shown, const style& how, std::size_t columns, std::size_t most) {
  lines all = rendered({.command = "", .title = shown.profile.title}, how, columns);
  while (!all.empty() && all.back().empty()) all.pop_back();
  all.resize(std::min(all.size(), most));
  return all;
}

// -- which line is for what ----------------------------------------------------------------------

struct layout {
  std::size_t title = 0;
  bool gap = false;  // below the title
  std::size_t body = 0;
  std::size_t notes = 0;
  bool status = false;
  bool keys = false;
};

layout screen_layout(const model& shown, screen_size size, const style& how) {
  const std::size_t most = size.rows >= 20 ? 3 : size.rows >= 5 ? 1 : 0;
  layout l{.title = title_lines(shown, how, size.columns, most).size(),
           .gap = size.rows >= 10,
           .notes = size.rows >= 20 ? std::min<std::size_t>(shown.profile.notes.size(), 2) : 0,
           .status = size.rows >= 6,
           .keys = size.rows >= 3};
  const std::size_t others = l.title + l.gap + l.notes + l.status + l.keys;
  l.body = size.rows - std::min(size.rows, others);
  return l;
}

std::size_t field_of(const controls& chosen, const model& shown) {
  const std::size_t fields = shown.profile.tables.size();
  return fields == 0 ? 0 : std::min(chosen.field, fields - 1);
}

// -- tables --------------------------------------------------------------------------------------

struct place {
  bool in_use;
  std::size_t height;
  std::size_t columns;
};

lines list_lines(const list& from, const controls& chosen, const std::vector<std::size_t>& widths,
                 place where, const style& how) {
  const std::size_t heading = where.height >= 2 ? 1 : 0;
  const std::size_t first = where.in_use ? chosen.first : 0;
  table window = window_of(from, first, first + where.height - heading, widths);
  const bool selects =
      where.in_use && chosen.row >= first && chosen.row - first < window.rows.size();
  if (selects) window.rows[chosen.row - first].appearance = look::strong;
  lines drawn = rendered({.command = "", .tables = {std::move(window)}}, how, where.columns);
  for (std::string& line : drawn) line.insert(0, marker, ' ');
  if (selects) drawn[chosen.row - first + 1].replace(0, marker, how.unicode ? "▸ " : "> ");
  if (heading == 0) drawn.erase(drawn.begin());
  if (from.rows.empty() && drawn.size() < where.height) {
    drawn.push_back(styled(chosen.find.empty() ? "  none yet" : "  none found", look::faint, how));
  }
  return drawn;
}

lines lists_lines(const model& shown, const controls& chosen, screen_size room, const style& how) {
  const std::vector<list> lists = lists_of(shown.profile.tables, chosen.find);
  const std::size_t columns = room.columns - std::min(room.columns, marker);
  const std::vector<std::size_t> widths = widths_of(lists, columns);
  const std::size_t field = field_of(chosen, shown);
  const std::vector<std::size_t> heights = heights_of(lists, field, room.rows);
  lines all;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (heights[i] == 0) continue;
    if (!all.empty()) all.emplace_back();
    const place where{.in_use = i == field, .height = heights[i], .columns = columns};
    for (std::string& line : list_lines(lists[i], chosen, widths, where, how)) {
      all.push_back(std::move(line));
    }
  }
  return all;
}

// -- the lines at the bottom ---------------------------------------------------------------------

// "path 1 of 37"
std::string position_text(const table& of, const controls& chosen) {
  const std::size_t found = found_in(of, chosen.find).rows.size();
  return found == 0 ? of.key : fmt::format("{} {} of {}", of.key, chosen.row + 1, found);
}

std::string status_text(const model& shown, const controls& chosen) {
  std::vector<std::string> parts;
  if (chosen.paused) parts.emplace_back("paused");
  if (!shown.state.empty()) parts.push_back(shown.state);
  if (!shown.profile.tables.empty() && !shown.timeline) {
    if (!shown.orders.empty()) {
      parts.push_back("by " + shown.orders[std::min(chosen.order, shown.orders.size() - 1)]);
    }
    parts.push_back(position_text(shown.profile.tables[field_of(chosen, shown)], chosen));
    if (!chosen.find.empty() && !chosen.typing) parts.push_back("find " + chosen.find);
  }
  if (!shown.message.empty()) parts.push_back(shown.message);
  return fmt::format("{}", fmt::join(parts, " · "));
}

// The longest that fits.
std::string keys_text(const model& shown, const controls& chosen, std::size_t columns) {
  if (chosen.typing) return "/" + chosen.find + "█";
  const std::vector<std::string> texts =
      shown.timeline ? std::vector<std::string>{"⏎ back  p pause  q quit", "⏎ p q"}
                     : std::vector<std::string>{
                           "f field  o order  / find  ↑↓ select  ⏎ timeline  p pause  q quit",
                           "f field  o order  / find  ⏎ timeline  p pause  q quit", "f o / ⏎ p q"};
  const auto fits = [&](const std::string& text) { return display_width(text) <= columns; };
  const auto found = std::find_if(texts.begin(), texts.end(), fits);
  return found == texts.end() ? texts.back() : *found;
}

// A status that has no line of its own replaces the line of the keys, unless it is empty.
std::string last_line(const model& shown, const controls& chosen, const layout& l,
                      std::size_t columns) {
  const bool tells = chosen.paused || (!chosen.find.empty() && !chosen.typing);
  return !l.status && tells ? status_text(shown, chosen) : keys_text(shown, chosen, columns);
}

}  // namespace

void settle(controls& chosen, const model& shown, screen_size size, const style& how) {
  chosen.field = field_of(chosen, shown);
  const std::vector<list> lists = lists_of(shown.profile.tables, chosen.find);
  if (lists.empty()) return;
  const list& used = lists[chosen.field];
  std::vector<std::string> items;
  for (const row* r : used.rows) items.emplace_back(item_of(*used.of, *r));
  const std::size_t height =
      heights_of(lists, chosen.field, screen_layout(shown, size, how).body)[chosen.field];
  settle(chosen, items, height >= 2 ? height - 1 : height);
}

screen_size timeline_room(const model& shown, screen_size size, const style& how) {
  return {size.columns, screen_layout(shown, size, how).body};
}

std::vector<std::string> draw(const model& shown, const controls& chosen, screen_size size,
                              const style& how) {
  const layout l = screen_layout(shown, size, how);
  lines all = title_lines(shown, how, size.columns, l.title);
  if (l.gap) all.emplace_back();
  const std::size_t below = all.size() + l.body;
  const screen_size room{size.columns, l.body};
  for (std::string& line : shown.timeline ? rendered(*shown.timeline, how, size.columns)
                                          : lists_lines(shown, chosen, room, how)) {
    all.push_back(std::move(line));
  }
  all.resize(below);
  for (std::size_t i = 0; i < l.notes; ++i) {
    all.push_back(styled(shown.profile.notes[i], look::faint, how));
  }
  if (l.status) {
    all.push_back(
        styled(status_text(shown, chosen), chosen.paused ? look::strong : look::plain, how));
  }
  if (l.keys) {
    all.push_back(styled(last_line(shown, chosen, l, size.columns), look::faint, how));
  }
  all.resize(size.rows);
  for (std::string& line : all) line = cut_colored(line, size.columns, how);
  return all;
}

}  // namespace bloomtime::cli::live
