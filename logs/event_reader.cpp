#include "logs/event_reader.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include <bloomtime/error.hpp>

#include "cli/output/printer.hpp"
#include "text/number.hpp"
#include "text/suggest.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::size_t most_samples = 3;
constexpr std::size_t sample_bytes = 120;
constexpr std::uint64_t lines_between_looks = 4096;  // at the clock, for the progress bar

std::vector<std::string> checked(std::vector<std::string> files) {
  if (files.empty()) {
    if (::isatty(STDIN_FILENO) == 1) {
      throw usage_error("there is nothing to read: name a file, or send lines through a pipe");
    }
    files.emplace_back("-");
  }
  if (std::count(files.begin(), files.end(), "-") > 1) {
    throw usage_error("standard input can be read only once; give - once");
  }
  return files;
}

// All of them, so that a wrong name is told before hours of reading.
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
  return text.size() <= sample_bytes ? printable(text)
                                     : printable(text.substr(0, sample_bytes)) + "...";
}

void add(line_counts& sum, const line_counts& more) {
  sum.lines += more.lines;
  sum.events += more.events;
  sum.headers += more.headers;
  for (std::size_t i = 0; i < sum.bad.size(); ++i) sum.bad[i] += more.bad[i];
}

}  // namespace

event_reader::event_reader(const input_options& asked, const std::vector<std::string>& files,
                           const std::string& label, listener tell)
    : asked_(asked),
      files_(checked(files)),
      tell_(tell ? std::move(tell) : note),
      progress_(label, total_size(files_)) {
  (void)format_named(asked_.format);
  unpack_memory_ = unpack_memory_of(asked_);
  rejects_ = open_rejects(asked_.rejects, files_);
}

const event* event_reader::next() {
  for (;;) {
    while (next_line()) {
      if (read_line()) return &event_;
    }
    if (record_) finish_file();
    if (!open_next()) break;
  }
  if (rejects_) {
    rejects_->close();
    rejects_.reset();
  }
  progress_.clear();
  return nullptr;
}

bool event_reader::open_next() {
  for (; next_file_ < files_.size(); ++next_file_) {
    source_ = std::make_unique<byte_source>(files_[next_file_]);
    source_->allow_memory(unpack_memory_);
    lines_ = std::make_unique<line_reader>(*source_);
    const std::string_view beginning = without_mark(lines_->look_ahead());
    if (beginning.empty()) {
      tell(source_->name() + ": empty");
      continue;
    }
    const std::vector<std::string_view> sample = first_lines(beginning);
    record_ = std::make_unique<record_reader>(layout_of(asked_, source_->name(), sample));
    tell(fmt::format("{}: {}", source_->name(), described(record_->layout())));
    if (asked_.items.empty()) {
      for (const item_layout& item : record_->layout().items) asked_.items.push_back(item.name);
    }
    in_file_ = {};
    missing_.assign(record_->layout().items.size(), 0);
    names_ = record_->layout().names;
    stretches_ = {};
    ++next_file_;
    return true;
  }
  return false;
}

void event_reader::finish_file() {
  add(counts_, in_file_);
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    if (missing_[i] == 0) continue;
    tell(fmt::format("{}: {} of {} lines lack {}; they count for the other items only",
                     source_->name(), count_text(missing_[i]), count_text(in_file_.lines),
                     record_->layout().items[i].name));
  }
  position_before_ += source_->position();
  if (in_file_.bad_lines() != 0) {
    tell(fmt::format("{}: {}", source_->name(), in_file_.summary()));
  }
  if (stretches_.begin() != 0) {
    tell(
        fmt::format("{}: most lines from line {} on do not fit; does the format change there? "
                    "Read such parts on their own, with --format",
                    source_->name(), count_text(stretches_.begin())));
  }
  record_.reset();
}

bool event_reader::next_line() {
  if (!record_ || !lines_->next(event_.raw)) return false;
  if ((in_file_.lines + 1) % lines_between_looks == 0) show_progress();
  return true;
}

// Whether the line is an event.
bool event_reader::read_line() {
  if (event_.raw.what != line::part::whole) {
    reject_piece();
    return false;
  }
  ++in_file_.lines;
  std::string_view text = event_.raw.text;
  if (in_file_.lines == 1) text = without_mark(text);
  if (record_->layout().header && in_file_.headers == 0 && !text.empty()) {
    ++in_file_.headers;
    return false;
  }
  const std::optional<bad_line> bad = record_->read(text);
  stretches_.next(bad.has_value());
  if (bad) {
    reject_line(*bad);
    return false;
  }
  if (count_missing() && asked_.strict) reject(bad_line::no_item);
  ++in_file_.events;
  event_.items = record_->items();
  event_.present = record_->present();
  if (record_->has_time()) {
    event_.at = record_->time().at;
    event_.offset = zone_ = record_->time().offset;
  } else {
    event_.at.reset();
  }
  return true;
}

bool event_reader::count_missing() {
  if (!record_->layout().partial) return false;
  bool any = false;
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    const bool lacks = !record_->present()[i];
    missing_[i] += lacks;
    any = any || lacks;
  }
  return any;
}

std::string event_reader::reason_text(bad_line reason) const {
  if (reason != bad_line::no_item) return std::string(described(reason));
  return fmt::format("{} {}", described(reason), record_->missing_items());
}

void event_reader::refuse_item(const std::string& item) const {
  const auto meant = nearest(item, names_);
  throw usage_error(
      fmt::format("no line has the item {}{}.{}", shown(item),
                  names_.empty() ? "" : fmt::format("; the fields are {}", fmt::join(names_, ", ")),
                  meant ? fmt::format(" Did you mean {}?", *meant) : ""));
}

void event_reader::reject_line(bad_line reason) {
  reject(reason);
  if (rejects_) rejects_->add(event_.raw.bytes(), true);
}

void event_reader::reject_last(bad_line reason) {
  --in_file_.events;
  reject_line(reason);
}

// A line that is too long is counted with its first piece.
void event_reader::reject_piece() {
  const bool first = !std::exchange(inside_long_line_, event_.raw.what == line::part::piece);
  if (first) {
    ++in_file_.lines;
    stretches_.next(true);
    reject(bad_line::too_long);
  }
  if (rejects_) rejects_->add(event_.raw.bytes(), first);
}

void event_reader::reject(bad_line reason) {
  reject(reason, fmt::format("line {}", count_text(in_file_.lines)), event_.raw.text);
}

void event_reader::reject(bad_line reason, const std::string& which, std::string_view text) {
  ++in_file_.bad[static_cast<std::size_t>(reason)];
  if (asked_.strict) {
    throw error(errc::corrupt,
                fmt::format("{}, {} is {}: {}; without --strict such lines are counted and "
                            "left out",
                            source_->name(), which, reason_text(reason), shortened(text)));
  }
  if (samples_ == most_samples) return;
  ++samples_;
  tell(fmt::format("{}: {} is {}: {}", source_->name(), which, reason_text(reason),
                   shortened(text)));
}

void event_reader::reject_earlier(bad_line reason, std::string_view raw) {
  reject(reason, "an earlier line", raw.substr(0, raw.find_last_not_of("\r\n") + 1));
  if (rejects_) rejects_->add(raw, true);
}

void event_reader::show_progress() {
  progress_.at(position_before_ + source_->position(), counts_.lines + in_file_.lines);
}

void event_reader::tell(const std::string& what) {
  progress_.clear();
  tell_(what);
}

}  // namespace bloomtime::cli
