#include "cli/output/reading_progress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cli/output/printer.hpp"
#include "cli/output/progress.hpp"
#include "text/number.hpp"

namespace bloomtime::cli {

using namespace text;

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

logs::listener reading_progress::reports() {
  return {.note =
              [this](std::string_view text) {
                line_.clear();
                note(text);
              },
          .advance = [this](const logs::reading& so_far) { advance(so_far); }};
}

void reading_progress::advance(const logs::reading& so_far) {
  if (so_far.finished) line_.clear();
  if (so_far.finished || !line_.due()) return;
  line_.show(fmt::format("{}  {}", label_, reading_text(so_far, line_.seconds())));
}

}  // namespace bloomtime::cli
