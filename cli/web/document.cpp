#include "cli/web/document.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/version.hpp>

#include "cli/asking/opened_store.hpp"
#include "cli/output/json.hpp"
#include "cli/output/render.hpp"
#include "cli/text.hpp"
#include "cli/web/listed_items.hpp"
#include "cli/web/series.hpp"

namespace bloomtime::cli {
namespace {

using store::minute_totals;
using store::web_totals;

constexpr std::size_t most_steps = 1440;  // minutes of a day
constexpr auto day = std::chrono::hours(24);
constexpr std::int64_t most_days_by_hour = 62;
constexpr std::int64_t most_days = 3660;

struct span {
  instant first;
  instant last;

  std::int64_t days() const { return (last.micros - first.micros) / 1'000'000 / 86'400; }
};

// From the first event to the newest that is confirmed, as `timeline` has it.
std::optional<span> span_of(const page_subject& about) {
  std::optional<instant> first = about.what.read.first_event;
  const std::optional<instant> last = about.profile.newest();
  for (const logs::held_event& e : about.profile.held()) {
    if (!first || e.at < *first) first = e.at;
  }
  if (!first || !last || *last < *first) return std::nullopt;
  return span{*first, *last};
}

// -- over time -----------------------------------------------------------------------------------

template <std::size_t N, class Series>
ordered_json classes_of(const std::array<std::string_view, N>& names, const Series& series,
                        const steps& of) {
  ordered_json found = ordered_json::object();
  for (std::size_t i = 0; i < N; ++i) {
    if (series(i).events() != 0) found[std::string(names[i])] = sums_of(series(i), of);
  }
  return found;
}

ordered_json series_of(const minute_totals& events, const web_totals* web, const steps& of) {
  ordered_json series = to_json(of);
  series["events"] = sums_of(events, of);
  if (web == nullptr || web->records() == 0) return series;
  series["status"] = classes_of(
      web_totals::statuses, [&](auto i) -> auto& { return web->status(i); }, of);
  series["method"] = classes_of(
      web_totals::methods, [&](auto i) -> auto& { return web->method(i); }, of);
  if (web->records_with_bytes() != 0) series["bytes"] = sums_of(web->bytes(), of);
  return series;
}

// Hours of each day for some weeks, days for years; null for less than two days.
ordered_json days_of(const minute_totals& events, const span& all, std::int32_t offset) {
  if (all.days() < 1) return nullptr;
  const bool by_hour = all.days() <= most_days_by_hour;
  const instant from(std::max(all.first.micros, all.last.micros - most_days * 86'400 * 1'000'000));
  steps of = steps_between(from, all.last, day, offset);
  if (by_hour) of = {of.first, std::chrono::hours(1), of.count * 24};
  ordered_json days = to_json(of);
  days["events"] = sums_of(events, of);
  return days;
}

// -- a profile -----------------------------------------------------------------------------------

ordered_json head_of(const char* kind, std::string title) {
  return {{"kind", kind}, {"version", std::string(version)}, {"title", std::move(title)}};
}

// What --keep has dropped is not certainly empty.
std::optional<interval> kept_ticks(const history& past, const span& all) {
  interval ticks = past.clock().covering(all.first, all.last);
  ticks.first = std::max(ticks.first, past.known_from());
  if (ticks.empty()) return std::nullopt;
  return ticks;
}

ordered_json fields_of(const page_subject& about, const std::optional<span>& all,
                       std::size_t rows) {
  ordered_json fields = ordered_json::array();
  const asked_ranking asked{
      .rows = rows,
      .at = about.what.at.value_or(about.profile.newest().value_or(instant())),
      .zone = store::zone_of(about.what.read)};
  for (const profile::field_profile& f : about.profile.fields()) {
    std::optional<interval> ticks;
    if (all && f.past) ticks = kept_ticks(*f.past, *all);
    ordered_json field = listed_items(f, asked, ticks);
    field["unlisted"] = rounded(f.hot.unlisted(asked.at));
    if (ticks) {
      const tick_clock& clock = f.past->clock();
      field["timeline"] = {{"from", clock.start_of(ticks->first).micros},
                           {"to", clock.start_of(ticks->last).micros},
                           {"asked_ticks", ticks_of(*ticks)},
                           {"error", profile::wrong_ticks(*f.past, *ticks)}};
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

ordered_json without_rows(const page_subject& about) {
  const report r = report_of(about.what, about.profile, {.number = 0}, {.form = view::json});
  ordered_json document = to_json(r);
  document.erase("items");
  document["bad_lines"] = about.what.read.bad_lines;
  document["page"] = head_of("profile", r.title);
  const std::optional<span> all = span_of(about);
  if (!all) return document;
  const store::log_zone zone = store::zone_of(about.what.read);
  const std::int32_t offset = zone.offset_at(all->last);
  document["page"]["offset_seconds"] = offset;
  document["page"]["zone_name"] = zone.name_at(all->last);
  document["series"] = series_of(about.totals, &about.profile.web(),
                                 steps_between(all->first, all->last, most_steps, offset));
  document["days"] = days_of(about.totals, *all, offset);
  return document;
}

}  // namespace

std::string profile_document(const page_subject& about, std::size_t rows) {
  ordered_json document = without_rows(about);
  const std::optional<span> all = span_of(about);
  for (;; rows /= 2) {
    document["lists"] = fields_of(about, all, rows);
    std::string text = dumped(document);
    if (text.size() <= most_page_bytes || rows == 0) return text;
  }
}

// -- a state of dedupe ---------------------------------------------------------------------------

std::string dedupe_document(const deduper& state, const std::string& name) {
  const dedupe_counts& counts = state.counts();
  ordered_json document = {
      {"schema", json_schema}, {"command", "report"}, {"page", head_of("dedupe", name)}};
  for (const fact& f : facts_of(state)) {
    document[f.name] = std::visit([](const auto& data) -> ordered_json { return data; }, f.value);
  }
  document["late"] = counts.late;
  document["error_now"] = state.current_error();
  document["expected_wrongly_dropped"] = counts.wrong;
  document["most_dropped_per_minute"] = state.most_drops_per_minute();
  const auto keys = static_cast<std::uint64_t>(std::max(0.0, state.filter().cardinality()));
  document["keys"] = keys;
  document["exact_bytes"] = profile::exact_map_bytes(keys);
  std::optional<span> all;
  state.drops().for_each([&](instant minute, std::uint64_t) {
    if (!all) all = span{minute, minute};
    all->last = minute;
  });
  if (!all) return dumped(document);
  document["series"] =
      series_of(state.drops(), nullptr, steps_between(all->first, all->last, most_steps, 0));
  document["days"] = days_of(state.drops(), *all, 0);
  return dumped(document);
}

}  // namespace bloomtime::cli
