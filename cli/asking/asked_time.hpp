#pragma once

#include <optional>
#include <string>
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
asked_time parse_asked_time(std::string_view from, std::string_view to, const log_zone& zone);

// The same for ends that may be left out. `first` and `last` stand in for them; nothing if there is
// none.
std::optional<asked_time> parse_asked_time(std::string_view from, std::string_view to,
                                           const std::optional<instant>& first,
                                           const std::optional<instant>& last,
                                           const log_zone& zone);

// Tells on standard error that so many questions were widened, and how to avoid it.
void note_widened(std::size_t questions);

// For the help, after "--at takes" and "--from and --to take".
std::string moment_rules_of(std::string_view options_take);
std::string time_rules_of(std::string_view options_take);

}  // namespace bloomtime::cli
