#include "cli/output/timeline_report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <bloomtime/history/detail/timelines.hpp>

#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

std::string ticks_text(std::uint64_t ticks, std::chrono::microseconds resolution) {
  return resolution == std::chrono::seconds(1)
             ? fmt::format("{} second{}", count_text(ticks), ticks == 1 ? "" : "s")
             : fmt::format("{} x {}", count_text(ticks), span_text(resolution));
}

std::string period_text(interval i, const tick_clock& clock, const store::log_zone& zone) {
  return store::range_text(clock.start_of(i.first), clock.start_of(i.last), zone);
}

// The title shows the offset, unless there are several.
std::string row_time(instant t, const store::log_zone& zone) {
  return zone.changes() ? time_text(t, zone) : time_text(t, zone.offset_at(t));
}

}  // namespace

std::uint64_t ticks_of(interval i) {
  return static_cast<std::uint64_t>(i.last.number) - static_cast<std::uint64_t>(i.first.number) + 1;
}

found_times find_times(const history& past, std::string_view item, interval asked,
                       std::size_t most_bars) {
  found_times f{.asked = asked, .seen = past.when(item, asked), .bars = {}};
  f.bars = histogram(f.seen, asked, std::min<std::uint64_t>(most_bars, ticks_of(asked)));
  return f;
}

double expected_error(const history& past, interval asked) {
  double expected = 0;
  past.for_each([&](const timeline_history& part) {
    const auto begin = static_cast<std::int64_t>(part.first());
    const std::int64_t end = begin + static_cast<std::int64_t>(part.ticks()) - 1;
    const std::int64_t from = std::max(begin, asked.first.number);
    const std::int64_t to = std::min(end, asked.last.number);
    if (from > to) return;
    expected +=
        part.current_error(static_cast<std::uint64_t>(to - from) + 1) +
        std::ldexp(static_cast<double>(part.items()), -static_cast<int>(detail::timeline_key_bits));
  });
  return std::min(expected, 1.0);
}

std::string times_title(const std::string& item, const found_times& f, const tick_clock& clock,
                        const store::log_zone& zone) {
  if (f.seen.empty()) {
    return fmt::format("{} was not seen in {}", item, period_text(f.asked, clock, zone));
  }
  return fmt::format("{}   seen {}   in {} of {}", item,
                     period_text({f.seen.front().first, f.seen.back().last}, clock, zone),
                     ticks_text(count_ticks(f.seen), clock.resolution()),
                     count_text(ticks_of(f.asked)));
}

table times_picture(const found_times& f, const tick_clock& clock, const store::log_zone& zone) {
  return {.key = "picture",
          .columns = {{"bars", period_text(f.asked, clock, zone), side::left}},
          .rows = {{{{{}, sparkline(f.bars)}}}}};
}

table intervals_table(const found_times& f, const tick_clock& clock, const store::log_zone& zone,
                      std::size_t rows) {
  table t{
      .key = "intervals",
      .columns = {{"from", "from", side::left},
                  {"to", "to", side::left},
                  {"ticks", clock.resolution() == std::chrono::seconds(1) ? "seconds" : "ticks"}}};
  const std::size_t begin = f.seen.size() > rows ? f.seen.size() - rows : 0;
  for (std::size_t i = begin; i < f.seen.size(); ++i) {
    const instant from = clock.start_of(f.seen[i].first);
    t.rows.push_back(
        {{{from.micros, row_time(from, zone)},
          {clock.end_of(f.seen[i].last).micros, row_time(clock.start_of(f.seen[i].last), zone)},
          count_cell(ticks_of(f.seen[i]))}});
  }
  return t;
}

}  // namespace bloomtime::cli
