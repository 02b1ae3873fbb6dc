#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/asked_time.hpp"
#include "cli/asking/batch.hpp"
#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/answers.hpp"
#include "cli/output/ranked_tables.hpp"
#include "cli/redis/address.hpp"
#include "cli/redis/questions.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

struct typed_heat : asked_items {
  std::string field;
  std::string at;
  asked_key where;
  std::string key_file;
};

void print_report(const typed_heat& given, const opened_heat& opened, const printer& out) {
  const profile::field_profile& field = opened.field(given.field);
  std::vector<std::string> items;
  given.for_each([&](std::string_view item) { items.emplace_back(item); });
  std::vector<std::string> notes = opened.notes();
  notes.insert(notes.begin(),
               fmt::format("\"At most\" always holds; \"at least\" holds with probability 1 - {}",
                           probability_text(1 - field.heat.confidence())));
  report r =
      heat_answer(asked_profile_of(given.store(), opened), field, opened.names, items, out.how());
  r.title = opened.title(given.store());
  r.notes = std::move(notes);
  out.print(r);
}

exit_status heat(const typed_heat& given, const output_options& asked, const printer& out) {
  given.expect_store("heat", "access.bloomtime /index.html");
  given.expect_items("heat", "/index.html");
  if (is_redis_address(given.store())) {
    if (!given.field.empty()) refuse("--field is for a store of bloomtime profile, not for a key");
    return heat_in_redis(given, given.where, given.at, asked, out);
  }
  given.where.expect_server(given.store());
  const opened_heat opened =
      opened_store(given.store()).heat(given.at, profile::profiler::wanted::heat, given.key_file);
  if (given.batch.empty() || asked.json || asked.table) {
    print_report(given, opened, out);
    return yes;
  }
  const profile::field_profile& field = opened.field(given.field);
  const auto answer = [&](std::string_view item) {
    const estimate e = rounded(field.at(opened.names.of(item), opened.when()));
    return fmt::format("{}\t{}\t{}", e.value, e.lower, e.upper);
  };
  print_batch(given, answer, out);
  return yes;
}

constexpr const char* heat_examples =
    "bloomtime heat access.bloomtime /index.html --field path\n"
    "bloomtime heat access.bloomtime 155.95.78.223 --field host --at 2014-01-02T06:00\n"
    "bloomtime hot access.bloomtime --field path | cut -f 3 | tail -n +2 > items\n"
    "bloomtime heat access.bloomtime --field path --batch items\n"
    "bloomtime heat redis://localhost --key pages /index.html    a filter that push has moved\n"
    "bloomtime heat options.bloomtime -- -x --verbose           items that look like options";

constexpr const char* heat_details =
    "The decayed count of each item: every event counts 2^(-age / half-life).\n"
    "--batch prints `item <TAB> hits <TAB> lower <TAB> upper` per line of the file, the item as "
    "it\n"
    "stands there.\n";

}  // namespace

void add_heat(command& root, output_options& asked) {
  command& self = root.add("heat", "how hot these items are, with bounds");
  self.usage = "STORE (ITEM... | --batch FILE) [--at TIME] [--field FIELD | --key NAME]";
  self.examples = heat_examples;
  self.details = std::string(heat_details) + batch_rules + "\n" + moment_rules;
  self.keys = {{"item", "the item"},
               {"hits", "decayed count, an estimate"},
               {"lower", "lower bound; holds with probability 1 - e^-4 for each item"},
               {"upper", "upper bound; always holds"},
               {"rate_per_minute", "events per minute at that time"},
               {"total, total_lower, total_upper",
                "events in all: never below the truth, and exact for nearly all items; null if the "
                "store has no totals"}};
  self.fields = {{"store, field", "what was queried"},
                 {"at", "time of the answers, in microseconds since 1970"},
                 {"records", "events in the store"},
                 {"held_back", "events that wait to be confirmed"},
                 {"items", "one object per row"}};
  const auto given = std::make_shared<typed_heat>();
  self.arguments("STORE", given->words,
                 "directory that bloomtime profile made, or a Redis server, followed by the items");
  self.text("--field", given->field, "FIELD", "which field, if the store has several");
  self.text("--at", given->at, "TIME",
            "time of the answers, not before the newest event (default)");
  given->where.add_to(self);
  self.text("--key-file", given->key_file, "FILE", key_description);
  self.text("--batch", given->batch, "FILE", "file of items, one per line; - for standard input");
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return heat(*given, asked, out); };
}

}  // namespace bloomtime::cli
