#include <memory>
#include <string>

#include "cli/asking/kept_names.hpp"
#include "cli/command.hpp"
#include "cli/output/profile_report.hpp"
#include "cli/profiling/profiling.hpp"

namespace bloomtime::cli {
namespace {

constexpr const char* profile_examples =
    "bloomtime profile access.log                       hottest items; writes access.bloomtime\n"
    "bloomtime profile access.log.1.gz access.log --store site\n"
    "bloomtime profile access.log --by total            also trend (rising), new (first seen)\n"
    "bloomtime profile access.log --item agent --item host,path\n"
    "bloomtime profile events.tsv --time 1 --item 2 --half-life 10m\n"
    "zcat old/*.gz | bloomtime profile - --store site   without --store: only print\n"
    "bloomtime profile access.log --keep 90d            drop older history, now and later\n"
    "bloomtime profile --follow access.log              a live screen; q quits\n"
    "bloomtime profile --follow access.log --every 10s --json    an object every ten seconds\n"
    "bloomtime generate | bloomtime profile";

}  // namespace

void add_profile(command& root, output_options& asked) {
  command& self =
      root.add("profile", "read logs, store their heat and history, show the hottest items");
  self.usage = "[FILE...] [--item FIELD]... [--store DIR]";
  self.examples = profile_examples;
  self.details =
      "Reads events (one item or several, and a time) and keeps for each field the heat of its\n"
      "items (every event counts 2^(-age / half-life)), their totals and their history; of web "
      "logs\n"
      "also requests by status and method, and bytes, per minute. An existing store is continued,\n"
      "as if all events had been read at once; it is replaced as a whole at the end.\n"
      "It remembers the files that it has read, also under another name or compressed: only lines\n"
      "that are new are counted. A last line without a line end counts when it has one, or at "
      "once\n"
      "if the file is read for the first time and the line is valid. --again counts everything.\n"
      "Prints a summary and the first items of each field, and for programs a second table with a\n"
      "row per field.\n"
      "Events stamped more than 24 hours ahead wait until later ones confirm them (counted) or "
      "not\n"
      "(rejected). Those that still wait at the end are kept and reported; with --strict they are\n"
      "an error.\n\n"
      "Live (--follow)\n"
      "  terminal    a screen like top; q quits, f field, o order, / find, arrows select, Enter\n"
      "              timeline of the selected item, p pause\n"
      "  elsewhere   a report every --every: with --json an object in a line, with `printed`,\n"
      "              `interval_seconds` and `interval_lines`; with --tsv rows that begin with\n"
      "              `printed`, after one line of keys; with --table the tables\n"
      "  store       saved every --checkpoint and at the end, also by SIGINT, SIGTERM and SIGHUP\n"
      "  rotation    a file that is replaced or truncated is read on from its beginning";
  self.keys = ranked_keys();
  const entries of_fields{
      {"field, distinct", "second table: the field, its different items (estimated)"},
      {"heat_bytes, hot_bytes, history_bytes", "memory of its parts"},
      {"exact_bytes", "memory of exact counting in a map (estimated)"},
      {"held_back", "events that wait, of all fields"},
      {"totals_bytes, totals_error",
       "memory of totals, and the probability that one of them is too high"}};
  self.keys.insert(self.keys.end(), of_fields.begin(), of_fields.end());
  self.fields = {
      {"store", "directory that was written; null if none"},
      {"lines, rejected", "of this run"},
      {"records, records_before", "events in the store, and before this run"},
      {"new_records", "the difference: 0 if no file has new lines"},
      {"held_back", "events that wait to be confirmed"},
      {"first_event, last_event, at", "microseconds since 1970"},
      {"zone", "UTC offset of the last line"},
      {"half_life_seconds, tick_seconds", "--half-life, --resolution"},
      {"memory_bytes, exact_bytes", "of heat and totals, and of exact counting (estimated)"},
      {"heat_asked_bytes, heat_over_bytes",
       "--memory, and what exceeds it; asked is null without a limit"},
      {"heat_given_up", "items given up in this run to keep --memory"},
      {"history_bytes, history_asked_bytes, history_over_bytes",
       "likewise; asked is null without a limit"},
      {"items, fields", "one object per row of each table"}};
  for (const auto& key : web_keys()) self.fields.push_back(key);
  const auto given = std::make_shared<profile_options>();
  self.arguments("FILE", given->files, "logs, read in order; - for standard input");
  self.text("--half-life", given->half_life, "TIME", "time in which heat halves (default 1h)");
  self.text("--resolution", given->resolution, "TIME", "length of a tick (default 1s)");
  self.text("--memory", given->memory, "SIZE",
            "limit for heat, and as much for totals (default: none)");
  self.text("--store", given->store, "DIR",
            "directory to write (default: access.bloomtime for access.log)");
  self.text("--keep", given->keep, "TIME",
            "drop older history, as in 90d; all keeps everything (default)");
  self.flag("--again", given->again, "count all lines, also those that the store has read");
  self.text("--seed", given->seed, "N",
            "seed of the hash (default 0); random if the log may be hostile");
  self.flag("--pseudonymise", given->pseudonymise,
            "keep keyed digests in place of the names of items; the key is kept in the store");
  self.text("--key-file", given->key_file, "FILE",
            "the same with the key in this file (32 hexadecimal digits), not in the store");
  self.text("-n", given->rows, "ROWS", "rows per field (default 10)");
  self.threads(given->threads);
  self.flag("--follow", given->follow, "wait for more and show it live, as top does");
  self.text("--every", given->every, "TIME",
            "with --follow: how often (default 1s on a screen, else 10s)");
  self.text("--checkpoint", given->checkpoint, "TIME",
            "with --follow: how often the store is saved (default 1m)");
  self.text("--by", given->by, "ORDER", "heat (default), total, trend or new");
  self.input(given->input);
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return profile_logs(*given, asked, out); };
}

}  // namespace bloomtime::cli
