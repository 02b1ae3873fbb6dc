#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

#include "logs/time_gate.hpp"
#include "store/manifest.hpp"

// Prints and parses times of a store with the UTC offsets of the log.
namespace bloomtime::store {

// The UTC offsets of a log's timestamps. The default is UTC.
class log_zone {
 public:
  log_zone() = default;
  // `ticks` is the clock of the store: a time that begins a tick means the whole tick.
  log_zone(const facts& read, offset_spans offsets, const tick_clock& ticks);

  const std::vector<offset_span>& spans() const noexcept { return offsets_.spans(); }
  const tick_clock& ticks() const noexcept { return ticks_; }

  // Seconds east of UTC in the span closest to this time; the offset of the last line if the span
  // is not exact.
  std::int32_t offset_at(instant t) const;
  std::string name_at(instant t) const;  // +0200; UTC if the log did not say
  bool changes() const;                  // whether offset_at() depends on the time

 private:
  std::optional<std::int32_t> last_line_;
  offset_spans offsets_;
  tick_clock ticks_;
};

// The offsets that the store has recorded. For a store of a version that recorded none, the offsets
// of its events and of held events are unknown.
offset_spans offsets_of(const facts& read, const std::vector<logs::held_event>& held);

log_zone zone_of(const facts& read, const std::vector<logs::held_event>& held = {},
                 const tick_clock& ticks = {});

std::string time_text(instant t, const log_zone& zone);  // 2000-10-10 13:55:36 -0700

// 2014-01-01 09:30:00 .. 09:40:00 +0000; with both dates and offsets if they differ.
std::string range_text(instant from, instant to, const log_zone& zone);

// A typed time: a day, a minute, or a moment.
struct typed_time {
  instant begin;  // as if UTC unless zoned
  instant end;    // the last microsecond of it
  bool zoned = false;
};

// Parses what logs::read_time() accepts, and times relative to the newest event of the store: now
// (its time), now-1h and -1h (before it); 09:30, today 09:30 and yesterday 09:30 (of its day in the
// zone of the log), also today and yesterday.
typed_time parse_time(std::string_view option, std::string_view text, const log_zone& zone,
                      const std::optional<instant>& newest);

// The time of a heat query. Without a zone it has the offset of `newest`.
instant parse_moment(std::string_view option, std::string_view text, const log_zone& zone,
                     instant newest);

}  // namespace bloomtime::store
