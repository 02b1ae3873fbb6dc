#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/any.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/history/history.hpp>
#include <bloomtime/tally/any_tally.hpp>

#include "cli/asking/kept_names.hpp"
#include "cli/dedupe/deduper.hpp"
#include "cli/output/report.hpp"
#include "cli/output/timeline_report.hpp"
#include "logs/time_gate.hpp"
#include "profile/past.hpp"
#include "profile/profiler.hpp"
#include "store/log_zone.hpp"
#include "store/reader.hpp"

// Every command that queries a store or a file opens it here.
namespace bloomtime::cli {

// The heat of all fields of a store at one time.
struct opened_heat {
  store::facts read;
  store::log_zone zone;
  profile::profiler profile;
  std::optional<instant> at;  // nothing if the store has no events and no time was given
  kept_names names;
  bool in_the_past = false;  // `at` is before the newest event, so only histories can answer

  instant when() const { return at.value_or(instant()); }
  std::string title(const std::string& store) const;
  std::vector<std::string> notes() const;

  // The field that --field names; without --field the only one, or an error that lists them.
  const profile::field_profile& field(const std::string& typed) const;
  // The same, but all fields without --field.
  std::vector<const profile::field_profile*> fields(const std::string& typed) const;
};

// The history of one field of a store. Events that wait to be confirmed are in it.
struct opened_history {
  store::facts read;
  store::log_zone zone;
  std::string field;
  history past;
  logs::time_gate gate;
  kept_names names;

  // From the first event to the newest one that is confirmed.
  std::optional<instant> first() const;
  std::optional<instant> last() const { return gate.newest(); }

  // The probability that an item which was not seen in these ticks is reported as seen.
  double error(interval asked) const { return profile::wrong_ticks(past, asked); }
};

// Opens one checkpoint of a store. The queries load what they need of it and throw usage_error if
// another command made the store.
class opened_store {
 public:
  explicit opened_store(const std::string& directory) : directory_(directory), parts_(directory) {}

  const store::reader& parts() const { return parts_; }
  const store::facts& read() const { return parts_.about().read; }

  // At the time typed with --at; without it at the newest event. `key_file` is what --key-file
  // names. Throws usage_error for a time before the newest event.
  opened_heat heat(const std::string& at,
                   profile::profiler::wanted what = profile::profiler::wanted::heat,
                   const std::string& key_file = "") const;
  // The same at any time. Histories are loaded if they are needed.
  opened_heat heat_at_any_time(const std::string& at, profile::profiler::wanted what) const;
  // Of the field that --field names; without it the only one.
  opened_history past(const std::string& field, const std::string& key = "") const;
  any_tally tally() const;
  bool holds_tally() const;
  // Names of items of the tally; nothing if a version that keeps none made it.
  std::optional<hot_list> tally_names() const;

 private:
  std::optional<instant> past_moment(const std::string& at) const;
  opened_heat opened(profile::profiler::wanted what, const std::string& key_file) const;

  std::string directory_;
  store::reader parts_;
};

// What a filter file or a state of dedupe says about itself.
std::vector<fact> facts_of(const std::string& path);
std::vector<fact> facts_of(const deduper& state);
// A problem of a file, for output that does not show the path.
std::string with_path(const std::string& path, const std::string& problem);

// For commands that continue a store. Both throw usage_error if another command made it.
void expect_profile(const store::manifest& about, const std::string& directory);
void expect_tally(const store::manifest& about, const std::string& directory);

// Throws usage_error unless an option agrees with the store that is continued.
void expect_same(const std::string& directory, const char* what, const std::string& kept,
                 const std::string& asked);

// The index of the field that --field names; without --field the only one, or an error that lists
// them.
std::size_t chosen_field(const std::vector<std::string>& names, const std::string& typed);

// How many events wait and are not in the answers; empty if none.
std::string held_text(std::size_t ahead);

value micros_or_nothing(const std::optional<instant>& t);

}  // namespace bloomtime::cli
