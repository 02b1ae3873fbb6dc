#include "cli/output/progress.hpp"

#include <utility>

#include <fmt/format.h>

namespace bloomtime::cli {

std::string bar_text(double share) {
  constexpr int width = 18;
  const int full = static_cast<int>(share * width);
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < full ? "█" : "░";
  return bar;
}

progress::progress(std::string label, std::uint64_t total)
    : label_(std::move(label)), total_(total) {}

void progress::advance(std::uint64_t steps) {
  done_ += steps;
  if (!line_.due()) return;
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  line_.show(fmt::format("{}  {}  {:.0f} %", label_, bar_text(share), 100 * share));
}

}  // namespace bloomtime::cli
