#include "cli/live/keys.hpp"

#include <utility>

#include "cli/text.hpp"

namespace bloomtime::cli::live {
namespace {

constexpr char escape = '\x1b';
constexpr std::size_t longest_sequence = 32;

// What the bytes after "ESC [" or "ESC O" mean in common terminals.
std::optional<key> named(std::string_view sequence) {
  using enum key_name;
  constexpr std::pair<std::string_view, key_name> names[]{
      {"A", up},       {"B", down},       {"C", right}, {"D", left},  {"H", home},
      {"F", end},      {"1~", home},      {"4~", end},  {"7~", home}, {"8~", end},
      {"5~", page_up}, {"6~", page_down}, {"M", enter},
  };
  for (const auto& [bytes, name] : names) {
    if (bytes == sequence) return key{name};
  }
  return std::nullopt;
}

std::optional<key> control(char byte) {
  switch (byte) {
    case '\r':
    case '\n': return key{key_name::enter};
    case '\b':
    case '\x7f': return key{key_name::backspace};
    case '\x15': return key{key_name::erase_line};
    case '\x0c': return key{key_name::redraw};
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<key> key_decoder::next() {
  incomplete_ = false;
  while (!waiting_.empty() && !incomplete_) {
    const std::optional<key> found = waiting_.front() == escape ? take_escape() : take_character();
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<key> key_decoder::give_up() {
  const bool escaped = waiting_ == std::string_view(&escape, 1);
  waiting_.clear();
  return escaped ? std::optional(key{key_name::escape}) : std::nullopt;
}

// An escape that begins no sequence is the Escape key.
std::optional<key> key_decoder::take_escape() {
  if (waiting_.size() == 1) {
    incomplete_ = true;
    return std::nullopt;
  }
  if (waiting_[1] == '[' || waiting_[1] == 'O') return take_sequence(2);
  waiting_.erase(0, 1);
  return key{key_name::escape};
}

// Parameters, and a last byte from @ to ~. "ESC O" is followed by that byte only.
std::optional<key> key_decoder::take_sequence(std::size_t introducer) {
  std::size_t end = introducer;
  const auto inside = [&] { return waiting_[end] >= ' ' && waiting_[end] <= '?'; };
  while (end < waiting_.size() && end < longest_sequence && inside()) ++end;
  if (end == waiting_.size()) {
    incomplete_ = true;
    return std::nullopt;
  }
  const bool complete = waiting_[end] >= '@' && waiting_[end] <= '~';
  const std::string sequence = waiting_.substr(introducer, end + 1 - introducer);
  waiting_.erase(0, complete ? end + 1 : end);
  return complete ? named(sequence) : std::nullopt;
}

std::optional<key> key_decoder::take_character() {
  const auto lead = static_cast<unsigned char>(waiting_.front());
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 1
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                                           : 4;
  // A byte that cannot continue the sequence ends it.
  std::size_t there = 1;
  while (there < length && there < waiting_.size() &&
         (static_cast<unsigned char>(waiting_[there]) & 0xc0) == 0x80) {
    ++there;
  }
  if (there < length && there == waiting_.size() && lead < 0xf5) {
    incomplete_ = true;
    return std::nullopt;
  }
  const std::string text = waiting_.substr(0, there);
  waiting_.erase(0, there);
  if (lead < ' ' || lead == 0x7f) return control(text.front());
  // printable() changes what is not UTF-8 or cannot be seen.
  return printable(text) == text ? std::optional(key{key_name::text, text}) : std::nullopt;
}

}  // namespace bloomtime::cli::live
