#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

#include "logs/time_gate.hpp"
#include "store/manifest.hpp"

// Times of a store, printed and typed with the UTC offsets of the log.
namespace bloomtime::cli {

// The UTC offsets of a log's timestamps. The default is UTC.
class log_zone {
 public:
  log_zone() = default;
  // `ticks` are those of the store: whoever asks for the beginning of one asks for all of it.
  log_zone(const store::facts& read, store::offset_spans offsets, const tick_clock& ticks);

  const std::vector<store::offset_span>& spans() const noexcept { return offsets_.spans(); }
  const tick_clock& ticks() const noexcept { return ticks_; }

  // Seconds east of UTC in the span that is closest to this time; of the last line where that is
  // not known exactly.
  std::int32_t offset_at(instant t) const;
  std::string name_at(instant t) const;  // +0200; UTC if the log did not say
  bool changes() const;                  // whether offset_at() is not the same always

 private:
  std::optional<std::int32_t> last_line_;
  store::offset_spans offsets_;
  tick_clock ticks_;
};

// The offsets that the store has recorded. Of a store written by a version that recorded none,
// nothing is known of its events and of those that wait.
store::offset_spans offsets_of(const store::facts& read, const std::vector<held_event>& held);

log_zone zone_of(const store::facts& read, const std::vector<held_event>& held = {},
                 const tick_clock& ticks = {});

std::string time_text(instant t, const log_zone& zone);  // 2000-10-10 13:55:36 -0700

// 2014-01-01 09:30:00 .. 09:40:00 +0000; with both dates and offsets if they differ.
std::string range_text(instant from, instant to, const log_zone& zone);

// A time as somebody typed it: all of a day, a minute, or a moment.
struct typed_time {
  instant begin;  // as if UTC unless zoned
  instant end;    // the last microsecond of it
  bool zoned = false;
};

// What read_time() takes, also without a zone, without seconds or without the time of the day.
typed_time parse_time(std::string_view option, std::string_view text);

// The time at which a question about heat is asked. Without a zone it has the offset of `newest`.
instant parse_moment(std::string_view option, std::string_view text, const log_zone& zone,
                     instant newest);

}  // namespace bloomtime::cli
