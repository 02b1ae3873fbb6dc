#include "cli/live/session.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <poll.h>

#include <bloomtime/error.hpp>

#include "cli/live/interval_display.hpp"
#include "cli/live/screen_display.hpp"

namespace bloomtime::cli::live {
namespace {

constexpr int pause = 100;                                     // milliseconds of a wait
constexpr auto between_looks = std::chrono::milliseconds(20);  // while lines are read

std::unique_ptr<display> display_of(const settings& how, const source& from, const printer& out) {
  if (how.shows) return how.shows(from);
  if (how.screen)
    return std::make_unique<screen_display>(from, out.how(), how.every, how.input_is_log);
  return std::make_unique<interval_display>(from, out, how.every, how.rows);
}

}  // namespace

session::session(const settings& how, source from, const printer& out)
    : how_(how),
      from_(std::move(from)),
      shown_(display_of(how, from_, out)),
      save_due_(clock::now() + how.checkpoint) {}

session::~session() = default;

logs::listener session::listens() {
  return {.note = [this](std::string_view text) { shown_->note(text); },
          .advance = [this](const logs::reading& r) { shown_->advance(r); },
          .stop = [this] { return attend(); },
          .wait = [this](int descriptor) { return wait(descriptor); }};
}

bool session::ending() const {
  return signals_.ending() != 0 || shown_->failed() != 0 || shown_->quits();
}

int session::ended_by() const {
  return signals_.ending() != 0 ? signals_.ending() : shown_->failed();
}

// Called for every line, so it looks at the clock only.
bool session::attend() {
  const clock::time_point now = clock::now();
  if (!idle_ && now < look_again_) return ending();
  look_again_ = now + between_looks;
  shown_->attend(now, idle_);
  save_if_due(now);
  idle_ = false;
  return ending();
}

// A key ends the wait as well.
bool session::wait(int descriptor) {
  std::array<pollfd, 2> asked{{{.fd = descriptor, .events = POLLIN, .revents = 0},
                               {.fd = shown_->wakes(), .events = POLLIN, .revents = 0}}};
  shown_->waits(true);
  const int found = ::poll(asked.data(), asked.size(), pause);
  const int reason = errno;
  shown_->waits(false);
  const bool ready = found > 0 ? asked[0].revents != 0 : found < 0 && reason != EINTR;
  idle_ = !ready;
  return ready;
}

// The first time as soon as everything that was there is read. A disk that is full now may have
// room a minute later; the last save, at the end, reports its error.
void session::save_if_due(clock::time_point now) {
  const bool first = idle_ && !std::exchange(caught_up_, caught_up_ || idle_);
  if (!first && now < save_due_) return;
  save_due_ = now + how_.checkpoint;
  const std::uint64_t lines = from_.lines();
  if (lines == saved_lines_ || !from_.newest()) return;
  try {
    from_.save();
    saved_lines_ = lines;
  } catch (const error& e) {
    shown_->note(e.what());
  }
}

void session::finish() {
  while (shown_->stays() && !attend()) (void)wait(-1);
  shown_->finish(clock::now());
}

std::optional<instant> log_clock::at(std::optional<instant> newest, display::time now) {
  if (newest != newest_) {
    newest_ = newest;
    since_ = now;
  }
  if (!newest) return newest;
  const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(now - since_);
  return instant(newest->micros + passed.count());
}

}  // namespace bloomtime::cli::live
