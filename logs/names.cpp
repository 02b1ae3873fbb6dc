#include "logs/names.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "logs/columns.hpp"
#include "logs/detect.hpp"
#include "logs/formats/error_log.hpp"
#include "logs/formats/json_names.hpp"
#include "logs/formats/load_balancer.hpp"
#include "logs/formats/logfmt.hpp"
#include "logs/formats/syslog.hpp"
#include "logs/formats/timed.hpp"
#include "logs/formats/w3c.hpp"
#include "logs/json_fields.hpp"
#include "logs/lines.hpp"
#include "logs/times.hpp"
#include "text/quantity.hpp"
#include "text/suggest.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace {

using part = field::part;

constexpr std::size_t most_columns = 1000;

// The columns of a web log, with the virtual host in front or not.
std::vector<field> log_fields(bool virtual_host, bool combined) {
  constexpr std::array columns{"host",   "ident", "user",    "time", "request",
                               "status", "bytes", "referer", "agent"};
  constexpr std::size_t request_column = 4;
  const std::size_t shift = virtual_host ? 1 : 0;
  std::vector<field> fields;
  if (virtual_host) fields.push_back({"vhost", part::value, 0});
  for (std::size_t i = 0; i < (combined ? columns.size() : 7); ++i) {
    fields.push_back({columns[i], part::value, i + shift});
  }
  fields.push_back({"method", part::method, request_column + shift});
  fields.push_back({"path", part::path, request_column + shift});
  fields.push_back({"protocol", part::protocol, request_column + shift});
  return fields;
}

const field* field_in(const std::vector<field>& fields, std::string_view name) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const field& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Columns count from 1 where people type them.
std::optional<std::size_t> column_number(const std::string& typed) {
  const auto number = text::number_in<std::size_t>(typed);
  return number && *number != 0 ? std::optional(*number - 1) : std::nullopt;
}

// Another name of the same field.
std::string_view other_name(std::string_view name) {
  constexpr std::array pairs{std::pair("referrer", "referer"), std::pair("site", "vhost")};
  for (const auto& [a, b] : pairs) {
    if (name == a) return b;
    if (name == b) return a;
  }
  return {};
}

std::vector<std::string> names_of(const std::vector<field>& fields) {
  std::vector<std::string> names;
  for (const field& f : fields) names.push_back(f.name);
  if (field_in(fields, "agent") != nullptr) names.emplace_back("family");
  return names;
}

std::optional<std::vector<std::string>> directive_columns(
    const std::vector<std::string_view>& lines) {
  for (const std::string_view text : lines) {
    if (auto columns = w3c_columns(text)) return columns;
  }
  return std::nullopt;
}

bool is_date(std::string_view text) { return read_time(std::string(text) + " 00:00:00").ok(); }

bool is_clock(std::string_view text) { return read_time("2000-01-01 " + std::string(text)).ok(); }

}  // namespace

const std::vector<field>& format_fields(input_format f) {
  static const std::vector<field> common = log_fields(false, false);
  static const std::vector<field> combined = log_fields(false, true);
  static const std::vector<field> virtual_hosts = log_fields(true, true);
  static const std::vector<field> none;
  switch (f) {
    case input_format::common: return common;
    case input_format::combined: return combined;
    case input_format::vhost_combined: return virtual_hosts;
    case input_format::load_balancer: return load_balancer_fields();
    case input_format::nginx_error: return nginx_error_fields();
    case input_format::apache_error: return apache_error_fields();
    case input_format::syslog: return syslog_fields();
    case input_format::timed: return timed_fields();
    default: return none;
  }
}

file_names::file_names(std::string file, input_format format, std::vector<std::string_view> lines,
                       std::optional<std::vector<std::string>> header,
                       const std::shared_ptr<const pattern>& by_pattern)
    : file_(std::move(file)),
      format_(format),
      lines_(std::move(lines)),
      header_(std::move(header)),
      fields_(by_pattern ? by_pattern->fields() : format_fields(format)) {
  if (has_directives(format_)) {
    const auto columns = directive_columns(lines_);
    if (!columns) {
      text::refuse("{} has no #Fields line among its first lines; the {} needs one", file_,
                   described(format_));
    }
    fields_ = w3c_fields(*columns, format_ == input_format::cloudfront);
  }
  if (has_keys(format_)) {
    keys_ = collect_keys();
    names_ = keys_;
    if (is_json(format_) && format_ != input_format::ndjson) {
      for (std::string& name : known_json_names(keys_)) names_.push_back(std::move(name));
    }
  } else if (has_columns(format_)) {
    names_ = header_.value_or(std::vector<std::string>());
  } else {
    names_ = names_of(fields_);
    names_.emplace_back("line");
  }
}

// The keys of all these lines; each line may lack some.
std::vector<std::string> file_names::collect_keys() const {
  std::vector<std::string> all;
  for (const std::string_view text : lines_) {
    for (std::string& key : keys_of(format_, text).value_or(std::vector<std::string>())) {
      if (!contains(all, key)) all.push_back(std::move(key));
    }
    if (all.size() > most_columns) break;
  }
  return all;
}

// -- looking up ----------------------------------------------------------------------------------

std::optional<field> file_names::known(const std::string& typed) const {
  if (has_keys(format_)) {
    if (contains(keys_, typed)) return field{.name = typed, .key = typed};
    return known_json_field(typed, keys_);
  }
  const field* found = field_in(fields_, typed);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

// A name in the header comes before a number, a number before other names.
std::optional<field> file_names::find(const std::string& typed) const {
  if (header_) {
    const auto found = std::find(header_->begin(), header_->end(), typed);
    if (found != header_->end()) {
      return field{typed, part::value, static_cast<std::size_t>(found - header_->begin())};
    }
  }
  if (!has_keys(format_)) {
    if (const auto column = column_number(typed)) {
      if (*column >= most_columns) {
        text::refuse("column {} is too high; only the first {} columns are read",
                     text::shown(typed), most_columns);
      }
      const std::size_t before = format_ == input_format::timed ? first_timed_word : 0;
      return field{typed, part::value, *column + before};
    }
    if (typed == "line") return field{typed, part::line, 0};
  }
  if (auto found = known(typed)) return found;
  std::string_view other = other_name(typed);
  const bool family = typed == "family";
  if (family) other = "agent";
  auto found = other.empty() ? std::nullopt : known(std::string(other));
  if (!found) return std::nullopt;
  found->name = typed;
  if (family) found->what = part::family;
  return found;
}

field file_names::named(const std::string& typed) const {
  if (auto found = find(typed)) return *found;
  if (has_keys(format_)) return {.name = typed, .key = typed};
  refuse(typed);
}

// The --format in which the first line of plain lines names this column; null if there is none.
const char* file_names::format_with(const std::string& typed) const {
  if (format_ != input_format::plain || lines_.empty()) return nullptr;
  for (const auto& [format, name] :
       {std::pair(input_format::csv, "csv"), std::pair(input_format::tsv, "tsv")}) {
    const auto columns = columns_of(format, lines_.front());
    if (columns.size() > 1 && contains(columns, typed)) return name;
  }
  return nullptr;
}

void file_names::refuse(const std::string& typed) const {
  if (names_.empty()) {
    text::refuse(
        "{} has no header that names its columns; give the number of a column, as in --item 2, "
        "instead of {}",
        file_, text::shown(typed));
  }
  if (const char* columns = format_with(typed)) {
    text::refuse("{} looks like plain lines; with --format {} it has the field {}", file_, columns,
                 text::shown(typed));
  }
  text::refuse(
      "{} ({}) has no field {}; it has {}.{}{}", file_, described(format_), text::shown(typed),
      fmt::join(names_, ", "), text::suggestion(typed, names_),
      format_ == input_format::plain ? " If its lines have columns, give --format csv or tsv" : "");
}

// -- defaults ------------------------------------------------------------------------------------

// Of a key or of a column of the header, in the first lines that have it.
std::vector<std::string> file_names::values_of(const std::string& name) const {
  std::vector<std::string> values;
  if (has_keys(format_)) {
    json_fields json({name});
    logfmt_fields pairs({name});
    std::array<std::string_view, 1> value;
    std::array<char, 1> found{};
    for (const std::string_view text : lines_) {
      const std::string padded = std::string(text) + std::string(line_reader::padding, ' ');
      if (format_ == input_format::logfmt) {
        pairs.read(text, value, found);
      } else if (json.read({padded.data(), text.size()}, value, found) != json_problem::none) {
        continue;
      }
      if (found[0] != 0) values.emplace_back(value[0]);
    }
    return values;
  }
  const auto wanted = find(name);
  for (std::size_t i = header_ ? 1 : 0; wanted && i < lines_.size(); ++i) {
    const std::vector<std::string> row = columns_of(format_, lines_[i]);
    if (wanted->column < row.size()) values.push_back(row[wanted->column]);
  }
  return values;
}

bool file_names::holds_times(const std::string& name) const {
  const std::vector<std::string> values = values_of(name);
  const auto times = std::count_if(values.begin(), values.end(),
                                   [](const std::string& v) { return is_likely_time(v); });
  return times != 0 && 2 * static_cast<std::size_t>(times) >= values.size();
}

// start_time, request_time: these may be durations too, so that the values decide.
std::optional<std::string> file_names::time_by_suffix() const {
  for (const std::string& name : names_) {
    if ((name.ends_with("_time") || name.ends_with("_TIME")) && holds_times(name)) return name;
  }
  return std::nullopt;
}

// The columns of CSV and TSV: date and time, one with a known name, or the first if it holds times.
std::string file_names::column_time() const {
  const auto both = [&](const std::string& date, const std::string& clock) {
    const std::vector<std::string> dates = values_of(date);
    const std::vector<std::string> clocks = values_of(clock);
    return !dates.empty() && !clocks.empty() && std::all_of(dates.begin(), dates.end(), is_date) &&
           std::all_of(clocks.begin(), clocks.end(), is_clock);
  };
  if (header_) {
    const auto date = first_known({"date"}, *header_);
    const auto clock = first_known({"time"}, *header_);
    if (date && clock && both(*date, *clock)) return *date + "," + *clock;
    if (const auto known_name = first_known(time_names(), *header_)) return *known_name;
    if (const auto by_suffix = time_by_suffix()) return *by_suffix;
  } else if (both("1", "2")) {
    return "1,2";
  }
  if (!begins_with_times(format_, lines_, header_.has_value())) return "";
  return header_ ? header_->front() : "1";
}

std::string file_names::default_time() const {
  if (has_columns(format_)) return column_time();
  if (has_keys(format_)) {
    if (format_ == input_format::journald) return "time";
    if (const auto known_name = first_known(time_names(), keys_)) return *known_name;
    if (const auto by_suffix = time_by_suffix()) return *by_suffix;
    return known("time") ? "time" : "";
  }
  const auto has = [&](const char* name) { return field_in(fields_, name) != nullptr; };
  if (has("date") && has("time")) return "date,time";
  if (has("date") && has("clock")) return "date,clock";
  return has("time") ? "time" : "";
}

// The first column that is not the time.
std::string first_column(const std::optional<std::vector<std::string>>& header,
                         const std::string& time) {
  if (!header) return time == "1,2" ? "3" : time == "1" ? "2" : "1";
  const std::vector<std::string> times = columns_of(input_format::csv, time);
  const auto found = std::find_if(header->begin(), header->end(), [&](const std::string& name) {
    return !name.empty() && name != time && !contains(times, name);
  });
  return found == header->end() ? "1" : *found;
}

std::vector<std::string> file_names::default_items(const std::string& time) const {
  const auto both = [&](const char* a, const char* b) { return find(a) && find(b); };
  switch (format_) {
    case input_format::plain: return {"line"};
    case input_format::timed: return {"message"};
    case input_format::nginx_error:
    case input_format::apache_error: return {"message", "host"};
    case input_format::syslog: return {"program", "host"};
    case input_format::journald: return {"program", "unit"};
    default: break;
  }
  if (!has_keys(format_) && !has_columns(format_)) {
    if (both("path", "host")) return {"path", "host"};
    for (const char* name : {"path", "host"}) {
      if (find(name)) return {name};
    }
    return {fields_.empty() ? "line" : fields_.front().name};
  }
  if (const auto known_name = first_known({"item", "key", "id"}, names_)) return {*known_name};
  if (has_columns(format_)) {
    const std::string name = first_column(header_, time);
    std::string quoted;  // it may have a comma in it
    append_joined(quoted, std::array{std::string_view(name)});
    return {quoted};
  }
  if (both("path", "host") && (find("status") || find("method"))) return {"path", "host"};
  if (format_ == input_format::logfmt && find("message")) return {"message"};
  text::refuse("{} is {}; name a key with --item: it has {}", file_, described(format_),
               keys_.empty() ? "none" : fmt::format("{}", fmt::join(keys_, ", ")));
}

}  // namespace bloomtime::logs
