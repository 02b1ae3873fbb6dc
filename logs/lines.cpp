#include "logs/lines.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bloomtime::logs {
namespace {

// Large enough to make calls cheap, small enough to stay in the nearer caches.
constexpr std::size_t chunk = std::size_t{1} << 18;
// The longest line with the longest ending, and room to go on reading.
constexpr std::size_t most_waiting = line_reader::longest + 2;
constexpr std::size_t capacity = line_reader::kept + most_waiting + chunk;

}  // namespace

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

line_reader::line_reader(byte_source& from)
    : from_(from), buffer_(std::make_unique_for_overwrite<char[]>(capacity + padding)) {
  std::memset(buffer_.get() + capacity, 0, padding);
}

bool line_reader::next_buffered(line& found) {
  const std::string_view rest = waiting();
  const void* const newline =
      rest.empty() ? nullptr : std::memchr(rest.data() + scanned_, '\n', rest.size() - scanned_);
  if (newline == nullptr) {
    scanned_ = rest.size();
    return false;
  }
  const auto size = static_cast<std::size_t>(static_cast<const char*>(newline) - rest.data());
  const bool carriage_return = size != 0 && rest[size - 1] == '\r';
  take(found, carriage_return ? size - 1 : size, carriage_return ? 2 : 1);
  return true;
}

bool line_reader::next(line& found) {
  for (;;) {
    if (next_buffered(found)) return true;
    const std::string_view rest = waiting();
    // A carriage return may be the beginning of an ending that is not there yet.
    if (rest.size() > most_waiting) {
      take(found, rest.size() - 1, 0);
      found.what = line::part::piece;
      in_pieces_ = true;
      return true;
    }
    if (fill()) continue;
    const bool left = begin_ != end_;
    if (left) take(found, waiting().size(), 0);
    if (at_end_) return left;
    begin_anew();
    if (left) return true;
  }
}

void line_reader::take(line& found, std::size_t size, std::size_t ending) {
  const std::string_view rest = waiting();
  found.text = rest.substr(0, size);
  found.ending = rest.substr(size, ending);
  const bool whole = !in_pieces_ && size <= longest;
  found.what = whole ? line::part::whole : line::part::last_piece;
  found.first = std::exchange(at_begin_, false);
  in_pieces_ = false;
  begin_ += size + ending;
  position_ += size + ending;
  scanned_ = 0;
}

// What is left of a line moves to the front with the bytes before it, so that the same memory is
// used again.
bool line_reader::fill() {
  if (at_end_ || at_break_) return false;
  const std::size_t dropped = begin_ - std::min(begin_, kept);
  std::memmove(buffer_.get(), buffer_.get() + dropped, end_ - dropped);
  end_ -= dropped;
  begin_ -= dropped;
  const std::size_t got = from_.read({buffer_.get() + end_, chunk});
  head_.append(buffer_.get() + end_, std::min(got, kept - head_.size()));
  received_ += got;
  if (array_answer_ != json_array_splitter::answer::no) {
    tail_.append(buffer_.get() + end_, got);
    tail_.erase(0, tail_.size() - std::min(tail_.size(), kept));
  }
  end_ += array_answer_ == json_array_splitter::answer::no ? got : split_elements(got);
  at_break_ = got == 0 && from_.take_break();
  at_end_ = got == 0 && !at_break_;
  return got != 0;
}

// Returns how many of the new bytes are left. Until it is clear whether the input is an array, all
// of it is in the buffer.
std::size_t line_reader::split_elements(std::size_t got) {
  using enum json_array_splitter::answer;
  const bool decided = array_answer_ == yes;
  const std::size_t from = decided ? end_ : 0;
  if (!decided) {
    array_answer_ = json_array_splitter::recognises(without_mark({buffer_.get(), end_ + got}));
    if (array_answer_ != yes) return got;
  }
  return from + array_.run({buffer_.get() + from, end_ + got - from}) - end_;
}

bool line_reader::skip_replaced() {
  if (!at_break_) return false;
  begin_ = end_;
  scanned_ = 0;
  begin_anew();
  return true;
}

void line_reader::begin_anew() {
  if (position_ != 0) replaced_ = reached();
  at_break_ = false;
  at_begin_ = true;
  position_ = 0;
  received_ = 0;
  head_.clear();
}

std::string_view line_reader::before() const {
  const auto size = std::min<std::uint64_t>({kept, begin_, position_});
  return {buffer_.get() + begin_ - size, size};
}

line_reader::place line_reader::reached() const {
  if (is_array()) return {received_, head_, tail_};
  return {position_, std::string(head()), std::string(before())};
}

bool line_reader::skip_to(std::uint64_t offset) {
  while (head_.size() < kept && fill()) continue;
  const std::uint64_t buffered = position_ + waiting().size();
  if (offset > buffered && offset - buffered > kept) {
    const std::uint64_t skipped = offset - buffered - kept;
    if (!from_.skip(skipped)) return false;
    begin_ = end_ = 0;
    position_ = buffered + skipped;
  }
  while (offset - position_ > waiting().size()) {
    position_ += waiting().size();
    begin_ = end_;
    if (!fill()) return false;
  }
  begin_ += offset - position_;
  position_ = offset;
  scanned_ = 0;
  at_begin_ = at_begin_ && offset == 0;
  return true;
}

void line_reader::put_back(const line& last) {
  begin_ -= last.bytes().size();
  position_ -= last.bytes().size();
  scanned_ = 0;
  at_begin_ = last.first;
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
