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
        "--json, --tsv and --table say how --profile looks; for the form of records use "
        "--format ndjson, tsv or combined");
  }
  if (given.profile && !given.format.empty()) {
    throw usage_error("--format is for records, and --profile prints none; give one of both");
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
    "bloomtime generate | head                                a day at a web site, as its log\n"
    "bloomtime generate --profile                             what is in it, in numbers\n"
    "bloomtime generate --records 10M --format ndjson > day.json\n"
    "bloomtime generate --records 100k --items 1k --pairs 50k --seconds 1h   all exact\n"
    "bloomtime generate --like edgar --profile                5,582,073 records like EDGAR's\n"
    "bloomtime generate --items 65536 --zipf 0                all items alike\n"
    "bloomtime generate --repeat 30% --gap exp:5m             duplicates, for dedupe\n"
    "bloomtime generate --items 1k --removes 40%              adds and removes, for tally";

constexpr const char* details =
    "What is generated follows from the options; the same options give the same bytes anywhere.\n"
    "(none)            traffic of a web site: clients with sessions, popular pages, crawlers,\n"
    "                  crowds, day and night\n"
    "--pairs, --like   exactly so many records, items and different (item, second); copies of\n"
    "                  random pairs make up the rest. --model says how an item's seconds lie:\n"
    "                  dense (runs of 3000 s, seen in 95 % of them), bursty (300 s, 50 %; the\n"
    "                  default) or uniform; items weigh 1 / (rank + 10), or rank^-Z with --zipf\n"
    "--zipf            independent draws of items\n"
    "--unique          no item comes twice\n"
    "--repeat          exactly that share of the records repeats an item, a --gap (default\n"
    "                  exp:5m) after it was last seen; the last ones come after --seconds\n"
    "--removes         exactly that share takes back an earlier add\n"
    "TSV has no line of keys: `epoch <TAB> item`; with --removes `+ or - <TAB> item`; traffic\n"
    "`epoch <TAB> host <TAB> path <TAB> status <TAB> bytes`. NDJSON: time, item (and op), or\n"
    "time, host, path, status, bytes, agent.\n"
    "--profile prints instead of the records three tables: levels (level, bucket_seconds, pairs:\n"
    "different (item, second / 2^level), share), gaps (seconds between two records of an item,\n"
    "gap_from, gap_to, count, share) and hours (hour, records).\n"
    "JSON: {\"schema\": 1, \"command\": \"generate\", \"records\", \"items\", \"pairs\", "
    "\"top_one\", \"top_ten\",\n"
    "       \"top_hundredth\": records of the commonest items, \"levels\", \"gaps\", \"hours\"}";

}  // namespace

void add_generate(command& root, output_options& asked) {
  command& generate_command = root.add("generate", "make traffic to try things on");
  generate_command.usage = "[options]";
  generate_command.examples = examples;
  generate_command.details = details;
  const auto given = std::make_shared<generate_options>();
  const auto text = [&](const char* name, std::string& typed, const char* type, const char* what,
                        const std::vector<std::string>& choices = {}) {
    generate_command.text(name, typed, type, what, choices);
  };
  text("--records", given->records, "N", "how many (default 1M)");
  text("--items", given->items, "N", "different items: exactly with --pairs, else at most (50k)");
  text("--pairs", given->pairs, "N", "exactly so many different pairs (item, second)");
  text("--like", given->like, "NAME", "edgar or network: the sizes of published data sets",
       {"edgar", "network"});
  text("--model", given->model, "NAME", "dense, bursty or uniform, with --pairs or --like",
       {"dense", "bursty", "uniform"});
  text("--zipf", given->zipf, "Z", "items by Zipf's law: 1.1; 0 makes all alike");
  generate_command.flag("--unique", given->unique, "no item comes twice");
  text("--repeat", given->repeat, "SHARE", "records that repeat an item: 30%");
  text("--gap", given->gap, "LAW", "exp:5m (mean), fixed:10s or uniform:1s..10m");
  text("--removes", given->removes, "SHARE", "operations that remove: 40%, at most 50%");
  text("--seconds", given->seconds, "TIME", "how long: 86400, 90m, 24h (default 1d)");
  text("--start", given->start, "TIME", "2014-01-01 (the default), a time as logs have it");
  generate_command.flag("--daily", given->daily,
                        "quiet night, busy day (traffic and network always are)");
  text("--seed", given->seed, "N", "another stream of the same kind (default 1)");
  text("--format", given->format, "FORM", "combined (default for traffic), ndjson, tsv",
       {"combined", "ndjson", "tsv"});
  generate_command.flag("--profile", given->profile, "print what the stream is like instead");
  generate_command.output(asked);
  generate_command.act = [given, &asked](const printer& out) {
    return generate(*given, asked, out);
  };
}

}  // namespace bloomtime::cli
