#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/output/render.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::size_t widest_prose = 100;

std::string_view escape_of(look l) {
  switch (l) {
    case look::strong: return "\x1b[1m";
    case look::good: return "\x1b[32m";
    case look::bad: return "\x1b[31m";
    case look::faint: return "\x1b[2m";
    case look::plain: break;
  }
  return "";
}

class page {
 public:
  explicit page(const style& how) : how_(how) {}

  std::string text(std::string_view raw) const {
    return how_.unicode ? printable(raw) : ascii_only(raw);
  }

  void blanks(std::size_t count) { pending_ += count; }

  // Blanks are written only when something follows, so no line ends in them.
  void put(std::string_view words, look l) {
    if (words.empty()) return;
    const std::string_view escape = how_.color ? escape_of(l) : std::string_view();
    out_.append(pending_, ' ').append(escape).append(words);
    if (!escape.empty()) out_ += "\x1b[0m";
    pending_ = 0;
  }

  void end_line() {
    pending_ = 0;
    out_ += '\n';
  }

  void prose(std::string_view words, look l, std::size_t indent = 0) {
    const std::size_t width = how_.width == 0 ? widest_prose : std::min(how_.width, widest_prose);
    for (const std::string& line : wrapped(text(words), width - std::min(width, indent))) {
      blanks(indent);
      put(line, l);
      end_line();
    }
  }

  const style& how() const { return how_; }
  std::string take() { return std::move(out_); }

 private:
  const style& how_;
  std::string out_;
  std::size_t pending_ = 0;
};

look combined(look of_row, look of_cell) { return of_cell == look::plain ? of_row : of_cell; }

struct placed_column {
  std::size_t number;  // in the table
  std::size_t width;
};

// The columns of a table that people see and that fit.
std::vector<placed_column> arranged(const table& what, const page& on) {
  std::vector<placed_column> chosen;
  std::size_t total = 0;
  for (std::size_t c = 0; c < what.columns.size(); ++c) {
    if (what.columns[c].readers == audience::programs) continue;
    std::size_t width =
        std::max(what.columns[c].least, display_width(on.text(what.columns[c].title)));
    for (const row& r : what.rows) {
      width = std::max(width, display_width(on.text(r.cells[c].text)));
    }
    total += width + (chosen.empty() ? 0 : gap.size());
    chosen.push_back({c, width});
  }
  const auto spare = [&](const placed_column& c) { return what.columns[c.number].spare; };
  while (on.how().width != 0 && total > on.how().width) {
    const auto victim = std::max_element(chosen.begin(), chosen.end(),
                                         [&](auto& a, auto& b) { return spare(a) < spare(b); });
    if (victim == chosen.end() || spare(*victim) == 0) break;
    total -= victim->width + gap.size();
    chosen.erase(victim);
  }
  return chosen;
}

void put_aligned(page& on, std::string_view raw, std::size_t width, side alignment, look l) {
  const std::string words = on.text(raw);
  const std::size_t room = width - display_width(words);
  if (alignment == side::right) on.blanks(room);
  on.put(words, l);
  if (alignment == side::left) on.blanks(room);
}

void draw_rows(page& on, const table& what) {
  const std::vector<placed_column> places = arranged(what, on);
  const auto line = [&](auto text_of, auto look_of) {
    for (const placed_column& p : places) {
      if (&p != &places.front()) on.blanks(gap.size());
      put_aligned(on, text_of(p.number), p.width, what.columns[p.number].alignment,
                  look_of(p.number));
    }
    on.end_line();
  };
  line([&](std::size_t c) -> const std::string& { return what.columns[c].title; },
       [](std::size_t) { return look::faint; });
  for (const row& r : what.rows) {
    line([&](std::size_t c) -> const std::string& { return r.cells[c].text; },
         [&](std::size_t c) { return combined(r.appearance, r.cells[c].appearance); });
  }
}

void draw_list(page& on, const table& what) {
  std::size_t width = 0;
  for (const column& c : what.columns) width = std::max(width, display_width(on.text(c.title)));
  for (const row& r : what.rows) {
    for (std::size_t c = 0; c < what.columns.size(); ++c) {
      if (what.columns[c].readers == audience::programs) continue;
      on.blanks(gap.size());
      put_aligned(on, what.columns[c].title, width, side::left, look::faint);
      on.blanks(gap.size());
      on.put(on.text(r.cells[c].text), combined(r.appearance, r.cells[c].appearance));
      on.end_line();
    }
  }
}

}  // namespace

std::string render_people(const report& what, const style& how) {
  page on(how);
  if (!what.title.empty()) {
    on.prose(what.title, look::strong);
    for (const std::string& words : what.summary) on.prose(words, look::plain);
    on.end_line();
  }
  for (const table& t : what.tables) {
    if (&t != &what.tables.front()) on.end_line();
    t.as_list ? draw_list(on, t) : draw_rows(on, t);
  }
  for (const std::string& note : what.notes) on.prose(note, look::faint, gap.size());
  if (!what.closing.empty()) on.end_line();
  for (const std::string& words : what.closing) on.prose(words, look::plain);
  return on.take();
}

}  // namespace bloomtime::cli
