#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/asked_time.hpp"
#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/answers.hpp"
#include "cli/output/profile_report.hpp"
#include "cli/output/ranked_tables.hpp"
#include "cli/text.hpp"
#include "profile/field_totals.hpp"
#include "profile/past.hpp"

namespace bloomtime::cli {
namespace {

struct typed_hot {
  std::vector<std::string> store;
  std::string rows = "20";
  std::string field;
  std::string at;
  std::string by;

  const std::string& name() const { return store.front(); }
};

// -- a profile -----------------------------------------------------------------------------------

using profile::order;

report hot_report(const typed_hot& given, const opened_heat& opened) {
  return {.command = "hot",
          .title = opened.title(given.name()),
          .fields = {{"store", given.name()},
                     {"at", micros_or_nothing(opened.at)},
                     {"records", opened.read.records},
                     {"held_back", std::uint64_t{opened.profile.held().size()}}},
          .notes = opened.notes()};
}

void print_now(const typed_hot& given, const opened_heat& opened, const asked_ranking& asked,
               const printer& out) {
  report r = hot_answer(asked_profile_of(given.name(), opened), opened.fields(given.field),
                        asked.by, asked.rows, out.how());
  r.title = opened.title(given.name());
  r.notes = opened.notes();
  r.closing = {fmt::format(
      "Next: bloomtime heat {} ITEM queries one item; --at TIME answers for another time.",
      given.name())};
  out.print(r);
}

// -- a profile in the past -----------------------------------------------------------------------

void expect_past(const typed_hot& given, const opened_heat& opened, order by) {
  if (by != order::heat) {
    refuse("--at before the newest event lists items by heat; omit --by {}", given.by);
  }
  const auto& past = opened.profile.fields().front().past;
  if (!past) {
    refuse(
        "{} was created by an older version and has no history, which --at before the newest event "
        "needs; use bloomtime profile with a new --store to record it",
        given.name());
  }
  const interval then = past->clock().covering(opened.when(), opened.when());
  if (!profile::is_dropped(*past, then, opened.read.first_event)) return;
  refuse("the history before {} is no longer kept (--keep); got --at {}",
         time_text(past->clock().start_of(past->known_from()), opened.zone),
         time_text(opened.when(), opened.zone));
}

void print_past(const typed_hot& given, const opened_store& store, const opened_heat& opened,
                const asked_ranking& asked, const printer& out) {
  expect_past(given, opened, asked.by);
  const std::uint64_t held = opened.profile.held().size();
  std::vector<std::vector<profile::ranked_item>> items;
  std::size_t names = 0;
  double error = 0;
  bool partial = false;
  const auto fields = opened.fields(given.field);
  for (const profile::field_profile* f : fields) {
    profile::past_heat found =
        profile::hottest_at(*f, store.parts().totals(), held, asked.at, asked.rows);
    names += found.names;
    error = std::max(error, found.error);
    partial = partial || found.is_partial;
    items.push_back(std::move(found.items));
  }
  report r = hot_report(given, opened);
  r.tables = ranked_tables(fields, items, asked, out.how());
  r.fields.emplace_back("in_the_past", true);
  r.fields.emplace_back("names", std::uint64_t{names});
  r.fields.emplace_back("error", error);
  r.fields.emplace_back("partial", partial);
  r.notes.push_back(fmt::format(
      "from the history of the {} item{} whose names are kept; others may have been hotter then",
      count_text(names), names == 1 ? "" : "s"));
  r.notes.emplace_back(
      "a tick in which an item was seen counts once; its further events make the heat up to \"±\" "
      "higher");
  if (partial) {
    r.notes.emplace_back(
        "older history is no longer kept (--keep), so items seen before may have been hotter");
  }
  out.print(r);
}

void print_profile(const typed_hot& given, const opened_store& store, std::uint64_t rows,
                   const printer& out) {
  using wanted = profile::profiler::wanted;
  const order by = given.by.empty() ? order::heat : parse_order(given.by);
  const opened_heat opened =
      store.heat_at_any_time(given.at, by == order::newest ? wanted::everything : wanted::heat);
  const asked_ranking asked{.by = by, .rows = rows, .at = opened.when(), .zone = opened.zone};
  if (opened.in_the_past) return print_past(given, store, opened, asked, out);
  print_now(given, opened, asked, out);
}

// -- a tally -------------------------------------------------------------------------------------

void print_tally(const typed_hot& given, const opened_store& store, std::uint64_t rows,
                 const printer& out) {
  if (!given.at.empty() || (!given.by.empty() && given.by != "total")) {
    refuse("{} holds a tally, which has no times; omit --at, and --by unless it is total",
           given.name());
  }
  const std::string& field = store.read().items[chosen_field(store.read().items, given.field)];
  const std::optional<hot_list> names = store.tally_names();
  if (!names) {
    refuse(
        "{} was created by a version that kept no names of items, so its largest counts cannot be "
        "listed; ask for items by name with bloomtime count {} ITEM",
        given.name(), given.name());
  }
  const any_tally counts = store.tally();
  table t{.key = "items",
          .columns = {{"field", "", side::left, audience::programs},
                      {"rank", "", side::right, audience::programs},
                      {"item", field, side::left},
                      {"", "total", side::right, audience::people},
                      {"guaranteed", "", side::right, audience::programs},
                      {"cut", "", side::right, audience::programs}}};
  for (const column& c : total_columns()) t.columns.push_back(c);
  std::uint64_t rank = 0;
  // Removals are not in the list, so only the tally bounds its counts.
  const auto bounds_of = [&](const hot_item& h) -> profile::bounds {
    const counted c = counts.count(h.id);
    return {c, c.lower};
  };
  for (const profile::large_item& l : profile::largest_items(*names, bounds_of, rows)) {
    constexpr std::size_t widest_item = 60;
    if (l.total.upper == 0) continue;
    row r{{text_cell(field),
           count_cell(++rank),
           {l.item, cut_to(l.cut ? l.item + "…" : l.item, widest_item)},
           {{}, total_text(l.total)},
           {l.guaranteed, ""},
           {l.cut, ""}}};
    add_total(r, l.total);
    t.rows.push_back(std::move(r));
  }
  const double others = names->unlisted(profile::any_time);
  out.print({.command = "hot",
             .title = given.name(),
             .fields = {{"store", given.name()}, {"records", store.read().records}},
             .tables = {std::move(t)},
             .notes = {fmt::format("no item that is not listed with a larger -n has more than {}",
                                   count_text(static_cast<std::uint64_t>(others)))},
             .closing = {fmt::format("Next: bloomtime count {} ITEM", given.name())}});
}

exit_status hot(const typed_hot& given, const printer& out) {
  if (given.store.size() != 1) {
    refuse("hot needs one store, got {}. Try bloomtime hot access.bloomtime", given.store.size());
  }
  const std::uint64_t rows = parse_count("-n", given.rows);
  const opened_store store(given.name());
  store.holds_tally() ? print_tally(given, store, rows, out)
                      : print_profile(given, store, rows, out);
  return yes;
}

constexpr const char* hot_details =
    "One row per item; --by orders them:\n"
    "  heat   decayed count (default)\n"
    "  total  events in all\n"
    "  trend  rising most: recent rate divided by rate\n"
    "  new    first seen last\n"
    "trend and new leave out items with less than 16 hits and 1/16 of those of the hottest.\n"
    "The store of a tally has no times: its items are listed by total.\n"
    "--at before the newest event answers from the history, for items whose names are kept (the\n"
    "hottest of the newest event and those with the largest totals). hits is then the decayed\n"
    "number of ticks in which the item was seen, lower the same, upper a bound by the events of\n"
    "its minutes and its total; total, trend and guaranteed are unknown.\n";

}  // namespace

void add_hot(command& root, output_options& asked) {
  command& self = root.add("hot", "the hottest items, with totals, bounds, trend and sparklines");
  self.usage = "STORE [-n ROWS] [--by ORDER] [--field FIELD] [--at TIME]";
  self.examples =
      "bloomtime hot access.bloomtime\n"
      "bloomtime hot access.bloomtime -n 50 --field host\n"
      "bloomtime hot access.bloomtime --by total\n"
      "bloomtime hot access.bloomtime --at 2014-01-02T06:00       later: decayed until then\n"
      "bloomtime hot access.bloomtime --at -2h                    earlier: from the history\n"
      "bloomtime hot access.bloomtime --json | jq -r '.items[] | select(.trend > 2) | .item'";
  self.details = std::string(hot_details) + moment_rules;
  self.keys = ranked_keys();
  self.fields = {{"store", "what was queried"},
                 {"at", "time of the answers, in microseconds since 1970"},
                 {"records", "events in the store"},
                 {"held_back", "events that wait to be confirmed"},
                 {"in_the_past", "true if the history answered; the next three only then"},
                 {"names", "items whose names are kept; no other is listed"},
                 {"error", "expected number of ticks in which an item is wrongly reported"},
                 {"partial", "true if older history that would matter is no longer kept"},
                 {"items", "one object per row"}};
  for (const auto& key : web_keys()) self.fields.push_back(key);
  const auto given = std::make_shared<typed_hot>();
  self.arguments("STORE", given->store, "directory that bloomtime profile or tally made");
  self.text("-n", given->rows, "ROWS", "rows per field (default 20)");
  self.text("--by", given->by, "ORDER", "heat (default), total, trend or new");
  self.text("--field", given->field, "FIELD", "only this field");
  self.text("--at", given->at, "TIME", "time of the answers (default: the newest event)");
  self.output(asked);
  self.act = [given](const printer& out) { return hot(*given, out); };
}

}  // namespace bloomtime::cli
