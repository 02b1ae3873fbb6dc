#include "cli/web/api.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/output/answers.hpp"
#include "cli/output/json.hpp"
#include "cli/output/render.hpp"
#include "cli/text.hpp"
#include "cli/web/gate.hpp"
#include "store/log_zone.hpp"
#include "web/assets.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::size_t most_items = 400;  // of one question
constexpr std::size_t most_rows = 1000;  // of /api/hot
constexpr std::size_t most_bars = 72;    // as `bloomtime timeline` has
constexpr style for_programs{.form = view::json};

// The parameters of a question. Throws usage_error for one that it does not have.
class parameters {
 public:
  parameters(const web::request& r, std::initializer_list<std::string_view> known)
      : path_(r.path()), given_(r.arguments()) {
    for (const auto& [name, text] : given_) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      refuse("{} has no parameter {}; it has {}", path_, shown(name), fmt::join(known, ", "));
    }
  }

  std::string one(std::string_view name) const {
    const auto is_it = [name](const auto& argument) { return argument.first == name; };
    const auto times = std::count_if(given_.begin(), given_.end(), is_it);
    if (times > 1) refuse("{} was given {} times; give it once", name, times);
    return times == 0 ? "" : std::string(std::find_if(given_.begin(), given_.end(), is_it)->second);
  }

  std::string need(std::string_view name) const {
    std::string given = one(name);
    if (given.empty()) refuse("{} needs {}=", path_, name);
    return given;
  }

  std::vector<std::string> items() const {
    std::vector<std::string> all;
    for (const auto& [name, text] : given_) {
      if (name == "item") all.emplace_back(text);
    }
    if (all.empty()) refuse("{} needs item=", path_);
    if (all.size() > most_items) refuse("at most {} items at once, got {}", most_items, all.size());
    return all;
  }

 private:
  std::string_view path_;
  std::vector<std::pair<std::string_view, std::string_view>> given_;
};

const profile::field_profile& field_of(const page_subject& about, const std::string& typed) {
  return about.profile.fields()[chosen_field(about.what.read.items, typed)];
}

std::optional<instant> time_of(const page_subject& about, const std::string& typed) {
  const std::optional<instant> now = about.what.at ? about.what.at : about.profile.newest();
  if (typed.empty()) return now;
  const store::log_zone zone = store::zone_of(about.what.read);
  const instant asked = store::parse_moment("at", typed, zone, now.value_or(instant()));
  const tick_clock ticks(about.profile.settings().resolution);
  if (about.profile.newest() && ticks.tick_of(asked) < ticks.tick_of(*about.profile.newest())) {
    refuse(
        "at must not be before the newest event ({}); got {}. For the past ask /api/seen or "
        "/api/timeline",
        time_text(*about.profile.newest(), zone), time_text(asked, zone));
  }
  return asked;
}

kept_names names_of(const page_subject& about) { return {about.what.read, about.what.store, ""}; }

asked_profile asked_of(const page_subject& about, const std::string& at) {
  return {about.what.store, about.what.read, about.profile, time_of(about, at)};
}

// -- questions -----------------------------------------------------------------------------------

report hot(const page_subject& about, const web::request& r) {
  const parameters given(r, {"field", "by", "n", "at"});
  const std::string n = given.one("n");
  const std::string by = given.one("by");
  const std::string field = given.one("field");
  std::vector<const profile::field_profile*> fields;
  for (const profile::field_profile& f : about.profile.fields()) fields.push_back(&f);
  if (!field.empty()) fields = {&field_of(about, field)};
  const std::uint64_t rows = n.empty() ? 20 : parse_count("n", n);
  return hot_answer(asked_of(about, given.one("at")), fields,
                    by.empty() ? profile::order::heat : parse_order(by),
                    std::min<std::uint64_t>(rows, most_rows), for_programs);
}

report heat(const page_subject& about, const web::request& r) {
  const parameters given(r, {"field", "item", "at"});
  return heat_answer(asked_of(about, given.one("at")), field_of(about, given.one("field")),
                     names_of(about), given.items(), for_programs);
}

report count(const page_subject& about, const web::request& r) {
  const parameters given(r, {"field", "item"});
  const profile::field_profile& field = field_of(about, given.one("field"));
  const kept_names names = names_of(about);
  table t{.key = "items",
          .columns = {{"item", "", side::left}, {"count", ""}, {"lower", ""}, {"upper", ""}}};
  for (const std::string& item : given.items()) {
    const auto total = field.total(digest_of(names.of(item), field.heat.seed()));
    if (!total) refuse("{} has no totals: an older version created it", about.what.store);
    t.rows.push_back({{text_cell(item), count_cell(total->value), count_cell(total->lower),
                       count_cell(total->upper)}});
  }
  return {.command = "count",
          .fields = {{"store", about.what.store},
                     {"field", field.name},
                     {"records", about.what.read.records}},
          .tables = {std::move(t)}};
}

// What seen and timeline need of a field.
struct past_of_field {
  past_of_field(const page_subject& about, const std::string& typed)
      : field(field_of(about, typed)),
        zone(store::zone_of(about.what.read, about.profile.held(),
                            tick_clock(about.profile.settings().resolution))),
        names(names_of(about)) {
    if (!field.past) refuse("{} has no history: an older version created it", about.what.store);
  }

  asked_past asked(const page_subject& about) const {
    return {about.what.store,
            field.name,
            zone,
            *field.past,
            about.what.read.first_event,
            about.what.read.records,
            std::uint64_t{about.profile.held().size()}};
  }

  const profile::field_profile& field;
  store::log_zone zone;
  kept_names names;
};

report seen(const page_subject& about, const web::request& r) {
  const parameters given(r, {"field", "item", "from", "to"});
  const past_of_field of(about, given.one("field"));
  const asked_time time =
      parse_asked_time(given.need("from"), given.need("to"), of.zone, about.profile.newest());
  table t = seen_table(of.field.name);
  for (const std::string& item : given.items()) {
    const sighting found = of.field.past->seen(of.names.of(item), time.from, time.to);
    t.rows.push_back(seen_row(item, time, found, *of.field.past, of.zone, for_programs));
  }
  return seen_answer(of.asked(about), {std::move(t)});
}

report timeline(const page_subject& about, const web::request& r) {
  const parameters given(r, {"field", "item", "from", "to"});
  const past_of_field of(about, given.one("field"));
  const std::string item = given.need("item");
  const auto asked = parse_asked_time(given.one("from"), given.one("to"),
                                      about.what.read.first_event, about.profile.newest(), of.zone);
  found_times f{};
  if (asked) {
    const history& past = *of.field.past;
    interval ticks = past.clock().covering(asked->from, asked->to);
    if (given.one("from").empty()) ticks.first = std::max(ticks.first, past.known_from());
    f = find_times(past, of.names.of(item), ticks, most_bars);
  }
  return timeline_answer(of.asked(about), item, f, static_cast<std::size_t>(-1));
}

using question = report (*)(const page_subject&, const web::request&);

const std::map<std::string_view, question>& questions() {
  static const std::map<std::string_view, question> known{{"/api/hot", hot},
                                                          {"/api/heat", heat},
                                                          {"/api/count", count},
                                                          {"/api/seen", seen},
                                                          {"/api/timeline", timeline}};
  return known;
}

// -- keys ----------------------------------------------------------------------------------------

struct key_request {
  std::vector<std::string> keys;
  std::optional<instant> at;
};

bool is_signed_number(const ordered_json& data) {
  if (!data.is_number_unsigned()) return data.is_number_integer();
  return data.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
}

key_request keys_in(std::string_view body) {
  constexpr const char* expected =
      "the body must be {\"keys\": [\"text\", ...]}, with \"at\" in microseconds since 1970 if the "
      "state has its times from lines";
  const ordered_json given = ordered_json::parse(body, nullptr, false);
  if (!given.is_object() || !given.contains("keys") || !given["keys"].is_array()) {
    refuse("{}", expected);
  }
  key_request found;
  for (const auto& [name, data] : given.items()) {
    if (name == "at" && is_signed_number(data)) {
      found.at = instant(data.get<std::int64_t>());
    } else if (name != "keys") {
      refuse("{}", expected);
    }
  }
  for (const ordered_json& key : given["keys"]) {
    if (!key.is_string()) refuse("{}", expected);
    found.keys.push_back(key.get<std::string>());
  }
  return found;
}

}  // namespace

json_api::json_api(page_view see, duplicate_service* duplicates)
    : see_(std::move(see)), duplicates_(duplicates) {}

web::response json_api::answer(const web::request& r) const {
  if (r.path() == "/api/openapi.json") return {.body = std::string(web::assets::openapi)};
  if (r.path() == "/api/dedupe") return add_keys(r);
  if (!questions().contains(r.path())) {
    return error_response(404, "there is no such question; /api/openapi.json lists them");
  }
  if (r.method() == "POST") return error_response(405, "ask this with GET");
  return ask_profile(r);
}

web::response json_api::ask_profile(const web::request& r) const {
  std::optional<web::response> found;
  if (see_) {
    see_([&](const page_subject& about) {
      found = {.body = render_json_line(questions().at(r.path())(about, r))};
    });
  }
  if (found) return std::move(*found);
  return error_response(see_ ? 503 : 404, see_ ? "there are no events yet"
                                               : "this server has no profile; name a store");
}

web::response json_api::add_keys(const web::request& r) const {
  if (duplicates_ == nullptr) {
    return error_response(404, "this server judges no keys; start it with --window or --state");
  }
  if (r.method() != "POST") return error_response(405, "ask this with POST");
  // Other types are what a form of another site could send.
  if (!r.header("Content-Type").starts_with("application/json")) {
    return error_response(415, "the body must have the Content-Type application/json");
  }
  const key_request asked = keys_in(r.body());
  const std::vector<bool> seen = duplicates_->add_if_new(asked.keys, asked.at);
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    rows.push_back({{"key", asked.keys[i]}, {"duplicate", static_cast<bool>(seen[i])}});
  }
  return {.body = dumped({{"schema", json_schema}, {"command", "dedupe"}, {"keys", rows}})};
}

}  // namespace bloomtime::cli
