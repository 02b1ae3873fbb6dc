#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/asked_time.hpp"
#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/ranked_tables.hpp"
#include "cli/output/report.hpp"
#include "cli/text.hpp"
#include "profile/comparing.hpp"
#include "profile/past.hpp"

namespace bloomtime::cli {
namespace {

using profile::change;

struct typed_compare {
  std::vector<std::string> stores;
  std::string from, to;
  std::string base_from, base_to;
  std::string by = "rate";
  std::string field;
  std::string rows = "10";
  std::string error = "1%";
};

// One side of the comparison: a store, and the time that it covers.
struct side_of {
  const std::string& store;
  instant from;
  instant to;
  double measure = 0;  // seconds or events

  std::string text(const store::log_zone& zone) const {
    return fmt::format("{} {}", store, store::range_text(from, to, zone));
  }
};

struct compared {
  side_of before;
  side_of after;
  bool by_share = false;
  bool counts_ticks = false;
  std::uint64_t rows = 0;
  double error = 0;
};

// -- which periods -------------------------------------------------------------------------------

double seconds_of(interval i, const tick_clock& clock) {
  const double ticks = static_cast<double>(i.last.number - i.first.number) + 1;
  return ticks * std::chrono::duration<double>(clock.resolution()).count();
}

// All that a store has recorded.
side_of whole(const std::string& name, const opened_heat& opened, bool by_share) {
  const auto& read = opened.read;
  if (!read.first_event) refuse("{} has no events yet, so there is nothing to compare", name);
  const tick_clock clock(opened.profile.settings().resolution);
  const interval ticks = clock.covering(*read.first_event, *read.last_event);
  return {name, clock.start_of(ticks.first), clock.start_of(ticks.last),
          by_share ? static_cast<double>(read.records) : seconds_of(ticks, clock)};
}

// The part of the recorded time that was asked for.
interval span_of(const char* option, const std::string& from, const std::string& to,
                 const interval& recorded, const opened_heat& opened, const tick_clock& clock) {
  const asked_time asked = *parse_asked_time(from, to, clock.start_of(recorded.first),
                                             clock.start_of(recorded.last), opened.zone);
  note_widened(asked.widened ? 1 : 0);
  const interval ticks = clock.covering(asked.from, asked.to);
  const interval there{std::max(ticks.first, recorded.first), std::min(ticks.last, recorded.last)};
  if (!there.empty()) return there;
  refuse("the span of {} ({}) has no recorded time; the store has {}", option,
         store::range_text(asked.from, asked.to, opened.zone),
         store::range_text(clock.start_of(recorded.first), clock.start_of(recorded.last),
                           opened.zone));
}

struct spans {
  interval before;
  interval after;
};

spans spans_of(const typed_compare& given, const opened_heat& opened, const history& past) {
  const auto& read = opened.read;
  const tick_clock& clock = past.clock();
  if (!read.first_event) {
    refuse("{} has no events yet, so there is nothing to compare", given.stores.front());
  }
  const interval recorded = clock.covering(*read.first_event, *read.last_event);
  spans s;
  s.after = span_of("--from and --to", given.from, given.to, recorded, opened, clock);
  if (given.base_from.empty() && given.base_to.empty()) {
    const std::int64_t length = s.after.last.number - s.after.first.number + 1;
    s.before = {std::max(recorded.first, tick{s.after.first.number - length}),
                tick{s.after.first.number - 1}};
    if (s.before.empty()) {
      refuse("{} has no events before --from; give another span with --base-from and --base-to",
             given.stores.front());
    }
  } else {
    s.before = span_of("--base-from and --base-to", given.base_from, given.base_to, recorded,
                       opened, clock);
  }
  // The same time may end one span and begin the other.
  if (s.before.last == s.after.first && s.before.first < s.before.last) --s.before.last.number;
  if (s.before.first <= s.after.last && s.after.first <= s.before.last) {
    refuse("the two spans must not overlap; got {} and {}",
           store::range_text(clock.start_of(s.before.first), clock.start_of(s.before.last),
                             opened.zone),
           store::range_text(clock.start_of(s.after.first), clock.start_of(s.after.last),
                             opened.zone));
  }
  if (std::min(s.before.first, s.after.first) < past.known_from() && past.known_from() > tick{0}) {
    refuse(
        "the history before {} is no longer kept (--keep), so a span that begins at {} cannot be "
        "compared",
        time_text(clock.start_of(past.known_from()), opened.zone),
        time_text(clock.start_of(std::min(s.before.first, s.after.first)), opened.zone));
  }
  return s;
}

// -- the tables ----------------------------------------------------------------------------------

constexpr std::array<std::pair<change, const char*>, 4> kinds{{{change::fresh, "new"},
                                                               {change::hotter, "hotter"},
                                                               {change::cooler, "cooler"},
                                                               {change::gone, "gone"}}};

const char* name_of(change what) {
  return std::find_if(kinds.begin(), kinds.end(), [what](const auto& k) { return k.first == what; })
      ->second;
}

table changes_table(const std::string& key, const std::string& item) {
  using enum audience;
  return {.key = key,
          .columns = {{"field", "", side::left, programs},
                      {"change", "change", side::left},
                      {"item", item, side::left},
                      {"cut", "", side::right, programs},
                      {"before", "before"},
                      {"before_lower", "", side::right, programs},
                      {"before_upper", "", side::right, programs},
                      {"after", "after"},
                      {"after_lower", "", side::right, programs},
                      {"after_upper", "", side::right, programs},
                      {"ratio", "times", side::right, everybody, 1},
                      {"ratio_lower", "", side::right, programs},
                      {"ratio_upper", "", side::right, programs},
                      {"p_value", "p-value", side::right, everybody, 2}}};
}

// after / before, each per second or per event; nothing without a denominator.
cell ratio_cell(std::uint64_t after, std::uint64_t before, const compared& asked) {
  if (before == 0) return nothing();
  const double ratio = rounded(static_cast<double>(after) / asked.after.measure /
                               (static_cast<double>(before) / asked.before.measure));
  return {ratio, short_text(ratio)};
}

row comparison_row(const std::string& field, const profile::changed_item& i,
                   const compared& asked) {
  constexpr std::size_t widest_item = 60;
  const look seen = i.what == change::fresh || i.what == change::hotter ? look::plain : look::faint;
  return {{text_cell(field),
           text_cell(name_of(i.what)),
           {i.item, cut_to(i.cut ? i.item + "…" : i.item, widest_item)},
           {i.cut, ""},
           {i.before.value, total_text(i.before)},
           {i.before.lower, ""},
           {i.before.upper, ""},
           {i.after.value, total_text(i.after)},
           {i.after.lower, ""},
           {i.after.upper, ""},
           ratio_cell(i.after.value, i.before.value, asked),
           ratio_cell(i.after.lower, i.before.upper, asked),
           ratio_cell(i.after.upper, i.before.lower, asked),
           probability_cell(i.p_value)},
          seen};
}

table fields_table() {
  return {.key = "fields",
          .columns = {{"field", ""},
                      {"names", ""},
                      {"different", ""},
                      {"unmatched", ""},
                      {"most_before", ""},
                      {"most_after", ""},
                      {"bounds_error", ""}}};
}

cell count_or_nothing(const std::optional<std::uint64_t>& n) {
  return n ? count_cell(*n) : nothing();
}

// Collects what changed in each field.
class findings {
 public:
  findings(const compared& asked, const style& how)
      : asked_(asked), people_(how.form == view::people) {
    if (!people_) tables_.push_back(changes_table("changes", ""));
  }

  void add(const std::string& field, const profile::comparable& all) {
    const auto changed =
        profile::changes(all, {asked_.before.measure, asked_.after.measure}, asked_.error);
    if (people_ && !changed.empty()) tables_.push_back(changes_table(field, field));
    std::array<std::uint64_t, kinds.size()> shown{};
    for (const profile::changed_item& i : changed) {
      if (++shown[static_cast<std::size_t>(i.what)] > asked_.rows) continue;
      tables_.back().rows.push_back(comparison_row(field, i, asked_));
    }
    any_ = any_ || !changed.empty();
    note(field, all, changed.size());
    fields_.rows.push_back(
        {{text_cell(field), count_cell(all.items.size()), count_cell(all.different),
          count_cell(all.unmatched), count_or_nothing(all.most_before),
          count_or_nothing(all.most_after), probability_cell(std::max(0.0, all.error))}});
  }

  exit_status print(report r, const printer& out) {
    r.tables = std::move(tables_);
    if (!people_) r.tables.push_back(std::move(fields_));
    r.notes.insert(r.notes.end(), notes_.begin(), notes_.end());
    out.print(r);
    return any_ ? yes : no;
  }

 private:
  void note(const std::string& field, const profile::comparable& all, std::size_t changed) {
    std::string text = fmt::format("{}: {} changes among {} items whose names are kept", field,
                                   count_text(changed), count_text(all.items.size()));
    if (all.most_before) {
      text += fmt::format("; no other item has more than {} before and {} after",
                          count_text(*all.most_before), count_text(*all.most_after));
    }
    notes_.push_back(std::move(text));
    if (all.unmatched != 0) {
      notes_.push_back(
          fmt::format("{}: {} items have more than 1024 bytes and cannot be compared, "
                      "because the stores have different seeds",
                      field, count_text(all.unmatched)));
    }
  }

  const compared& asked_;
  bool people_;
  bool any_ = false;
  std::vector<table> tables_;
  table fields_ = fields_table();
  std::vector<std::string> notes_;
};

report comparison_report(const compared& asked, const store::log_zone& before,
                         const store::log_zone& after) {
  const std::string counts = asked.counts_ticks ? "ticks in which they were seen" : "hits";
  return {
      .command = "compare",
      .title = fmt::format("{} -> {}", asked.before.text(before), asked.after.text(after)),
      .fields = {{"before", asked.before.store},
                 {"before_from", asked.before.from.micros},
                 {"before_to", asked.before.to.micros},
                 {asked.by_share ? "before_records" : "before_seconds", asked.before.measure},
                 {"after", asked.after.store},
                 {"after_from", asked.after.from.micros},
                 {"after_to", asked.after.to.micros},
                 {asked.by_share ? "after_records" : "after_seconds", asked.after.measure},
                 {"by", std::string(asked.by_share ? "share" : "rate")},
                 {"counts", std::string(asked.counts_ticks ? "ticks" : "hits")},
                 {"error", asked.error}},
      .notes = {fmt::format("before and after: {}; times: change of {}", counts,
                            asked.by_share ? "the share of all events" : "the number per hour"),
                fmt::format("hotter, cooler: more than chance explains, at any counts within their "
                            "bounds (p-value at most {} for all items together)",
                            probability_text(asked.error)),
                "new, gone: certainly not there before, or after"}};
}

// -- the command ---------------------------------------------------------------------------------

void expect_same_names(const typed_compare& given, const opened_heat& a, const opened_heat& b) {
  const auto check = [](const opened_heat& o) {
    return o.read.pseudonyms ? o.read.pseudonyms->check : std::string();
  };
  if (check(a) == check(b)) return;
  refuse(
      "{} and {} cannot be compared: their names are pseudonyms of different keys, or only one "
      "has pseudonyms",
      given.stores[0], given.stores[1]);
}

void expect_totals(const std::string& store, const profile::field_profile& f) {
  if (f.totals) return;
  refuse(
      "{} was created by an older version and has no totals to compare; use bloomtime profile "
      "with a new --store to count them",
      store);
}

compared compared_question(const typed_compare& given, side_of before, side_of after) {
  if (given.by != "rate" && given.by != "share") {
    refuse("--by must be rate or share; got {}.{}", shown(given.by),
           suggestion(given.by, {"rate", "share"}));
  }
  return {.before = before,
          .after = after,
          .by_share = given.by == "share",
          .rows = parse_count("-n", given.rows),
          .error = parse_probability("--error", given.error)};
}

exit_status compare_stores(const typed_compare& given, const printer& out) {
  if (!given.from.empty() || !given.to.empty() || !given.base_from.empty() ||
      !given.base_to.empty()) {
    refuse(
        "--from, --to, --base-from and --base-to compare two spans of one store; got two stores");
  }
  using profile::profiler;
  const opened_heat a = opened_store(given.stores[0]).heat("", profiler::wanted::heat);
  const opened_heat b = opened_store(given.stores[1]).heat("", profiler::wanted::heat);
  expect_same_names(given, a, b);
  const bool share = given.by == "share";
  const compared asked =
      compared_question(given, whole(given.stores[0], a, share), whole(given.stores[1], b, share));
  findings found(asked, out.how());
  std::size_t common = 0;
  for (const profile::field_profile* f : a.fields(given.field)) {
    for (const profile::field_profile& g : b.profile.fields()) {
      if (f->name != g.name) continue;
      expect_totals(given.stores[0], *f);
      expect_totals(given.stores[1], g);
      found.add(f->name, profile::totals_of(*f, g));
      ++common;
    }
  }
  if (common == 0) {
    refuse("{} and {} have no field in common{}", given.stores[0], given.stores[1],
           given.field.empty() ? "" : " that is " + shown(given.field));
  }
  return found.print(comparison_report(asked, a.zone, b.zone), out);
}

exit_status compare_spans(const typed_compare& given, const printer& out) {
  if (given.by == "share") refuse("--by share compares two stores; spans are compared by rate");
  const std::string& name = given.stores.front();
  const opened_heat opened = opened_store(name).heat("", profile::profiler::wanted::everything);
  const auto fields = opened.fields(given.field);
  if (!fields.front()->past) {
    refuse(
        "{} was created by an older version and has no history; use bloomtime profile with a new "
        "--store to record it",
        name);
  }
  const tick_clock& clock = fields.front()->past->clock();
  const spans s = spans_of(given, opened, *fields.front()->past);
  const auto side_over = [&](interval i) {
    return side_of{name, clock.start_of(i.first), clock.start_of(i.last), seconds_of(i, clock)};
  };
  compared asked = compared_question(given, side_over(s.before), side_over(s.after));
  asked.counts_ticks = true;
  findings found(asked, out.how());
  for (const profile::field_profile* f : fields) {
    found.add(f->name, profile::ticks_of(*f, s.before, s.after));
  }
  return found.print(comparison_report(asked, opened.zone, opened.zone), out);
}

exit_status compare(const typed_compare& given, const printer& out) {
  if (given.stores.size() == 2) return compare_stores(given, out);
  if (given.stores.size() == 1 && !given.from.empty()) return compare_spans(given, out);
  refuse(
      "compare needs two stores, or one with --from. Try bloomtime compare monday.bloomtime "
      "tuesday.bloomtime, or bloomtime compare access.bloomtime --from today");
}

constexpr const char* compare_examples =
    "bloomtime compare monday.bloomtime tuesday.bloomtime\n"
    "bloomtime compare web1.bloomtime web2.bloomtime --by share --field path\n"
    "bloomtime compare access.bloomtime --from -1h                the last hour, and the one "
    "before\n"
    "bloomtime compare access.bloomtime --from today --base-from yesterday --base-to yesterday\n"
    "bloomtime compare a.bloomtime b.bloomtime --json | jq -r '.changes[] | .change + \" \" + "
    ".item'";

constexpr const char* compare_details =
    "What is hotter, cooler, new and gone in the second store, or in the span --from .. --to of\n"
    "one store compared with --base-from .. --base-to (default: as long, right before --from).\n"
    "Spans are cut to the time from the first to the newest event.\n"
    "counts   two stores: hits (totals); spans: ticks in which an item was seen (the history\n"
    "         knows no more), so an item that is there all the time does not get hotter\n"
    "by       rate: hits per time, from the first to the newest event of each store; share: of\n"
    "         all events\n"
    "new      certainly not there before: the upper bound before is 0\n"
    "gone     certainly not there after\n"
    "hotter, cooler\n"
    "         p-value is at most --error: the probability that any of the items changes as much\n"
    "         if nothing did and hits are independent, for the least favourable counts within\n"
    "         the bounds\n"
    "Only items whose names are kept are compared: the hottest, and those with the largest "
    "totals.\n"
    "Exit status 1 if nothing changed.\n";

}  // namespace

void add_compare(command& root, output_options& asked) {
  command& self = root.add("compare", "what is hotter, new and gone between two stores or spans");
  self.usage = "STORE STORE | STORE --from TIME [--to TIME] [--base-from TIME] [--base-to TIME]";
  self.examples = compare_examples;
  self.details = std::string(compare_details) + time_rules;
  self.keys = {{"field, change", "the field; new, hotter, cooler or gone"},
               {"item, cut", "the item; if cut is true only its first 1024 bytes"},
               {"before, before_lower, before_upper", "its count before, with bounds"},
               {"after, after_lower, after_upper", "its count after, with bounds"},
               {"ratio, ratio_lower, ratio_upper",
                "after divided by before, per time or per event; null where before is 0"},
               {"p_value", "probability that any item changes as much by chance, at most"},
               {"names, different", "second table: items compared, and different items"},
               {"unmatched", "names too long to be looked up in a store with another seed"},
               {"most_before, most_after", "no other item has more; null for spans"},
               {"bounds_error", "probability that a lower bound fails; upper bounds always hold"}};
  self.fields = {{"before, after", "the stores"},
                 {"before_from, before_to, after_from, after_to",
                  "microseconds since 1970: the first and the last tick"},
                 {"before_seconds, after_seconds", "the lengths; --by share: records instead"},
                 {"by, counts", "rate or share; hits or ticks"},
                 {"error", "--error"},
                 {"changes, fields", "one object per row of each table"}};
  const auto given = std::make_shared<typed_compare>();
  self.arguments("STORE", given->stores, "directories that bloomtime profile made");
  self.text("--from", given->from, "TIME", "first time of the later span of one store");
  self.text("--to", given->to, "TIME", "its last time (default: the newest event)");
  self.text("--base-from", given->base_from, "TIME", "first time of the span to compare with");
  self.text("--base-to", given->base_to, "TIME", "its last time");
  self.text("--by", given->by, "MEASURE", "rate (default) or share", {"rate", "share"});
  self.text("--field", given->field, "FIELD", "only this field");
  self.text("-n", given->rows, "ROWS", "rows per field and kind of change (default 10)");
  self.text("--error", given->error, "P", "the probability of naming a wrong change (default 1%)");
  self.output(asked);
  self.act = [given](const printer& out) { return compare(*given, out); };
}

}  // namespace bloomtime::cli
