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
#include "cli/output/report.hpp"
#include "cli/output/timeline_report.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

struct typed_timeline {
  std::vector<std::string> words;  // the store, then an item
  std::string from;
  std::string to;
  std::string field;
  std::string rows;
  std::string key_file;
};

constexpr std::size_t usual_rows = 20;
constexpr std::size_t most_bars = 72;

// --from and --to, by default all events that are kept; nothing without events.
std::optional<interval> asked_ticks(const typed_timeline& given, const opened_history& opened) {
  const std::optional<asked_time> asked =
      parse_asked_time(given.from, given.to, opened.first(), opened.last(), opened.zone);
  if (!asked) return std::nullopt;
  note_widened(asked->widened ? 1 : 0);
  interval ticks = opened.past.clock().covering(asked->from, asked->to);
  if (given.from.empty()) ticks.first = std::max(ticks.first, opened.past.known_from());
  return ticks;
}

found_times look_up(const typed_timeline& given, const opened_history& opened) {
  const std::optional<interval> asked = asked_ticks(given, opened);
  if (!asked) return {};
  return find_times(opened.past, opened.names.of(given.words[1]), *asked, most_bars);
}

void show(const typed_timeline& given, const opened_history& opened, const found_times& f,
          std::size_t rows, const printer& out) {
  report r = timeline_answer(asked_past_of(given.words.front(), opened), given.words[1], f, rows);
  if (out.how().form == view::people) {
    r.tables.insert(r.tables.begin(), times_picture(f, opened.past.clock(), opened.zone));
    if (f.seen.empty()) r.tables.clear();
    if (f.seen.size() > rows) {
      r.notes.push_back(fmt::format("the newest; {} earlier ones are not shown: -n {} shows all",
                                    count_text(f.seen.size() - rows), f.seen.size()));
    }
    if (!f.seen.empty()) {
      r.notes.push_back(fmt::format("probability that a listed interval is wrong: {}",
                                    probability_text(opened.error(f.asked))));
    }
    const bloomtime::tick_clock& clock = opened.past.clock();
    if (opened.past.known_from() > tick{0}) {
      r.notes.push_back(
          fmt::format("history before {} is no longer kept (--keep)",
                      time_text(clock.start_of(opened.past.known_from()), opened.zone)));
    }
    std::size_t ahead = 0;
    for (const logs::held_event& e : opened.gate.held())
      ahead += clock.tick_of(e.at) > f.asked.last;
    if (const std::string held = held_text(ahead); !held.empty()) r.notes.push_back(held);
  }
  out.print(r);
}

exit_status timeline(const typed_timeline& given, const printer& out) {
  if (given.words.size() != 2) {
    refuse(
        "timeline needs a store and one item, got {} words. Try bloomtime timeline "
        "access.bloomtime /index.html",
        given.words.size());
  }
  const bool all = given.rows.empty() && out.how().form != view::people;
  const std::size_t rows = all                  ? static_cast<std::size_t>(-1)
                           : given.rows.empty() ? usual_rows
                                                : parse_count("-n", given.rows);
  const opened_history opened = opened_store(given.words.front()).past(given.field, given.key_file);
  const found_times f = look_up(given, opened);
  show(given, opened, f, rows, out);
  return f.seen.empty() && !is_dropped(asked_past_of(given.words.front(), opened), f) ? no : yes;
}

constexpr const char* timeline_examples =
    "bloomtime timeline access.bloomtime 155.95.78.223 --field host\n"
    "bloomtime timeline access.bloomtime /login --from 2014-01-01T09:00 --to 2014-01-01T10:00\n"
    "bloomtime timeline access.bloomtime /login --field path --json | jq '.first, .last, .ticks'";

constexpr const char* timeline_details =
    "One row per interval without gaps in which the item was seen, and for people the first and\n"
    "last time, the number of ticks, and a picture of the period in up to 72 equal parts. The "
    "item\n"
    "was certainly not seen at times that are not listed. Exit status 1 if nothing is listed.\n"
    "History that is no longer kept (profile --keep) is not listed; out_of_retention is true and\n"
    "the exit status 0 if the period begins before what is kept.\n";

}  // namespace

void add_timeline(command& root, output_options& asked) {
  command& self = root.add("timeline", "when an item was seen, as intervals and a picture");
  self.usage = "STORE ITEM [--field FIELD] [--from TIME] [--to TIME] [-n ROWS]";
  self.examples = timeline_examples;
  self.details = std::string(timeline_details) + time_rules;
  self.keys = {{"from, to", "microseconds since 1970, both included"}, {"ticks", "length"}};
  self.fields = {{"store, field, item", "what was queried"},
                 {"from, to", "first and last tick of the period"},
                 {"tick_seconds", "of a tick"},
                 {"asked_ticks", "ticks of the period"},
                 {"first, last", "first and last tick in which the item was seen"},
                 {"ticks", "number of ticks in which it was seen"},
                 {"histogram", "the same in equal parts of the period"},
                 {"error", "expected number of wrong ticks"},
                 {"held_back", "events that wait to be confirmed; they count as seen"},
                 {"out_of_retention", "true if part of the period is no longer kept"},
                 {"intervals", "one object per row"}};
  const auto given = std::make_shared<typed_timeline>();
  self.arguments("STORE", given->words,
                 "directory that bloomtime profile made, followed by the item");
  self.text("--from", given->from, "TIME", "first time of the period (default: the first event)");
  self.text("--to", given->to, "TIME", "last time of the period (default: the newest event)");
  self.text("--field", given->field, "FIELD", "which field, if the store has several");
  self.text("--key-file", given->key_file, "FILE", key_description);
  self.text("-n", given->rows, "ROWS", "the newest intervals (default: 20 in a table, else all)");
  self.output(asked);
  self.act = [given](const printer& out) { return timeline(*given, out); };
}

}  // namespace bloomtime::cli
