#include "cli/output/profile_report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/text.hpp"
#include "profile/profiler.hpp"

namespace bloomtime::cli {
namespace {

// -- hot items -----------------------------------------------------------------------------------

constexpr double seconds_per_minute = 60;

// The largest error of a count, rounded up so that it remains a bound.
std::string bound_text(const estimate& e) {
  const double most = std::max(e.upper - e.value, e.value - e.lower);
  const double hundredths = std::ceil(100 * most);
  return hundredths < 1000 ? fmt::format("± {:.2f}", hundredths / 100)
                           : fmt::format("± {}", short_text(std::ceil(most)));
}

double rate_per_minute(const profile::field_profile& f, const hot_item& item) {
  return seconds_per_minute * f.hot.rate(item.heat).value;
}

std::string trend_text(double trend) {
  constexpr double notable = 1.1;
  if (std::isnan(trend)) return "";
  const char* arrow = trend > notable ? "↑" : trend < 1 / notable ? "↓" : "→";
  return fmt::format("{} {:.1f}", arrow, trend);
}

// Leaves room for the other columns.
std::size_t widest_item(const style& how, unsigned buckets) {
  constexpr std::size_t least = 20;
  constexpr std::size_t most = 60;
  const std::size_t others = 44 + buckets;
  if (how.width == 0) return most;
  return std::clamp(how.width > others ? how.width - others : 0, least, most);
}

// People see the item under the name of its field, and programs the field in every row.
table empty_table(const std::string& key, const std::string& item, const std::string& recent) {
  using enum audience;
  return {.key = key,
          .columns = {{"field", "", side::left, programs},
                      {"rank", "", side::right, programs},
                      {"item", item, side::left},
                      {"hits", "hits now"},
                      {"", "", side::left, people, 1},
                      {"lower", "", side::right, programs},
                      {"upper", "", side::right, programs},
                      {"guaranteed", "", side::right, programs},
                      {"rate_per_minute", "rate/min", side::right, everybody, 2},
                      {"trend", "trend", side::left, everybody, 3},
                      {"recent", recent, side::left, everybody, 4},
                      {"cut", "", side::right, programs}}};
}

table table_for_people(const profile::field_profile& f) {
  return empty_table(f.name, f.name, "last " + span_text(f.hot.bucket(), f.hot.buckets()));
}

void add_rows(table& to, const profile::field_profile& f, const std::vector<hot_item>& items,
              const style& how) {
  std::uint64_t rank = 0;
  for (const hot_item& item : items) {
    const std::string name =
        cut_to(item.cut ? item.item + "…" : item.item, widest_item(how, f.hot.buckets()));
    const double rate = rate_per_minute(f, item);
    to.rows.push_back({{text_cell(f.name),
                        count_cell(++rank),
                        {item.item, name},
                        {item.heat.value, short_text(item.heat.value)},
                        {{}, bound_text(item.heat)},
                        {item.heat.lower, ""},
                        {item.heat.upper, ""},
                        {item.guaranteed, ""},
                        {rate, short_text(rate)},
                        {item.trend, trend_text(item.trend)},
                        {item.recent, sparkline(item.recent)},
                        {item.cut, ""}}});
  }
}

// -- a profile for people ------------------------------------------------------------------------

std::uint64_t exact_bytes(const profile::field_profile& f, std::uint64_t records) {
  const std::uint64_t mean_length = records == 0 ? 0 : f.items.bytes / records;
  return f.items.different() * profile::exact_bytes_per_item(mean_length);
}

std::string files_text(const std::vector<std::string>& files) {
  if (files.size() > 1) return fmt::format("{} files", files.size());
  return files.empty() || files.front() == "-" ? "standard input" : files.front();
}

std::string events_text(const store::facts& read, const std::optional<instant>& newest) {
  const store::log_zone zone = store::zone_of(read);
  if (!newest) return "no events yet";
  if (!read.first_event) return "up to " + time_text(*newest, zone);
  return store::range_text(*read.first_event, *read.last_event, zone);
}

std::string title_of(const profile_summary& what, const profile::profiler& profile,
                     std::size_t ahead) {
  std::string title =
      fmt::format("{}: {} line{}, {}", files_text(what.files), count_text(what.counts.lines),
                  what.counts.lines == 1 ? "" : "s", events_text(what.read, profile.newest()));
  if (what.records_before != 0) {
    title += fmt::format(", {} records in all", count_text(what.read.records));
  }
  if (const std::uint64_t bad = what.counts.bad_lines(); bad != 0) {
    title += fmt::format("   ({} rejected: see --rejects)", count_text(bad));
  }
  if (ahead != 0) title += fmt::format("   ({} held back: far ahead of the rest)", ahead);
  return title;
}

// Nothing without a history; 0 for an empty one.
std::optional<std::uint64_t> history_bytes(const profile::profiler& profile) {
  std::optional<std::uint64_t> all;
  for (const profile::field_profile& f : profile.fields()) {
    if (f.past) all = all.value_or(0) + f.past->memory();
  }
  return all;
}

std::string facts_text(const profile::profiler& profile, std::uint64_t records) {
  std::vector<std::string> names;
  std::uint64_t memory = 0;
  std::uint64_t exact = 0;
  for (const profile::field_profile& f : profile.fields()) {
    names.push_back(fmt::format("{} ~{}", f.name, count_text(f.items.different())));
    memory += f.memory();
    exact += exact_bytes(f, records);
  }
  const auto past = history_bytes(profile);
  return fmt::format("different items: {}; half-life {}; heat {} (exact counting: ~{}){}",
                     fmt::join(names, ", "), span_text(profile.settings().half_life),
                     bytes_text(memory), bytes_text(exact),
                     past ? " + history " + bytes_text(*past) : "");
}

std::vector<std::string> closing_of(const profile_summary& what) {
  if (what.store.empty()) {
    return {"Not saved: give --store DIR to save it and query it later."};
  }
  return {fmt::format("Saved to {}.", what.store),
          fmt::format("Next: bloomtime hot {0} -n 50; bloomtime heat, seen or timeline {0} ITEM",
                      what.store)};
}

// -- a profile for programs ----------------------------------------------------------------------

table fields_table(const profile::profiler& profile, std::uint64_t records) {
  table t{.key = "fields",
          .columns = {{"field", ""},
                      {"distinct", ""},
                      {"heat_bytes", ""},
                      {"hot_bytes", ""},
                      {"history_bytes", ""},
                      {"exact_bytes", ""},
                      {"held_back", ""}}};
  for (const profile::field_profile& f : profile.fields()) {
    t.rows.push_back(
        {{text_cell(f.name), count_cell(f.items.different()), bytes_cell(f.heat.memory()),
          bytes_cell(f.hot.memory()), f.past ? bytes_cell(f.past->memory()) : nothing(),
          bytes_cell(exact_bytes(f, records)), count_cell(profile.held().size())}});
  }
  return t;
}

std::string over_budget_text(std::string_view what, const profile::memory_budget& b) {
  return fmt::format("{} {}, {} more than the limit of {}", what, bytes_text(b.asked + b.over),
                     bytes_text(b.over), bytes_text(b.asked));
}

}  // namespace

entries hot_keys() {
  return {
      {"field, rank", "the field, and the rank in it from 1"},
      {"item, cut", "the item; if cut is true only its first 1024 bytes"},
      {"hits, lower, upper", "decayed count: estimate and bounds"},
      {"guaranteed", "true if it is certainly one of the n hottest"},
      {"rate_per_minute", "events per minute at that time"},
      {"trend", "recent rate divided by rate: above 1 if rising"},
      {"recent",
       "events in each of the last 24 half-lives since the item was last listed, oldest first"}};
}

std::string hits_text(const estimate& heat) {
  return fmt::format("{} {}", short_text(heat.value), bound_text(heat));
}

std::vector<table> hot_tables(const std::vector<const profile::field_profile*>& fields,
                              std::size_t n, instant at, const style& how) {
  std::vector<table> tables;
  const bool people = how.form == view::people;
  if (!people) tables.push_back(empty_table("items", "", ""));
  for (const profile::field_profile* f : fields) {
    if (people) tables.push_back(table_for_people(*f));
    add_rows(tables.back(), *f, f->top(n, at), how);
  }
  return tables;
}

std::vector<std::string> over_budget_texts(const profile::profiler& profile) {
  std::vector<std::string> texts;
  // Tables take up to 2 KiB each besides their blocks.
  const std::uint64_t usual = 2048 * std::uint64_t{profile.fields().size()};
  if (const profile::memory_budget heat = profile.heat_budget();
      heat.over > heat.asked / 8 + usual) {
    texts.push_back(over_budget_text("heat takes", heat) +
                    ": an item with 128 hits or more takes 21 to 43 bytes more, in a heat_filter "
                    "for each of its four cells. A shorter --half-life leaves fewer such items");
  }
  if (const std::uint64_t items = profile.given_up(); items != 0) {
    texts.push_back(
        fmt::format("heat has reached the memory limit of {}, and {} item{} with the least heat "
                    "{} given up for others; upper bounds hold, but are higher. Use a new --store "
                    "with a larger --memory, or without",
                    bytes_text(profile.settings().memory), count_text(items), items == 1 ? "" : "s",
                    items == 1 ? "was" : "were"));
  }
  if (const profile::memory_budget past = profile.history_budget(); past.over > 0) {
    texts.push_back(over_budget_text("the history takes", past) +
                    ": nothing is dropped to keep the limit");
  }
  return texts;
}

report report_of(const profile_summary& what, const profile::profiler& profile, std::uint64_t rows,
                 const style& how) {
  const std::optional<instant> at = profile.newest();
  const instant when = at.value_or(instant());
  std::vector<const profile::field_profile*> fields;
  std::uint64_t memory = 0;
  for (const profile::field_profile& f : profile.fields()) {
    fields.push_back(&f);
    memory += f.memory();
  }
  const profile::memory_budget heat = profile.heat_budget();
  const profile::memory_budget past = profile.history_budget();
  report r{.command = "profile",
           .title = title_of(what, profile, profile.ahead_of(when).size()),
           .fields = {{"store", what.store.empty() ? value() : value(what.store)},
                      {"lines", what.counts.lines},
                      {"rejected", what.counts.bad_lines()},
                      {"records", what.read.records},
                      {"records_before", what.records_before},
                      {"new_records", what.read.records - what.records_before},
                      {"held_back", std::uint64_t{profile.held().size()}},
                      {"first_event", micros_or_nothing(what.read.first_event)},
                      {"last_event", micros_or_nothing(what.read.last_event)},
                      {"at", micros_or_nothing(at)},
                      {"zone", what.read.zone},
                      {"half_life_seconds", in_seconds(profile.settings().half_life)},
                      {"tick_seconds", in_seconds(profile.settings().resolution)},
                      {"memory_bytes", memory},
                      {"heat_asked_bytes", heat.asked == 0 ? value() : value(heat.asked)},
                      {"heat_over_bytes", heat.over},
                      {"heat_given_up", profile.given_up()},
                      {"history_bytes", or_nothing(history_bytes(profile))},
                      {"history_asked_bytes", past.asked == 0 ? value() : value(past.asked)},
                      {"history_over_bytes", past.over}},
           .tables = hot_tables(fields, rows, when, how),
           .notes = {facts_text(profile, what.read.records)},
           .closing = closing_of(what)};
  if (how.form != view::people) r.tables.push_back(fields_table(profile, what.read.records));
  return r;
}

}  // namespace bloomtime::cli
