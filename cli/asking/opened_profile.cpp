#include "cli/asking/opened_profile.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/asking/field_choice.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

std::vector<std::string> names_of(const profiler& profile) {
  std::vector<std::string> names;
  for (const field_profile& f : profile.fields()) names.push_back(f.name);
  return names;
}

void expect_not_before(instant asked, instant clock, const profiler& profile,
                       const log_zone& zone) {
  const bloomtime::tick_clock epochs(profile.settings().resolution);
  if (epochs.tick_of(asked) >= epochs.tick_of(clock)) return;
  throw usage_error(
      fmt::format("the store's clock stands at {}; heat can be asked from there on, not back at "
                  "{}: what has faded is gone. For the past, ask bloomtime seen or bloomtime "
                  "timeline",
                  time_text(clock, zone), time_text(asked, zone)));
}

}  // namespace

const field_profile& opened_profile::field(const std::string& typed) const {
  return profile.fields()[chosen_field(names_of(profile), typed)];
}

std::vector<const field_profile*> opened_profile::fields(const std::string& typed) const {
  if (!typed.empty()) return {&field(typed)};
  std::vector<const field_profile*> all;
  for (const field_profile& f : profile.fields()) all.push_back(&f);
  return all;
}

std::string opened_profile::title(const std::string& store) const {
  return at ? fmt::format("{} at {}", store, time_text(*at, zone))
            : fmt::format("{}: no events yet", store);
}

std::vector<std::string> opened_profile::notes() const {
  const std::string held = held_text(profile, when());
  return held.empty() ? std::vector<std::string>() : std::vector<std::string>{held};
}

std::string held_text(const profiler& profile, instant when) {
  return held_text(profile.ahead_of(when).size());
}

std::string held_text(std::size_t ahead) {
  if (ahead == 0) return "";
  return fmt::format(
      "{} held back: stamped more than 24 hours ahead of the rest, not counted until later lines "
      "confirm {}",
      ahead == 1 ? "1 event" : fmt::format("{} events", ahead), ahead == 1 ? "it" : "them");
}

value micros_or_nothing(const std::optional<instant>& t) { return t ? value(t->micros) : value(); }

void expect_profile(const store::manifest& about, const std::string& directory) {
  if (about.find(store::ledger_role) != nullptr) return;
  const bool tally = std::any_of(about.containers.begin(), about.containers.end(),
                                 [](const store::part& p) { return p.role.starts_with("tally."); });
  throw usage_error(
      tally ? fmt::format("{0} holds a tally and no profile; ask it with bloomtime count {0} ITEM, "
                          "or name a store that bloomtime profile made",
                          directory)
            : fmt::format("{} holds no profile; name a store that bloomtime profile made",
                          directory));
}

opened_profile open_profile(const std::string& directory, const std::string& at) {
  const store::reader from(directory);
  expect_profile(from.about(), directory);
  const store::facts& read = from.about().read;
  opened_profile opened{
      read, zone_of(read), profiler::load(from, read, profiler::wanted::heat), {}};
  opened.at = opened.profile.newest();
  if (!at.empty()) {
    const instant asked = parse_moment("--at", at, opened.zone, opened.when());
    if (read.last_event) expect_not_before(asked, *read.last_event, opened.profile, opened.zone);
    opened.at = asked;
  }
  opened.profile.include_held(opened.when());
  return opened;
}

}  // namespace bloomtime::cli
