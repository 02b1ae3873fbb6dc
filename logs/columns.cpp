#include "logs/columns.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "logs/take.hpp"
#include "text/quantity.hpp"

namespace bloomtime::logs {
namespace {

std::string_view take_log_column(std::string_view& rest) {
  if (rest.front() == '"') return take_quoted(rest);
  if (rest.front() == '[') return take_brackets(rest);
  return take_until(rest, ' ');
}

// Up to the bracket of the time.
std::string_view take_user(std::string_view& rest) {
  std::size_t bracket = find(rest, '[');
  while (bracket != rest.npos && (bracket == 0 || rest[bracket - 1] != ' ')) {
    bracket = find(rest, '[', bracket + 1);
  }
  if (bracket == rest.npos) return take_until(rest, ' ');
  const std::string_view taken = rest.substr(0, bracket - 1);
  rest.remove_prefix(bracket);
  return taken;
}

// The end of a quoted column, behind its closing quote; npos if there is none.
std::size_t quoted_end(std::string_view text, std::size_t from) {
  std::size_t at = find(text, '"', from + 1);
  while (at != text.npos && at + 1 < text.size() && text[at + 1] == '"') {
    at = find(text, '"', at + 2);
  }
  return at == text.npos ? at : at + 1;
}

// The byte that the escape at the front stands for, and how long it is.
std::pair<char, std::size_t> first_unescaped(std::string_view text) {
  constexpr std::string_view letters = "tnr\\";
  constexpr std::string_view meanings = "\t\n\r\\";
  if (text.size() < 2) return {text.front(), 1};
  if (const auto i = letters.find(text[1]); i != letters.npos) return {meanings[i], 2};
  const std::string_view digits = text.substr(2, 2);
  if (text[1] != 'x' || digits.size() != 2) return {text.front(), 1};
  const auto byte = text::number_in<unsigned char>(digits, 16);
  return byte ? std::pair(static_cast<char>(*byte), std::size_t{4})
              : std::pair(text.front(), std::size_t{1});
}

}  // namespace

std::size_t split_log(std::string_view text, bool virtual_host, std::span<std::string_view> into) {
  const std::size_t user = virtual_host ? 3 : 2;
  std::size_t count = 0;
  for (; count < into.size() && !text.empty(); ++count) {
    into[count] = count < user    ? take_until(text, ' ')
                  : count == user ? take_user(text)
                                  : take_log_column(text);
  }
  return count;
}

std::size_t split_tabs(std::string_view text, std::span<std::string_view> into) {
  for (std::size_t count = 0; count < into.size();) {
    const std::size_t tab = find(text, '\t');
    into[count++] = text.substr(0, tab);
    if (tab == text.npos) return count;
    text.remove_prefix(tab + 1);
  }
  return into.size();
}

std::size_t split_words(std::string_view text, std::span<std::string_view> into) {
  constexpr std::string_view blanks = " \t";
  std::size_t count = 0;
  for (; count < into.size(); ++count) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.empty()) break;
    into[count] = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(into[count].size());
  }
  return count;
}

std::size_t split_commas(std::string_view text, std::span<std::string_view> into) {
  for (std::size_t count = 0; count < into.size();) {
    std::size_t end = 0;
    if (text.starts_with('"')) {
      end = quoted_end(text, 0);
      if (end == text.npos || (end < text.size() && text[end] != ',')) return 0;
    } else {
      end = std::min(find(text, ','), text.size());
    }
    into[count++] = text.substr(0, end);
    if (end == text.size()) return count;
    text.remove_prefix(end + 1);
  }
  return into.size();
}

std::string_view unquoted(std::string_view column, std::string& scratch) {
  if (!column.starts_with('"')) return column;
  std::string_view inside = column.substr(1, column.size() - 2);
  std::size_t quote = find(inside, '"');
  if (quote == inside.npos) return inside;
  scratch.clear();
  for (; quote != inside.npos; quote = find(inside, '"')) {
    scratch.append(inside.substr(0, quote + 1));
    inside.remove_prefix(quote + 2);
  }
  return scratch.append(inside);
}

std::string_view unescaped(std::string_view column, std::string& scratch) {
  std::size_t backslash = find(column, '\\');
  if (backslash == column.npos) return column;
  scratch.clear();
  for (; backslash != column.npos; backslash = find(column, '\\')) {
    scratch.append(column.substr(0, backslash));
    const auto [byte, size] = first_unescaped(column.substr(backslash));
    scratch.push_back(byte);
    column.remove_prefix(backslash + size);
  }
  return scratch.append(column);
}

request_parts split_request(std::string_view request) {
  constexpr std::string_view none = "-";
  const std::size_t blank = find(request, ' ');
  if (blank == request.npos) return {none, request, none};
  const std::string_view target = request.substr(blank + 1);
  const std::size_t last = target.rfind(' ');
  if (last == target.npos || !target.substr(last + 1).starts_with("HTTP/")) {
    return {request.substr(0, blank), target, none};
  }
  return {request.substr(0, blank), target.substr(0, last), target.substr(last + 1)};
}

void append_joined(std::string& item, std::span<const std::string_view> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) item.push_back(',');
    std::string_view value = values[i];
    if (value.find_first_of(",\"\r\n") == value.npos) {
      item.append(value);
      continue;
    }
    item.push_back('"');
    for (std::size_t quote = find(value, '"'); quote != value.npos; quote = find(value, '"')) {
      item.append(value.substr(0, quote + 1)).push_back('"');
      value.remove_prefix(quote + 1);
    }
    item.append(value).push_back('"');
  }
}

}  // namespace bloomtime::logs
