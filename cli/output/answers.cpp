#include "cli/output/answers.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/output/profile_report.hpp"
#include "cli/output/ranked_tables.hpp"
#include "cli/text.hpp"
#include "profile/past.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::size_t widest_item = 60;
constexpr std::size_t heat_columns = 9;

row heat_row(const profile::field_profile& field, const std::string& item, const kept_names& names,
             instant at, const style& how) {
  constexpr double seconds_per_minute = 60;
  const digest id = digest_of(names.of(item), field.heat.seed());
  const estimate e = field.at(id, at);
  const estimate shown = rounded(e);
  const double rate = rounded(seconds_per_minute * field.hot.rate(e).value);
  const auto total = field.total(id);
  row r;
  r.cells.reserve(heat_columns);
  const auto add = cells_of(r, how);
  add(item, [&] { return cut_to(item, widest_item); });
  add({}, [&] { return total ? total_text(*total) : ""; });
  add(shown.value, [&] { return hits_text(e); });
  add(shown.lower, [&] { return short_text(e.lower); });
  add(shown.upper, [&] { return short_text(e.upper); });
  add(rate, [&] { return short_text(rate); });
  add_total(r, total);
  return r;
}

}  // namespace

// -- heat ----------------------------------------------------------------------------------------

asked_profile asked_profile_of(const std::string& store, const opened_heat& opened) {
  return {store, opened.read, opened.profile, opened.at};
}

report hot_answer(const asked_profile& asked,
                  const std::vector<const profile::field_profile*>& fields, profile::order by,
                  std::uint64_t rows, const style& how) {
  report r{
      .command = "hot",
      .fields = {{"store", asked.store},
                 {"at", micros_or_nothing(asked.at)},
                 {"records", asked.read.records},
                 {"held_back", std::uint64_t{asked.profile.held().size()}}},
      .tables = ranked_tables(
          fields, {.by = by, .rows = rows, .at = asked.when(), .zone = store::zone_of(asked.read)},
          how)};
  for (auto& f : web_fields(asked.profile)) r.fields.push_back(std::move(f));
  r.fields.emplace_back("in_the_past", false);
  return r;
}

report heat_answer(const asked_profile& asked, const profile::field_profile& field,
                   const kept_names& names, const std::vector<std::string>& items,
                   const style& how) {
  const bool people = how.form == view::people;  // the others see no titles
  table t{
      .key = "items",
      .columns = {{"item", field.name, side::left},
                  {"", field.totals ? "total" : "", side::right, audience::people},
                  {"hits", people ? fmt::format("heat ({})", span_text(field.hot.bucket())) : ""},
                  {"lower", "at least", side::right, audience::everybody, 2},
                  {"upper", "at most", side::right, audience::everybody, 1},
                  {"rate_per_minute", "per min"}}};
  t.columns.reserve(heat_columns);
  for (column& c : total_columns()) t.columns.push_back(std::move(c));
  for (const std::string& item : items) {
    t.rows.push_back(heat_row(field, item, names, asked.when(), how));
  }
  report r{.command = "heat",
           .fields = {{"store", asked.store},
                      {"field", field.name},
                      {"at", micros_or_nothing(asked.at)},
                      {"records", asked.read.records},
                      {"held_back", std::uint64_t{asked.profile.held().size()}}}};
  r.tables.push_back(std::move(t));
  return r;
}

// -- history -------------------------------------------------------------------------------------

asked_past asked_past_of(const std::string& store, const opened_history& opened) {
  return {store,
          opened.field,
          opened.zone,
          opened.past,
          opened.first(),
          opened.read.records,
          std::uint64_t{opened.gate.held().size()}};
}

table seen_table(const std::string& field) {
  return {.key = "questions",
          .columns = {{"item", field, side::left},
                      {"from", "from", side::left},
                      {"to", "to", side::left},
                      {"answer", "seen", side::left},
                      {"error", "error", side::right, audience::everybody, 1}}};
}

instant end_of_shown(instant to) {
  const tick_clock seconds;
  const instant begin = seconds.start_of(seconds.tick_of(to));
  return seconds.end_of(seconds.tick_of(to)) == to ? begin : to;
}

row seen_row(std::string_view item, const asked_time& time, sighting found, const history& past,
             const store::log_zone& zone, const style& how) {
  row r{.cells = {}, .appearance = found == sighting::no ? look::plain : look::strong};
  const auto add = cells_of(r, how);
  const double error = profile::wrong_ticks(past, past.clock().covering(time.from, time.to));
  add(std::string(item), [&] { return cut_to(item, widest_item); });
  add(time.from.micros, [&] { return time_text(time.from, zone); });
  add(time.to.micros, [&] { return time_text(end_of_shown(time.to), zone); });
  add(std::string(name_of(found)), [&] { return std::string(name_of(found)); });
  add(error, [&] { return probability_text(error); });
  return r;
}

report seen_answer(const asked_past& asked, std::vector<table> tables) {
  return {.command = "seen",
          .fields = {{"store", asked.store},
                     {"field", asked.field},
                     {"records", asked.records},
                     {"held_back", asked.held}},
          .tables = std::move(tables)};
}

bool is_dropped(const asked_past& asked, const found_times& f) {
  return !f.bars.empty() && profile::is_dropped(asked.past, f.asked, asked.first);
}

report timeline_answer(const asked_past& asked, const std::string& item, const found_times& f,
                       std::size_t rows) {
  const bloomtime::tick_clock& clock = asked.past.clock();
  const auto start = [&](bool there, tick t) {
    return there ? value(clock.start_of(t).micros) : value();
  };
  const bool seen = !f.seen.empty();
  const bool any = !f.bars.empty();
  return {.command = "timeline",
          .title = any ? times_title(item, f, clock, asked.zone) : asked.store + ": no events yet",
          .fields = {{"store", asked.store},
                     {"field", asked.field},
                     {"item", item},
                     {"from", start(any, f.asked.first)},
                     {"to", start(any, f.asked.last)},
                     {"tick_seconds", in_seconds(clock.resolution())},
                     {"asked_ticks", any ? ticks_of(f.asked) : 0},
                     {"first", start(seen, seen ? f.seen.front().first : tick())},
                     {"last", start(seen, seen ? f.seen.back().last : tick())},
                     {"ticks", count_ticks(f.seen)},
                     {"histogram", f.bars},
                     {"error", any ? profile::wrong_ticks(asked.past, f.asked) : 0.0},
                     {"held_back", asked.held},
                     {"out_of_retention", is_dropped(asked, f)}},
          .tables = {intervals_table(f, clock, asked.zone, rows)}};
}

}  // namespace bloomtime::cli
