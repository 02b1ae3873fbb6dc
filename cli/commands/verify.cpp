#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/commands/files.hpp"
#include "cli/output/report.hpp"
#include "cli/usage_error.hpp"

namespace bloomtime::cli {
namespace {

constexpr const char* details =
    "One row per file, for programs with the keys file, ok (true or false) and problem (a\n"
    "sentence). JSON: {\"schema\": 1, \"command\": \"verify\", \"files\": [...]}.\n"
    "Exit status 0 if every file is sound, 2 otherwise.";

row row_of(const loaded& file) {
  const bool sound = file.filter.has_value();
  const look l = sound ? look::good : look::bad;
  return {{{{}, sound ? "✓" : "✗", l},
           text_cell(file.path),
           {sound, ""},
           {sound ? value() : value(file.sentence), sound ? "ok" : file.sentence, l}}};
}

exit_status verify(const std::vector<std::string>& paths, const printer& out) {
  if (paths.empty()) throw usage_error("verify needs a file. Try bloomtime verify users.bloom");
  table files{.key = "files",
              .columns = {{"", "", side::left, audience::people},
                          {"file", "file", side::left},
                          {"ok", "", side::left, audience::programs},
                          {"problem", "verdict", side::left}},
              .rows = {},
              .as_list = false};
  std::size_t bad = 0;
  for (const std::string& path : paths) {
    const loaded file = load_file(path);
    if (!file.filter) ++bad;
    files.rows.push_back(row_of(file));
  }
  out.print({.command = "verify",
             .title = {},
             .fields = {},
             .tables = {files},
             .notes = {},
             .closing = {}});
  if (bad == 0) return yes;
  complain(fmt::format("{} of {} files did not pass; restore {} or build {} again", bad,
                       paths.size(), bad == 1 ? "it" : "them", bad == 1 ? "it" : "them"));
  return trouble;
}

}  // namespace

void add_verify(command& root, output_options& asked) {
  command& self = root.add("verify", "check every byte of filter files");
  self.usage = "FILE...";
  self.examples =
      "bloomtime verify users.bloom\n"
      "bloomtime verify *.bloom && cp *.bloom /backup";
  self.details = details;
  const auto paths = std::make_shared<std::vector<std::string>>();
  self.files(*paths, "files that hold a filter");
  self.output(asked);
  self.act = [paths](const printer& out) { return verify(*paths, out); };
}

}  // namespace bloomtime::cli
