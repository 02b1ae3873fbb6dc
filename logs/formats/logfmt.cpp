#include "logs/formats/logfmt.hpp"

#include <algorithm>
#include <utility>

#include "logs/take.hpp"
#include "text/quantity.hpp"

namespace bloomtime::logs {
namespace {

constexpr std::string_view blanks = " \t";

struct pair {
  std::string_view key;
  std::string_view value;  // data() is null if there is no =
  bool escaped = false;
};

// The end of a quoted value: its closing quote, or the end of the line.
std::size_t closing_quote(std::string_view text) {
  std::size_t end = find(text, '"');
  while (end != text.npos && escaped_at(text, end)) end = find(text, '"', end + 1);
  return std::min(end, text.size());
}

// Takes the next pair; false at the end of the line.
bool take_pair(std::string_view& rest, pair& next) {
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  if (rest.empty()) return false;
  const std::size_t end = std::min(rest.find_first_of(" \t="), rest.size());
  next = {rest.substr(0, end), {}, false};
  rest.remove_prefix(end);
  if (!rest.starts_with('=')) return true;
  rest.remove_prefix(1);
  if (rest.starts_with('"')) {
    rest.remove_prefix(1);
    next.value = rest.substr(0, closing_quote(rest));
    next.escaped = find(next.value, '\\') != rest.npos;
    rest.remove_prefix(std::min(next.value.size() + 1, rest.size()));
  } else {
    next.value = rest.substr(0, rest.find_first_of(blanks));
    rest.remove_prefix(next.value.size());
  }
  return true;
}

// \uXXXX of ASCII; other escapes of this form stay as written.
std::optional<char> ascii_escape(std::string_view text) {
  if (text.size() < 6 || text[1] != 'u') return std::nullopt;
  const auto code = text::number_in<unsigned>(text.substr(2, 4), 16);
  return code && *code < 0x80 ? std::optional(static_cast<char>(*code)) : std::nullopt;
}

std::string_view unescape(std::string_view text, std::string& scratch) {
  constexpr std::string_view letters = "nrt\"\\/";
  constexpr std::string_view meanings = "\n\r\t\"\\/";
  scratch.clear();
  while (!text.empty()) {
    std::size_t size = 1;
    char c = text.front();
    if (c == '\\' && text.size() > 1) {
      if (const auto i = letters.find(text[1]); i != letters.npos) {
        c = meanings[i];
        size = 2;
      } else if (const auto ascii = ascii_escape(text)) {
        c = *ascii;
        size = 6;
      }
    }
    scratch.push_back(c);
    text.remove_prefix(size);
  }
  return scratch;
}

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.-@/#").find(c) != std::string_view::npos;
  });
}

}  // namespace

void logfmt_fields::read(std::string_view text, std::span<std::string_view> values,
                         std::span<char> found) {
  std::fill(found.begin(), found.end(), char{0});
  std::size_t missing = keys_.size();
  for (pair next; missing != 0 && take_pair(text, next);) {
    if (next.value.data() == nullptr) continue;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (found[i] != 0 || keys_[i] != next.key) continue;
      values[i] = next.escaped ? unescape(next.value, scratch_[i]) : next.value;
      found[i] = 1;
      --missing;
    }
  }
}

std::optional<std::vector<std::string>> logfmt_keys(std::string_view text) {
  std::vector<std::string> keys;
  std::size_t others = 0;
  for (pair next; take_pair(text, next);) {
    if (next.value.data() == nullptr || !is_key(next.key)) {
      ++others;
    } else {
      keys.emplace_back(next.key);
    }
  }
  if (keys.size() < 2 || others > keys.size()) return std::nullopt;
  return keys;
}

}  // namespace bloomtime::logs
