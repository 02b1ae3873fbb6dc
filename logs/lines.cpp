#include "logs/lines.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bloomtime::logs {
namespace {

// Large enough to make calls cheap, small enough to stay in the nearer caches with its events.
constexpr std::size_t chunk = std::size_t{1} << 17;
// The longest line with the longest ending.
constexpr std::size_t most_waiting = line_reader::longest + 2;
// What a block usually holds: a chunk, and the beginning of a line before it.
constexpr std::size_t usual_capacity = line_reader::kept + chunk + chunk / 4;

// Keeps the bytes from `from` on, as the first ones.
void move_to_front(block& b, std::size_t from) {
  if (from == 0) return;
  std::memmove(b.memory.get(), b.memory.get() + from, b.end - from);
  b.end -= from;
  b.begin -= from;
}

void grow(block& b, std::size_t capacity) {
  auto memory = std::make_unique_for_overwrite<char[]>(capacity + line_reader::padding);
  std::memset(memory.get() + capacity, 0, line_reader::padding);
  if (b.end != 0) std::memcpy(memory.get(), b.memory.get(), b.end);
  b.memory = std::move(memory);
  b.capacity = capacity;
}

void expect_room(block& b, std::size_t size) {
  if (b.capacity - b.end >= size) return;
  move_to_front(b, b.begin - std::min(b.begin, line_reader::kept));
  if (b.capacity - b.end < size) grow(b, std::max(usual_capacity, 2 * b.end + size));
}

void parse(block& b, const std::shared_ptr<block_parser>& parser) {
  b.split(line_reader::longest);
  if (parser) parser->parse(b);
  b.parsed_by = parser;
}

}  // namespace

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

line_reader::line_reader(byte_source& from, workers& by)
    : from_(from), by_(by), filling_(empty_block()) {}

line_reader::line_reader(byte_source& from)
    : from_(from), own_(std::make_unique<workers>()), by_(*own_), filling_(empty_block()) {}

// -- lines ---------------------------------------------------------------------------------------

void line_reader::parse_with(std::shared_ptr<block_parser> parser) {
  parser_ = std::move(parser);
  if (current_ && number_ != 0 && parser_) {
    parser_->parse(*current_, number_ - 1);
    current_->parsed_by = parser_;
  }
}

event* line_reader::take() {
  event& e = current_->events[number_++];
  position_ += e.raw.bytes().size();
  return &e;
}

event* line_reader::next() {
  while (!current_ || number_ == current_->events.size()) {
    if (!go_on()) return nullptr;
  }
  return take();
}

event* line_reader::next_buffered() {
  if (!current_ || current_->what != block::part::lines || number_ == current_->events.size()) {
    return nullptr;
  }
  return take();
}

event* line_reader::next_received() {
  for (;;) {
    if (event* const found = next_buffered()) return found;
    if (current_ && number_ != current_->events.size()) return nullptr;
    if (ahead_.empty()) {
      auto b = cut();
      if (!b) return nullptr;
      ahead_.push_back({std::move(b), nullptr});
    }
    take_block();
  }
}

void line_reader::put_back() {
  --number_;
  position_ -= current_->events[number_].raw.bytes().size();
}

std::string_view line_reader::from_last() const {
  const std::string_view all = current_->all_bytes();
  const char* const begin = current_->events[number_ - 1].raw.text.data();
  return all.substr(static_cast<std::size_t>(begin - all.data()));
}

std::string_view line_reader::before() const {
  const std::size_t most = std::min<std::uint64_t>(kept, position_);
  if (!current_) return filling_->before(0, most);
  const std::string_view bytes = current_->bytes();
  if (number_ == current_->events.size()) return current_->before(bytes.size(), most);
  const char* const next = current_->events[number_].raw.text.data();
  return current_->before(static_cast<std::size_t>(next - bytes.data()), most);
}

line_reader::place line_reader::reached() const {
  if (ended_) return *ended_;
  if (is_array()) return {received_, head_, tail_};
  return {position_, std::string(head()), std::string(before())};
}

// -- blocks --------------------------------------------------------------------------------------

// Takes the next block; false at the end of the input.
bool line_reader::go_on() {
  read_ahead();
  while (ahead_.empty()) {
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
    if (at_break_ && waiting().empty()) pass_break();
    auto b = next_block();
    if (b) {
      start_or_keep(std::move(b));
    } else if (at_end_) {
      return false;
    }
  }
  take_block();
  return true;
}

// Lines must not wait for input that is behind them.
void line_reader::read_ahead() {
  const std::size_t most = by_.threads() == 1 ? 0 : 2 * by_.threads();
  while (ahead_.size() < most) {
    if (auto b = cut()) {
      start_or_keep(std::move(b));
      continue;
    }
    if (problem_ || !from_.ready()) return;
    try {
      if (!fill()) return;
    } catch (...) {
      problem_ = std::current_exception();
    }
  }
}

// A block on its own is not worth the waking of a thread.
void line_reader::start_or_keep(std::shared_ptr<block> b) {
  pending& added = ahead_.emplace_back(pending{std::move(b), nullptr});
  const bool alone = by_.threads() == 1 || (ahead_.size() == 1 && !from_.ready());
  if (!alone) added.job = by_.start([b = added.what, p = parser_] { parse(*b, p); });
}

void line_reader::take_block() {
  const pending taken = std::move(ahead_.front());
  ahead_.pop_front();
  if (taken.job) {
    by_.finish(taken.job);
  } else {
    parse(*taken.what, parser_);
  }
  if (taken.what->first && ended_) {
    if (ended_->position != 0) replaced_ = std::move(ended_);
    ended_.reset();
    position_ = 0;
  }
  if (current_) spare_.push_back(std::move(current_));
  current_ = taken.what;
  number_ = 0;
  if (parser_ && current_->parsed_by != parser_) {
    parser_->parse(*current_);
    current_->parsed_by = parser_;
  }
}

// Goes on with the file that has replaced the one that has ended.
void line_reader::pass_break() {
  if (!ended_) ended_ = reached();
  at_break_ = false;
  at_begin_ = true;
  received_ = 0;
  head_.clear();
}

void line_reader::drop_waiting() {
  filling_->begin = filling_->end;
  scanned_ = 0;
  in_pieces_ = false;
}

bool line_reader::skip_replaced() {
  if (!at_break_) return false;
  drop_waiting();
  pass_break();
  ended_.reset();
  return true;
}

// Null at the end, and where a followed file was replaced.
std::shared_ptr<block> line_reader::next_block() {
  for (;;) {
    if (auto b = cut()) return b;
    if (fill()) continue;
    if (at_break_ && leaves_torn_ && from_.was_truncated()) drop_waiting();
    if (waiting().empty()) return nullptr;
    return cut_off(block::part::unfinished, waiting().size());
  }
}

// The complete lines that are buffered, or a piece of a line that is too long; null if there is
// neither. A carriage return at the end may be the beginning of an ending that is not there yet.
std::shared_ptr<block> line_reader::cut() {
  const std::string_view rest = waiting();
  const std::string_view unknown = rest.substr(scanned_);
  const void* const newline =
      unknown.empty() ? nullptr : ::memrchr(unknown.data(), '\n', unknown.size());
  if (newline != nullptr) {
    const auto size = static_cast<std::size_t>(static_cast<const char*>(newline) - rest.data());
    return cut_off(block::part::lines, size + 1);
  }
  scanned_ = rest.size();
  return scanned_ > most_waiting ? cut_off(block::part::piece, scanned_ - 1) : nullptr;
}

// What is left begins the next block, behind the bytes before it.
std::shared_ptr<block> line_reader::cut_off(block::part what, std::size_t size) {
  auto rest = empty_block();
  auto done = std::exchange(filling_, rest);
  done->what = what;
  done->lines_end = done->begin + size;
  done->first = std::exchange(at_begin_, false);
  done->continues = std::exchange(in_pieces_, what == block::part::piece);
  const std::size_t before = std::min(kept, done->lines_end);
  const std::size_t left = done->end - done->lines_end;
  expect_room(*rest, before + left + chunk);
  std::memcpy(rest->memory.get(), done->memory.get() + done->lines_end - before, before + left);
  rest->begin = before;
  rest->end = before + left;
  scanned_ = 0;
  return done;
}

std::shared_ptr<block> line_reader::empty_block() {
  if (spare_.empty()) return std::make_shared<block>();
  auto b = std::move(spare_.back());
  spare_.pop_back();
  b->begin = b->lines_end = b->end = 0;
  b->texts.release();
  return b;
}

// -- bytes ---------------------------------------------------------------------------------------

bool line_reader::fill() {
  if (at_end_ || at_break_) return false;
  block& b = *filling_;
  expect_room(b, chunk);
  const std::size_t got = from_.read({b.memory.get() + b.end, chunk});
  head_.append(b.memory.get() + b.end, std::min(got, kept - head_.size()));
  received_ += got;
  if (array_answer_ != json_array_splitter::answer::no) {
    tail_.append(b.memory.get() + b.end, got);
    tail_.erase(0, tail_.size() - std::min(tail_.size(), kept));
  }
  b.end += array_answer_ == json_array_splitter::answer::no ? got : split_elements(got);
  at_break_ = got == 0 && from_.take_break();
  at_end_ = got == 0 && !at_break_;
  return got != 0;
}

// Returns how many of the new bytes are left. Until it is clear whether the input is an array, all
// of it is in the buffer.
std::size_t line_reader::split_elements(std::size_t got) {
  using enum json_array_splitter::answer;
  block& b = *filling_;
  const bool decided = array_answer_ == yes;
  const std::size_t from = decided ? b.end : b.begin;
  const std::size_t end = b.end + got;
  if (!decided) {
    array_answer_ =
        json_array_splitter::recognises(without_mark({b.memory.get() + from, end - from}));
    if (array_answer_ != yes) return got;
  }
  return from + array_.run({b.memory.get() + from, end - from}) - b.end;
}

bool line_reader::skip_to(std::uint64_t offset) {
  while (head_.size() < kept && fill()) continue;
  block& b = *filling_;
  const std::uint64_t buffered = position_ + waiting().size();
  if (offset > buffered && offset - buffered > kept) {
    const std::uint64_t skipped = offset - buffered - kept;
    if (!from_.skip(skipped)) return false;
    b.begin = b.end = 0;
    position_ = buffered + skipped;
  }
  while (offset - position_ > waiting().size()) {
    position_ += waiting().size();
    b.begin = b.end;
    if (!fill()) return false;
  }
  b.begin += offset - position_;
  position_ = offset;
  scanned_ = 0;
  at_begin_ = at_begin_ && offset == 0;
  return true;
}

std::string_view line_reader::look_ahead() {
  const auto unclear = [this] {
    return array_answer_ == json_array_splitter::answer::unclear ||
           waiting().find('\n') == std::string_view::npos;
  };
  while (unclear() && waiting().size() <= most_waiting) {
    if (!fill()) break;
  }
  return waiting();
}

}  // namespace bloomtime::logs
