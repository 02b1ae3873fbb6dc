#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/dedupe/deduper.hpp"
#include "cli/dedupe/report.hpp"
#include "cli/dedupe/state.hpp"
#include "cli/output/render.hpp"
#include "cli/signals.hpp"
#include "cli/text.hpp"
#include "logs/event_reader.hpp"
#include "text/write_all.hpp"

namespace bloomtime::cli {
namespace {

using typed = dedupe_options;

instant wall_time() { return std::chrono::system_clock::now(); }

// Several items are one key; without any the whole line is.
logs::input_options reading_of(const typed& given, const dedupe_settings& settings) {
  logs::input_options input = given.input;
  input.whole_line = input.items.empty();
  input.items = {input.whole_line ? "line" : fmt::format("{}", fmt::join(input.items, ","))};
  input.needs_time = settings.time == time_source::lines;
  input.follow = given.follow;
  input.passes_bad = true;
  input.amount = given.cost_field;
  return input;
}

// -- the run -------------------------------------------------------------------------------------

class dedupe_run {
 public:
  dedupe_run(const typed& given, const output_options& asked, const printer& out)
      : given_(given),
        asked_(asked),
        out_(out),
        settings_(settings_of(given)),
        input_(reading_of(given, settings_)) {
    settings_.key = input_.items.front();
  }

  exit_status operator()() {
    if (!given_.state.empty()) state_.emplace(given_.state);
    reader_.emplace(input_, given_.files,
                    logs::listener{.note = notes(),
                                   .opened = [this](const auto& file,
                                                    const auto& layout) { begin(file, layout); },
                                   .stop = [this] { return attend(); }},
                    std::make_shared<logs::workers>(threads_of(given_.threads)));
    try {
      while (const logs::event* first = reader_->next_line()) pass_batch(first);
    } catch (...) {
      save_before_failing();
      if (output_closed_) end_by(SIGPIPE);
      throw;
    }
    if (!any_line_) out_.print(mark_);
    if (work_) {
      save();
    } else {
      work_.emplace(settings_);  // without input; a state stays as it is
    }
    work_->refresh_error();
    if (!given_.quiet) summarize();
    if (signals_.ending() != 0) end_by(signals_.ending());
    expect_judged();
    return work_->overloaded() || work_->full() ? overloaded : yes;
  }

 private:
  std::function<void(std::string_view)> notes() const {
    if (given_.quiet) return {};
    return note;
  }

  // A signal runs no destructors.
  void end_by(int number) {
    state_.reset();
    signal_watch::die_of(number);
  }

  // Lines that were written are remembered, whatever ends the run. The error is printed later.
  void save_before_failing() noexcept {
    if (!work_ || save_failed_) return;
    try {
      save();
    } catch (const std::bad_alloc&) {
      complain_of_memory();
    } catch (const std::exception& e) {
      complain(e.what());
    }
  }

  // A field that no line has was probably misspelt.
  void expect_judged() const {
    const dedupe_counts& c = work_->counts();
    if (!given_.cost_field.empty() && c.passed + c.dropped != 0 && own_costs_ == 0) {
      text::corrupt(
          "no line has a number above zero in the field {} of --cost-field, so all had the cost of "
          "--cost-loss; name another field",
          shown(given_.cost_field));
    }
    if (reader_->lacking().empty() || c.passed + c.dropped != 0) return;
    std::vector<std::string> parts;
    for (const logs::lacking_field& f : reader_->lacking()) {
      parts.push_back(fmt::format("{} {} no field {}", count_text(f.lines),
                                  f.lines == 1 ? "has" : "have", shown(f.name)));
    }
    const std::vector<std::string>& names = reader_->field_names();
    text::corrupt(
        "no line could be judged, and all were passed: {}{}; name other fields with --item "
        "and --time",
        fmt::join(parts, ", "),
        names.empty() ? "" : fmt::format("; it has {}", fmt::join(names, ", ")));
  }

  // Lines without a timestamp have the time of the wall clock; the first file decides.
  void begin(const std::string& file, const logs::line_layout& layout) {
    const bool untimed =
        settings_.time == time_source::lines && layout.time == logs::line_layout::none;
    if (work_ && untimed) {
      refuse(
          "{} has no timestamps, and the lines before it have; name the field with --time, or give "
          "--wall",
          file);
    }
    if (work_) return;
    if (untimed) {
      settings_.time = time_source::wall;
      if (!given_.late.empty()) {
        refuse("--late needs timestamps, and none were found; name the field with --time");
      }
    }
    work_.emplace(state_ ? state_->open(settings_) : deduper::fresh(settings_));
    reader_->hash_with(work_->filter().seed());
    if (!given_.quiet) note(plan_of(*work_));
    save_due_ = std::chrono::steady_clock::now() + save_period;
  }

  // -- lines -------------------------------------------------------------------------------------

  struct entry {
    std::string_view bytes;
    bool judged;
    bool begins;  // false for a further piece of a long line
    bool ends;
    std::size_t end = 0;  // in the output, behind it; 0 if it was dropped
  };

  // This line and those that have been read already.
  void pass_batch(const logs::event* next) {
    if (next->what == logs::event::kind::mark) {
      mark_ = next->raw.bytes();  // nothing may follow it
      return;
    }
    any_line_ = true;
    batch_.clear();
    judged_.clear();
    now_ = wall_time();
    try {
      for (; next != nullptr;
           next = batch_.size() < most_batch ? reader_->next_buffered() : nullptr)
        add(*next);
    } catch (...) {
      write_batch();
      throw;
    }
    write_batch();
  }

  // Whether the line equals the header of the first file that has one.
  bool repeats_header(const logs::event& next) {
    if (header_) return next.raw.what == logs::line::part::whole && next.text == *header_;
    if (next.what == logs::event::kind::header) header_ = next.text;
    return false;
  }

  // A cost of 0 or less would drop every line that may be a duplicate.
  std::optional<double> loss_of(const logs::event& next) {
    if (!next.amount || *next.amount <= 0) return std::nullopt;
    ++own_costs_;
    return next.amount;
  }

  void add(const logs::event& next) {
    if (repeats_header(next)) {
      ++repeated_headers_;
      return;
    }
    const bool judged = next.what == logs::event::kind::event;
    batch_.push_back({next.raw.bytes(), judged, next.begins, !next.raw.ending.empty()});
    if (judged) {
      judged_.push_back({next.digests.front(), next.at.value_or(now_), loss_of(next)});
    } else if (next.begins) {
      ++unjudged_;
    }
  }

  void write_batch() {
    verdicts_.resize(judged_.size());
    work_->judge(judged_, now_, verdicts_);
    work_->pass_unjudged(std::exchange(unjudged_, 0));
    compose_output();
    const write_result done = out_.try_print(output_);
    if (work_->overloaded() && !std::exchange(warned_of_error_, true)) note(overload_of(*work_));
    if (work_->full() && !std::exchange(warned_of_memory_, true)) note(fullness_of(*work_));
    if (done.reason == 0) return;
    take_back_behind(done.written);
    output_closed_ = done.reason == EPIPE;
    printer::fail(done.reason);
  }

  void compose_output() {
    output_.clear();
    std::size_t number = 0;
    for (entry& e : batch_) {
      const line_verdict verdict = e.judged ? verdicts_[number++] : line_verdict{};
      if (verdict.drop) continue;
      if (open_ && e.begins) output_ += '\n';
      if (settings_.count && e.begins)
        fmt::format_to(std::back_inserter(output_), "{}\t", verdict.suppressed);
      output_ += e.bytes;
      e.end = output_.size();
      open_ = !e.ends;
    }
  }

  // Lines that were not written to their end are not remembered.
  void take_back_behind(std::size_t written) {
    std::size_t number = 0;
    std::size_t first = judged_.size();
    std::uint64_t unjudged = 0;
    for (const entry& e : batch_) {
      if (e.end > written && e.judged) first = std::min(first, number);
      if (e.end > written && !e.judged && e.begins) ++unjudged;
      number += e.judged;
    }
    work_->take_back(std::span(judged_).subspan(first), std::span(verdicts_).subspan(first),
                     unjudged);
  }

  // -- between lines -----------------------------------------------------------------------------

  // Whether this is the end.
  bool attend() {
    if (signals_.take_summary_request() && work_) summarize();
    if (work_ && std::chrono::steady_clock::now() >= save_due_) {
      save_due_ = std::chrono::steady_clock::now() + save_period;
      if (work_->counts().lines() != saved_lines_) save();
    }
    return signals_.ending() != 0;
  }

  void summarize() {
    style how = out_.how();
    how.color = false;
    if (!asked_.json && !asked_.tsv) how.form = view::people;
    (void)write_all(STDERR_FILENO,
                    render(summary_of(*work_, reader_->lacking(), repeated_headers_), how));
  }

  void save() {
    saved_lines_ = work_->counts().lines();
    if (!state_) return;
    save_failed_ = true;
    state_->save(*work_);
    save_failed_ = false;
  }

  static constexpr std::size_t most_batch = 4096;
  static constexpr std::chrono::seconds save_period{60};

  const typed& given_;
  const output_options& asked_;
  const printer& out_;
  dedupe_settings settings_;
  logs::input_options input_;
  signal_watch signals_;
  std::optional<state_file> state_;
  std::optional<logs::event_reader> reader_;
  std::optional<deduper> work_;
  std::chrono::steady_clock::time_point save_due_;
  std::uint64_t saved_lines_ = 0;
  bool save_failed_ = false;
  bool output_closed_ = false;  // by whoever read it
  std::string mark_;            // of a file that has nothing but a byte order mark
  bool any_line_ = false;
  std::optional<std::string> header_;  // of the first file that has one
  std::uint64_t repeated_headers_ = 0;

  std::vector<entry> batch_;
  std::vector<judged_line> judged_;
  std::vector<line_verdict> verdicts_;
  std::string output_;
  instant now_;
  std::uint64_t unjudged_ = 0;   // lines of this batch
  std::uint64_t own_costs_ = 0;  // lines that have a number in the field of --cost-field
  bool warned_of_error_ = false;
  bool warned_of_memory_ = false;
  bool open_ = false;  // the last line that was passed had no end: that of its file came first
};

constexpr const char* dedupe_examples =
    "tail -F access.log | bloomtime dedupe --window 10m --item host,path\n"
    "bloomtime dedupe --follow access.log --window 10m --item host,path    the same\n"
    "bloomtime dedupe webhooks.ndjson --item id --window 1d > once.ndjson  each delivery once\n"
    "bloomtime dedupe --format tsv --time 1 --item 2 --window 600s < in > out\n"
    "bloomtime dedupe --last 10M < lines                  awk '!seen[$0]++', in little memory\n"
    "bloomtime dedupe --window 1h --no-refresh --state alerts.state < alerts    once an hour each";

constexpr const char* dedupe_details =
    R"(Passes a line if its key was not seen within the window before it, byte for byte and in
order. The key is the whole line, or the fields of --item together.

seen within the window    always dropped
not seen                  dropped by mistake with probability --error or less; with more than
                          --expect different keys in a window the error grows with their number, a
                          warning is printed at once and the exit status is 3
end of the window         at most 1/600 of it late, 1/100 with the wall clock
memory                    starts with kilobytes and grows with the different keys in a window, up
                          to --memory. When that is full a warning is printed at once and the exit
                          status is 3: the keys seen longest ago are forgotten early, so that
                          their duplicates pass and no new line is dropped. With --when-full drop
                          nothing is forgotten, and new lines are dropped
without key or time       passed and counted; also lines of more than 1 MiB. --rejects copies
                          them, --strict stops at the first. A field that no line has is an error
header of CSV and TSV     passed; further lines that equal it are left out and counted as headers
--late                    for a line older than one before it: now judges it as if it came with
                          that one; pass and drop do so without remembering it
--state                   keeps what is remembered in a file, replaced as a whole every minute and
                          at the end, also when the run fails: lines that were written are
                          remembered, others are not. One process at a time may use it. It also
                          has the seed and the lines dropped in each minute of the last 42 days.
                          Another run continues it; --follow reads its file from the beginning
--seed N                  gives the same answers in every run. Anyone who knows it can make lines
                          that are dropped by mistake; by default it is random, one for each state
--cost-duplicate,         choose the answer with the lower expected cost, given the share of
--cost-loss               duplicates so far
--cost-field FIELD        the cost of losing this line, a number above zero; lines without one
                          have --cost-loss. A field in which no line has one is an error

The summary is printed on standard error at the end, unless --quiet, and on SIGUSR1; with --json
as one object:
{"schema": 2, "command": "dedupe", "key", "times" (lines, wall or none), "window_seconds",
 "refresh", "target_error", "summary": [{"lines", "passed", "dropped", "dropped_share",
 "unjudged", "late", "expected_wrong", "error_now", "overloaded", "memory_bytes",
 "forgotten_early", "dropped_full" (of "dropped", because the memory was full), "expect",
 "most_drops_per_minute", "repeated_headers"}],
 "lacking": [{"field", "lines"}] if lines lack fields})";

}  // namespace

void add_dedupe(command& root, output_options& asked) {
  command& self = root.add("dedupe", "pass lines whose key was not seen within a window");
  self.usage = "[FILE...] --window TIME [--item FIELD]... [--state FILE]";
  self.examples = dedupe_examples;
  self.details = dedupe_details;
  const auto given = std::make_shared<typed>();
  self.arguments("FILE", given->files, "one after the other; - for standard input");
  self.text("--window", given->window, "TIME", "a key passes once within this time: 600s, 10m, 1d");
  self.text("--last", given->last, "N",
            "the same in lines; with --no-refresh in lines that passed");
  self.text("--expect", given->expect, "N",
            "different keys within a window; fewer than the default of 100M save memory");
  self.text("--memory", given->memory, "SIZE", "the most memory: 64MiB (default: no limit)");
  self.text("--when-full", given->when_full, "POLICY",
            "at --memory: pass new lines and forget old ones (default), or drop new ones",
            {"pass", "drop"});
  self.text("--error", given->error, "E", "probability to drop a new line (default 1e-6)");
  self.flag("--refresh", given->refresh, "every sighting restarts the window (default)");
  self.flag("--no-refresh", given->no_refresh, "only a line that passes starts a window");
  self.flag("--wall", given->wall, "use the wall clock instead of timestamps");
  self.text("--late", given->late, "POLICY", "lines older than one before: now, pass or drop",
            {"now", "pass", "drop"});
  self.flag("--follow", given->follow, "wait for more at the end, also across rotation");
  self.text("--state", given->state, "FILE",
            "keep what was seen, and drops per minute, across runs");
  self.flag("--count", given->count,
            "print before each line how many of its key were dropped, and a tab");
  self.flag("--quiet", given->quiet, "no messages but warnings and errors, and no summary");
  self.text("--cost-duplicate", given->cost_duplicate, "X", "cost of a duplicate that passes");
  self.text("--cost-loss", given->cost_loss, "Y", "cost of a new line that is dropped");
  self.text("--cost-field", given->cost_field, "FIELD",
            "field with the cost of dropping the line, in place of --cost-loss");
  self.text("--seed", given->seed, "N", "seed of the hash (default: random)");
  self.threads(given->threads);
  self.input(given->input);
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return dedupe_run(*given, asked, out)(); };
}

}  // namespace bloomtime::cli
