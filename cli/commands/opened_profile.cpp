#include "cli/commands/opened_profile.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/output/text.hpp"
#include "cli/suggest.hpp"
#include "cli/usage_error.hpp"

namespace bloomtime::cli {
namespace {

std::vector<std::string> names_of(const profiler& profile) {
  std::vector<std::string> names;
  for (const field_profile& f : profile.fields()) names.push_back(f.name);
  return names;
}

const field_profile& field_named(const profiler& profile, const std::string& typed) {
  for (const field_profile& f : profile.fields()) {
    if (f.name == typed) return f;
  }
  const std::vector<std::string> names = names_of(profile);
  const auto meant = nearest(typed, names);
  throw usage_error(fmt::format("the store has no field {}; it has {}.{}", shown(typed),
                                fmt::join(names, ", "),
                                meant ? fmt::format(" Did you mean {}?", *meant) : ""));
}

void expect_not_before(instant asked, instant clock, const profiler& profile,
                       const time_zone& zone) {
  const bloomtime::clock epochs(profile.settings().resolution);
  if (epochs.tick_of(asked) >= epochs.tick_of(clock)) return;
  throw usage_error(
      fmt::format("the store's clock stands at {}; heat can be asked from there on, not back at "
                  "{}: what has faded is gone. Questions about the past are for seen and timeline, "
                  "which this version does not have yet",
                  time_text(clock, zone), time_text(asked, zone)));
}

}  // namespace

const field_profile& opened_profile::field(const std::string& typed) const {
  if (!typed.empty()) return field_named(profile, typed);
  if (profile.fields().size() == 1) return profile.fields().front();
  const std::vector<std::string> names = names_of(profile);
  throw usage_error(
      fmt::format("the store has the fields {}; say with --field which one is meant, "
                  "as in --field {}",
                  fmt::join(names, ", "), names.front()));
}

std::vector<const field_profile*> opened_profile::fields(const std::string& typed) const {
  if (!typed.empty()) return {&field_named(profile, typed)};
  std::vector<const field_profile*> all;
  for (const field_profile& f : profile.fields()) all.push_back(&f);
  return all;
}

instant newest_of(const store::facts& read, const profiler& profile) {
  if (read.last_event) return *read.last_event;
  instant newest;
  for (const held_event& e : profile.held()) newest = std::max(newest, e.at);
  return newest;
}

opened_profile open_profile(const std::string& directory, const std::string& at) {
  const store::reader from(directory);
  const store::facts& read = from.about().read;
  opened_profile opened{read, zone_of(read), profiler::load(from, read), {}};
  opened.at = newest_of(read, opened.profile);
  if (!at.empty()) {
    const instant asked = parse_time("--at", at, opened.zone);
    if (read.last_event) expect_not_before(asked, *read.last_event, opened.profile, opened.zone);
    opened.at = asked;
  }
  opened.profile.include_held(opened.at);
  return opened;
}

}  // namespace bloomtime::cli
