#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/generate/options.hpp"
#include "cli/output/report.hpp"
#include "cli/text.hpp"
#include "traffic/profile.hpp"

namespace bloomtime::cli {
namespace {

// -- statistics of the stream --------------------------------------------------------------------

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

cell share_cell(std::uint64_t part, std::uint64_t whole) {
  const double p = share(part, whole);
  return {p, fmt::format("{:.1f} %", 100 * p)};
}

cell bar_cell(std::uint64_t part, std::uint64_t most) {
  constexpr double width = 40;
  std::string bar;
  for (double drawn = 0.5; drawn <= width * share(part, most); ++drawn) bar += "█";
  return text_cell(bar);
}

column bar_column() { return {"bar", "", side::left, audience::people, 1}; }

table levels_of(const traffic::profile& what) {
  table t{.key = "levels",
          .columns = {{"level", "level"},
                      {"bucket_seconds", "bucket"},
                      {"pairs", "pairs"},
                      {"share", "of all pairs"},
                      bar_column()}};
  for (std::size_t level = 0; level < traffic::profile::levels; ++level) {
    const std::uint64_t bucket = std::uint64_t{1} << level;
    const std::uint64_t pairs = what.pairs[level];
    t.rows.push_back({{count_cell(level),
                       {bucket, count_text(bucket) + " s"},
                       count_cell(pairs),
                       share_cell(pairs, what.pairs[0]),
                       bar_cell(pairs, what.pairs[0])}});
  }
  return t;
}

table gaps_of(const traffic::profile& what) {
  table t{.key = "gaps",
          .columns = {{"gap_from", "gap from"},
                      {"gap_to", "to"},
                      {"count", "count"},
                      {"share", "share"},
                      bar_column()}};
  const std::uint64_t all = what.records - what.items;
  const std::uint64_t most = *std::max_element(what.gaps.begin(), what.gaps.end());
  std::size_t used = what.gaps.size();
  while (used != 0 && what.gaps[used - 1] == 0) --used;
  for (std::size_t c = 0; c < used; ++c) {
    const std::uint64_t from = c == 0 ? 0 : std::uint64_t{1} << (c - 1);
    const std::uint64_t to = c == 0 ? 0 : from + (from - 1);
    t.rows.push_back({{{from, count_text(from) + " s"},
                       {to, count_text(to) + " s"},
                       count_cell(what.gaps[c]),
                       share_cell(what.gaps[c], all),
                       bar_cell(what.gaps[c], most)}});
  }
  return t;
}

table hours_of(const traffic::profile& what) {
  table t{.key = "hours", .columns = {{"hour", "hour"}, {"records", "records"}, bar_column()}};
  const std::uint64_t most = *std::max_element(what.hours.begin(), what.hours.end());
  for (std::size_t h = 0; h < what.hours.size(); ++h) {
    t.rows.push_back({{{std::uint64_t{h}, fmt::format("{:02}", h)},
                       count_cell(what.hours[h]),
                       bar_cell(what.hours[h], most)}});
  }
  return t;
}

report traffic_report(const traffic::profile& what) {
  const auto percent = [&](std::uint64_t part) { return share_cell(part, what.records).text; };
  return {.command = "generate",
          .title = fmt::format("{} records, {} items, {} pairs of item and second",
                               count_text(what.records), count_text(what.items),
                               count_text(what.pairs[0])),
          .fields = {{"records", what.records},
                     {"items", what.items},
                     {"pairs", what.pairs[0]},
                     {"top_one", what.top_one},
                     {"top_ten", what.top_ten},
                     {"top_hundredth", what.top_hundredth}},
          .tables = {levels_of(what), gaps_of(what), hours_of(what)},
          .notes = {},
          .closing = {fmt::format("The most frequent item has {} of all records, the first ten {}, "
                                  "the most frequent 1 % of all items {}.",
                                  percent(what.top_one), percent(what.top_ten),
                                  percent(what.top_hundredth))}};
}

// -- the command ---------------------------------------------------------------------------------

constexpr std::size_t written_at_once = 1 << 16;

traffic::visits stream_of(const traffic::visits_config& c, std::uint64_t seed) { return {c, seed}; }
traffic::pairs stream_of(const traffic::pairs_config& c, std::uint64_t seed) { return {c, seed}; }
traffic::draws stream_of(const traffic::draws_config& c, std::uint64_t seed) { return {c, seed}; }
traffic::repeats stream_of(const traffic::repeats_config& c, std::uint64_t seed) {
  return {c, seed};
}
traffic::operations stream_of(const traffic::operations_config& c, std::uint64_t seed) {
  return {c, seed};
}

traffic::event event_of(const traffic::event& what) { return what; }
traffic::event event_of(const traffic::visit& what) { return {what.second, what.client}; }

template <class Stream>
void print_records(Stream& stream, traffic::line_writer writer, const printer& out) {
  std::string lines;
  while (const auto next = stream()) {
    writer.write(*next, lines);
    if (lines.size() < written_at_once) continue;
    out.print(lines);
    lines.clear();
  }
  out.print(lines);
}

template <class Stream>
void print_profile(Stream& stream, std::int64_t origin, const printer& out) {
  traffic::profiler profiler(origin);
  while (const auto next = stream()) profiler.add(event_of(*next));
  out.print(traffic_report(profiler.result()));
}

exit_status generate(const generate_options& given, const output_options& asked,
                     const printer& out) {
  if (!given.has("--profile") && (asked.json || asked.tsv || asked.table)) {
    refuse(
        "--json, --tsv and --table apply to --profile only; for records give --format ndjson, tsv "
        "or combined");
  }
  if (given.has("--profile") && given.has("--format")) {
    refuse("give either --format or --profile, not both: --profile prints no records");
  }
  const generate_plan plan = plan_of(given);
  const auto run = [&](const auto& config) {
    auto stream = stream_of(config, plan.seed);
    if (given.has("--profile")) return print_profile(stream, config.when.start, out);
    traffic::line_writer writer(plan.form);
    if (std::is_same_v<decltype(stream), traffic::operations>) writer.events_are_changes();
    print_records(stream, std::move(writer), out);
  };
  std::visit(run, plan.stream);
  return yes;
}

constexpr const char* generate_examples =
    "bloomtime generate | head                                the log of a web site, one day\n"
    "bloomtime generate --profile                             statistics of that log\n"
    "bloomtime generate --records 10M --format ndjson > day.json\n"
    "bloomtime generate --records 100k --items 1k --pairs 50k --seconds 1h   exact numbers\n"
    "bloomtime generate --like edgar --profile                5,582,073 records like EDGAR's\n"
    "bloomtime generate --items 65536 --zipf 0                items of equal weight\n"
    "bloomtime generate --repeat 30% --gap exp:5m             duplicates, for dedupe\n"
    "bloomtime generate --items 1k --removes 40%              adds and removes, for tally";

constexpr const char* generate_details =
    "The options choose the stream; the same options give the same bytes on every machine.\n"
    "(none)            traffic of a web site: clients with sessions, popular pages, crawlers,\n"
    "                  crowds, day and night\n"
    "--pairs, --like   exactly so many records, items and different (item, second) pairs; copies\n"
    "                  of random pairs make up the rest. --model places an item's seconds: dense\n"
    "                  (runs of 3000 s, seen in 95 % of them), bursty (300 s, 50 %; the default)\n"
    "                  or uniform; items have weight 1 / (rank + 10), or rank^-Z with --zipf\n"
    "--zipf            independent draws of items\n"
    "--unique          no item twice\n"
    "--repeat          exactly that share of the records repeats an item, a --gap (default\n"
    "                  exp:5m) after it was last seen; the last ones are later than --seconds\n"
    "--removes         exactly that share removes an earlier add\n"
    "TSV without a line of keys: `seconds <TAB> item`, with --removes `+ or - <TAB> item`, "
    "traffic\n"
    "`seconds <TAB> host <TAB> path <TAB> status <TAB> bytes`. NDJSON: time, item (and op), or\n"
    "time, host, path, status, bytes, agent.\n"
    "--profile prints three tables instead of the records.";

entries keys() {
  return {{"level, bucket_seconds", "levels: buckets of 2^level seconds"},
          {"pairs, share", "levels: different (item, bucket) pairs, and their share of level 0"},
          {"gap_from, gap_to", "gaps: seconds between two records of an item"},
          {"count, share", "gaps: number and share of such gaps"},
          {"hour, records", "hours: records per hour of the day"}};
}

}  // namespace

void add_generate(command& root, output_options& asked) {
  command& self = root.add("generate", "make test traffic");
  self.usage = "[options]";
  self.examples = generate_examples;
  self.details = generate_details;
  self.keys = keys();
  self.fields = {{"records, items, pairs", "of the stream"},
                 {"top_one, top_ten, top_hundredth", "records of the most frequent items"},
                 {"levels, gaps, hours", "one object per row of each table"}};
  const auto given = std::make_shared<generate_options>();
  given->add_to(self);
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return generate(*given, asked, out); };
}

}  // namespace bloomtime::cli
