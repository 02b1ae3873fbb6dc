#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/report.hpp"
#include "cli/text.hpp"
#include "store/inspect.hpp"
#include "store/reader.hpp"

namespace bloomtime::cli {
namespace {

constexpr const char* verify_details =
    "One row per file; every file of a store is checked. Exit status 0 if all are valid, else 2.";

row verified_row(const store::finding& file) {
  const bool sound = file.problem.empty();
  const look l = !sound ? look::bad : file.leftover ? look::faint : look::good;
  const std::string verdict =
      file.leftover ? "being written, or left over; the next writer removes it" : "ok";
  return {{{{},
            !sound          ? "✗"
            : file.leftover ? "·"
                            : "✓",
            l},
           text_cell(file.file.string()),
           {sound, ""},
           {file.leftover, ""},
           {sound ? value() : value(file.problem), sound ? verdict : file.problem, l}}};
}

// A store that cannot be opened is one finding, as a file is.
std::vector<store::finding> findings(const std::string& path) {
  try {
    if (store::is_folder(path)) return store::inspect(path);
    (void)facts_of(path);
    return {{path, ""}};
  } catch (const error& e) {
    return {{path, e.what()}};
  }
}

exit_status verify(const std::vector<std::string>& paths, const printer& out) {
  if (paths.empty()) {
    refuse("verify needs a file or a store. Try bloomtime verify users.bloom");
  }
  table files{.key = "files",
              .columns = {{"", "", side::left, audience::people},
                          {"file", "file", side::left},
                          {"ok", "", side::left, audience::programs},
                          {"leftover", "", side::left, audience::programs},
                          {"problem", "verdict", side::left}}};
  std::size_t bad = 0;
  for (const std::string& path : paths) {
    for (const store::finding& file : findings(path)) {
      if (!file.problem.empty()) ++bad;
      files.rows.push_back(verified_row(file));
    }
  }
  const std::size_t all = files.rows.size();
  out.print({.command = "verify", .tables = {std::move(files)}});
  if (bad == 0) return yes;
  complain(fmt::format("{} of {} files failed verification; restore {} or build {} again", bad, all,
                       bad == 1 ? "it" : "them", bad == 1 ? "it" : "them"));
  return trouble;
}

}  // namespace

void add_verify(command& root, output_options& asked) {
  command& self = root.add("verify", "check every byte of filter files and stores");
  self.usage = "FILE...";
  self.examples =
      "bloomtime verify users.bloom\n"
      "bloomtime verify *.bloom && cp *.bloom /backup";
  self.details = verify_details;
  self.keys = {{"file", "the file"},
               {"ok", "true if every byte is as it was written"},
               {"leftover", "true if a writer is writing the file or was interrupted; harmless"},
               {"problem", "a sentence; null if ok"}};
  self.fields = {{"files", "one object per row"}};
  const auto paths = std::make_shared<std::vector<std::string>>();
  self.arguments("FILE", *paths, "filter files or stores");
  self.output(asked);
  self.act = [paths](const printer& out) { return verify(*paths, out); };
}

}  // namespace bloomtime::cli
