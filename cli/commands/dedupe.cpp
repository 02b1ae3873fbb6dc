#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include <bloomtime/error.hpp>

#include "cli/command.hpp"
#include "cli/dedupe/deduper.hpp"
#include "cli/dedupe/line_keys.hpp"
#include "cli/dedupe/options.hpp"
#include "cli/dedupe/report.hpp"
#include "cli/dedupe/signals.hpp"
#include "cli/dedupe/state_file.hpp"
#include "cli/output/render.hpp"
#include "logs/byte_source.hpp"
#include "logs/format.hpp"
#include "logs/lines.hpp"
#include "text/number.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"
#include "text/write_all.hpp"

namespace bloomtime::cli {
namespace {

using typed = dedupe_options;

instant wall_time() { return std::chrono::system_clock::now(); }

// -- the run -------------------------------------------------------------------------------------

class run {
 public:
  run(const typed& given, const output_options& asked, const printer& out)
      : given_(given),
        asked_(asked),
        out_(out),
        settings_(settings_of(given)),
        keys_(given.input,
              settings_.time == time_source::lines
                  ? (given.input.time.empty() ? line_keys::times::if_any : line_keys::times::needed)
                  : line_keys::times::none) {}

  exit_status operator()() {
    std::vector<std::string> files = given_.files;
    if (files.empty()) {
      if (::isatty(STDIN_FILENO) == 1) {
        throw usage_error("there is nothing to read: name a file, or send lines through a pipe");
      }
      files.emplace_back("-");
    }
    for (const std::string& file : files) {
      (void)expect_readable(file);
      if (!given_.input.rejects.empty()) expect_other_file(given_.input.rejects, file);
    }
    if (!given_.state.empty()) state_.emplace(given_.state);
    if (!given_.input.rejects.empty()) {
      rejects_ = std::make_unique<rejects_file>(given_.input.rejects);
    }
    try {
      for (const std::string& file : files) {
        if (signals_.ending() == 0) read(file);
      }
      if (rejects_) rejects_->close();
    } catch (...) {
      save_before_failing();
      if (output_closed_) end_by(SIGPIPE);
      throw;
    }
    if (work_) {
      save();
    } else {
      work_.emplace(settings_);  // of nothing; a state stays as it is
    }
    work_->refresh_error();
    summarize();
    if (signals_.ending() != 0) end_by(signals_.ending());
    expect_judged();
    return work_->overloaded() ? overloaded : yes;
  }

 private:
  // A signal runs no destructors.
  void end_by(int number) {
    state_.reset();
    signal_watch::die_of(number);
  }

  // What was written is remembered, whatever ends the run. The sentence that says why comes later.
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

  // A field that no line has is a mistake in the question.
  void expect_judged() const {
    const dedupe_counts& c = work_->counts();
    if (keys_.lacking().empty() || c.passed + c.dropped != 0) return;
    std::vector<std::string> parts;
    for (const lacking_field& f : keys_.lacking()) {
      parts.push_back(fmt::format("{} {} no field {}", count_text(f.lines),
                                  f.lines == 1 ? "has" : "have", shown(f.name)));
    }
    throw error(errc::corrupt,
                fmt::format("no line could be judged, and all were passed: {}{}; name other fields "
                            "with --item and --time",
                            fmt::join(parts, ", "), first_lacking_));
  }

  void read(const std::string& path) {
    byte_source source(path);
    source.allow_memory(unpack_memory_of(given_.input));
    source.stop_if([this] { return attend(); });
    if (given_.follow) source.follow();
    line_reader lines(source);
    const std::string_view ahead = lines.look_ahead();
    const std::string_view beginning = without_mark(ahead);
    if (interrupted(ahead)) return;
    if (beginning.empty()) return out_.print(ahead);
    const std::string told = keys_.begin(source.name(), first_lines(beginning));
    if (!work_) {
      note(told);
      begin();
    }
    line next;
    // Lines that have come are judged before the end; what has no end yet is not a line.
    while (signals_.ending() == 0 ? lines.next(next) : lines.next_buffered(next)) {
      if (interrupted(next.bytes())) break;
      batch_.clear();
      add(next);
      while (batch_.size() < most_batch && lines.next_buffered(next)) add(next);
      write_batch();
      (void)attend();
    }
  }

  // Whether the end was asked for before that of this line came.
  bool interrupted(std::string_view bytes) const {
    return signals_.ending() != 0 && bytes.find('\n') == std::string_view::npos;
  }

  // Lines without a time have that of the wall; whether they do is known with the first of them.
  void begin() {
    if (settings_.time == time_source::lines && !keys_.has_times()) {
      settings_.time = time_source::wall;
      if (!given_.late.empty()) {
        throw usage_error(
            "the lines have no time that is known, so none is late; say with --time in "
            "which field it stands");
      }
    }
    keys_.keep_source_of_time();
    settings_.key = keys_.key();
    work_.emplace(state_ ? state_->open(settings_) : deduper::fresh(settings_));
    keys_.use_seed(work_->filter().seed());
    note(plan_of(*work_));
    save_due_ = std::chrono::steady_clock::now() + save_period;
  }

  // -- lines -------------------------------------------------------------------------------------

  struct entry {
    std::string_view bytes;
    bool judged;
    bool begins;  // a line, or goes on with one that is too long
    bool ends;
    std::size_t end = 0;  // in the output, behind it; 0 if it was dropped
  };

  void add(const line& next) {
    if (batch_.empty()) {
      judged_.clear();
      now_ = wall_time();
    }
    entry e{next.bytes(), false, !inside_long_line_, !next.ending.empty()};
    judged_line key{.key = {}, .at = now_};
    std::optional<bad_line> bad = bad_line::too_long;
    if (next.first) header_due_ = keys_.header();
    if (next.what == line::part::whole) {
      const std::string_view text = next.first ? without_mark(next.text) : next.text;
      if (header_due_ && !text.empty()) {
        header_due_ = false;
        batch_.push_back(e);
        ++unjudged_;
        return;
      }
      bad = keys_.read(text, key.key, key.at);
    }
    if (bad) {
      // A long line is one line, however many pieces it comes in.
      if (!inside_long_line_) {
        reject(*bad, next);
      } else if (rejects_) {
        rejects_->add(next.bytes(), false);
      }
      inside_long_line_ = next.what == line::part::piece;
    } else {
      e.judged = true;
      judged_.push_back(key);
    }
    batch_.push_back(e);
  }

  void reject(bad_line reason, const line& next) {
    const bool lacks = reason == bad_line::no_item || reason == bad_line::no_time;
    const std::string what = lacks ? "has no field " + shown(keys_.lacking_now().name)
                                   : fmt::format("is {}", described(reason));
    if (given_.input.strict) {
      write_batch();
      throw error(errc::corrupt,
                  fmt::format("line {} {}; without --strict such lines are passed and counted",
                              work_->counts().lines() + 1, what));
    }
    ++unjudged_;
    if (lacks && keys_.lacking_now().lines == 1) tell_lacking(what, next.text);
    if (rejects_) rejects_->add(next.bytes(), true);
  }

  // Once for each field, with the first line that lacks it.
  void tell_lacking(const std::string& what, std::string_view text) {
    const std::string fields = keys_.fields_of(text);
    if (keys_.lacking().size() == 1) first_lacking_ = fields;
    note(fmt::format("dedupe: line {} {}{}; such lines are passed and not judged",
                     count_text(work_->counts().lines() + batch_.size() + 1), what, fields));
  }

  void write_batch() {
    verdicts_.resize(judged_.size());
    work_->judge(judged_, now_, verdicts_);
    work_->pass_unjudged(std::exchange(unjudged_, 0));
    compose_output();
    const write_result done = out_.try_print(output_);
    if (work_->overloaded() && !std::exchange(warned_, true)) note(overload_of(*work_));
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
    (void)write_all(STDERR_FILENO, render(summary_of(*work_, keys_.lacking()), how));
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
  line_keys keys_;
  signal_watch signals_;
  std::optional<state_file> state_;
  std::unique_ptr<rejects_file> rejects_;
  std::optional<deduper> work_;
  std::chrono::steady_clock::time_point save_due_;
  std::uint64_t saved_lines_ = 0;
  bool save_failed_ = false;
  bool output_closed_ = false;  // by whoever read it

  std::vector<entry> batch_;
  std::vector<judged_line> judged_;
  std::vector<line_verdict> verdicts_;
  std::string output_;
  instant now_;
  std::uint64_t unjudged_ = 0;  // lines of this batch
  std::string first_lacking_;   // what the first line that lacked a field has
  bool header_due_ = false;
  bool inside_long_line_ = false;
  bool warned_ = false;
  bool open_ = false;  // the last line that was passed had no end: that of its file came first
};

constexpr const char* examples =
    "tail -F access.log | bloomtime dedupe --window 10m --item host,path\n"
    "bloomtime dedupe --follow access.log --window 10m --item host,path    the same\n"
    "bloomtime dedupe webhooks.ndjson --item id --window 1d > once.ndjson  each delivery once\n"
    "bloomtime dedupe --format tsv --time 1 --item 2 --window 600s < in > out\n"
    "bloomtime dedupe --last 10M < lines                  awk '!seen[$0]++', in little memory\n"
    "bloomtime dedupe --window 1h --no-refresh --state alerts.state < alerts    once an hour each";

constexpr const char* details =
    "Passes a line if its key was not seen within the window before it, byte for byte and in "
    "order.\n"
    "The key is the whole line, or the fields of --item together. What was seen within the window "
    "is\n"
    "always dropped; another line is dropped by mistake with the chance --error if no more lines "
    "come\n"
    "within a window than --expect says. If more do, mistakes become more frequent: that is "
    "written\n"
    "to standard error at once, and the exit status is 3. The summary tells how many mistakes are "
    "to\n"
    "be expected. A window ends at most 1/600 of it late, and 1/100 by the clock on the wall. "
    "Lines without the key or with a time that cannot be read are\n"
    "passed and counted; so are lines of more than 1 MiB. --rejects and --strict concern both.\n"
    "A field that no line has is an error.\n"
    "The header of CSV and TSV is always passed.\n"
    "--late says what becomes of a line older than one before it: now judges it as if it came "
    "with\n"
    "that one; pass and drop do so without remembering it.\n"
    "--state keeps all that is remembered in a file, replaced as a whole every minute and at the "
    "end,\n"
    "also when the run fails: lines that were written are remembered, others are not. One process\n"
    "at a time may use it. It has the number of lines dropped in each minute of the last 42 days,\n"
    "and the seed. Another run continues it, but --follow reads its file from the beginning.\n"
    "--seed N gives the same answers in every run. Whoever knows it can make lines that are "
    "dropped\n"
    "wrongly; without it, it is drawn at random, once for each state.\n"
    "--cost-duplicate and --cost-loss weigh what is likely against what it costs: of the two "
    "answers\n"
    "the one that is cheaper on average is taken, given how many lines were duplicates so far.\n"
    "The summary comes on standard error at the end and on SIGUSR1; with --json as one object:\n"
    "{\"schema\": 2, \"command\": \"dedupe\", \"key\", \"times\" (lines, wall or none), "
    "\"window_seconds\",\n"
    " \"refresh\", \"target_error\", \"summary\": [{\"lines\", \"passed\", \"dropped\", "
    "\"dropped_share\",\n"
    " \"unjudged\", \"late\", \"expected_wrong\", \"error_now\", \"overloaded\", "
    "\"memory_bytes\",\n"
    " \"expect\", \"most_drops_per_minute\"}], \"lacking\": [{\"field\", \"lines\"}] if lines lack "
    "fields}";

}  // namespace

void add_dedupe(command& root, output_options& asked) {
  command& self = root.add("dedupe", "pass lines whose key was not seen within a window");
  self.usage = "[FILE...] --window TIME [--item FIELD]... [--state FILE]";
  self.examples = examples;
  self.details = details;
  const auto given = std::make_shared<typed>();
  self.files(given->files, "one after the other; - for standard input");
  self.text("--window", given->window, "TIME", "within which a key passes once: 600s, 10m, 1d");
  self.text("--last", given->last, "N",
            "the same in lines; with --no-refresh in lines that passed");
  self.text("--expect", given->expect, "N", "lines within a window: 1M unless given");
  self.text("--error", given->error, "E", "chance to drop another line: 1e-6 unless given");
  self.flag("--refresh", given->refresh, "every sighting begins the window anew (the default)");
  self.flag("--no-refresh", given->no_refresh, "only a line that passes begins a window");
  self.flag("--wall", given->wall, "by the clock on the wall, not by the times of the lines");
  self.text("--late", given->late, "POLICY", "lines older than one before: now, pass or drop",
            {"now", "pass", "drop"});
  self.flag("--follow", given->follow, "wait for more at the end, also across rotation");
  self.text("--state", given->state, "FILE", "kept across restarts, with drops per minute");
  self.flag("--count", given->count,
            "before each line how many of its key were dropped, and a tab");
  self.text("--cost-duplicate", given->cost_duplicate, "X", "what a duplicate that passes costs");
  self.text("--cost-loss", given->cost_loss, "Y", "what a line that is lost costs");
  self.text("--seed", given->seed, "N", "of the hash: drawn at random unless given");
  self.input(given->input);
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return run(*given, asked, out)(); };
}

}  // namespace bloomtime::cli
