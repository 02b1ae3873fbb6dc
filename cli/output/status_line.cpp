#include "cli/output/status_line.hpp"

#include <string>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/output/style.hpp"
#include "text/text.hpp"

namespace bloomtime::cli {

using namespace text;

namespace {

using std::chrono::steady_clock;

constexpr auto patience = std::chrono::milliseconds(400);
constexpr auto period = std::chrono::milliseconds(100);

void write_error(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

}  // namespace

status_line::status_line()
    : visible_(isatty(STDERR_FILENO) == 1 && !terminal_is_dumb()),
      start_(steady_clock::now()),
      next_(start_ + patience) {}

bool status_line::due() {
  if (!visible_) return false;
  const auto now = steady_clock::now();
  if (now < next_) return false;
  next_ = now + period;
  return true;
}

void status_line::show(std::string_view text) {
  const std::string line = environment_has_unicode() ? std::string(text) : ascii_only(text);
  // Truncated at the edge of the screen: a wrapped line cannot be cleared.
  write_error(fmt::format("\r\x1b[?7l{}\x1b[?7h\x1b[K", line));
  drawn_ = true;
}

void status_line::clear() {
  if (drawn_) write_error("\r\x1b[K");
  drawn_ = false;
}

double status_line::seconds() const {
  return std::chrono::duration<double>(steady_clock::now() - start_).count();
}

}  // namespace bloomtime::cli
