#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/kept_names.hpp"
#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/profile_report.hpp"
#include "cli/output/progress.hpp"
#include "cli/text.hpp"
#include "logs/event_reader.hpp"
#include "profile/profiler.hpp"
#include "store/resuming.hpp"
#include "store/seed.hpp"
#include "store/writer.hpp"

namespace bloomtime::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;

struct typed {
  std::vector<std::string> files;
  logs::input_options input;
  std::string half_life;
  std::string resolution;
  std::string memory;
  std::string store;
  std::string seed;
  std::string rows = "10";
  bool again = false;
  bool pseudonymise = false;
  std::string key;
};

// Options; nothing where none was given.
struct wishes {
  std::optional<microseconds> half_life;
  std::optional<microseconds> resolution;
  std::optional<std::uint64_t> memory;
  std::optional<std::uint64_t> seed;  // also nothing for "random"
};

std::optional<microseconds> span_of(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_span(option, text);
}

wishes wishes_of(const typed& given) {
  return {.half_life = span_of("--half-life", given.half_life),
          .resolution = span_of("--resolution", given.resolution),
          .memory = given.memory.empty() ? std::nullopt
                                         : std::optional(parse_bytes("--memory", given.memory)),
          .seed = given.seed.empty() ? std::nullopt : store::parse_seed(given.seed)};
}

// -- where it is kept ----------------------------------------------------------------------------

// access.log.gz becomes access.bloomtime beside it. Empty for standard input. Rotated logs differ
// in what follows the name, as access.log.1 and access.log-20140131 do: that stays.
std::string default_store(const std::vector<std::string>& files) {
  if (files.empty() || files.front() == "-") return "";
  fs::path name = files.front();
  for (const char* packed : {".gz", ".xz", ".zst"}) {
    if (name.extension() == packed) name.replace_extension();
  }
  const bool rotated = name.extension().string().find_first_of("0123456789") != std::string::npos;
  if (!rotated) name.replace_extension();
  return name.string() + ".bloomtime";
}

instant now() { return std::chrono::system_clock::now(); }

// -- settings ------------------------------------------------------------------------------------

std::int64_t whole_seconds(microseconds span) {
  return std::chrono::duration_cast<std::chrono::seconds>(span).count();
}

store::profile_settings settings_of(const wishes& asked, std::size_t fields) {
  store::profile_settings s;
  s.resolution = asked.resolution.value_or(s.resolution);
  s.half_life = asked.half_life.value_or(s.half_life);
  s.memory = asked.memory.value_or(s.memory);
  if (s.half_life < s.resolution) {
    refuse(
        "--half-life must be at least --resolution ({}); got {}. Try --half-life {}s or more, or "
        "--resolution {}s or less",
        span_text(s.resolution), span_text(s.half_life), whole_seconds(s.resolution),
        whole_seconds(s.half_life));
  }
  if (asked.memory) profile::expect_memory(s.memory, fields);
  return s;
}

void expect_settings(const std::string& store, const store::profile_settings& kept,
                     const wishes& asked) {
  expect_same(store, "a half-life of", span_text(kept.half_life),
              span_text(asked.half_life.value_or(kept.half_life)));
  expect_same(store, "a resolution of", span_text(kept.resolution),
              span_text(asked.resolution.value_or(kept.resolution)));
  const auto limit = [](std::uint64_t bytes) {
    return bytes == 0 ? std::string("none") : fmt::format("{} bytes", bytes);
  };
  expect_same(store, "the memory limit", limit(kept.memory),
              limit(asked.memory.value_or(kept.memory)));
}

void expect_different(std::vector<std::string> items) {
  std::sort(items.begin(), items.end());
  const auto twin = std::adjacent_find(items.begin(), items.end());
  if (twin == items.end()) return;
  refuse("--item {} was given twice; give it once", shown(*twin));
}

// An empty store would hide that no line was valid.
void expect_events(const logs::event_reader& reader) {
  const logs::line_counts& counts = reader.counts();
  if (counts.events != 0 || counts.bad_lines() == 0) return;
  const auto without = counts.bad[static_cast<std::size_t>(logs::bad_line::no_item)];
  if (without == counts.bad_lines()) reader.refuse_item(reader.item_names().front());
  text::corrupt("{}, so no line is valid; check --format, --time and --item", counts.summary());
}

// -- the run -------------------------------------------------------------------------------------

class run {
 public:
  explicit run(const typed& given)
      : given_(given),
        asked_(wishes_of(given)),
        input_(given.input),
        rows_(parse_count("-n", given.rows)),
        directory_(given.store.empty() ? default_store(given.files) : given.store) {
    input_.partial = true;
    expect_different(input_.items);
    (void)settings_of(asked_, std::max<std::size_t>(1, input_.items.size()));
  }

  exit_status operator()(const printer& out) {
    open_store();
    progress shown_progress("profile");
    logs::event_reader reader(input_, files(), listener(shown_progress));
    while (const logs::event* e = reader.next()) add(*e, reader);
    // A line that is added to a log that was read before may be a bad one.
    if (!memory_ || !memory_->continued()) expect_events(reader);
    if (!profile_) begin(reader.item_names());
    expect_items(reader);
    finish(reader);
    if (writer_ && (!writer_->continues() || reader.counts().lines != 0 || memory_->changed())) {
      save();
    }
    try {
      print(out, reader.counts());
    } catch (const error& e) {
      if (!writer_) throw;
      throw_error(e.code(), "{}; the store {} was saved: bloomtime hot {} prints the profile",
                  e.what(), directory_, directory_);
    }
    return yes;
  }

 private:
  void open_store() {
    if (directory_.empty()) return choose_names();
    writer_.emplace(directory_, now());
    if (writer_->continues()) continue_store();
    remember_files();
    choose_names();
  }

  void continue_store() {
    expect_profile(store::read_manifest(directory_), directory_);
    profile_ =
        profile::profiler::load(*writer_, writer_->about(), profile::profiler::wanted::everything);
    expect_settings(directory_, profile_->settings(), asked_);
    expect_same(directory_, "the seed", fmt::format("{}", profile_->seed().value()),
                fmt::format("{}", asked_.seed.value_or(profile_->seed().value())));
    const std::vector<std::string>& kept = writer_->about().items;
    if (!input_.items.empty()) {
      expect_same(directory_, "the items", fmt::format("{}", fmt::join(kept, " and ")),
                  fmt::format("{}", fmt::join(input_.items, " and ")));
    }
    input_.items = kept;
    before_ = writer_->about().records;
    facts().offsets = store::offsets_of(facts(), profile_->held());
    const auto newest = profile_->newest();
    note(fmt::format("{}: continued; it has {} records{}", directory_, count_text(before_),
                     newest ? ", up to " + time_text(*newest, zone()) : ""));
    note_missing_history();
  }

  // An existing store goes on as it was begun.
  void choose_names() {
    const bool wanted = given_.pseudonymise || !given_.key.empty();
    if (writer_ && writer_->continues()) {
      if (wanted && !facts().pseudonyms) {
        refuse("{} keeps the names of items; use another --store with --pseudonymise", directory_);
      }
      names_ = kept_names(facts(), directory_, given_.key);
    } else if (wanted) {
      const store::pseudonyms made =
          given_.key.empty() ? store::pseudonyms::random() : read_key(given_.key);
      facts().pseudonyms = {given_.key.empty() ? made.text() : "", made.check()};
      names_ = kept_names(facts(), directory_, given_.key);
    }
  }

  // The event as it is kept: with pseudonyms, and without the line, which has the names.
  logs::event as_kept(const logs::event& e) {
    if (!facts().pseudonyms) return e;
    logs::event kept = e;
    kept_.assign(e.items.size(), "");
    kept_views_.clear();
    for (std::size_t i = 0; i < e.items.size(); ++i) {
      if (e.present[i]) kept_[i] = names_.of(e.items[i]);
      kept_views_.push_back(kept_[i]);
    }
    kept.items = kept_views_;
    kept.raw = {};
    kept.text = {};
    return kept;
  }

  void remember_files() {
    if (!facts().sources) {
      note(
          fmt::format("{}: this store was written by an older version, which did not remember what "
                      "it has read; lines that it has read are counted again",
                      directory_));
      facts().sources.emplace();
    }
    memory_.emplace(*facts().sources, now(), given_.again, note, [this](instant t) {
      const tick_clock seconds;
      return time_text(seconds.start_of(seconds.tick_of(t)), zone());
    });
  }

  std::vector<std::string> files() const {
    return memory_ ? memory_->with_rotated(given_.files) : given_.files;
  }

  logs::listener listener(progress& shown) {
    logs::listener told = shown.reports();
    if (!memory_) return told;
    told.start = [this](const std::string& file) { return memory_->start(file); };
    told.finished = [this](const logs::file_reading& read) { memory_->finished(read); };
    return told;
  }

  // A history that began now would answer "no" for everything before.
  void note_missing_history() const {
    for (const profile::field_profile& f : profile_->fields()) {
      if (f.past) continue;
      note(
          fmt::format("{}: this store was created by an older version and has no history; use a "
                      "new --store to record it",
                      directory_));
      return;
    }
  }

  void begin(const std::vector<std::string>& fields) {
    if (fields.empty()) {
      refuse("the input is empty");
    }
    const std::uint64_t seed =
        given_.seed.empty() ? store::default_seed : asked_.seed.value_or(store::random_seed());
    profile_.emplace(settings_of(asked_, fields.size()), fields, seed);
    facts().items = fields;
  }

  void add(const logs::event& e, logs::event_reader& reader) {
    if (!e.at) {
      refuse("profile needs timestamps, and none were found; name the field with --time");
    }
    if (!profile_) begin(reader.item_names());
    facts().offsets->add(*e.at, e.offset);
    profile_->add(
        as_kept(e), [this](instant t) { writer_ ? writer_->count(t) : unsaved_.count(t); },
        [&](const logs::held_event& h) {
          reader.reject_earlier(logs::bad_line::far_ahead, h.line);
        });
  }

  // A field that no line ever had is a wrong name.
  void expect_items(const logs::event_reader& reader) const {
    if (reader.counts().events == 0) return;
    const auto& fields = profile_->fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const bool waits =
          std::any_of(profile_->held().begin(), profile_->held().end(),
                      [i](const logs::held_event& e) { return e.items[i].has_value(); });
      if (fields[i].items.different() == 0 && !waits) reader.refuse_item(fields[i].name);
    }
  }

  void finish(logs::event_reader& reader) {
    const std::vector<logs::held_event> ahead = profile_->ahead_of(newest());
    if (input_.strict && !ahead.empty()) {
      reader.reject_earlier(logs::bad_line::far_ahead, ahead.front().line);
    }
    facts().bad_lines += reader.counts().bad_lines();
    if (reader.counts().events != 0) facts().zone = zone_text(reader.zone());
  }

  void save() {
    profile_->save(*writer_);
    writer_->checkpoint();
  }

  // The same answers as hot and heat give.
  void print(const printer& out, const logs::line_counts& counts) {
    const std::string held = held_text(profile_->ahead_of(newest()).size());
    if (!held.empty()) note(held);
    const profile_summary summary{.files = given_.files,
                                  .read = facts(),
                                  .counts = counts,
                                  .records_before = before_,
                                  .store = directory_};
    profile_->include_held(newest());
    profile_->compact();
    for (const std::string& text : over_budget_texts(*profile_)) note(text);
    out.print(report_of(summary, *profile_, rows_, out.how()));
  }

  instant newest() const { return profile_->newest().value_or(instant()); }
  store::facts& facts() { return writer_ ? writer_->about() : unsaved_; }
  store::log_zone zone() { return store::zone_of(facts()); }

  const typed& given_;
  wishes asked_;
  logs::input_options input_;
  std::uint64_t rows_;
  std::string directory_;
  std::optional<store::writer> writer_;
  store::facts unsaved_;  // what was read, if there is no store
  std::optional<store::resumption> memory_;
  kept_names names_;
  std::vector<std::string> kept_;  // items of one event, under their names in the store
  std::vector<std::string_view> kept_views_;
  std::optional<profile::profiler> profile_;
  std::uint64_t before_ = 0;  // records of a store that is continued
};

constexpr const char* examples =
    "bloomtime profile access.log                       hottest items; writes access.bloomtime\n"
    "bloomtime profile access.log.1.gz access.log --store site\n"
    "bloomtime profile access.log --item agent --item host,path\n"
    "bloomtime profile events.tsv --time 1 --item 2 --half-life 10m\n"
    "zcat old/*.gz | bloomtime profile - --store site   without --store: only print\n"
    "bloomtime generate | bloomtime profile";

}  // namespace

void add_profile(command& root, output_options& asked) {
  command& self =
      root.add("profile", "read logs, store their heat and history, show the hottest items");
  self.usage = "[FILE...] [--item FIELD]... [--store DIR]";
  self.examples = examples;
  self.details =
      "Reads events (one item or several, and a time) and keeps for each field the heat of its\n"
      "items (every event counts 2^(-age / half-life)) and their history. An existing store is\n"
      "continued, as if all events had been read at once; it is replaced as a whole at the end.\n"
      "It remembers the files that it has read, also under another name or compressed: only lines\n"
      "that are new are counted. A last line without a line end counts when it has one, or at "
      "once\n"
      "if the file is read for the first time and the line is valid. --again counts everything.\n"
      "Prints the hottest items, and for programs a second table with a row per field.\n"
      "Events stamped more than 24 hours ahead wait until later ones confirm them (counted) or "
      "not\n"
      "(rejected). Those that still wait at the end are kept and reported; with --strict they are\n"
      "an error.";
  self.keys = hot_keys();
  const entries of_fields{
      {"field, distinct", "second table: the field, its different items (estimated)"},
      {"heat_bytes, hot_bytes, history_bytes", "memory of its parts"},
      {"exact_bytes", "memory of exact counting in a map (estimated)"},
      {"held_back", "events that wait, of all fields"}};
  self.keys.insert(self.keys.end(), of_fields.begin(), of_fields.end());
  self.fields = {{"store", "directory that was written; null if none"},
                 {"lines, rejected", "of this run"},
                 {"records, records_before", "events in the store, and before this run"},
                 {"new_records", "the difference: 0 if no file has new lines"},
                 {"held_back", "events that wait to be confirmed"},
                 {"first_event, last_event, at", "microseconds since 1970"},
                 {"zone", "UTC offset of the last line"},
                 {"half_life_seconds, tick_seconds", "--half-life, --resolution"},
                 {"memory_bytes", "of heat"},
                 {"heat_asked_bytes, heat_over_bytes",
                  "--memory, and what exceeds it; asked is null without a limit"},
                 {"heat_given_up", "items given up in this run to keep --memory"},
                 {"history_bytes, history_asked_bytes, history_over_bytes",
                  "likewise; asked is null without a limit"},
                 {"items, fields", "one object per row of each table"}};
  const auto given = std::make_shared<typed>();
  self.arguments("FILE", given->files, "logs, read in order; - for standard input");
  self.text("--half-life", given->half_life, "TIME", "time in which heat halves (default 1h)");
  self.text("--resolution", given->resolution, "TIME", "length of a tick (default 1s)");
  self.text("--memory", given->memory, "SIZE", "limit for the heat of all fields (default: none)");
  self.text("--store", given->store, "DIR",
            "directory to write (default: access.bloomtime for access.log)");
  self.flag("--again", given->again, "count all lines, also those that the store has read");
  self.text("--seed", given->seed, "N",
            "seed of the hash (default 0); random if the log may be hostile");
  self.flag("--pseudonymise", given->pseudonymise,
            "keep keyed digests in place of the names of items; the key is kept in the store");
  self.text("--key", given->key, "FILE",
            "the same with the key in this file (32 hexadecimal digits), not in the store");
  self.text("-n", given->rows, "ROWS", "rows per field (default 10)");
  self.input(given->input);
  self.output(asked);
  self.act = [given](const printer& out) { return run(*given)(out); };
}

}  // namespace bloomtime::cli
