#include "cli/live/interval_display.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "cli/output/render.hpp"

namespace bloomtime::cli::live {
namespace {

// The rows of the first table, after the time at which they were printed.
std::string stamped_rows(report what, std::int64_t printed, bool keys) {
  const cell stamp{printed, ""};
  what.tables.resize(std::min<std::size_t>(what.tables.size(), 1));
  for (table& t : what.tables) {
    t.columns.insert(t.columns.begin(), {"printed", ""});
    for (row& r : t.rows) {
      r.cells.push_back(stamp);
      std::rotate(r.cells.begin(), r.cells.end() - 1, r.cells.end());
    }
  }
  std::string text = render_tsv(what);
  return keys ? text : text.substr(std::min(text.size(), text.find('\n') + 1));
}

}  // namespace

interval_display::interval_display(const source& from, const printer& out,
                                   std::chrono::seconds every, std::uint64_t rows)
    : from_(from),
      out_(out),
      every_(every),
      rows_(rows),
      begun_(std::chrono::steady_clock::now()),
      due_(begun_ + every) {}

void interval_display::attend(time now, bool /*waits*/) {
  if (now < due_) return;
  print(now);
  due_ = std::max(due_ + every_, now);
}

void interval_display::note(std::string_view text) { cli::note(text); }

void interval_display::advance(const logs::reading& /*so_far*/) {}

void interval_display::finish(time now) {
  if (failed_ == 0 && (!printed_ || from_.lines() != lines_before_)) print(now);
}

void interval_display::print(time now) {
  const std::optional<instant> at = clock_.at(from_.newest(), now);
  if (!at) return;
  report r = from_.profile({.rows = rows_, .at = at, .how = out_.how()});
  const instant printed = std::chrono::system_clock::now();
  const std::uint64_t lines = from_.lines();
  r.fields.insert(r.fields.begin(),
                  {{"printed", printed.micros},
                   {"interval_seconds", std::chrono::duration<double>(now - begun_).count()},
                   {"interval_lines", lines - lines_before_}});
  std::string text;
  switch (out_.how().form) {
    case view::json: text = render_json_line(r); break;
    case view::tsv: text = stamped_rows(std::move(r), printed.micros, !printed_); break;
    case view::people:
      r.closing.clear();
      text.assign(printed_ ? 1 : 0, '\n');
      text += render_people(r, out_.how());
      break;
  }
  const int reason = out_.try_print(text).reason;
  if (reason == EPIPE) failed_ = SIGPIPE;
  if (reason != 0 && reason != EPIPE) printer::fail(reason);
  printed_ = true;
  begun_ = now;
  lines_before_ = lines;
}

}  // namespace bloomtime::cli::live
