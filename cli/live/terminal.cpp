#include "cli/live/terminal.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output/style.hpp"
#include "text/write_all.hpp"

namespace bloomtime::cli::live {
namespace {

// Alternate screen, no cursor, no wrapping at the edge.
constexpr std::string_view enter_text = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view leave_text = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

volatile std::sig_atomic_t resized = 0;
volatile std::sig_atomic_t suspended = 0;

extern "C" void bloomtime_on_resize(int) { resized = 1; }
extern "C" void bloomtime_on_suspend(int) { suspended = 1; }

// Without SA_RESTART, so that a wait ends.
void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  (void)::sigaction(number, &action, nullptr);
}

}  // namespace

bool terminal::usable() {
  const char* const name = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return ::isatty(STDOUT_FILENO) == 1 && name != nullptr && *name != '\0' && !terminal_is_dumb();
}

terminal::terminal(bool input_is_log) {
  if (!input_is_log && ::isatty(STDIN_FILENO) == 1) {
    keys_ = STDIN_FILENO;
  } else {
    keys_ = ::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    opened_ = keys_ >= 0;
  }
  has_modes_ = keys_ >= 0 && ::tcgetattr(keys_, &before_) == 0;
}

terminal::~terminal() {
  leave();
  if (opened_) ::close(keys_);
}

void terminal::enter() {
  if (std::exchange(entered_, true)) return;
  handle(SIGWINCH, bloomtime_on_resize);
  handle(SIGTSTP, bloomtime_on_suspend);
  if (has_modes_) {
    termios modes = before_;
    modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
    modes.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    (void)::tcsetattr(keys_, TCSADRAIN, &modes);
  }
  (void)text::write_all(STDOUT_FILENO, enter_text);
  changed_ = true;
}

// Keys that were not read yet are not for the shell.
void terminal::leave() noexcept {
  if (!std::exchange(entered_, false)) return;
  (void)text::write_all(STDOUT_FILENO, leave_text);
  if (has_modes_) (void)::tcsetattr(keys_, TCSAFLUSH, &before_);
  handle(SIGWINCH, SIG_DFL);
  handle(SIGTSTP, SIG_DFL);
}

std::string terminal::read_keys() {
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(keys_, bytes.data(), bytes.size());
  if (got > 0) return {bytes.data(), static_cast<std::size_t>(got)};
  // poll() would report a terminal that is gone as ready, always.
  if (got == 0 || errno != EINTR) {
    if (opened_) ::close(keys_);
    opened_ = false;
    has_modes_ = false;
    keys_ = -1;
  }
  return "";
}

screen_size terminal::size() const {
  constexpr screen_size usual{80, 24};
  winsize found{};
  (void)::ioctl(STDOUT_FILENO, TIOCGWINSZ, &found);
  return {found.ws_col == 0 ? usual.columns : found.ws_col,
          found.ws_row == 0 ? usual.rows : found.ws_row};
}

bool terminal::take_change() {
  if (resized != 0) changed_ = true;
  resized = 0;
  if (changed_) forget();
  return std::exchange(changed_, false);
}

void terminal::attend() {
  if (suspended == 0) return;
  suspended = 0;
  leave();
  (void)::raise(SIGSTOP);
  enter();
}

bool terminal::draw(const std::vector<std::string>& lines) {
  // A line is erased before it is written: behind its last column there is nothing to erase.
  std::string frame = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    frame.append(i == 0 ? "" : "\r\n").append("\x1b[K").append(lines[i]);
  }
  if (frame == shown_) return true;
  const bool anew = shown_.empty();
  shown_ = std::move(frame);
  const int reason = text::write_all(STDOUT_FILENO, anew ? "\x1b[2J" + shown_ : shown_);
  if (reason != 0) shown_.clear();
  return reason == 0 || reason == EAGAIN;
}

}  // namespace bloomtime::cli::live
