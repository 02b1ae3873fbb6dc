#pragma once

#include <optional>
#include <string_view>

#include <bloomtime/time.hpp>

#include "store/log_zone.hpp"

// The time between --from and --to.
namespace bloomtime::cli {

struct asked_time {
  instant from;
  instant to;
  // Some events between `from` and `to` may have been written with a local time that was not asked
  // for, because the UTC offset was ambiguous.
  bool widened = false;
};

// Throws usage_error unless `from` and `to` are times in that order. A time without a zone is the
// local time of the log: from .. to covers every event whose timestamp was written with a local
// time in that range, whatever its UTC offset was.
// `newest` is what relative times refer to.
asked_time parse_asked_time(std::string_view from, std::string_view to, const store::log_zone& zone,
                            const std::optional<instant>& newest = {});

// The same for optional ends: `first` and `last` are the defaults, and `last` is the newest event.
// Returns nothing if an end has
// neither.
std::optional<asked_time> parse_asked_time(std::string_view from, std::string_view to,
                                           const std::optional<instant>& first,
                                           const std::optional<instant>& last,
                                           const store::log_zone& zone);

// Notes on standard error how many queries were widened, and how to avoid it.
void note_widened(std::size_t questions);

// What --at takes, and --from and --to, for the help.
inline constexpr const char* moment_rules =
    "TIME is a time as logs write it, also without seconds or time of day, or seconds, milli-,\n"
    "micro- or nanoseconds since 1970 (up to 11, 14, 17 or 19 digits).\n"
    "Without a zone (Z, CET, +0200 or +02:00) it has the UTC offset of the newest event.\n"
    "now is the newest event, -1h and now-1h are before it; 09:30, today and yesterday 09:30 are\n"
    "of its day.";
inline constexpr const char* time_rules =
    "TIME is a time as logs write it, also without seconds or time of day, or seconds, milli-,\n"
    "micro- or nanoseconds since 1970 (up to 11, 14, 17 or 19 digits). --to without them\n"
    "includes all of that minute or day.\n"
    "Without a zone (Z, CET, +0200 or +02:00) it is the local time of the log, with the UTC offset "
    "that\n"
    "the log had then. If several offsets are possible, the query covers all of them and a note\n"
    "says so. now is the newest event, -1h and now-1h are before it; 09:30, today, yesterday and\n"
    "yesterday 09:30 are of its day and the day before.";

}  // namespace bloomtime::cli
