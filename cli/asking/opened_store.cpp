#include "cli/asking/opened_store.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <bloomtime/detail/file.hpp>

#include "cli/asking/asked_time.hpp"
#include "cli/asking/filter_bytes.hpp"
#include "cli/dedupe/deduper.hpp"
#include "cli/text.hpp"
#include "profile/profiler.hpp"
#include "store/ledger.hpp"
#include "store/roles.hpp"

namespace bloomtime::cli {
namespace {

std::vector<std::string> names_of(const profile::profiler& profile) {
  std::vector<std::string> names;
  for (const profile::field_profile& f : profile.fields()) names.push_back(f.name);
  return names;
}

}  // namespace

// -- heat ----------------------------------------------------------------------------------------

const profile::field_profile& opened_heat::field(const std::string& typed) const {
  return profile.fields()[chosen_field(names_of(profile), typed)];
}

std::vector<const profile::field_profile*> opened_heat::fields(const std::string& typed) const {
  if (!typed.empty()) return {&field(typed)};
  std::vector<const profile::field_profile*> all;
  for (const profile::field_profile& f : profile.fields()) all.push_back(&f);
  return all;
}

std::string opened_heat::title(const std::string& store) const {
  return at ? fmt::format("{} at {}", store, time_text(*at, zone))
            : fmt::format("{}: no events yet", store);
}

std::vector<std::string> opened_heat::notes() const {
  const std::string held = held_text(profile.ahead_of(when()).size());
  return held.empty() ? std::vector<std::string>() : std::vector<std::string>{held};
}

opened_heat opened_store::opened(profile::profiler::wanted what,
                                 const std::string& key_file) const {
  expect_profile(parts_.about(), directory_);
  opened_heat found{read(),
                    store::zone_of(read()),
                    profile::profiler::load(parts_, read(), what),
                    {},
                    {read(), directory_, key_file}};
  found.at = found.profile.newest();
  return found;
}

// The time typed with --at, if it is before the newest event.
std::optional<instant> opened_store::past_moment(const std::string& at) const {
  if (at.empty() || !read().last_event) return std::nullopt;
  expect_profile(parts_.about(), directory_);
  const auto ledger = store::load_part<store::ledger>(parts_.container(store::ledger_role));
  const tick_clock ticks(ledger.settings.resolution);
  const store::log_zone zone = store::zone_of(read(), ledger.held, ticks);
  const instant newest = *read().last_event;
  if (ticks.tick_of(store::parse_moment("--at", at, zone, newest)) >= ticks.tick_of(newest)) {
    return std::nullopt;
  }
  const asked_time asked = parse_asked_time(at, at, zone, newest);
  note_widened(asked.widened ? 1 : 0);
  return asked.from;
}

opened_heat opened_store::heat(const std::string& at, profile::profiler::wanted what,
                               const std::string& key_file) const {
  opened_heat found = opened(what, key_file);
  if (const auto past = past_moment(at)) {
    refuse(
        "--at must not be before the store's newest event ({}), because heat that has decayed is "
        "not kept; got {}. For the past use bloomtime hot --at, seen or timeline",
        time_text(*read().last_event, found.zone), time_text(*past, found.zone));
  }
  if (!at.empty()) found.at = store::parse_moment("--at", at, found.zone, found.when());
  found.profile.include_held(found.when());
  return found;
}

opened_heat opened_store::heat_at_any_time(const std::string& at,
                                           profile::profiler::wanted what) const {
  const auto past = past_moment(at);
  if (!past) return heat(at, what);
  opened_heat found = opened(profile::profiler::wanted::everything, "");
  found.at = past;
  found.in_the_past = true;
  found.profile.include_held(*past);
  return found;
}

// -- history -------------------------------------------------------------------------------------

std::optional<instant> opened_history::first() const {
  std::optional<instant> earliest = read.first_event;
  for (const logs::held_event& e : gate.held()) {
    if (!earliest || e.at < *earliest) earliest = e.at;
  }
  return earliest;
}

opened_history opened_store::past(const std::string& field, const std::string& key) const {
  expect_profile(parts_.about(), directory_);
  const std::size_t number = chosen_field(read().items, field);
  const std::string role = store::history_role(read().items[number]);
  if (!parts_.has(role)) {
    refuse(
        "{} was created by an older version and has no history; use bloomtime profile with a new "
        "--store to record it",
        directory_);
  }
  store::ledger kept = store::load_part<store::ledger>(parts_.container(store::ledger_role));
  opened_history opened{read(),
                        store::zone_of(read(), kept.held, tick_clock(kept.settings.resolution)),
                        read().items[number],
                        store::load_part<history>(parts_.container(role)),
                        {read().last_event, std::move(kept.held)},
                        {read(), directory_, key}};
  opened.past.retain(0);  // nothing is dropped for events that may never be believed
  for (const logs::held_event& e : opened.gate.held()) {
    const std::optional<std::string>& item = e.items.at(number);
    if (!item) continue;
    const digest d = digest_of(*item, opened.past.seed());
    profile::remember(opened.past, {&d, 1}, {&e.at, 1});
  }
  return opened;
}

// -- tally ---------------------------------------------------------------------------------------

any_tally opened_store::tally() const {
  expect_tally(parts_.about(), directory_);
  return store::load_part<any_tally>(parts_.container(store::tally_role(read().items.front())));
}

bool opened_store::holds_tally() const {
  return read().items.size() == 1 && parts_.has(store::tally_role(read().items.front()));
}

std::optional<hot_list> opened_store::tally_names() const {
  const std::string role = store::largest_role(read().items.front());
  if (!parts_.has(role)) return std::nullopt;
  return store::load_part<hot_list>(parts_.container(role));
}

// -- files ---------------------------------------------------------------------------------------

std::vector<fact> facts_of(const deduper& state) {
  const dedupe_settings& s = state.settings();
  std::vector<fact> facts{
      {"family", "dedupe"}, {"engine", std::string(state.filter().engine())}, {"key", s.key}};
  if (s.time == time_source::none) {
    facts.push_back({"last", s.expect});
  } else {
    facts.push_back({"window_seconds", std::chrono::duration<double>(s.window).count()});
    facts.push_back({"expect", s.expect});
  }
  facts.push_back({"error", s.error});
  facts.push_back({"memory", state.memory()});
  facts.push_back({"passed", state.counts().passed});
  facts.push_back({"dropped", state.counts().dropped});
  facts.push_back({"unjudged", state.counts().unjudged});
  facts.push_back({"forgotten_early", state.counts().forgotten});
  facts.push_back({"dropped_full", state.counts().crowded_out});
  return facts;
}

std::vector<fact> facts_of(const std::string& path) {
  const auto file = detail::mapped_file::open(path);
  if (!holds_dedupe_state(file->bytes())) return facts_of_filter(file->bytes());
  return facts_of(deduper::load(file->bytes(), deduper::settings_in(file->bytes()), path));
}

std::string with_path(const std::string& path, const std::string& problem) {
  return problem.find(path) == std::string::npos ? path + ": " + problem : problem;
}

// -- what a store holds --------------------------------------------------------------------------

void expect_profile(const store::manifest& about, const std::string& directory) {
  if (about.find(store::ledger_role) != nullptr) return;
  const bool tally = std::any_of(about.containers.begin(), about.containers.end(),
                                 [](const store::part& p) { return p.role.starts_with("tally."); });
  refuse("{} holds {}no profile; {}name a store that bloomtime profile made", directory,
         tally ? "a tally and " : "",
         tally ? fmt::format("ask it with bloomtime count {} ITEM, or ", directory) : "");
}

void expect_tally(const store::manifest& about, const std::string& directory) {
  const std::vector<std::string>& items = about.read.items;
  if (items.size() == 1 && about.find(store::tally_role(items.front())) != nullptr) return;
  refuse("{} holds a profile and no tally; name a store that bloomtime tally made, or a new one",
         directory);
}

void expect_same(const std::string& directory, const char* what, const std::string& kept,
                 const std::string& asked) {
  if (kept == asked) return;
  refuse("{} has {} {}; got {}. Omit the option to continue the store, or use another --store",
         directory, what, kept, asked);
}

std::size_t chosen_field(const std::vector<std::string>& names, const std::string& typed) {
  if (typed.empty()) {
    if (names.size() == 1) return 0;
    refuse("the store has the fields {}; choose one with --field, as in --field {}",
           fmt::join(names, ", "), names.front());
  }
  const auto found = std::find(names.begin(), names.end(), typed);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  refuse("the store has no field {}; it has {}.{}", shown(typed), fmt::join(names, ", "),
         suggestion(typed, names));
}

std::string held_text(std::size_t ahead) {
  if (ahead == 0) return "";
  return fmt::format(
      "{} held back: stamped more than 24 hours ahead of the rest, not counted until later lines "
      "confirm {}",
      ahead == 1 ? "1 event" : fmt::format("{} events", ahead), ahead == 1 ? "it" : "them");
}

value micros_or_nothing(const std::optional<instant>& t) { return t ? value(t->micros) : value(); }

}  // namespace bloomtime::cli
