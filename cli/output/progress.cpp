#include "cli/output/progress.hpp"

#include <string_view>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/output/style.hpp"
#include "cli/output/text.hpp"

namespace bloomtime::cli {
namespace {

using std::chrono::steady_clock;

constexpr auto patience = std::chrono::milliseconds(400);
constexpr auto period = std::chrono::milliseconds(100);
constexpr std::uint64_t bar_width = 18;

void write_error(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

}  // namespace

progress::progress(std::string label, std::uint64_t total)
    : label_(std::move(label)),
      total_(total),
      visible_(isatty(STDERR_FILENO) == 1 && !terminal_is_dumb()),
      next_(steady_clock::now() + patience) {}

progress::~progress() {
  if (drawn_) write_error("\r\x1b[K");
}

void progress::advance(std::uint64_t steps) {
  done_ += steps;
  if (!visible_) return;
  const auto now = steady_clock::now();
  if (now < next_) return;
  next_ = now + period;
  draw();
}

void progress::draw() {
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  const auto full = static_cast<std::uint64_t>(share * static_cast<double>(bar_width));
  std::string bar;
  for (std::uint64_t i = 0; i < bar_width; ++i) bar += i < full ? "█" : "░";
  if (!environment_has_unicode()) bar = ascii_only(bar);
  write_error(fmt::format("\r{}  {}  {:.0f} %\x1b[K", label_, bar, 100 * share));
  drawn_ = true;
}

}  // namespace bloomtime::cli
