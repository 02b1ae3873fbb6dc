#include "logs/formats/error_log.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "logs/take.hpp"

namespace bloomtime::logs {
namespace {

enum nginx_column {
  n_time,
  n_level,
  n_pid,
  n_tid,
  n_connection,
  n_message,
  n_client,
  n_server,
  n_request,
  n_upstream,
  n_site,
  n_referrer,
  nginx_columns
};
enum apache_column {
  a_time,
  a_module,
  a_level,
  a_pid,
  a_tid,
  a_client,
  a_message,
  a_referrer,
  apache_columns
};

template <std::size_t Size>
std::size_t copy_front(const std::array<std::string_view, Size>& columns,
                       std::span<std::string_view> into) {
  const std::size_t count = std::min(into.size(), Size);
  std::copy_n(columns.begin(), count, into.begin());
  return count;
}

struct named_end {
  std::string_view before;
  std::size_t column;
};

constexpr std::array ends{
    named_end{", client: ", n_client},   named_end{", server: ", n_server},
    named_end{", request: ", n_request}, named_end{", upstream: ", n_upstream},
    named_end{", host: ", n_site},       named_end{", referrer: ", n_referrer}};

// What follows the message: each name at most once, in this order, each optional.
void split_ends(std::string_view text, std::span<std::string_view> columns) {
  std::size_t last = n_message;
  for (const named_end& end : ends) {
    const std::size_t at = text.find(end.before);
    if (at == text.npos) continue;
    columns[last] = text.substr(0, at);
    text.remove_prefix(at + end.before.size());
    last = end.column;
  }
  columns[last] = text;
  for (std::size_t i = n_request; i < nginx_columns; ++i) {
    std::string_view& value = columns[i];
    if (value.starts_with('"')) value = take_quoted(value);
  }
}

// "pid 12:tid 34", "pid 12"
void split_process(std::string_view text, std::string_view& pid, std::string_view& tid) {
  if (text.starts_with("pid ")) pid = text.substr(4, text.find(':') - 4);
  const std::size_t at = text.find("tid ");
  if (at != text.npos) tid = text.substr(at + 4);
}

}  // namespace

std::size_t split_nginx_error(std::string_view text, std::span<std::string_view> into) {
  constexpr std::size_t time_size = 19;
  std::array<std::string_view, nginx_columns> columns{};
  if (text.size() < time_size + 2 || text[time_size] != ' ' || text[time_size + 1] != '[') return 0;
  columns[n_time] = text.substr(0, time_size);
  text.remove_prefix(time_size + 1);
  columns[n_level] = take_brackets(text);
  const std::size_t colon = text.find(": ");
  const std::size_t hash = text.find('#');
  if (hash == text.npos || colon == text.npos || hash > colon) return 0;
  columns[n_pid] = text.substr(0, hash);
  columns[n_tid] = text.substr(hash + 1, colon - hash - 1);
  text.remove_prefix(colon + 2);
  if (text.starts_with('*')) columns[n_connection] = take_until(text, ' ').substr(1);
  split_ends(text, columns);
  return copy_front(columns, into);
}

const std::vector<field>& nginx_error_fields() {
  using enum field::part;
  static const std::vector<field> fields{{"time", value, n_time},
                                         {"level", value, n_level},
                                         {"pid", value, n_pid},
                                         {"tid", value, n_tid},
                                         {"connection", value, n_connection},
                                         {"message", value, n_message},
                                         {"host", value, n_client},
                                         {"server", value, n_server},
                                         {"request", value, n_request},
                                         {"upstream", value, n_upstream},
                                         {"site", value, n_site},
                                         {"referrer", value, n_referrer},
                                         {"method", method, n_request},
                                         {"path", path, n_request},
                                         {"protocol", protocol, n_request}};
  return fields;
}

std::size_t split_apache_error(std::string_view text, std::span<std::string_view> into) {
  constexpr std::string_view referrer = ", referer: ";
  std::array<std::string_view, apache_columns> columns{};
  columns[a_time] = take_brackets(text);
  std::string_view level = take_brackets(text);
  if (columns[a_time].empty() || level.empty()) return 0;
  if (level.find(':') != level.npos) columns[a_module] = take_until(level, ':');
  columns[a_level] = level;
  while (text.starts_with("[pid ") || text.starts_with("[client ") ||
         text.starts_with("[remote ")) {
    const std::string_view inside = take_brackets(text);
    if (inside.starts_with("pid ")) {
      split_process(inside, columns[a_pid], columns[a_tid]);
    } else {
      columns[a_client] = inside.substr(inside.find(' ') + 1);
    }
  }
  const std::size_t at = text.rfind(referrer);
  columns[a_message] = text.substr(0, at);
  if (at != text.npos) columns[a_referrer] = text.substr(at + referrer.size());
  return copy_front(columns, into);
}

const std::vector<field>& apache_error_fields() {
  using enum field::part;
  static const std::vector<field> fields{
      {"time", value, a_time},       {"module", value, a_module},    {"level", value, a_level},
      {"pid", value, a_pid},         {"tid", value, a_tid},          {"host", address, a_client},
      {"message", value, a_message}, {"referrer", value, a_referrer}};
  return fields;
}

}  // namespace bloomtime::logs
