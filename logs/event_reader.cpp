#include "logs/event_reader.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "logs/detect.hpp"
#include "logs/formats/w3c.hpp"
#include "text/number.hpp"
#include "text/quantity.hpp"
#include "text/suggest.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace {

constexpr std::size_t most_samples = 3;
constexpr std::size_t sample_bytes = 120;
constexpr std::uint64_t lines_between_progress = 4096;

std::vector<std::string> checked(std::vector<std::string> files) {
  if (files.empty()) {
    if (::isatty(STDIN_FILENO) == 1) {
      text::refuse("there is no input; name a file, or pipe lines into the command");
    }
    files.emplace_back("-");
  }
  if (std::count(files.begin(), files.end(), "-") > 1) {
    text::refuse("standard input can be read only once; give - once");
  }
  return files;
}

// Checks all files first, so that a wrong name is found before hours of reading.
std::optional<std::uint64_t> total_size(const std::vector<std::string>& files) {
  std::optional<std::uint64_t> total = 0;
  for (const std::string& file : files) {
    const auto size = expect_readable(file);
    total = total && size ? std::optional(*total + *size) : std::nullopt;
  }
  return total;
}

std::unique_ptr<rejects_file> open_rejects(const std::string& path,
                                           const std::vector<std::string>& files) {
  if (path.empty()) return nullptr;
  for (const std::string& file : files) expect_other_file(path, file);
  return std::make_unique<rejects_file>(path);
}

std::string shortened(std::string_view text) {
  return text.size() <= sample_bytes ? text::printable(text)
                                     : text::printable(text.substr(0, sample_bytes)) + "...";
}

// Nothing but the time and conditions is read; without them there is nothing to find in a line but
// the header.
line_layout of_whole_lines(line_layout layout) {
  if (layout.time == line_layout::none && layout.conditions.empty() &&
      layout.amount == line_layout::none) {
    line_layout nothing;
    nothing.header = layout.header;
    return nothing;
  }
  layout.items.clear();
  return layout;
}

// Checks the options that need no file.
void expect_readable_lines(const input_options& asked) {
  (void)groupings_of(asked.group);
  for (const std::string& typed : asked.where) (void)condition(typed);
  if (format_named(asked.format) && !asked.pattern.empty()) {
    text::refuse("--format and --pattern exclude each other; give one of them");
  }
  if (!asked.pattern.empty()) (void)pattern(asked.pattern);
}

// Whether lines may be the elements of a JSON array.
bool may_be_json(const input_options& asked) {
  const auto format = format_named(asked.format);
  return asked.pattern.empty() && (!format || is_json(*format));
}

void add(line_counts& sum, const line_counts& more) {
  sum.lines += more.lines;
  sum.events += more.events;
  sum.headers += more.headers;
  sum.excluded += more.excluded;
  for (std::size_t i = 0; i < sum.bad.size(); ++i) sum.bad[i] += more.bad[i];
}

void subtract(line_counts& from, const line_counts& less) {
  from.lines -= less.lines;
  from.events -= less.events;
  from.headers -= less.headers;
  from.excluded -= less.excluded;
  for (std::size_t i = 0; i < from.bad.size(); ++i) from.bad[i] -= less.bad[i];
}

}  // namespace

event_reader::event_reader(const input_options& asked, const std::vector<std::string>& files,
                           listener told, std::shared_ptr<workers> by)
    : asked_(asked),
      files_(checked(files)),
      told_(std::move(told)),
      by_(std::move(by)),
      total_bytes_(total_size(files_)) {
  expect_readable_lines(asked_);
  if (!asked_.unpack_memory.empty()) {
    unpack_memory_ = text::parse_bytes("--unpack-memory", asked_.unpack_memory);
  }
  rejects_ = open_rejects(asked_.rejects, files_);
}

const event* event_reader::next() {
  const event* found = next_line();
  while (found != nullptr && found->what != event::kind::event) found = next_line();
  return found;
}

const event* event_reader::next_line() {
  do {
    if (parser_ && fetch()) {
      event_->what = read_line();
      return event_;
    }
    if (parser_) finish_file();
  } while (open_next());
  if (rejects_) {
    rejects_->close();
    rejects_.reset();
  }
  show_progress(true);
  return nullptr;
}

const event* event_reader::next_buffered() {
  event* const found = parser_ ? lines_->next_buffered() : nullptr;
  if (found == nullptr) return nullptr;
  event_ = found;
  event_->what = read_line();
  return event_;
}

void event_reader::hash_with(const hash_seed& seed) {
  seed_ = seed;
  if (parser_) use(parser_->layout());
}

void event_reader::use(line_layout layout) {
  parser_ = std::make_shared<block_parser>(std::move(layout), seed_);
  lines_->parse_with(parser_);
}

// Once the end was asked for, a line without an end is not complete.
bool event_reader::fetch() {
  if ((in_file_.lines + 1) % lines_between_progress == 0) show_progress(false);
  event_ = stopped() ? lines_->next_received() : lines_->next();
  if (event_ == nullptr) return false;
  if (event_->raw.ending.empty() && event_->raw.what != line::part::piece) {
    undecided_ = true;
    const bool left = stopped() || is_unfinished();
    undecided_ = false;
    if (left) {
      lines_->put_back();
      return false;
    }
    inside_line_ = true;
  }
  return true;
}

// Whether the last line, which has no line end, is left for a later run.
bool event_reader::is_unfinished() {
  // Of a file that is followed it is the end: another file has replaced it.
  if (!told_.start || asked_.follow || source_->compressed() || !stored_.regular) return false;
  if (event_->raw.what != line::part::whole || start_.offset + in_file_.lines == 0) return false;
  if (start_.offset == 0 && event_->what != event::kind::bad) return false;
  tell(source_->name() + ": the last line has no line end yet; it counts when it has");
  return true;
}

bool event_reader::open_next() {
  while (next_file_ < files_.size() && !stopped()) {
    const std::string& file = files_[next_file_++];
    start_ = told_.start ? told_.start(file) : file_start();
    const bool followed = asked_.follow && next_file_ == files_.size();
    if (start_.nothing_new && !followed) continue;
    source_ = std::make_unique<byte_source>(file);
    stored_ = source_->stored();
    source_->allow_memory(unpack_memory_);
    if (told_.stop) source_->stop_if(told_.stop);
    if (told_.stop && told_.wait) source_->wait_with(told_.wait);
    if (followed) source_->follow();
    lines_ = std::make_unique<line_reader>(*source_, *by_);
    if (may_be_json(asked_)) lines_->split_json_arrays();
    if (followed && told_.start) lines_->leave_torn_lines();
    std::string_view ahead = lines_->look_ahead();
    // A followed file that held nothing but a mark says nothing about the one that replaced it.
    while (without_mark(ahead).empty() && lines_->skip_replaced()) ahead = lines_->look_ahead();
    if (ahead.find('\n') == ahead.npos && stopped()) return false;
    const std::string_view beginning = without_mark(ahead);
    if (beginning.empty()) tell(source_->name() + ": empty");
    if (ahead.empty()) continue;
    use(beginning.empty() ? line_layout() : find_layout(beginning));
    go_to_start();
    in_file_ = {};
    fields_line_.clear();
    before_replaced_ = {};
    missing_.assign(layout().items.size(), 0);
    stretches_ = {};
    return true;
  }
  return false;
}

// The lines before the start have told the format.
void event_reader::go_to_start() {
  inside_line_ = false;
  if (start_.offset == 0) return;
  if (lines_->is_array()) {
    text::throw_error(
        errc::invalid_argument,
        "{} is a JSON array that has changed since it was read, and which elements are "
        "new cannot be told; read it whole with --again, or into another --store",
        source_->name());
  }
  if (!lines_->skip_to(start_.offset) || !start_.follows(lines_->before())) {
    text::throw_error(errc::io, "{} was changed while it was opened; run the command again",
                      source_->name());
  }
  const bool blank = lines_->before().find_first_not_of("\r\n") == std::string_view::npos;
  header_due_ = layout().header && blank && start_.offset <= line_reader::kept;
  for (inside_line_ = start_.inside_line; inside_line_;) {
    const event* const rest = lines_->next();
    if (rest == nullptr) break;
    inside_line_ = rest->raw.ending.empty();
  }
}

line_layout event_reader::find_layout(std::string_view beginning,
                                      std::optional<input_format> format) {
  line_layout layout = layout_of(asked_, source_->name(), first_lines(beginning), format);
  if (!asked_.follow) layout.newest = source_->modified();
  const bool timed = layout.time != line_layout::none;
  tell(fmt::format("{}: {}", source_->name(), described(layout)));
  if (!std::exchange(times_decided_, true)) asked_.needs_time = asked_.needs_time && timed;
  if (asked_.items.empty()) {
    for (const item_layout& item : layout.items) asked_.items.push_back(item.name);
  }
  names_ = layout.names;
  format_ = layout.format;
  if (asked_.whole_line) layout = of_whole_lines(std::move(layout));
  if (told_.opened) told_.opened(source_->name(), layout);
  return layout;
}

line_counts event_reader::counts() const {
  line_counts sum = counts_;
  if (parser_) add(sum, in_file_);
  return sum;
}

void event_reader::finish_file() {
  add(counts_, in_file_);
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    if (missing_[i] == 0) continue;
    tell(fmt::format("{}: {} of {} lines lack {}; they count for the other items only",
                     source_->name(), text::count_text(missing_[i]),
                     text::count_text(in_file_.lines), layout().items[i].name));
  }
  position_before_ += source_->position();
  if (in_file_.excluded != 0) {
    tell(fmt::format("{}: {} of {} lines excluded by --where", source_->name(),
                     text::count_text(in_file_.excluded), text::count_text(in_file_.lines)));
  }
  if (in_file_.bad_lines() != 0) {
    tell(fmt::format(
        "{}: {}", source_->name(),
        in_file_.summary(asked_.passes_bad ? "passed without being judged" : "rejected")));
  }
  if (stretches_.begin() != 0) {
    tell(
        fmt::format("{}: most lines from line {} on cannot be read; if the format changes there, "
                    "read each part on its own with --format",
                    source_->name(), text::count_text(start_.lines + stretches_.begin())));
  }
  tell_reached(lines_->reached());
  parser_.reset();
}

void event_reader::tell_reached(const line_reader::place& reached) const {
  if (!told_.finished) return;
  line_counts counts = in_file_;
  subtract(counts, before_replaced_);
  stored_file stored = stored_;
  if (asked_.follow) stored.modified = 0;  // it may have more than was read
  told_.finished({.path = files_[next_file_ - 1],
                  .stored = stored,
                  .offset = reached.position,
                  .inside_line = inside_line_ || inside_long_line_,
                  .head = reached.head,
                  .tail = reached.before,
                  .counts = counts});
}

void event_reader::tell_reached() const {
  if (parser_ && !undecided_ && !lines_->is_array()) tell_reached(lines_->reached());
}

// Another file has taken the place of the one that is followed, whose last line was read.
void event_reader::change_file() {
  const auto replaced = lines_->take_replaced();
  if (!replaced) return;
  inside_line_ = inside_long_line_ = false;
  tell_reached(*replaced);
  before_replaced_ = in_file_;
  stored_ = source_->stored();
  if (told_.start) start_ = told_.start(files_[next_file_ - 1]);
  start_ = {};  // the file is read from its beginning
}

// What the line is, which was parsed. Every file begins anew, also one that takes the place of a
// file that is followed.
event::kind event_reader::read_line() {
  if (event_->raw.first) {
    change_file();
    begin_file();
  }
  if (event_->raw.what != line::part::whole) return read_piece();
  if (event_->text.empty() && event_->raw.ending.empty()) return event::kind::mark;
  ++in_file_.lines;
  if (header_due_ && !event_->text.empty()) {
    header_due_ = false;
    ++in_file_.headers;
    return event::kind::header;
  }
  if (has_directives(format_) && is_directive(event_->text)) {
    follow_directive();
    ++in_file_.headers;
    return event::kind::header;
  }
  const bool bad = event_->what == event::kind::bad;
  stretches_.next(bad);
  if (bad) {
    if (event_->reason == bad_line::no_item || event_->reason == bad_line::no_time) count_lacking();
    return reject_line(event_->reason);
  }
  if (event_->what == event::kind::excluded) {
    ++in_file_.excluded;
    return event::kind::excluded;
  }
  if (count_missing() && asked_.strict) reject(bad_line::no_item);
  ++in_file_.events;
  if (event_->at) zone_ = event_->offset;
  return event::kind::event;
}

// A file that takes the place of a followed one may have other columns, or no header.
void event_reader::begin_file() {
  header_due_ = layout().header;
  if (!header_due_ || in_file_.lines == 0) return;
  const std::string_view beginning = without_mark(lines_->from_last());
  const std::vector<std::string_view> lines = first_lines(beginning);
  if (lines.empty() || columns_of(format_, lines.front()) == names_) return;
  header_due_ = has_header(asked_, lines, format_);
  if (!header_due_) return;
  use(find_layout(beginning, format_));
  missing_.assign(layout().items.size(), 0);
}

// Columns may change in the middle of a W3C log.
void event_reader::follow_directive() {
  const auto columns = w3c_columns(event_->text);
  if (!columns || event_->text == fields_line_) return;
  fields_line_ = event_->text;
  line_layout changed = layout_below(layout(), event_->text);
  names_ = changed.names;
  use(std::move(changed));
}

// A line that is too long is counted with its first piece.
event::kind event_reader::read_piece() {
  event_->begins = !std::exchange(inside_long_line_, event_->raw.what == line::part::piece);
  if (event_->begins) {
    ++in_file_.lines;
    stretches_.next(true);
    reject(bad_line::too_long);
  }
  if (rejects_) rejects_->add(event_->raw.bytes(), event_->begins);
  return event::kind::bad;
}

void event_reader::count_lacking() {
  const std::string& name = layout().fields[event_->lacks].name;
  const auto found = std::find_if(lacking_.begin(), lacking_.end(),
                                  [&](const lacking_field& f) { return f.name == name; });
  ++(found == lacking_.end() ? lacking_.emplace_back(lacking_field{.name = name}) : *found).lines;
}

bool event_reader::count_missing() {
  if (!layout().partial) return false;
  bool any = false;
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    const bool lacks = !event_->present[i];
    missing_[i] += lacks;
    any = any || lacks;
  }
  return any;
}

// "has no field id; it has a, b", "is too long"
std::string event_reader::problem_text(bad_line reason, std::string_view text) const {
  if (reason != bad_line::no_item && reason != bad_line::no_time) {
    return fmt::format("is {}", described(reason));
  }
  const auto keys = has_keys(format_) ? keys_of(format_, text) : std::nullopt;
  return fmt::format("has no field {}{}", fmt::join(parser_->lacking(event_->text), " or "),
                     !keys           ? ""
                     : keys->empty() ? "; it has none"
                                     : fmt::format("; it has {}", fmt::join(*keys, ", ")));
}

void event_reader::refuse_item(const std::string& item) const {
  text::refuse("no line has the item {}{}.{}", text::shown(item),
               names_.empty() ? "" : fmt::format("; the fields are {}", fmt::join(names_, ", ")),
               text::suggestion(item, names_));
}

void event_reader::refuse_untimed(std::string_view who) const {
  text::refuse("{} needs timestamps, and none were found; name the field with --time{}", who,
               names_.empty() ? ", by the number of its column: the columns have no names"
                              : fmt::format(". The fields are {}", fmt::join(names_, ", ")));
}

event::kind event_reader::reject_line(bad_line reason) {
  reject(reason);
  if (rejects_) rejects_->add(event_->raw.bytes(), true);
  return event::kind::bad;
}

void event_reader::reject_last(bad_line reason) {
  --in_file_.events;
  (void)reject_line(reason);
}

void event_reader::reject(bad_line reason) {
  reject(reason, fmt::format("line {}", start_.lines + in_file_.lines), event_->raw.text);
}

void event_reader::reject(bad_line reason, const std::string& which, std::string_view text) {
  ++in_file_.bad[static_cast<std::size_t>(reason)];
  if (!asked_.strict && samples_ == most_samples) return;
  const std::string sentence = fmt::format("{}: {} {}: {}", source_->name(), which,
                                           problem_text(reason, text), shortened(text));
  if (asked_.strict) {
    text::corrupt("{}; without --strict such lines are {}", sentence,
                  asked_.passes_bad ? "passed and counted" : "skipped and counted");
  }
  ++samples_;
  tell(sentence);
}

void event_reader::reject_earlier(bad_line reason, std::string_view raw) {
  reject(reason, "an earlier line", raw.substr(0, raw.find_last_not_of("\r\n") + 1));
  if (rejects_) rejects_->add(raw, true);
}

void event_reader::show_progress(bool finished) {
  if (!told_.advance) return;
  told_.advance({.bytes = position_before_ + (finished ? 0 : source_->position()),
                 .total = total_bytes_,
                 .lines = counts_.lines + (finished ? 0 : in_file_.lines),
                 .finished = finished});
}

void event_reader::tell(const std::string& what) const {
  if (told_.note) told_.note(what);
}

}  // namespace bloomtime::logs
