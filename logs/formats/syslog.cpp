#include "logs/formats/syslog.hpp"

#include <algorithm>
#include <array>

#include "logs/take.hpp"
#include "text/quantity.hpp"

namespace bloomtime::logs {
namespace {

enum column { c_priority, c_time, c_host, c_program, c_pid, c_message, c_id, c_data, all_columns };
using columns_type = std::array<std::string_view, all_columns>;

constexpr std::array<std::string_view, 24> facilities{
    "kern",   "user",   "mail",     "daemon", "auth",   "syslog", "lpr",    "news",
    "uucp",   "cron",   "authpriv", "ftp",    "ntp",    "audit",  "alert",  "clock",
    "local0", "local1", "local2",   "local3", "local4", "local5", "local6", "local7"};
constexpr std::array<std::string_view, 8> severities{"emerg",   "alert",  "crit", "err",
                                                     "warning", "notice", "info", "debug"};
constexpr unsigned most_priority = 191;

std::optional<unsigned> priority_in(std::string_view text) {
  const auto number = text::number_in<unsigned>(text);
  return number && *number <= most_priority ? number : std::nullopt;
}

// "-" stands for a value that is not there.
std::string_view taken_or_none(std::string_view taken) {
  return taken == "-" ? std::string_view() : taken;
}

// [id name="value"][id2], in which a quoted ] is written \]
std::size_t data_size(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] == '[') {
    bool quoted = false;
    for (++at; at < text.size() && (quoted || text[at] != ']'); ++at) {
      if (text[at] == '\\') {
        ++at;
      } else if (text[at] == '"') {
        quoted = !quoted;
      }
    }
    at = std::min(at + 1, text.size());
  }
  return at;
}

void split_5424(std::string_view text, columns_type& columns) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  for (const column c : {c_time, c_host, c_program, c_pid, c_id}) {
    columns[c] = taken_or_none(take_until(text, ' '));
  }
  const std::size_t size =
      text.starts_with('[') ? data_size(text) : std::min(text.find(' '), text.size());
  columns[c_data] = taken_or_none(text.substr(0, size));
  text.remove_prefix(size);
  if (text.starts_with(' ')) text.remove_prefix(1);
  columns[c_message] = text.starts_with(mark) ? text.substr(mark.size()) : text;
}

// A date behind which the time of day is another word, as no syslog writes it.
bool is_date_alone(std::string_view text) {
  return text.find_first_of("-/", 1) != text.npos && text.find(':') == text.npos;
}

// "Oct 11 22:14:15", "Oct 11 2000 22:14:15.25" or "2024-03-01T10:00:00Z", with the blank behind it.
std::string_view take_time(std::string_view& text) {
  constexpr std::size_t date = 7;   // "Oct 11 "
  constexpr std::size_t year = 5;   // "2000 "
  constexpr std::size_t clock = 8;  // "22:14:15"
  if (text.empty() || (text.front() >= '0' && text.front() <= '9')) {
    const std::string_view word = take_until(text, ' ');
    return is_date_alone(word) ? std::string_view() : word;
  }
  if (text.size() <= date + clock) return {};
  const bool dated = text[date + year - 1] == ' ' && all_digits(text.substr(date, year - 1));
  const std::size_t begin = date + (dated ? year : 0);
  const std::size_t end = text.find(' ', begin);
  if (end == text.npos || end < begin + clock) return {};
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end + 1);
  return taken;
}

// "program[123]: message", "program: message"; without a program all is message.
void split_tag(std::string_view text, columns_type& columns) {
  const std::size_t end = text.find_first_of(" :[");
  columns[c_message] = text;
  if (end == text.npos || end == 0 || text[end] == ' ') return;
  std::string_view rest = text.substr(end);
  std::string_view pid;
  if (rest.front() == '[') {
    rest.remove_prefix(1);
    pid = take_until(rest, ']');
  }
  if (!rest.starts_with(':')) return;
  rest.remove_prefix(1);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  columns[c_program] = text.substr(0, end);
  columns[c_pid] = pid;
  columns[c_message] = rest;
}

}  // namespace

std::size_t split_syslog(std::string_view text, std::span<std::string_view> into) {
  columns_type columns{};
  if (text.starts_with('<')) {
    text.remove_prefix(1);
    columns[c_priority] = take_until(text, '>');
    if (!priority_in(columns[c_priority])) return 0;
  }
  if (columns[c_priority].data() != nullptr && text.starts_with("1 ")) {
    text.remove_prefix(2);
    split_5424(text, columns);
  } else {
    columns[c_time] = take_time(text);
    if (columns[c_time].empty()) return 0;
    columns[c_host] = take_until(text, ' ');
    split_tag(text, columns);
  }
  const std::size_t count = std::min<std::size_t>(into.size(), all_columns);
  std::copy_n(columns.begin(), count, into.begin());
  return count;
}

const std::vector<field>& syslog_fields() {
  using enum field::part;
  static const std::vector<field> fields{{"priority", value, c_priority},
                                         {"time", value, c_time},
                                         {"host", value, c_host},
                                         {"program", value, c_program},
                                         {"pid", value, c_pid},
                                         {"message", value, c_message},
                                         {"id", value, c_id},
                                         {"data", value, c_data},
                                         {"facility", facility, c_priority},
                                         {"severity", severity, c_priority}};
  return fields;
}

std::optional<std::string_view> facility_of(std::string_view priority) {
  const auto number = priority_in(priority);
  return number ? std::optional(facilities[*number / severities.size()]) : std::nullopt;
}

std::optional<std::string_view> severity_of(std::string_view priority) {
  const auto number = priority_in(priority);
  return number ? std::optional(severities[*number % severities.size()]) : std::nullopt;
}

}  // namespace bloomtime::logs
