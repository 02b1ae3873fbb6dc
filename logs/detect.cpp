#include "logs/detect.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "logs/columns.hpp"
#include "logs/formats/error_log.hpp"
#include "logs/formats/json_names.hpp"
#include "logs/formats/load_balancer.hpp"
#include "logs/formats/logfmt.hpp"
#include "logs/formats/syslog.hpp"
#include "logs/formats/timed.hpp"
#include "logs/formats/w3c.hpp"
#include "logs/json_fields.hpp"
#include "logs/take.hpp"
#include "logs/times.hpp"
#include "logs/zone_names.hpp"

namespace bloomtime::logs {
namespace {

using lines_type = std::vector<std::string_view>;

// In 1973. Smaller numbers are more often something else than a time.
constexpr instant first_likely_time = instant::from_seconds(100'000'000);

template <class Iterator, class Test>
bool most_of(Iterator begin, Iterator end, Test test) {
  return 10 * std::count_if(begin, end, test) >= 9 * (end - begin);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.+-eE") == text.npos &&
         text.find_first_of("0123456789") != text.npos;
}

// Lines whose time has an ambiguous zone are rejected for that.
bool is_time(const time_reading& t) { return t.ok() || t.problem == time_problem::ambiguous_zone; }

bool is_measure(std::string_view text) { return is_number(text) || is_time(read_time(text)); }

// Which format of web logs a line has.
std::optional<input_format> log_of(std::string_view text) {
  for (const bool virtual_host : {false, true}) {
    std::array<std::string_view, 10> column;
    const std::size_t before = virtual_host ? 1 : 0;
    const std::size_t found = split_log(text, virtual_host, column);
    const std::string_view user = column[2 + before];
    if (found < 7 + before || user.find(' ') != user.npos) continue;
    if (!read_time(column[3 + before]).ok() || !is_number(column[5 + before])) continue;
    if (virtual_host) return input_format::vhost_combined;
    return found < 9 ? input_format::common : input_format::combined;
  }
  return std::nullopt;
}

bool enough(std::size_t fitting, const lines_type& lines) {
  return fitting != 0 && 2 * fitting >= lines.size();
}

// The most frequent format of web logs, if most lines have one.
std::optional<input_format> detect_log(const lines_type& lines) {
  std::array<std::size_t, 3> counts{};
  for (const std::string_view text : lines) {
    if (const auto log = log_of(text)) ++counts[static_cast<std::size_t>(*log)];
  }
  if (!enough(counts[0] + counts[1] + counts[2], lines)) return std::nullopt;
  const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
  return static_cast<input_format>(most);
}

// The most frequent dialect, if most lines are objects.
std::optional<input_format> detect_json(const lines_type& lines) {
  std::array<std::size_t, 4> counts{};
  std::size_t objects = 0;
  for (const std::string_view text : lines) {
    const auto keys = json_keys(text);
    if (!keys) continue;
    ++objects;
    ++counts[static_cast<std::size_t>(json_dialect(*keys)) -
             static_cast<std::size_t>(input_format::ndjson)];
  }
  if (!enough(objects, lines)) return std::nullopt;
  const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
  return static_cast<input_format>(static_cast<std::ptrdiff_t>(input_format::ndjson) + most);
}

std::optional<input_format> detect_w3c(const lines_type& lines) {
  for (const std::string_view text : lines) {
    if (!is_directive(text)) return std::nullopt;
    const auto columns = w3c_columns(text);
    if (!columns) continue;
    const bool cloudfront =
        std::find(columns->begin(), columns->end(), "x-edge-location") != columns->end();
    return cloudfront ? input_format::cloudfront : input_format::w3c;
  }
  return std::nullopt;
}

// -- lines of other shapes: they fit if the columns that tell them apart are there

bool fits_nginx_error(std::string_view text) {
  std::array<std::string_view, 3> column;
  return split_nginx_error(text, column) == column.size() && read_time(column[0]).ok() &&
         all_digits(column[2]);
}

bool fits_apache_error(std::string_view text) {
  std::array<std::string_view, 1> column;
  return split_apache_error(text, column) == column.size() && column[0].size() > 20 &&
         column[0].front() >= 'A' && read_time(column[0]).ok();
}

bool fits_syslog(std::string_view text) {
  std::array<std::string_view, 6> column;
  if (split_syslog(text, column) != column.size() || !read_time(column[1]).ok()) return false;
  return column[0].data() != nullptr || column[3].data() != nullptr || column[1].front() >= 'A';
}

bool fits_load_balancer(std::string_view text) {
  std::array<std::string_view, 13> column;
  return split_load_balancer(text, column) == column.size() && read_time(column[1]).ok() &&
         is_number(column[10]) && is_number(column[11]) && column[12].find(' ') != text.npos;
}

// Whether what follows a time is its zone and a comma: a column of CSV.
bool ends_column(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos) return false;
  const std::string_view zone = text.substr(0, comma);
  return is_zone_name(zone) || read_time("2000-01-01 00:00:00 " + std::string(zone)).ok();
}

bool fits_timed(std::string_view text) {
  std::array<std::string_view, 2> column;
  return split_timed(text, column) == column.size() && !column[1].empty() &&
         read_time(column[0]).ok() && !ends_column(column[1]);
}

bool fits_logfmt(std::string_view text) {
  return text.find(',') > text.find('=') && logfmt_keys(text).has_value();
}

struct known_shape {
  input_format format;
  bool (*fits)(std::string_view text);
};

constexpr std::array shapes{
    known_shape{input_format::nginx_error, fits_nginx_error},
    known_shape{input_format::apache_error, fits_apache_error},
    known_shape{input_format::syslog, fits_syslog},
    known_shape{input_format::load_balancer, fits_load_balancer},
    known_shape{input_format::timed, fits_timed},
    known_shape{input_format::logfmt, fits_logfmt},
};

using table = std::vector<std::vector<std::string>>;

table table_of(input_format f, const lines_type& lines) {
  table rows;
  for (const std::string_view text : lines) rows.push_back(columns_of(f, text));
  return rows;
}

bool same_width(const table& rows) {
  const std::size_t width = rows.front().size();
  const auto fits = [&](const auto& row) { return row.size() == width; };
  return width > 1 && most_of(rows.begin(), rows.end(), fits);
}

// Whether a column holds numbers or times below the first row.
bool measures_below(const table& rows) {
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    const auto fits = [&](const auto& row) { return i < row.size() && is_measure(row[i]); };
    if (rows.size() > 1 && most_of(rows.begin() + 1, rows.end(), fits)) return true;
  }
  return false;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// Of any language, and with anything behind its first letter: "Größe", "Time (UTC)".
bool looks_like_name(std::string_view text) {
  constexpr std::string_view others = "0123456789_@#";
  if (text.empty() || is_measure(text)) return false;
  const char first = lower(text.front());
  return (first >= 'a' && first <= 'z') || others.find(first) != others.npos ||
         static_cast<unsigned char>(first) >= 0x80;
}

bool distinct(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

// Names above numbers, or names that are known or were asked for.
bool names_columns(const table& rows, const std::vector<std::string>& asked) {
  const std::vector<std::string>& names = rows.front();
  if (names.empty() || !distinct(names)) return false;
  const auto is_asked = [&](const std::string& name) {
    return std::find(asked.begin(), asked.end(), name) != asked.end() && !is_number(name);
  };
  if (std::any_of(names.begin(), names.end(), is_asked)) return true;
  const bool numbered = names.front().empty();  // rows may have numbers in a column without a name
  return std::all_of(names.begin() + (numbered ? 1 : 0), names.end(), looks_like_name) &&
         ((!numbered && measures_below(rows)) || first_known(time_names(), names));
}

// Text has commas too: only with numbers or times in a column is it CSV.
bool is_csv(const lines_type& lines) {
  const table rows = table_of(input_format::csv, lines);
  if (!same_width(rows)) return false;
  const auto& first = rows.front();
  return measures_below(rows) || names_columns(rows, {}) ||
         (rows.size() == 1 && std::any_of(first.begin(), first.end(), is_measure));
}

}  // namespace

std::vector<std::string_view> first_lines(std::string_view text) {
  constexpr std::size_t most_lines = 100;
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  text = text.substr(0, std::max(most_bytes, text.find('\n')));
  lines_type lines;
  while (!text.empty() && lines.size() < most_lines) {
    const std::size_t end = text.find('\n');
    if (end == text.npos && !lines.empty()) break;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

input_format detect(const std::vector<std::string_view>& lines) {
  if (lines.empty()) return input_format::plain;
  if (const auto log = detect_log(lines)) return *log;
  if (const auto json = detect_json(lines)) return *json;
  if (const auto w3c = detect_w3c(lines)) return *w3c;
  for (const known_shape& known : shapes) {
    const auto fitting = std::count_if(lines.begin(), lines.end(), known.fits);
    if (enough(static_cast<std::size_t>(fitting), lines)) return known.format;
  }
  if (same_width(table_of(input_format::tsv, lines))) return input_format::tsv;
  return is_csv(lines) ? input_format::csv : input_format::plain;
}

std::optional<std::vector<std::string>> keys_of(input_format f, std::string_view text) {
  return f == input_format::logfmt ? logfmt_keys(text) : json_keys(text);
}

bool is_likely_time(std::string_view text) {
  const time_reading got = read_time(text);
  if (!got.ok()) return is_time(got);
  return got.time.at >= first_likely_time || text.front() >= 'A';
}

std::vector<std::string> columns_of(input_format f, std::string_view text) {
  constexpr std::size_t most = 1000;
  std::vector<std::string_view> raw(most);
  raw.resize(f == input_format::csv ? split_commas(text, raw) : split_tabs(text, raw));
  std::vector<std::string> columns;
  std::string scratch;
  for (const std::string_view c : raw) {
    columns.emplace_back(f == input_format::csv ? unquoted(c, scratch) : unescaped(c, scratch));
  }
  return columns;
}

std::optional<std::vector<std::string>> header_of(input_format f,
                                                  const std::vector<std::string_view>& lines,
                                                  const std::vector<std::string>& asked,
                                                  const std::vector<std::string>& data) {
  if (lines.empty() || !has_columns(f)) return std::nullopt;
  table rows = table_of(f, lines);
  const auto is_data = [&](const std::string& name) {
    return std::find(data.begin(), data.end(), name) != data.end();
  };
  if (!names_columns(rows, asked) ||
      std::any_of(rows.front().begin(), rows.front().end(), is_data)) {
    return std::nullopt;
  }
  return std::move(rows.front());
}

bool begins_with_times(input_format f, const std::vector<std::string_view>& lines, bool header) {
  const lines_type below(lines.begin() + (header ? 1 : 0), lines.end());
  const auto fitting = std::count_if(below.begin(), below.end(), [&](std::string_view text) {
    const std::vector<std::string> row = columns_of(f, text);
    if (row.empty()) return false;
    return is_likely_time(row.front());
  });
  return enough(static_cast<std::size_t>(fitting), below);
}

const std::vector<std::string>& time_names() {
  static const std::vector<std::string> names{"time",  "timestamp", "@timestamp",
                                              "ts",    "datetime",  "date",
                                              "epoch", "created",   "created_at"};
  return names;
}

std::optional<std::string> first_known(const std::vector<std::string>& known_names,
                                       const std::vector<std::string>& names) {
  for (const std::string& name : known_names) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& n) { return same_name(n, name); });
    if (found != names.end()) return *found;
  }
  return std::nullopt;
}

}  // namespace bloomtime::logs
