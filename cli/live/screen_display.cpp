#include "cli/live/screen_display.hpp"

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include <poll.h>

#include <fmt/format.h>

#include "cli/output/printer.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli::live {
namespace {

constexpr auto escape_patience = std::chrono::milliseconds(60);
constexpr auto message_life = std::chrono::seconds(10);
constexpr std::size_t most_notes = 20;          // printed at the end
constexpr std::uint64_t most_rows = 1'000'000;  // in a list

bool readable(int descriptor) {
  pollfd asked{.fd = descriptor, .events = POLLIN, .revents = 0};
  return descriptor >= 0 && ::poll(&asked, 1, 0) > 0;
}

}  // namespace

screen_display::screen_display(const source& from, const style& how, std::chrono::seconds every,
                               bool input_is_log)
    : from_(from), how_(how), every_(every), terminal_(input_is_log) {
  shown_.orders = from_.orders;
}

// The first picture comes at once, and the next as soon as everything that was there is read.
void screen_display::attend(time now, bool waits) {
  terminal_.enter();
  terminal_.attend();
  const bool pressed = read_keys(now);
  const bool changed = terminal_.take_change();
  const bool caught_up = waits && !std::exchange(caught_up_, true);
  if (caught_up) lines_.clear();
  if (now >= message_ends_) shown_.message.clear();
  const bool due = now >= due_ || caught_up;
  if (due) due_ = now + every_;
  if (!due && !pressed && !changed) return;
  if (!chosen_.paused || shown_.profile.tables.empty() || pressed) refresh(now);
  redraw();
}

bool screen_display::read_keys(time now) {
  bool any = false;
  const auto press = [&](const key& k) {
    const choices of{std::max<std::size_t>(shown_.profile.tables.size(), 1),
                     std::max<std::size_t>(shown_.orders.size(), 1)};
    any = live::press(chosen_, k, of) || any;
    if (k.name == key_name::redraw) terminal_.forget();
    // The next key may depend on what is selected now.
    settle(chosen_, shown_, terminal_.size(), how_);
  };
  while (readable(terminal_.keys())) {
    decoder_.feed(terminal_.read_keys());
    typed_ = now;
    while (const std::optional<key> k = decoder_.next()) press(*k);
  }
  if (decoder_.waits() && now - typed_ >= escape_patience) {
    if (const std::optional<key> k = decoder_.give_up()) press(*k);
  }
  return any;
}

// A paused picture stays as it was, except for what a key changes.
void screen_display::refresh(time now) {
  const std::optional<instant> at = clock_.at(from_.newest(), now);
  shown_.state = state_text(now);
  if (!at) {
    shown_.profile.title = "waiting for lines";
    return;
  }
  const screen_size size = terminal_.size();
  how_.width = size.columns - std::min<std::size_t>(size.columns, 2);  // the mark before rows
  how_.form = view::people;
  if (!chosen_.paused || shown_.profile.tables.empty() || chosen_.order != drawn_order_) {
    shown_.profile =
        from_.profile({.rows = most_rows, .order = chosen_.order, .at = at, .how = how_});
    drawn_order_ = chosen_.order;
  }
  shown_.timeline.reset();
  if (!chosen_.opened) return;
  const screen_size room = timeline_room(shown_, size, how_);
  constexpr std::size_t others = 6;  // lines: title, picture, headings, gaps
  shown_.timeline = from_.timeline({.field = chosen_.field,
                                    .item = *chosen_.opened,
                                    .bars = std::max<std::size_t>(room.columns, 1),
                                    .rows = room.rows - std::min(room.rows, others)});
}

// "reading, 63 %" or "1,003 lines/s", of the last ten redraws.
std::string screen_display::state_text(time now) {
  constexpr std::size_t most = 11;
  if (lines_.empty() || now - lines_.back().first >= every_ / 2) {
    lines_.emplace_back(now, from_.lines());
  }
  if (lines_.size() > most) lines_.pop_front();
  if (ended_) return "the input has ended";
  if (!caught_up_) return percent_ == 0 ? "reading" : fmt::format("reading, {} %", percent_);
  const std::chrono::duration<double> passed = lines_.back().first - lines_.front().first;
  const auto lines = static_cast<double>(lines_.back().second - lines_.front().second);
  return fmt::format("{} lines/s", short_text(passed.count() > 0 ? lines / passed.count() : 0, 2));
}

void screen_display::redraw() {
  const screen_size size = terminal_.size();
  settle(chosen_, shown_, size, how_);
  if (!terminal_.draw(draw(shown_, chosen_, size, how_))) failed_ = SIGHUP;
}

void screen_display::note(std::string_view text) {
  shown_.message = text;
  message_ends_ = std::chrono::steady_clock::now() + message_life;
  notes_.emplace_back(text);
  if (notes_.size() > most_notes) notes_.erase(notes_.begin());
}

void screen_display::advance(const logs::reading& so_far) {
  if (so_far.finished) {
    ended_ = true;
    due_ = {};
  } else if (so_far.total && *so_far.total != 0) {
    percent_ = std::min<std::uint64_t>(99, so_far.bytes * 100 / *so_far.total);
  }
}

void screen_display::finish(time /*now*/) {
  terminal_.leave();
  for (const std::string& text : notes_) cli::note(text);
}

}  // namespace bloomtime::cli::live
