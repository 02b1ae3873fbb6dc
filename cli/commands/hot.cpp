#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/asked_time.hpp"
#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/profile_report.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

struct typed {
  std::vector<std::string> store;
  std::string rows = "20";
  std::string field;
  std::string at;
};

exit_status hot(const typed& given, const printer& out) {
  if (given.store.size() != 1) {
    refuse("hot needs one store, got {}. Try bloomtime hot access.bloomtime", given.store.size());
  }
  const std::uint64_t rows = parse_count("-n", given.rows);
  const std::string& name = given.store.front();
  const opened_heat opened = opened_store(name).heat(given.at);
  out.print(
      {.command = "hot",
       .title = opened.title(name),
       .fields = {{"store", name},
                  {"at", micros_or_nothing(opened.at)},
                  {"records", opened.read.records},
                  {"held_back", std::uint64_t{opened.profile.held().size()}}},
       .tables = hot_tables(opened.fields(given.field), rows, opened.when(), out.how()),
       .notes = opened.notes(),
       .closing = {fmt::format(
           "Next: bloomtime heat {} ITEM queries one item; --at TIME answers for a later time.",
           name)}});
  return yes;
}

}  // namespace

void add_hot(command& root, output_options& asked) {
  command& self = root.add("hot", "the hottest items, with bounds, trend and sparklines");
  self.usage = "STORE [-n ROWS] [--field FIELD] [--at TIME]";
  self.examples =
      "bloomtime hot access.bloomtime\n"
      "bloomtime hot access.bloomtime -n 50 --field host\n"
      "bloomtime hot access.bloomtime --at 2014-01-02T06:00       decayed until then\n"
      "bloomtime hot access.bloomtime --json | jq -r '.items[] | select(.trend > 2) | .item'";
  self.details = std::string("One row per item, the hottest first.\n") + moment_rules;
  self.keys = hot_keys();
  self.fields = {{"store", "what was queried"},
                 {"at", "time of the answers, in microseconds since 1970"},
                 {"records", "events in the store"},
                 {"held_back", "events that wait to be confirmed"},
                 {"items", "one object per row"}};
  const auto given = std::make_shared<typed>();
  self.arguments("STORE", given->store, "directory that bloomtime profile made");
  self.text("-n", given->rows, "ROWS", "rows per field (default 20)");
  self.text("--field", given->field, "FIELD", "only this field");
  self.text("--at", given->at, "TIME",
            "time of the answers, not before the newest event (default)");
  self.output(asked);
  self.act = [given](const printer& out) { return hot(*given, out); };
}

}  // namespace bloomtime::cli
