#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/error.hpp>

#include "cli/command.hpp"
#include "cli/commands/dedupe_report.hpp"
#include "cli/dedupe/deduper.hpp"
#include "cli/dedupe/line_keys.hpp"
#include "cli/dedupe/signals.hpp"
#include "cli/input/byte_source.hpp"
#include "cli/input/format.hpp"
#include "cli/input/lines.hpp"
#include "cli/output/render.hpp"
#include "cli/output/text.hpp"
#include "cli/output/write_all.hpp"
#include "cli/process.hpp"
#include "cli/quantity.hpp"
#include "cli/usage_error.hpp"

namespace bloomtime::cli {
namespace {

using std::chrono::microseconds;

struct typed {
  std::vector<std::string> files;
  input_options input;
  std::string window;
  std::string last;
  std::string expect;
  std::string error = "1e-6";
  bool refresh = false;
  bool no_refresh = false;
  bool wall = false;
  std::string late;
  bool follow = false;
  std::string state;
  bool count = false;
  std::string cost_duplicate;
  std::string cost_loss;
};

instant wall_time() { return std::chrono::system_clock::now(); }

// -- what was asked for --------------------------------------------------------------------------

constexpr std::uint64_t default_expect = 1'000'000;

double parse_cost(const char* option, const std::string& text) {
  char* end = nullptr;
  const double cost = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && std::isfinite(cost) && cost > 0) return cost;
  throw usage_error(fmt::format("{} must be a number above zero, as in {} 10, got {}", option,
                                option, shown(text)));
}

std::optional<math::penalties> costs_of(const typed& given) {
  if (given.cost_duplicate.empty() && given.cost_loss.empty()) return std::nullopt;
  if (given.cost_duplicate.empty() || given.cost_loss.empty()) {
    throw usage_error(
        "costs are weighed against each other: give both, as in --cost-duplicate 1 --cost-loss "
        "100");
  }
  return math::penalties{.false_positive = parse_cost("--cost-loss", given.cost_loss),
                         .false_negative = parse_cost("--cost-duplicate", given.cost_duplicate)};
}

late_policy late_of(const std::string& text) {
  if (text.empty() || text == "now") return late_policy::now;
  if (text == "pass") return late_policy::pass;
  if (text == "drop") return late_policy::drop;
  throw usage_error(fmt::format("--late must be now, pass or drop, got {}", shown(text)));
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(a, ignored) ==
             std::filesystem::weakly_canonical(b, ignored) ||
         std::filesystem::equivalent(a, b, ignored);
}

void expect_together(const typed& given) {
  const auto refuse = [](const char* sentence) { throw usage_error(sentence); };
  if (given.window.empty() == given.last.empty()) {
    refuse(given.window.empty()
               ? "dedupe needs a window: --window 10m for a time, or --last 100k for lines"
               : "--window and --last are two windows; give one");
  }
  if (given.refresh && given.no_refresh) refuse("--refresh and --no-refresh exclude each other");
  if (given.wall && !given.input.time.empty()) refuse("--wall and --time exclude each other");
  const bool counted = !given.last.empty();
  if (counted && (given.wall || !given.input.time.empty() || !given.late.empty())) {
    refuse("--last counts lines and asks for no time; leave out --time, --wall and --late");
  }
  if (counted && !given.expect.empty())
    refuse(
        "--last says how many lines a window has; leave out "
        "--expect");
  if (given.wall && !given.late.empty())
    refuse(
        "no line is late by the clock on the wall; leave out "
        "--late");
  if (!given.state.empty() && !given.input.rejects.empty() &&
      same_file(given.state, given.input.rejects)) {
    refuse("--state and --rejects would overwrite each other; give two files");
  }
  if (given.follow && (given.files.size() != 1 || given.files.front() == "-")) {
    refuse("--follow needs the name of one file, as in bloomtime dedupe --follow access.log");
  }
}

// Beyond it no filter can be saved.
microseconds window_of(const std::string& text) {
  constexpr microseconds most{std::int64_t{1} << 61};
  const microseconds window = parse_span("--window", text);
  if (window <= most) return window;
  throw usage_error(fmt::format("--window can be at most {} seconds (73,000 years), got {}",
                                most.count() / 1'000'000, shown(text)));
}

dedupe_settings settings_of(const typed& given) {
  expect_together(given);
  dedupe_settings s;
  s.error = parse_chance("--error", given.error);
  s.refresh = !given.no_refresh;
  s.late = late_of(given.late);
  s.count = given.count;
  s.costs = costs_of(given);
  s.expect = !given.last.empty()    ? parse_count("--last", given.last)
             : given.expect.empty() ? default_expect
                                    : parse_count("--expect", given.expect);
  if (!given.last.empty()) {
    s.time = time_source::none;
  } else {
    s.window = window_of(given.window);
    s.time = given.wall ? time_source::wall : time_source::lines;
  }
  return s;
}

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

  void operator()() {
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
    if (!given_.input.rejects.empty()) {
      rejects_ = std::make_unique<rejects_file>(given_.input.rejects);
    }
    for (const std::string& file : files) {
      if (signals_.ending() == 0) read(file);
    }
    if (rejects_) rejects_->close();
    if (work_) {
      save();
    } else {
      work_.emplace(settings_);  // of nothing; a state stays as it is
    }
    summarize();
    if (signals_.ending() != 0) {
      (void)std::signal(signals_.ending(), SIG_DFL);
      (void)std::raise(signals_.ending());
    }
  }

 private:
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
    if (!given_.state.empty() && std::filesystem::exists(given_.state)) {
      work_.emplace(
          deduper::load(detail::mapped_file::open(given_.state)->bytes(), settings_, given_.state));
    } else {
      work_.emplace(settings_);
    }
    note(plan_of(*work_));
    save_due_ = std::chrono::steady_clock::now() + save_period;
  }

  // -- lines -------------------------------------------------------------------------------------

  struct entry {
    std::string_view bytes;
    bool judged;
    bool begins;  // a line, or goes on with one that is too long
    bool ends;
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
    ++unjudged_;
    if (given_.input.strict) {
      write_batch();
      throw error(errc::corrupt,
                  fmt::format("line {} is {}; without --strict such lines are passed and counted",
                              work_->counts().lines(), described(reason)));
    }
    if (rejects_) rejects_->add(next.bytes(), true);
  }

  void write_batch() {
    verdicts_.resize(judged_.size());
    work_->judge(judged_, now_, verdicts_);
    work_->pass_unjudged(std::exchange(unjudged_, 0));
    output_.clear();
    std::size_t number = 0;
    for (const entry& e : batch_) {
      const line_verdict verdict = e.judged ? verdicts_[number++] : line_verdict{};
      if (verdict.drop) continue;
      if (open_ && e.begins) output_ += '\n';
      if (settings_.count && e.begins)
        fmt::format_to(std::back_inserter(output_), "{}\t", verdict.suppressed);
      output_ += e.bytes;
      open_ = !e.ends;
    }
    out_.print(output_);
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
    (void)write_all(STDERR_FILENO, render(summary_of(*work_), how));
  }

  void save() {
    saved_lines_ = work_->counts().lines();
    if (given_.state.empty()) return;
    const signals_held calm;
    const auto bytes = work_->serialize();
    const std::array<std::span<const std::byte>, 1> pieces{bytes};
    detail::replace_file(given_.state, pieces);
  }

  static constexpr std::size_t most_batch = 4096;
  static constexpr std::chrono::seconds save_period{60};

  const typed& given_;
  const output_options& asked_;
  const printer& out_;
  dedupe_settings settings_;
  line_keys keys_;
  signal_watch signals_;
  std::unique_ptr<rejects_file> rejects_;
  std::optional<deduper> work_;
  std::chrono::steady_clock::time_point save_due_;
  std::uint64_t saved_lines_ = 0;

  std::vector<entry> batch_;
  std::vector<judged_line> judged_;
  std::vector<line_verdict> verdicts_;
  std::string output_;
  instant now_;
  std::uint64_t unjudged_ = 0;  // lines of this batch
  bool header_due_ = false;
  bool inside_long_line_ = false;
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
    "within a window than --expect says, and more often if more do. The summary tells how many "
    "such\n"
    "mistakes are to be expected. A window ends a little late: by 1/600 of it or less on average, "
    "and\n"
    "1/100 by the clock on the wall. Lines without the key or with a time that cannot be read are\n"
    "passed and counted; so are lines of more than 1 MiB. --rejects and --strict concern both.\n"
    "The header of CSV and TSV is always passed.\n"
    "--late says what becomes of a line older than one before it: now judges it as if it came "
    "with\n"
    "that one; pass and drop do so without remembering it.\n"
    "--state keeps all that is remembered in a file, replaced as a whole every minute and at the "
    "end,\n"
    "with the number of lines dropped in every minute; another run continues it, but --follow "
    "reads\n"
    "its file from the beginning again.\n"
    "--cost-duplicate and --cost-loss weigh what is likely against what it costs: of the two "
    "answers\n"
    "the one that is cheaper on average is taken, given how many lines were duplicates so far.\n"
    "The summary comes on standard error at the end and on SIGUSR1; with --json as one object:\n"
    "{\"schema\": 1, \"command\": \"dedupe\", \"key\", \"times\" (lines, wall or none), "
    "\"window_seconds\",\n"
    " \"refresh\", \"target_error\", \"summary\": [{\"lines\", \"passed\", \"dropped\", "
    "\"dropped_share\",\n"
    " \"unjudged\", \"late\", \"expected_wrong\", \"error_now\", \"memory_bytes\", \"expect\",\n"
    " \"most_drops_per_minute\"}]}";

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
  self.input(given->input);
  self.output(asked);
  self.act = [given, &asked](const printer& out) {
    run(*given, asked, out)();
    return yes;
  };
}

}  // namespace bloomtime::cli
