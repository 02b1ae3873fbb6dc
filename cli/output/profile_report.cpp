#include "cli/output/profile_report.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/text.hpp"
#include "profile/profiler.hpp"

namespace bloomtime::cli {
namespace {

// -- a profile for people ------------------------------------------------------------------------

std::uint64_t exact_bytes(const profile::field_profile& f, std::uint64_t records) {
  const std::uint64_t mean_length = records == 0 ? 0 : f.items.bytes / records;
  return f.different() * profile::exact_bytes_per_item(mean_length);
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

// The facts are those of all runs, the rejected lines those of this run. Events that wait are
// included if the answers include them.
std::string title_of(const profile_summary& what, const profile::profiler& profile,
                     std::size_t ahead) {
  const char* const called = profile.web().records() != 0 ? "request" : "event";
  const std::uint64_t events = what.read.records + profile.held().size() - ahead;
  std::string title =
      fmt::format("{}: {} {}{}, {}", files_text(what.files), count_text(events), called,
                  events == 1 ? "" : "s", events_text(what.read, profile.newest()));
  if (what.records_before != 0) {
    title += fmt::format(", {} of them new", count_text(what.read.records - what.records_before));
  }
  if (const std::uint64_t bad = what.counts.bad_lines(); bad != 0) {
    title += fmt::format(", {} line{} rejected (--rejects FILE keeps them)", count_text(bad),
                         bad == 1 ? "" : "s");
  }
  if (ahead != 0) title += fmt::format(", {} held back (far ahead of the rest)", ahead);
  return title;
}

double three_digits(double n) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(n)) - 2));
  return std::round(n / unit) * unit;
}

// "8,254 paths"; "~8,300 different 2" where the field has no plural and the number is an estimate.
std::string different_text(const profile::field_profile& f) {
  constexpr std::array<std::string_view, 7> known{"path",     "host", "agent", "method",
                                                  "referrer", "site", "family"};
  const std::uint64_t n = f.different();
  const std::string number = f.counts_different() || n < 100
                                 ? count_text(n)
                                 : "~" + short_text(three_digits(static_cast<double>(n)));
  if (f.name == "family") return fmt::format("{} {}", number, n == 1 ? "family" : "families");
  if (std::find(known.begin(), known.end(), f.name) == known.end()) {
    return fmt::format("{} different {}", number, f.name);
  }
  return fmt::format("{} {}{}", number, f.name, n == 1 ? "" : "s");
}

// "91.4 %", "<0.1 %".
std::string share_text(std::uint64_t part, std::uint64_t whole) {
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 0.05 ? "<0.1 %" : fmt::format("{:.1f} %", percent);
}

std::string responses_text(const store::web_totals& web, std::uint64_t records) {
  std::string text;
  if (web.records_with_bytes() != 0) text = bytes_text(web.bytes().events()) + " sent";
  std::vector<std::string> shares;
  for (std::size_t i = 1; i <= store::web_totals::statuses.size(); ++i) {
    const std::size_t status = i % store::web_totals::statuses.size();  // "none" at the end
    const std::uint64_t n = web.status(status).events();
    if (n == 0) continue;
    const auto name = status == 0 ? "without status" : store::web_totals::statuses[status];
    shares.push_back(fmt::format("{} {}", share_text(n, web.records()), name));
  }
  text += fmt::format("{}{}", text.empty() ? "" : ", ", fmt::join(shares, "  "));
  if (web.records() < records) {
    text += fmt::format(" (of the last {} requests; an older version did not keep it)",
                        count_text(web.records()));
  }
  return text;
}

std::string summary_of(const profile::profiler& profile, std::uint64_t records) {
  std::vector<std::string> parts;
  for (const profile::field_profile& f : profile.fields()) parts.push_back(different_text(f));
  if (profile.web().records() != 0) parts.push_back(responses_text(profile.web(), records));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Nothing without a history; 0 for an empty one.
std::optional<std::uint64_t> history_bytes(const profile::profiler& profile) {
  std::optional<std::uint64_t> all;
  for (const profile::field_profile& f : profile.fields()) {
    if (f.past) all = all.value_or(0) + f.past->memory();
  }
  return all;
}

std::uint64_t memory_of(const profile::profiler& profile) {
  std::uint64_t memory = 0;
  for (const profile::field_profile& f : profile.fields()) memory += f.memory();
  return memory;
}

std::uint64_t exact_bytes(const profile::profiler& profile, std::uint64_t records) {
  std::uint64_t exact = 0;
  for (const profile::field_profile& f : profile.fields()) exact += exact_bytes(f, records);
  return exact;
}

std::string memory_text(const profile::profiler& profile, std::uint64_t records) {
  const auto past = history_bytes(profile);
  const bool totals = profile.fields().front().totals.has_value();
  return fmt::format("memory {} for heat{}{} (exact counting: ~{})", bytes_text(memory_of(profile)),
                     totals ? " and totals" : "",
                     past ? " + " + bytes_text(*past) + " for history" : "",
                     bytes_text(exact_bytes(profile, records)));
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
                      {"held_back", ""},
                      {"totals_bytes", ""},
                      {"totals_error", ""}}};
  for (const profile::field_profile& f : profile.fields()) {
    t.rows.push_back(
        {{text_cell(f.name), count_cell(f.different()), bytes_cell(f.heat.memory()),
          bytes_cell(f.hot.memory()), f.past ? bytes_cell(f.past->memory()) : nothing(),
          bytes_cell(exact_bytes(f, records)), count_cell(profile.held().size()),
          f.totals ? bytes_cell(f.totals->memory()) : nothing(),
          f.totals ? probability_cell(1 - f.totals->confidence()) : nothing()}});
  }
  return t;
}

std::string over_budget_text(std::string_view what, const profile::memory_budget& b) {
  return fmt::format("{} {}, {} more than the limit of {}", what, bytes_text(b.asked + b.over),
                     bytes_text(b.over), bytes_text(b.asked));
}

}  // namespace

std::vector<std::pair<std::string, value>> web_fields(const profile::profiler& profile) {
  using store::web_totals;
  const web_totals& web = profile.web();
  const bool any = web.records() != 0;
  std::vector<std::pair<std::string, value>> fields{
      {"requests", any ? value(web.records()) : value()},
      {"bytes_sent", web.records_with_bytes() != 0 ? value(web.bytes().events()) : value()}};
  const auto add = [&](const char* what, std::string_view name, std::uint64_t n) {
    std::string key = fmt::format("{}_{}", what, name);
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    fields.emplace_back(std::move(key), any ? value(n) : value());
  };
  for (std::size_t i = 0; i < web_totals::statuses.size(); ++i) {
    add("status", web_totals::statuses[i], web.status(i).events());
  }
  for (std::size_t i = 0; i < web_totals::methods.size(); ++i) {
    add("method", web_totals::methods[i], web.method(i).events());
  }
  return fields;
}

entries web_keys() {
  return {{"requests, bytes_sent", "of web logs, otherwise null: lines, and bytes of responses"},
          {"status_none, status_1xx, status_2xx, status_3xx, status_4xx, status_5xx",
           "requests by class of status; none if it cannot be read"},
          {"method_none, method_get, method_head, method_post, method_put", "requests by method"},
          {"method_delete, method_options, method_patch, method_other", "likewise"}};
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

report report_of(const profile_summary& what, const profile::profiler& profile,
                 const shown_rows& rows, const style& how) {
  const std::optional<instant> at = what.at ? what.at : profile.newest();
  const instant when = at.value_or(instant());
  std::vector<const profile::field_profile*> fields;
  for (const profile::field_profile& f : profile.fields()) fields.push_back(&f);
  const profile::memory_budget heat = profile.heat_budget();
  const profile::memory_budget past = profile.history_budget();
  const asked_ranking asked{
      .by = rows.by, .rows = rows.number, .at = when, .zone = store::zone_of(what.read)};
  report r{.command = "profile",
           .title = title_of(what, profile, profile.ahead_of(when).size()),
           .summary = {summary_of(profile, what.read.records)},
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
                      {"memory_bytes", memory_of(profile)},
                      {"exact_bytes", exact_bytes(profile, what.read.records)},
                      {"heat_asked_bytes", heat.asked == 0 ? value() : value(heat.asked)},
                      {"heat_over_bytes", heat.over},
                      {"heat_given_up", profile.given_up()},
                      {"history_bytes", or_nothing(history_bytes(profile))},
                      {"history_asked_bytes", past.asked == 0 ? value() : value(past.asked)},
                      {"history_over_bytes", past.over}},
           .tables = ranked_tables(fields, asked, how),
           .notes = {memory_text(profile, what.read.records)},
           .closing = closing_of(what)};
  for (auto& f : web_fields(profile)) r.fields.push_back(std::move(f));
  if (how.form != view::people) r.tables.push_back(fields_table(profile, what.read.records));
  return r;
}

}  // namespace bloomtime::cli
