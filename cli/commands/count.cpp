#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/asking/batch.hpp"
#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/redis/address.hpp"
#include "cli/redis/questions.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

struct typed_count : asked_items {
  asked_key where;
};

row row_of(const any_tally& f, std::string_view item) {
  constexpr std::size_t widest_item = 60;
  const counted c = f.count(f.digest_of(item));
  return {{{std::string(item), cut_to(item, widest_item)},
           count_cell(c.value),
           count_cell(c.lower),
           count_cell(c.upper)},
          c.value == 0 ? look::faint : look::plain};
}

void print_report(const asked_items& given, const any_tally& f, const store::facts& read,
                  const printer& out) {
  table t{.key = "items",
          .columns = {{"item", read.items.front(), side::left},
                      {"count", "count"},
                      {"lower", "at least", side::right, audience::everybody, 2},
                      {"upper", "at most", side::right, audience::everybody, 1}}};
  given.for_each([&](std::string_view item) { t.rows.push_back(row_of(f, item)); });
  out.print({.command = "count",
             .fields = {{"store", given.store()},
                        {"field", read.items.front()},
                        {"records", read.records},
                        {"total", f.total()}},
             .tables = {std::move(t)},
             .notes = {"\"At most\" always holds if only what was added was removed",
                       fmt::format("\"At least\" holds with probability 1 - {}",
                                   probability_text(1 - f.confidence()))}});
}

exit_status count(const typed_count& given, const output_options& asked, const printer& out) {
  given.expect_store("count", "stock apples");
  if (is_redis_address(given.store())) {
    given.expect_items("count", "apples");
    return count_in_redis(given, given.where, asked, out);
  }
  given.where.expect_server(given.store());
  const opened_store store(given.store());  // throws if the first word is not a store
  given.expect_items("count", "apples");
  const any_tally f = store.tally();
  if (given.batch.empty() || asked.json || asked.table) {
    print_report(given, f, store.read(), out);
    return yes;
  }
  const auto answer = [&](std::string_view item) {
    const counted c = f.count(f.digest_of(item));
    return fmt::format("{}\t{}\t{}", c.value, c.lower, c.upper);
  };
  print_batch(given, answer, out);
  return yes;
}

constexpr const char* count_examples =
    "bloomtime count stock apples pears\n"
    "bloomtime count stock --batch items\n"
    "bloomtime count redis://localhost --key stock --shards 16 apples\n"
    "bloomtime count stock apples --json | jq .items[0].count";

constexpr const char* count_details =
    "One row per item, counted from the lines that bloomtime tally read.\n"
    "--batch prints `item <TAB> count <TAB> lower <TAB> upper` per line of the file, the item as "
    "it\n"
    "stands there.\n";

}  // namespace

void add_count(command& root, output_options& asked) {
  command& self = root.add("count", "how many of these items there are, with bounds");
  self.usage = "STORE (ITEM... | --batch FILE) [--key NAME [--shards N]]";
  self.examples = count_examples;
  self.details = std::string(count_details) + batch_rules;
  self.keys = {{"item", "the item"},
               {"count", "estimate"},
               {"lower", "lower bound; holds for each item with the probability that is printed"},
               {"upper", "upper bound; always holds if only what was added was removed"}};
  self.fields = {{"store, field", "what was queried"},
                 {"records", "lines read into the store"},
                 {"total", "sum of all counts"},
                 {"items", "one object per row"}};
  const auto given = std::make_shared<typed_count>();
  self.arguments("STORE", given->words,
                 "directory that bloomtime tally made, or a Redis server, followed by the items");
  given->where.add_to(self);
  self.text("--batch", given->batch, "FILE", "file of items, one per line; - for standard input");
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return count(*given, asked, out); };
}

}  // namespace bloomtime::cli
