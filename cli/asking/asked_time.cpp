#include "cli/asking/asked_time.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/output/printer.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

using std::chrono::microseconds;

struct instants {
  instant first;
  instant last;

  bool empty() const { return last < first; }
};

instants common(const instants& a, const instants& b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

instant shifted(instant t, microseconds by) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(t.micros, by.count(), &sum)) return instant(sum);
  using limits = std::numeric_limits<std::int64_t>;
  return instant(by.count() < 0 ? limits::min() : limits::max());
}

struct question {
  store::typed_time from;
  store::typed_time to;
  std::string from_text;  // as typed, for errors
  std::string to_text;

  // The period for UTC offsets between `west` and `east` (in seconds): the union over all of them,
  // or the intersection.
  instants widest(std::int32_t west, std::int32_t east) const { return with(east, west); }
  instants narrowest(std::int32_t west, std::int32_t east) const { return with(west, east); }

 private:
  instants with(std::int32_t first_offset, std::int32_t last_offset) const {
    return {from.zoned ? from.begin : shifted(from.begin, -std::chrono::seconds(first_offset)),
            to.zoned ? to.end : shifted(to.end, -std::chrono::seconds(last_offset))};
  }
};

// Extended to whole ticks, because a typed time may be the start of a tick.
instants whole_ticks(const store::offset_span& s, const tick_clock& ticks) {
  return {ticks.start_of(ticks.tick_of(s.first)), ticks.end_of(ticks.tick_of(s.last))};
}

// For a period without events: the offset of the nearest events decides.
instants nearby(const question& q, const store::log_zone& zone) {
  instants best = q.widest(0, 0);
  auto distance = std::numeric_limits<std::uint64_t>::max();
  for (const store::offset_span& s : zone.spans()) {
    const instants meant = q.widest(s.west, s.east);
    const std::uint64_t away =
        logs::micros_between(meant.last, s.first) + logs::micros_between(s.last, meant.first);
    if (away >= distance) continue;
    distance = away;
    best = meant;
  }
  return best;
}

// The smallest range that contains all events with a local time between the ends, each end taken in
// one of the UTC offsets of the log.
instants covering(const question& q, const store::log_zone& zone) {
  std::vector<instants> meant;
  instants events{instant(std::numeric_limits<std::int64_t>::max()),
                  instant(std::numeric_limits<std::int64_t>::min())};
  for (const store::offset_span& s : zone.spans()) {
    const instants possible = q.widest(s.west, s.east);
    const instants there = common(possible, whole_ticks(s, zone.ticks()));
    if (there.empty()) continue;
    meant.push_back(possible);
    events = {std::min(events.first, there.first), std::max(events.last, there.last)};
  }
  if (meant.empty()) return nearby(q, zone);
  instants all{instant(std::numeric_limits<std::int64_t>::min()),
               instant(std::numeric_limits<std::int64_t>::max())};
  for (const instants& m : meant) {
    if (m.first <= events.first) all.first = std::max(all.first, m.first);
    if (m.last >= events.last) all.last = std::min(all.last, m.last);
  }
  return all;
}

// Whether the range may contain events with other local times.
bool has_others(const question& q, const instants& range, const store::log_zone& zone) {
  return std::any_of(zone.spans().begin(), zone.spans().end(), [&](const store::offset_span& s) {
    const instants there = common(range, {s.first, s.last});
    const instants asked = q.narrowest(s.west, s.east);
    return !there.empty() && (there.first < asked.first || asked.last < there.last);
  });
}

asked_time resolved(const question& q, const store::log_zone& zone) {
  const bool backwards = q.from.zoned == q.to.zoned && q.to.end < q.from.begin;
  const instants range = backwards ? q.widest(0, 0) : covering(q, zone);
  if (range.empty()) {
    const auto given = [&](const store::typed_time& t, const std::string& typed) {
      return t.zoned ? time_text(t.begin, zone) : typed;
    };
    refuse("--from ({}) must not be after --to ({})", given(q.from, q.from_text),
           given(q.to, q.to_text));
  }
  const bool exact = q.from.zoned && q.to.zoned;
  return {range.first, range.last, !exact && has_others(q, range, zone)};
}

std::optional<store::typed_time> typed_or(std::string_view option, std::string_view text,
                                          const std::optional<instant>& usual,
                                          const store::log_zone& zone,
                                          const std::optional<instant>& newest) {
  if (!text.empty()) return store::parse_time(option, text, zone, newest);
  if (!usual) return std::nullopt;
  return store::typed_time{*usual, *usual, true};
}

}  // namespace

asked_time parse_asked_time(std::string_view from, std::string_view to, const store::log_zone& zone,
                            const std::optional<instant>& newest) {
  return resolved({store::parse_time("--from", from, zone, newest),
                   store::parse_time("--to", to, zone, newest), std::string(from), std::string(to)},
                  zone);
}

std::optional<asked_time> parse_asked_time(std::string_view from, std::string_view to,
                                           const std::optional<instant>& first,
                                           const std::optional<instant>& last,
                                           const store::log_zone& zone) {
  const auto begin = typed_or("--from", from, first, zone, last);
  const auto end = typed_or("--to", to, last, zone, last);
  if (!begin || !end) return std::nullopt;
  return resolved({*begin, *end, std::string(from), std::string(to)}, zone);
}

void note_widened(std::size_t questions) {
  if (questions == 0) return;
  note(fmt::format(
      "{} a local time that fits several UTC offsets of the log, or an unknown one; {} covers all "
      "of them. Give a zone for an exact time, as in 2014-01-01T12:00+02:00",
      questions == 1 ? "the query has" : fmt::format("{} queries have", count_text(questions)),
      questions == 1 ? "it" : "each"));
}

}  // namespace bloomtime::cli
