#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cli/command.hpp"
#include "cli/generate/options.hpp"
#include "cli/generate/report.hpp"
#include "text/usage_error.hpp"
#include "traffic/profile.hpp"

namespace bloomtime::cli {

using namespace text;

namespace {

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
  out.print(report_of(profiler.result()));
}

exit_status generate(const generate_options& given, const output_options& asked,
                     const printer& out) {
  if (!given.profile && (asked.json || asked.tsv || asked.table)) {
    throw usage_error(
        "--json, --tsv and --table apply to --profile only; for records give --format ndjson, "
        "tsv or combined");
  }
  if (given.profile && !given.format.empty()) {
    throw usage_error("give either --format or --profile, not both: --profile prints no records");
  }
  const generate_plan plan = plan_of(given);
  const auto run = [&](const auto& config) {
    auto stream = stream_of(config, plan.seed);
    if (given.profile) return print_profile(stream, config.when.start, out);
    traffic::line_writer writer(plan.form);
    if (std::is_same_v<decltype(stream), traffic::operations>) writer.events_are_changes();
    print_records(stream, std::move(writer), out);
  };
  std::visit(run, plan.stream);
  return yes;
}

constexpr const char* examples =
    "bloomtime generate | head                                the log of a web site, one day\n"
    "bloomtime generate --profile                             statistics of that log\n"
    "bloomtime generate --records 10M --format ndjson > day.json\n"
    "bloomtime generate --records 100k --items 1k --pairs 50k --seconds 1h   exact numbers\n"
    "bloomtime generate --like edgar --profile                5,582,073 records like EDGAR's\n"
    "bloomtime generate --items 65536 --zipf 0                items of equal weight\n"
    "bloomtime generate --repeat 30% --gap exp:5m             duplicates, for dedupe\n"
    "bloomtime generate --items 1k --removes 40%              adds and removes, for tally";

constexpr const char* details =
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
  self.examples = examples;
  self.details = details;
  self.keys = keys();
  self.fields = {{"records, items, pairs", "of the stream"},
                 {"top_one, top_ten, top_hundredth", "records of the most frequent items"},
                 {"levels, gaps, hours", "one object per row of each table"}};
  const auto given = std::make_shared<generate_options>();
  const auto text = [&](const char* name, std::string& typed, const char* type, const char* what,
                        const std::vector<std::string>& choices = {}) {
    self.text(name, typed, type, what, choices);
  };
  text("--records", given->records, "N", "number of records (default 1M)");
  text("--items", given->items, "N",
       "different items: exactly with --pairs, else at most (default 50k)");
  text("--pairs", given->pairs, "N", "exact number of different (item, second) pairs");
  text("--like", given->like, "NAME", "edgar or network: the sizes of published data sets",
       {"edgar", "network"});
  text("--model", given->model, "NAME", "dense, bursty or uniform, with --pairs or --like",
       {"dense", "bursty", "uniform"});
  text("--zipf", given->zipf, "Z", "exponent of Zipf's law: 1.1; 0 for equal weights");
  self.flag("--unique", given->unique, "no item twice");
  text("--repeat", given->repeat, "SHARE", "share of records that repeat an item: 30%");
  text("--gap", given->gap, "LAW", "exp:5m (mean), fixed:10s or uniform:1s..10m");
  text("--removes", given->removes, "SHARE", "share of operations that remove: 40%, at most 50%");
  text("--seconds", given->seconds, "TIME", "period: 86400, 90m, 24h (default 1d)");
  text("--start", given->start, "TIME", "start: a time as logs write it (default 2014-01-01)");
  self.flag("--daily", given->daily,
            "quiet night, busy day (always on for traffic and --like network)");
  text("--seed", given->seed, "N", "seed of the random numbers (default 1)");
  text("--format", given->format, "FORM", "combined (default for traffic), ndjson, tsv",
       {"combined", "ndjson", "tsv"});
  self.flag("--profile", given->profile, "print statistics of the stream instead");
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return generate(*given, asked, out); };
}

}  // namespace bloomtime::cli
