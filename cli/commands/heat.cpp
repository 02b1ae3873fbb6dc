#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/asked_time.hpp"
#include "cli/asking/batch.hpp"
#include "cli/asking/opened_profile.hpp"
#include "cli/command.hpp"
#include "cli/output/hot_table.hpp"
#include "text/number.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

struct typed {
  std::vector<std::string> words;  // the store, then items
  std::string field;
  std::string at;
  std::string batch;
};

// -- one line per item of a file -----------------------------------------------------------------

void print_batch(const typed& given, const opened_profile& opened, const printer& out) {
  const field_profile& field = opened.field(given.field);
  batch_answers answers(out);
  for_each_item(given.batch, [&](std::string_view as_typed, std::string_view item) {
    const estimate e = field.at(item, opened.when());
    answers.add(fmt::format("{}\t{}\t{}\t{}", as_typed, e.value, e.lower, e.upper));
  });
  answers.finish();
}

// -- a table -------------------------------------------------------------------------------------

row row_of(const field_profile& field, std::string_view item, instant at) {
  constexpr std::size_t widest_item = 60;
  constexpr double seconds_per_minute = 60;
  const estimate e = field.at(item, at);
  const double rate = seconds_per_minute * field.hot.rate(e).value;
  return {{{std::string(item), cut_to(item, widest_item)},
           {e.value, hits_text(e)},
           {e.lower, short_text(e.lower)},
           {e.upper, short_text(e.upper)},
           {rate, short_text(rate)}}};
}

void print_report(const typed& given, const opened_profile& opened, const printer& out) {
  const field_profile& field = opened.field(given.field);
  table t{.key = "items",
          .columns = {{"item", field.name, side::left},
                      {"hits", "hits now"},
                      {"lower", "at least", side::right, audience::everybody, 2},
                      {"upper", "at most", side::right, audience::everybody, 1},
                      {"rate_per_minute", "rate/min"}},
          .rows = {},
          .as_list = false};
  for (std::size_t i = 1; i < given.words.size(); ++i) {
    t.rows.push_back(row_of(field, given.words[i], opened.when()));
  }
  if (!given.batch.empty()) {
    for_each_item(given.batch, [&](std::string_view, std::string_view item) {
      t.rows.push_back(row_of(field, item, opened.when()));
    });
  }
  const std::string& store = given.words.front();
  std::vector<std::string> notes = opened.notes();
  notes.insert(notes.begin(), fmt::format("at most: always; at least: but for a chance of {}",
                                          chance_text(1 - field.heat.confidence())));
  out.print({.command = "heat",
             .title = opened.title(store),
             .fields = {{"store", store},
                        {"field", field.name},
                        {"at", micros_or_nothing(opened.at)},
                        {"records", opened.read.records},
                        {"held_back", std::uint64_t{opened.profile.held().size()}}},
             .tables = {std::move(t)},
             .notes = std::move(notes),
             .closing = {}});
}

exit_status heat(const typed& given, const output_options& asked, const printer& out) {
  if (given.words.empty()) {
    throw usage_error("heat needs a store. Try bloomtime heat access.bloomtime /index.html");
  }
  if ((given.words.size() == 1) == given.batch.empty()) {
    throw usage_error(fmt::format(
        "heat needs {}. Try bloomtime heat {} /index.html",
        given.batch.empty() ? "an item, or --batch with a file of them" : "either items or --batch",
        given.words.front()));
  }
  const opened_profile opened = open_profile(given.words.front(), given.at);
  if (!given.batch.empty() && !asked.json && !asked.table) {
    print_batch(given, opened, out);
  } else {
    print_report(given, opened, out);
  }
  return yes;
}

constexpr const char* examples =
    "bloomtime heat access.bloomtime /index.html --field path\n"
    "bloomtime heat access.bloomtime 155.95.78.223 --field host --at 2014-01-02T06:00\n"
    "bloomtime hot access.bloomtime --field path | cut -f 3 | tail -n +2 > items\n"
    "bloomtime heat access.bloomtime --field path --batch items\n"
    "bloomtime heat options.bloomtime -- -x --verbose           items that look like options";

constexpr const char* answers =
    "The decayed count of each item: every event counts 2^(-age / half-life). For programs with\n"
    "the keys item, hits, lower, upper and rate_per_minute (events per minute, as it is now).\n"
    "upper is never below the truth; lower is not above it but for the chance e^-4, per item.\n"
    "--batch prints `item <TAB> hits <TAB> lower <TAB> upper` per line of the file and nothing\n"
    "else, also on a terminal, unless --json or --table is given. In the file \\t \\n \\r \\\\ "
    "and\n"
    "\\xNN stand for one byte, as in all TSV that bloomtime prints, and any other backslash for\n"
    "itself; the item is printed as it stands there.\n";

constexpr const char* document =
    "JSON: {\"schema\": 1, \"command\": \"heat\", \"store\", \"field\", \"at\" (microseconds "
    "since\n"
    "       1970), \"records\", \"held_back\" (events that wait to be confirmed), \"items\": [one\n"
    "       object per item]}";

}  // namespace

void add_heat(command& root, output_options& asked) {
  command& self = root.add("heat", "how hot these items are, with bounds");
  self.usage = "STORE (ITEM... | --batch FILE) [--field FIELD] [--at TIME]";
  self.examples = examples;
  self.details = std::string(answers) + moment_rules_of("--at takes") + document;
  const auto given = std::make_shared<typed>();
  self.store(given->words, "a directory that bloomtime profile made, and after it the items");
  self.text("--field", given->field, "FIELD", "of which field, if several were profiled");
  self.text("--at", given->at, "TIME", "at the newest event unless given; any time from there on");
  self.text("--batch", given->batch, "FILE", "a file of items, one a line; - for standard input");
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return heat(*given, asked, out); };
}

}  // namespace bloomtime::cli
