#include "cli/output/reading_progress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cli/output/progress.hpp"
#include "text/number.hpp"

namespace bloomtime::cli {
namespace {

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

std::string reading_text(const reading& so_far) {
  const auto bytes = static_cast<double>(so_far.bytes);
  const double seconds = std::max(so_far.seconds, 1e-6);
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

reading_progress::reading_progress(std::string label, std::optional<std::uint64_t> total)
    : label_(std::move(label)), total_(total) {}

void reading_progress::at(std::uint64_t bytes, std::uint64_t lines) {
  if (!line_.due()) return;
  line_.show(fmt::format("{}  {}", label_, reading_text({bytes, total_, lines, line_.seconds()})));
}

}  // namespace bloomtime::cli
