#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/report.hpp"
#include "cli/text.hpp"
#include "profile/profiler.hpp"
#include "store/ledger.hpp"
#include "store/log_zone.hpp"
#include "store/web_totals.hpp"

namespace bloomtime::cli {
namespace {

constexpr const char* info_details =
    "One file as a list, several as a table with a row per file. A store has a row of its own and\n"
    "one for each of its containers. Files that cannot be read are reported on standard error, "
    "and\n"
    "the exit status is 2.";

entries keys() {
  return {
      {"file", "the file, followed by the facts of the filter in it:"},
      {"Bloom filter",
       "family, engine, layout, memory (bytes), bits, k, seed, capacity, insertions, distinct "
       "(estimated), fill (share of bits set), error_at_capacity, error_now (false-positive rate)"},
      {"history",
       "records, pairs (different items and ticks), items (different; estimated if some have no "
       "name), nameless_pairs, partitions, partition_ticks"},
      {"dedupe state",
       "engine, key, last or window_seconds and expect, error, memory, passed, dropped, unjudged "
       "(lines), forgotten_early (keys), dropped_full (lines)"},
      {"store",
       "store, records, bad_lines, first_event, last_event, created (microseconds since 1970), "
       "zone, items (a list in JSON), generation, version, bytes, keep_seconds (of history; null: "
       "all)"},
      {"container", "store, role, file, bytes, followed by its facts"}};
}

std::string title_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

bool is_probability(const std::string& key) { return key == "fill" || key.starts_with("error"); }

std::string text_of(const std::string& key, const value& data) {
  if (const auto* n = std::get_if<std::uint64_t>(&data)) {
    if (key == "memory") return bytes_text(*n);
    return key == "seed" ? fmt::format("{}", *n) : count_text(*n);
  }
  if (const auto* x = std::get_if<double>(&data)) {
    return is_probability(key) ? probability_text(*x) : short_text(*x, 6);
  }
  const auto* text = std::get_if<std::string>(&data);
  return text == nullptr ? "" : *text;
}

value to_value(const fact& f) {
  return std::visit([](const auto& data) -> value { return data; }, f.value);
}

// Columns that a narrow screen drops, in that order.
unsigned spare_rank(const std::string& key) {
  constexpr std::array<std::string_view, 19> order{"error_at_capacity",
                                                   "items",
                                                   "slots",
                                                   "stashed",
                                                   "large_counts",
                                                   "k",
                                                   "fill",
                                                   "family",
                                                   "insertions",
                                                   "bits",
                                                   "engine",
                                                   "seed",
                                                   "memory",
                                                   "layout",
                                                   "tick_seconds",
                                                   "partition_ticks",
                                                   "half_life_seconds",
                                                   "bucket_seconds",
                                                   "buckets"};
  const auto it = std::find(order.begin(), order.end(), key);
  return it == order.end() ? 0 : static_cast<unsigned>(it - order.begin()) + 1;
}

// The common columns, followed by one for each fact, in order of appearance.
class fact_table {
 public:
  fact_table(std::string key, std::vector<column> common) {
    table_.key = std::move(key);
    table_.columns = std::move(common);
  }

  void add(std::vector<cell> common, const std::vector<fact>& facts) {
    row r;
    r.cells = std::move(common);
    r.cells.resize(table_.columns.size(), nothing());
    for (const fact& f : facts) {
      const std::size_t c = column_of(f);
      r.cells.resize(table_.columns.size(), nothing());
      r.cells[c] = {to_value(f), text_of(f.name, to_value(f))};
    }
    table_.rows.push_back(std::move(r));
  }

  table take() {
    for (row& r : table_.rows) r.cells.resize(table_.columns.size(), nothing());
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

std::vector<fact> file_facts(const store::ledger& kept) {
  return {{"tick_seconds", in_seconds(kept.settings.resolution)},
          {"half_life_seconds", in_seconds(kept.settings.half_life)},
          {"held_back", std::uint64_t{kept.held.size()}}};
}

std::vector<fact> file_facts(const store::web_totals& web) {
  return {
      {"records", web.records()}, {"bytes_sent", web.bytes().events()}, {"memory", web.memory()}};
}

// What a container of a store holds.
std::vector<fact> file_facts(const store::reader& opened, const std::string& role) {
  const auto part = opened.container(role);
  if (role == store::ledger_role) return file_facts(store::ledger::load(part->bytes()));
  if (role == store::web_role) return file_facts(store::web_totals::load(part->bytes()));
  std::vector<fact> facts = describe(load_any(part->bytes()));
  const auto named = [&](const char* name) {
    return std::find_if(facts.begin(), facts.end(), [&](const fact& f) { return f.name == name; });
  };
  const auto nameless = named("nameless_pairs");
  if (nameless == facts.end() || nameless->value == fact{"", std::uint64_t{0}}.value) return facts;
  // The ledger counts all items, with or without a name.
  const auto& fields = opened.about().read.items;
  const auto ledger = store::ledger::load(opened.container(store::ledger_role)->bytes());
  for (std::size_t i = 0; i < fields.size() && i < ledger.fields.size(); ++i) {
    if (store::history_role(fields[i]) != role) continue;
    named("items")->value = ledger.fields[i].different();
  }
  return facts;
}

column text_column(const char* key) { return {key, key, side::left}; }

// -- stores --------------------------------------------------------------------------------------

cell time_cell(const std::optional<instant>& t, const store::log_zone& zone) {
  return t ? cell{t->micros, time_text(*t, zone)} : nothing();
}

std::uint64_t bytes_of(const store::manifest& m) {
  std::uint64_t bytes = m.totals.bytes;
  for (const store::part& p : m.containers) bytes += p.bytes;
  return bytes;
}

table store_table() {
  return {.key = "stores",
          .columns = {{"store", "store", side::left},
                      {"records", "records"},
                      {"bad_lines", "bad lines"},
                      {"first_event", "first event"},
                      {"last_event", "last event"},
                      {"zone", "zone", side::left},
                      {"items", "items", side::left},
                      {"created", "created", side::right, audience::everybody, 1},
                      {"generation", "checkpoints", side::right, audience::everybody, 2},
                      {"version", "bloomtime", side::left, audience::everybody, 3},
                      {"bytes", "bytes"},
                      {"keep_seconds", "history kept", side::right, audience::everybody, 4}}};
}

cell keep_cell(std::chrono::microseconds keep) {
  if (keep.count() == 0) return {{}, "all"};
  return {in_seconds(keep), "last " + span_text(keep)};
}

row store_row(const std::string& path, const store::reader& opened, bool utc) {
  const store::manifest& m = opened.about();
  const store::log_zone zone = utc ? store::log_zone() : store::zone_of(m.read);
  return {{text_cell(path), count_cell(m.read.records), count_cell(m.read.bad_lines),
           time_cell(m.read.first_event, zone), time_cell(m.read.last_event, zone),
           text_cell(m.read.zone), texts_cell(m.read.items), time_cell(m.created, zone),
           count_cell(m.generation), text_cell(m.version), bytes_cell(bytes_of(m)),
           keep_cell(m.read.keep)}};
}

// Collects files and stores, and reports those that cannot be read.
class collection {
 public:
  collection(bool utc, const style& how) : utc_(utc), people_(how.form == view::people) {}

  void add(const std::string& path) {
    if (store::is_folder(path)) {
      add_store(path);
    } else {
      add_file(path);
    }
  }

  exit_status print(const printer& out) {
    std::vector<table> tables;
    std::vector<table> all{files_.take(), stores_};
    for (fact_table& t : containers_) all.push_back(t.take());
    for (table& t : all) {
      t.as_list = t.rows.size() == 1 && t.key != "containers";
      // JSON always has all three.
      if (!t.rows.empty() || out.how().form == view::json) tables.push_back(std::move(t));
    }
    if (tables.empty()) return status_;
    out.print({.command = "info", .tables = std::move(tables)});
    return status_;
  }

 private:
  void add_file(const std::string& path) {
    try {
      files_.add({text_cell(path)}, cli::facts_of(path));
    } catch (const error& e) {
      fail(with_path(path, e.what()));
    }
  }

  void add_store(const std::string& path) {
    try {
      const opened_store store(path);
      const store::reader& opened = store.parts();
      stores_.rows.push_back(store_row(path, opened, utc_));
      for (const store::part& p : opened.about().containers) add_container(path, opened, p);
    } catch (const error& e) {
      fail(e.what());
    }
  }

  void add_container(const std::string& path, const store::reader& opened, const store::part& p) {
    try {
      const std::vector<fact> facts = file_facts(opened, p.role);
      containers_for(facts).add(
          {text_cell(path), text_cell(p.role), text_cell(p.file), bytes_cell(p.bytes)}, facts);
    } catch (const error& e) {
      fail(fmt::format("{}/{}: {}", path, p.file, e.what()));
    }
  }

  // One table for programs; for people one for each kind of container, so that no column is empty.
  fact_table& containers_for(const std::vector<fact>& facts) {
    std::string kind;
    if (people_) {
      for (const fact& f : facts) kind += f.name + " ";
    }
    const auto found = std::find(kinds_.begin(), kinds_.end(), kind);
    if (found != kinds_.end()) return containers_[static_cast<std::size_t>(found - kinds_.begin())];
    if (!kinds_.empty()) containers_.push_back(empty_containers());
    kinds_.push_back(kind);
    return containers_.back();
  }

  static fact_table empty_containers() {
    constexpr unsigned first_to_go = 100;
    return {"containers",
            {{"store", "store", side::left, audience::programs},
             text_column("role"),
             {"file", "file", side::left, audience::everybody, first_to_go},
             {"bytes", "bytes"}}};
  }

  void fail(const std::string& sentence) {
    complain(sentence);
    status_ = trouble;
  }

  bool utc_;
  bool people_;
  fact_table files_{"files", {text_column("file")}};
  table stores_ = store_table();
  std::vector<fact_table> containers_{empty_containers()};
  std::vector<std::string> kinds_;  // of containers_, where they have any
  exit_status status_ = yes;
};

exit_status info(const std::vector<std::string>& paths, bool utc, const printer& out) {
  if (paths.empty()) {
    refuse("info needs a file or a store. Try bloomtime info users.bloom");
  }
  collection all(utc, out.how());
  for (const std::string& path : paths) all.add(path);
  return all.print(out);
}

}  // namespace

void add_info(command& root, output_options& asked) {
  command& self = root.add("info", "what filter files and stores say about themselves");
  self.usage = "FILE...";
  self.examples =
      "bloomtime info users.bloom\n"
      "bloomtime info access.bloomtime                 a store is a directory\n"
      "bloomtime info *.bloom\n"
      "bloomtime info *.bloom --json | jq '.files[] | select(.error_now > 0.01) | .file'";
  self.details = info_details;
  self.keys = keys();
  self.fields = {{"files, stores, containers", "one object per row of each table"}};
  const auto paths = std::make_shared<std::vector<std::string>>();
  self.arguments("FILE", *paths, "filter files or stores");
  const auto utc = std::make_shared<bool>(false);
  self.flag("--utc", *utc, "times in UTC instead of the log's zone");
  self.output(asked);
  self.act = [paths, utc](const printer& out) { return info(*paths, *utc, out); };
}

}  // namespace bloomtime::cli
