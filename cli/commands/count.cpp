#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/batch.hpp"
#include "cli/command.hpp"
#include "store/tally_part.hpp"
#include "text/number.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

struct typed {
  std::vector<std::string> words;  // the store, then items
  std::string batch;
};

void print_batch(const std::string& batch, const tally_filter& f, const printer& out) {
  batch_answers answers(out);
  for_each_item(batch, [&](std::string_view as_typed, std::string_view item) {
    const counted c = f.count(item);
    answers.add(fmt::format("{}\t{}\t{}\t{}", as_typed, c.value, c.lower, c.upper));
  });
  answers.finish();
}

row row_of(const tally_filter& f, std::string_view item) {
  constexpr std::size_t widest_item = 60;
  const counted c = f.count(item);
  return {{{std::string(item), cut_to(item, widest_item)},
           count_cell(c.value),
           count_cell(c.lower),
           count_cell(c.upper)},
          c.value == 0 ? look::faint : look::plain};
}

void print_report(const typed& given, const tally_filter& f, const store::facts& read,
                  const printer& out) {
  table t{.key = "items",
          .columns = {{"item", read.items.front(), side::left},
                      {"count", "count"},
                      {"lower", "at least", side::right, audience::everybody, 2},
                      {"upper", "at most", side::right, audience::everybody, 1}},
          .rows = {},
          .as_list = false};
  for (std::size_t i = 1; i < given.words.size(); ++i) t.rows.push_back(row_of(f, given.words[i]));
  if (!given.batch.empty()) {
    for_each_item(given.batch, [&](std::string_view, std::string_view item) {
      t.rows.push_back(row_of(f, item));
    });
  }
  out.print({.command = "count",
             .title = {},
             .fields = {{"store", given.words.front()},
                        {"field", read.items.front()},
                        {"records", read.records},
                        {"total", f.total()}},
             .tables = {std::move(t)},
             .notes = {fmt::format("at most: always, if only what was added was removed; at "
                                   "least: but for a chance of {}",
                                   chance_text(1 - f.confidence()))},
             .closing = {}});
}

exit_status count(const typed& given, const output_options& asked, const printer& out) {
  if (given.words.empty()) {
    throw usage_error("count needs a store. Try bloomtime count stock apples");
  }
  if ((given.words.size() == 1) == given.batch.empty()) {
    (void)store::read_manifest(given.words.front());  // an item alone is no store
    throw usage_error(fmt::format(
        "count needs {}. Try bloomtime count {} apples",
        given.batch.empty() ? "an item, or --batch with a file of them" : "either items or --batch",
        given.words.front()));
  }
  const store::reader from(given.words.front());
  const store::facts& read = from.about().read;
  const tally_filter f = load_tally(from, read.items, given.words.front());
  if (!given.batch.empty() && !asked.json && !asked.table) {
    print_batch(given.batch, f, out);
  } else {
    print_report(given, f, read, out);
  }
  return yes;
}

constexpr const char* examples =
    "bloomtime count stock apples pears\n"
    "bloomtime count stock --batch items\n"
    "bloomtime count stock apples --json | jq .items[0].count";

constexpr const char* details =
    "How many of each item there are, by the lines that bloomtime tally read. For programs with\n"
    "the keys item, count, lower and upper. upper is never below the truth if only what was added\n"
    "was removed; lower is not above it but for the chance e^-k, per item.\n"
    "--batch prints `item <TAB> count <TAB> lower <TAB> upper` per line of the file and nothing\n"
    "else, also on a terminal, unless --json or --table is given. In the file \\t \\n \\r \\\\ "
    "and\n"
    "\\xNN stand for one byte, as in all TSV that bloomtime prints, and any other backslash for\n"
    "itself; the item is printed as it stands there.\n"
    "JSON: {\"schema\": 1, \"command\": \"count\", \"store\", \"field\", \"records\", \"total\" "
    "(of all counts),\n       \"items\": [one object per item]}";

}  // namespace

void add_count(command& root, output_options& asked) {
  command& self = root.add("count", "how many of these items there are, with bounds");
  self.usage = "STORE (ITEM... | --batch FILE)";
  self.examples = examples;
  self.details = details;
  const auto given = std::make_shared<typed>();
  self.store(given->words, "a directory that bloomtime tally made, and after it the items");
  self.text("--batch", given->batch, "FILE", "a file of items, one a line; - for standard input");
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return count(*given, asked, out); };
}

}  // namespace bloomtime::cli
