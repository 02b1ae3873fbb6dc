#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/commands/files.hpp"
#include "cli/output/number.hpp"
#include "cli/output/report.hpp"
#include "cli/usage_error.hpp"

namespace bloomtime::cli {
namespace {

constexpr const char* details =
    "For one file a list, for several a table with a row per file. Keys for programs: file, then\n"
    "what the filter says of itself. A Bloom filter says family, engine, layout, memory (bytes),\n"
    "bits, k, seed, capacity, insertions, distinct (estimated from the bits), fill (share of bits\n"
    "set), error_at_capacity and error_now (chance of a wrong yes).\n"
    "JSON: {\"schema\": 1, \"command\": \"info\", \"files\": [...]}. A file that cannot be read "
    "is told of\non standard error, and the exit status is 2.";

std::string title_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

bool is_chance(const std::string& key) { return key == "fill" || key.starts_with("error"); }

std::string text_of(const std::string& key, const value& data) {
  if (const auto* n = std::get_if<std::uint64_t>(&data)) {
    if (key == "memory") return bytes_text(*n);
    return key == "seed" ? fmt::format("{}", *n) : count_text(*n);
  }
  if (const auto* x = std::get_if<double>(&data)) {
    return is_chance(key) ? chance_text(*x) : short_text(*x, 6);
  }
  const auto* text = std::get_if<std::string>(&data);
  return text == nullptr ? "" : *text;
}

value to_value(const fact& f) {
  return std::visit([](const auto& data) -> value { return data; }, f.value);
}

// What a narrow screen can do without, the first to go first.
unsigned spare_rank(const std::string& key) {
  constexpr std::array order{"error_at_capacity", "k",    "fill",   "family",
                             "insertions",        "bits", "engine", "seed"};
  const auto it = std::find(order.begin(), order.end(), key);
  return it == order.end() ? 0 : static_cast<unsigned>(it - order.begin()) + 1;
}

// Files of different families have different facts: a column for each, in order of appearance.
class file_table {
 public:
  file_table() { table_.columns.push_back({"file", "file", side::left}); }

  void add(const loaded& file) {
    row r;
    r.cells.resize(table_.columns.size(), nothing());
    r.cells[0] = text_cell(file.path);
    for (const fact& f : describe(*file.filter)) {
      const std::size_t c = column_of(f);
      r.cells.resize(table_.columns.size(), nothing());
      r.cells[c] = {to_value(f), text_of(f.name, to_value(f))};
    }
    table_.rows.push_back(std::move(r));
  }

  table take() {
    for (row& r : table_.rows) r.cells.resize(table_.columns.size(), nothing());
    table_.key = "files";
    table_.as_list = table_.rows.size() == 1;
    return std::move(table_);
  }

 private:
  std::size_t column_of(const fact& f) {
    auto& columns = table_.columns;
    const auto it = std::find_if(columns.begin(), columns.end(),
                                 [&](const column& c) { return c.key == f.name; });
    if (it != columns.end()) return static_cast<std::size_t>(it - columns.begin());
    const bool text = std::holds_alternative<std::string>(f.value);
    columns.push_back({f.name, title_of(f.name), text ? side::left : side::right,
                       audience::everybody, spare_rank(f.name)});
    return columns.size() - 1;
  }

  table table_;
};

exit_status info(const std::vector<std::string>& paths, const printer& out) {
  if (paths.empty()) throw usage_error("info needs a file. Try bloomtime info users.bloom");
  file_table files;
  exit_status status = yes;
  for (const std::string& path : paths) {
    const loaded file = load_file(path);
    if (file.filter) {
      files.add(file);
    } else {
      complain(file.sentence_with_path());
      status = trouble;
    }
  }
  table all = files.take();
  if (all.rows.empty() && out.how().form != view::json) return status;
  out.print({.command = "info",
             .title = {},
             .fields = {},
             .tables = {std::move(all)},
             .notes = {},
             .closing = {}});
  return status;
}

}  // namespace

void add_info(command& root, output_options& asked) {
  command& self = root.add("info", "what filter files say about themselves");
  self.usage = "FILE...";
  self.examples =
      "bloomtime info users.bloom\n"
      "bloomtime info *.bloom\n"
      "bloomtime info *.bloom --json | jq '.files[] | select(.error_now > 0.01) | .file'";
  self.details = details;
  const auto paths = std::make_shared<std::vector<std::string>>();
  self.files(*paths, "files that hold a filter");
  self.output(asked);
  self.act = [paths](const printer& out) { return info(*paths, out); };
}

}  // namespace bloomtime::cli
