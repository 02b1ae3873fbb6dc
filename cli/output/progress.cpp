#include "cli/output/progress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/output/printer.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

using std::chrono::steady_clock;

constexpr auto patience = std::chrono::milliseconds(400);
constexpr auto period = std::chrono::milliseconds(100);

void write_error(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

// ██████░░░░░░░░░░░░
std::string bar_text(double share) {
  constexpr int width = 18;
  const int full = static_cast<int>(share * width);
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < full ? "█" : "░";
  return bar;
}

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return short_text(per_second / 1e6, 2) + " M";
  if (per_second >= 1e3) return short_text(per_second / 1e3, 2) + " k";
  return short_text(per_second, 2);
}

std::string left_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::min(seconds, 1e9)));
  if (whole < 60) return fmt::format("{} s left", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min left", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h left", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string reading_text(const logs::reading& so_far, double seconds) {
  const auto bytes = static_cast<double>(so_far.bytes);
  seconds = std::max(seconds, 1e-6);
  const std::string speed =
      fmt::format("{}/s   {} lines/s", bytes_text(static_cast<std::uint64_t>(bytes / seconds)),
                  rate_text(static_cast<double>(so_far.lines) / seconds));
  if (!so_far.total || *so_far.total == 0) {
    return fmt::format("{}   {}", bytes_text(so_far.bytes), speed);
  }
  // A file may grow while it is read.
  const double share = std::min(1.0, bytes / static_cast<double>(*so_far.total));
  const double left = share > 0 ? seconds * (1 - share) / share : 0;
  return fmt::format("{}  {:.0f} %   {}   {}", bar_text(share), std::floor(100 * share), speed,
                     left_text(left));
}

progress::progress(std::string label, std::uint64_t total)
    : label_(std::move(label)),
      visible_(isatty(STDERR_FILENO) == 1 && !terminal_is_dumb()),
      total_(total),
      start_(steady_clock::now()),
      next_(start_ + patience) {}

void progress::advance(std::uint64_t steps) {
  done_ += steps;
  if (!due()) return;
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  show(fmt::format("{}  {:.0f} %", bar_text(share), 100 * share));
}

logs::listener progress::reports() {
  return {.note =
              [this](std::string_view text) {
                clear();
                note(text);
              },
          .advance = [this](const logs::reading& so_far) { advance(so_far); }};
}

void progress::advance(const logs::reading& so_far) {
  if (so_far.finished) clear();
  if (so_far.finished || !due()) return;
  const std::chrono::duration<double> spent = steady_clock::now() - start_;
  show(reading_text(so_far, spent.count()));
}

bool progress::due() {
  if (!visible_) return false;
  const auto now = steady_clock::now();
  if (now < next_) return false;
  next_ = now + period;
  return true;
}

void progress::show(std::string_view text) {
  const std::string line = fmt::format("{}  {}", label_, text);
  // Truncated at the edge of the screen: a wrapped line cannot be cleared.
  write_error(fmt::format("\r\x1b[?7l{}\x1b[?7h\x1b[K",
                          environment_has_unicode() ? line : ascii_only(line)));
  drawn_ = true;
}

void progress::clear() {
  if (drawn_) write_error("\r\x1b[K");
  drawn_ = false;
}

}  // namespace bloomtime::cli
