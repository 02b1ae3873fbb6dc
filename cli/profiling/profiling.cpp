#include "cli/profiling/profiling.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/kept_names.hpp"
#include "cli/asking/opened_store.hpp"
#include "cli/live/session.hpp"
#include "cli/live/terminal.hpp"
#include "cli/output/profile_report.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/timeline_report.hpp"
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

// Options; nothing where none was given.
struct wishes {
  std::optional<microseconds> half_life;
  std::optional<microseconds> resolution;
  std::optional<std::uint64_t> memory;
  std::optional<microseconds> keep;   // 0: all
  std::optional<std::uint64_t> seed;  // also nothing for "random"
};

std::optional<microseconds> span_of(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_span(option, text);
}

std::optional<microseconds> keep_of(const std::string& text) {
  return text == "all" ? microseconds(0) : span_of("--keep", text);
}

wishes wishes_of(const profile_options& given) {
  return {.half_life = span_of("--half-life", given.half_life),
          .resolution = span_of("--resolution", given.resolution),
          .memory = given.memory.empty() ? std::nullopt
                                         : std::optional(parse_bytes("--memory", given.memory)),
          .keep = keep_of(given.keep),
          .seed = given.seed.empty() ? std::nullopt : store::parse_seed(given.seed)};
}

// -- where it is kept ----------------------------------------------------------------------------

// access.log.gz becomes access.bloomtime beside it. Empty for standard input. Rotated logs differ
// in what follows the name, as access.log.1 and access.log-20140131 do: that stays.
std::string default_store(const std::vector<std::string>& files) {
  if (files.empty() || files.front() == "-") return "";
  fs::path name = files.front();
  for (const char* packed : {".gz", ".bz2", ".xz", ".zst", ".zip"}) {
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

// A new store of a condition that no line fulfils would have read the log without an event of it.
void expect_included(const logs::event_reader& reader) {
  const logs::line_counts& counts = reader.counts();
  if (counts.events != 0 || counts.excluded == 0) return;
  refuse("--where excludes all {} lines that can be read; check the field and the value",
         count_text(counts.excluded));
}

// -- following ---------------------------------------------------------------------------------

// A screen is for people who did not ask for tables one after the other.
live::settings live_settings(const profile_options& given, const output_options& asked,
                             const style& how) {
  const bool screen = how.form == view::people && !asked.table && live::terminal::usable();
  const std::string usual = screen ? "1s" : "10s";
  const auto& files = given.files;
  return {
      .screen = screen,
      .input_is_log = files.empty() || std::find(files.begin(), files.end(), "-") != files.end(),
      .every = parse_pause("--every", given.every.empty() ? usual : given.every),
      .rows = parse_count("-n", given.rows),
      .checkpoint = parse_pause("--checkpoint", given.checkpoint)};
}

// -- the run -------------------------------------------------------------------------------------

class run {
 public:
  run(const profile_options& given, const output_options& asked, display_maker shows = {})
      : given_(given),
        output_(asked),
        shows_(std::move(shows)),
        asked_(wishes_of(given)),
        input_(given.input),
        rows_{parse_count("-n", given.rows), parse_order(given.by)},
        directory_(given.store.empty() ? default_store(given.files) : given.store),
        seed_(given.seed.empty() ? store::default_seed
                                 : asked_.seed.value_or(store::random_seed())) {
    input_.partial = true;
    input_.follow = given.follow;
    if (!given.every.empty() && !given.follow) refuse("--every needs --follow");
    input_.web = true;
    by_ = std::make_shared<logs::workers>(threads_of(given.threads));
    expect_different(input_.items);
    (void)settings_of(asked_, std::max<std::size_t>(1, input_.items.size()));
  }

  exit_status operator()(const printer& out) {
    open_store();
    if (given_.follow) return follow(out);
    progress shown_progress("profile");
    logs::event_reader reader(input_, files(), remembering(shown_progress.reports()), by_);
    hash(reader);
    while (const logs::event* e = reader.next()) add(*e, reader);
    // A line that is added to a log that was read before may be a bad one.
    if (!memory_ || !memory_->continued()) expect_events(reader);
    if (!writer_ || !writer_->continues()) expect_included(reader);
    if (!profile_) begin(reader.item_names());
    expect_items(reader);
    expect_none_ahead(reader);
    finish(reader);
    if (writer_ && (!writer_->continues() || reader.counts().lines != 0 || memory_->changed() ||
                    keep_changed_)) {
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
  // By the threads that parse. Pseudonyms are made later, and hashed then.
  void hash(logs::event_reader& reader) {
    if (!facts().pseudonyms) reader.hash_with(profile_ ? profile_->seed() : hash_seed(seed_));
  }

  // A field that no line has had yet may come, so it is no error here.
  exit_status follow(const printer& out) {
    const logs::event_reader* reading = nullptr;
    live::settings how = live_settings(given_, output_, out.how());
    how.screen = how.screen && !shows_;
    how.shows = shows_;
    live::session session(how, live_source(reading), out);
    logs::event_reader reader(input_, files(), remembering(session.listens()), by_);
    hash(reader);
    reading = &reader;
    while (const logs::event* e = reader.next()) add(*e, reader);
    session.finish();
    if (!memory_ || !memory_->continued()) expect_events(reader);
    if (profile_) {
      finish(reader);
      if (writer_) save();
      if (how.screen) print_end(out, reader.counts());
    }
    if (session.ended_by() != 0) {
      writer_.reset();  // a signal runs no destructors
      signal_watch::die_of(session.ended_by());
    }
    return yes;
  }

  live::source live_source(const logs::event_reader*& reading) {
    return {.orders = live_orders(),
            .lines = [&reading] { return reading->counts().lines; },
            .newest = [this] { return profile_ ? profile_->newest() : std::nullopt; },
            .profile = [this, &reading](const auto& wish) { return live_report(wish, *reading); },
            .timeline = [this](const auto& wish) { return live_timeline(wish); },
            .save =
                [this, &reading] {
                  if (!writer_) return;
                  reading->tell_reached();
                  finish(*reading);
                  save();
                },
            .settle =
                [this] {
                  if (profile_) profile_->flush();
                },
            .page =
                [this, &reading](const auto& visit) {
                  if (!profile_ || reading == nullptr) return;
                  const profile_summary summary = summary_of(reading->counts());
                  visit({summary, *profile_, writer_->totals()});
                }};
  }

  // The one of --by first. A store without totals or a history has fewer.
  std::vector<std::string> live_orders() const {
    std::vector<std::string> orders{given_.by};
    const profile::field_profile* const field = profile_ ? &profile_->fields().front() : nullptr;
    for (const char* other : {"heat", "total", "trend", "new"}) {
      const profile::order by = parse_order(other);
      const bool lacks_totals = field != nullptr && !field->totals && by == profile::order::total;
      const bool lacks_history = field != nullptr && !field->past && by == profile::order::newest;
      if (by != rows_.by && !lacks_totals && !lacks_history) orders.emplace_back(other);
    }
    return orders;
  }

  report live_report(const live::source::wish& wish, const logs::event_reader& reader) {
    profile_->flush();
    profile_summary summary = summary_of(reader.counts());
    summary.at = wish.at;
    const profile::order by = parse_order(live_orders()[wish.order]);
    return report_of(summary, *profile_, {wish.rows, by}, wish.how);
  }

  report live_timeline(const live::source::item_wish& wish) {
    profile_->flush();
    const profile::field_profile& field = profile_->fields()[wish.field];
    report r{.command = "timeline", .title = wish.item};
    if (!field.past || wish.item.size() >= hot_list::longest_text || !facts().first_event) {
      r.notes.emplace_back(field.past ? "too long to be looked up: only its beginning is kept"
                                      : "this store has no history");
      return r;
    }
    const tick_clock& clock = field.past->clock();
    interval whole = clock.covering(*facts().first_event, newest());
    whole.first = std::max(whole.first, field.past->known_from());
    const found_times f = find_times(*field.past, wish.item, whole, wish.bars);
    r.title = times_title(wish.item, f, clock, zone());
    r.tables = {times_picture(f, clock, zone()), intervals_table(f, clock, zone(), wish.rows)};
    return r;
  }

  // What stays on the terminal when the screen is gone.
  void print_end(const printer& out, const logs::line_counts& counts) {
    report r = report_of(summary_of(counts), *profile_, {.number = 0}, out.how());
    r.closing.insert(r.closing.begin(), r.title);
    out.print({.command = r.command, .closing = r.closing});
  }

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
    profile_->work_with(by_);
    expect_settings(directory_, profile_->settings(), asked_);
    keep_history();
    expect_same(directory_, "the seed", fmt::format("{}", profile_->seed().value()),
                fmt::format("{}", asked_.seed.value_or(profile_->seed().value())));
    const std::vector<std::string>& kept = writer_->about().items;
    if (!input_.items.empty()) {
      expect_same(directory_, "the items", fmt::format("{}", fmt::join(kept, " and ")),
                  fmt::format("{}", fmt::join(input_.items, " and ")));
    }
    input_.items = kept;
    before_ = writer_->about().records;
    bad_before_ = writer_->about().bad_lines;
    facts().offsets = store::offsets_of(facts(), profile_->held());
    const auto newest = profile_->newest();
    note(fmt::format("{}: continued; it has {} records{}", directory_, count_text(before_),
                     newest ? ", up to " + time_text(*newest, zone()) : ""));
    note_missing();
  }

  // An existing store goes on as it was begun.
  void choose_names() {
    const bool wanted = given_.pseudonymise || !given_.key_file.empty();
    if (writer_ && writer_->continues()) {
      if (wanted && !facts().pseudonyms) {
        refuse("{} keeps the names of items; use another --store with --pseudonymise", directory_);
      }
      names_ = kept_names(facts(), directory_, given_.key_file);
    } else if (wanted) {
      const store::pseudonyms made =
          given_.key_file.empty() ? store::pseudonyms::random() : read_key(given_.key_file);
      facts().pseudonyms = {given_.key_file.empty() ? made.text() : "", made.check()};
      names_ = kept_names(facts(), directory_, given_.key_file);
    }
  }

  // The event as it is kept: with pseudonyms, and without the line, which has the names.
  const logs::event& as_kept(const logs::event& e) {
    if (!facts().pseudonyms) return e;
    logs::event& kept = kept_event_ = e;
    kept_.assign(e.items.size(), "");
    kept_views_.clear();
    for (std::size_t i = 0; i < e.items.size(); ++i) {
      if (e.present[i]) kept_[i] = names_.of(e.items[i]);
      kept_views_.push_back(kept_[i]);
    }
    kept.items = kept_views_;
    kept.digests = {};
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

  // A listener that also remembers how far each file is read.
  logs::listener remembering(logs::listener told) {
    if (!memory_) return told;
    told.start = [this](const std::string& file) { return memory_->start(file); };
    told.finished = [this](const logs::file_reading& read) { memory_->finished(read); };
    return told;
  }

  // A history that began now would answer "no" for everything before, and totals would be too low.
  void note_missing() const {
    const profile::field_profile& f = profile_->fields().front();
    if (f.past && f.totals) return;
    note(
        fmt::format("{}: this store was created by an older version and has no {}; use a new "
                    "--store to record {}",
                    directory_,
                    f.totals ? "history"
                    : f.past ? "totals"
                             : "history or totals",
                    f.past || f.totals ? (f.past ? "them" : "it") : "both"));
  }

  void begin(const std::vector<std::string>& fields) {
    if (fields.empty()) {
      refuse("the input is empty");
    }
    profile_.emplace(settings_of(asked_, fields.size()), fields, seed_);
    profile_->work_with(by_);
    facts().items = fields;
    keep_history();
  }

  // As long as --keep says, or as the store did before.
  void keep_history() {
    keep_changed_ = asked_.keep && *asked_.keep != facts().keep;
    facts().keep = asked_.keep.value_or(facts().keep);
    profile_->keep_history(facts().keep);
  }

  void add(const logs::event& e, logs::event_reader& reader) {
    if (!e.at) reader.refuse_untimed("profile");
    if (!profile_) begin(reader.item_names());
    facts().offsets->add(*e.at, e.offset);
    profile_->add(
        as_kept(e), [this](instant t) { writer_ ? writer_->count(t) : unsaved_.count(t); },
        [&](const logs::held_event& h) {
          reader.reject_earlier(logs::bad_line::far_ahead, h.line);
        });
  }

  // A field that no line ever had is a wrong name.
  void expect_items(const logs::event_reader& reader) {
    if (reader.counts().events == 0) return;
    profile_->flush();
    const auto& fields = profile_->fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const bool waits =
          std::any_of(profile_->held().begin(), profile_->held().end(),
                      [i](const logs::held_event& e) { return e.items[i].has_value(); });
      if (fields[i].items.different() == 0 && !waits) reader.refuse_item(fields[i].name);
    }
  }

  void expect_none_ahead(logs::event_reader& reader) const {
    const std::vector<logs::held_event> ahead = profile_->ahead_of(newest());
    if (input_.strict && !ahead.empty()) {
      reader.reject_earlier(logs::bad_line::far_ahead, ahead.front().line);
    }
  }

  // So far.
  void finish(const logs::event_reader& reader) {
    facts().bad_lines = bad_before_ + reader.counts().bad_lines();
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
    const profile_summary summary = summary_of(counts);
    profile_->include_held(newest());
    profile_->compact();
    for (const std::string& text : over_budget_texts(*profile_)) note(text);
    if (const std::uint64_t old = profile_->too_old(); old != 0) {
      note(
          fmt::format("{} event{} older than the history that is kept: heat and totals count them, "
                      "seen and timeline do not know them",
                      count_text(old), old == 1 ? " is" : "s are"));
    }
    out.print(report_of(summary, *profile_, rows_, out.how()));
  }

  profile_summary summary_of(const logs::line_counts& counts) {
    return {.files = given_.files,
            .read = facts(),
            .counts = counts,
            .records_before = before_,
            .store = directory_};
  }

  instant newest() const { return profile_->newest().value_or(instant()); }
  store::facts& facts() { return writer_ ? writer_->about() : unsaved_; }
  store::log_zone zone() { return store::zone_of(facts()); }

  const profile_options& given_;
  const output_options& output_;
  display_maker shows_;  // in place of a screen or reports
  wishes asked_;
  logs::input_options input_;
  shown_rows rows_;
  std::string directory_;
  std::optional<store::writer> writer_;
  store::facts unsaved_;  // what was read, if there is no store
  std::optional<store::resumption> memory_;
  kept_names names_;
  logs::event kept_event_;
  std::vector<std::string> kept_;  // its items, under their names in the store
  std::vector<std::string_view> kept_views_;
  std::uint64_t seed_;  // of a new profile
  std::shared_ptr<logs::workers> by_;
  std::optional<profile::profiler> profile_;
  std::uint64_t before_ = 0;      // records of a store that is continued
  std::uint64_t bad_before_ = 0;  // its bad lines
  bool keep_changed_ = false;     // the store kept another length of history
};

}  // namespace

std::chrono::seconds parse_pause(const char* option, const std::string& text) {
  constexpr std::uint64_t most = 1'000'000'000;
  return std::chrono::seconds(std::min(most, parse_seconds(option, text)));
}

exit_status profile_logs(const profile_options& given, const output_options& asked,
                         const printer& out) {
  return run(given, asked)(out);
}

exit_status follow_logs(const profile_options& given, const output_options& asked,
                        const display_maker& shows, const printer& out) {
  return run(given, asked, shows)(out);
}

}  // namespace bloomtime::cli
