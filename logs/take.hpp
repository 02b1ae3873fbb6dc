#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

// Steps of the splitters: each takes the next column from the front of a line.
namespace bloomtime::logs {

inline std::size_t find(std::string_view text, char c, std::size_t from = 0) {
  if (from >= text.size()) return text.npos;
  const void* const found = std::memchr(text.data() + from, c, text.size() - from);
  if (found == nullptr) return text.npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// Up to the delimiter, which is removed with it.
inline std::string_view take_until(std::string_view& rest, char delimiter) {
  const std::size_t end = std::min(find(rest, delimiter), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return taken;
}

inline bool escaped_at(std::string_view text, std::size_t at) {
  std::size_t backslashes = 0;
  while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 != 0;
}

// Servers write \" for a quote inside; some write it bare, so that only one before a blank closes.
// A column that is never closed ends with the line: it was cut there.
inline std::string_view take_quoted(std::string_view& rest) {
  rest.remove_prefix(1);
  std::size_t end = find(rest, '"');
  while (end != rest.npos &&
         ((end + 1 < rest.size() && rest[end + 1] != ' ') || escaped_at(rest, end))) {
    end = find(rest, '"', end + 1);
  }
  if (end == rest.npos) end = rest.ends_with('"') ? rest.size() - 1 : rest.size();
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 2, rest.size()));
  return taken;
}

// Words between blanks, of which some are in quotes.
inline std::string_view take_word(std::string_view& rest) {
  return rest.starts_with('"') ? take_quoted(rest) : take_until(rest, ' ');
}

// The text of "[text]" at the front, with the blank behind it; empty if there is none.
inline std::string_view take_brackets(std::string_view& rest) {
  if (!rest.starts_with('[')) return {};
  rest.remove_prefix(1);
  const std::string_view taken = take_until(rest, ']');
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  return taken;
}

// Whether all of it, at least one character, is digits.
inline bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace bloomtime::logs
