#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/asked_time.hpp"
#include "cli/asking/opened_profile.hpp"
#include "cli/command.hpp"
#include "cli/output/hot_table.hpp"
#include "text/quantity.hpp"
#include "text/usage_error.hpp"

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
    throw usage_error(fmt::format("hot needs one store, got {}. Try bloomtime hot access.bloomtime",
                                  given.store.size()));
  }
  const std::uint64_t rows = parse_count("-n", given.rows);
  const std::string& name = given.store.front();
  const opened_profile opened = open_profile(name, given.at);
  out.print({.command = "hot",
             .title = opened.title(name),
             .fields = {{"store", name},
                        {"at", micros_or_nothing(opened.at)},
                        {"records", opened.read.records},
                        {"held_back", std::uint64_t{opened.profile.held().size()}}},
             .tables = hot_tables(opened.fields(given.field), rows, opened.when(), out.how()),
             .notes = opened.notes(),
             .closing = {fmt::format("Next: bloomtime heat {} ITEM asks for one item, --at TIME "
                                     "for later.",
                                     name)}});
  return yes;
}

}  // namespace

void add_hot(command& root, output_options& asked) {
  command& self = root.add("hot", "what is hot, with bounds, trend and sparklines");
  self.usage = "STORE [-n ROWS] [--field FIELD] [--at TIME]";
  self.examples =
      "bloomtime hot access.bloomtime\n"
      "bloomtime hot access.bloomtime -n 50 --field host\n"
      "bloomtime hot access.bloomtime --at 2014-01-02T06:00       as it has faded by then\n"
      "bloomtime hot access.bloomtime --json | jq -r '.items[] | select(.trend > 2) | .item'";
  static const std::string details =
      std::string("One row per item, the hottest first, for programs with the keys\n") + hot_keys +
      moment_rules_of("--at takes") +
      "JSON: {\"schema\": 1, \"command\": \"hot\", \"store\", \"at\" (microseconds since 1970), "
      "\"records\",\n       \"held_back\" (events that wait to be confirmed), \"items\": [one "
      "object per row]}";
  self.details = details;
  const auto given = std::make_shared<typed>();
  self.store(given->store, "a directory that bloomtime profile made");
  self.text("-n", given->rows, "ROWS", "rows per field, 20 unless given");
  self.text("--field", given->field, "FIELD", "only this one of the fields that were profiled");
  self.text("--at", given->at, "TIME", "at the newest event unless given; any time from there on");
  self.output(asked);
  self.act = [given](const printer& out) { return hot(*given, out); };
}

}  // namespace bloomtime::cli
