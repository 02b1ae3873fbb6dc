#include "logs/layout.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "logs/columns.hpp"
#include "logs/json_fields.hpp"
#include "text/quantity.hpp"
#include "text/suggest.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace {

constexpr std::array<const char*, 9> log_columns{"host",   "ident", "user",    "time", "request",
                                                 "status", "bytes", "referer", "agent"};
constexpr std::size_t request_column = 4;
constexpr std::size_t most_columns = 1000;

// Columns count from 1 where people type them.
std::optional<std::size_t> column_number(const std::string& typed) {
  const auto number = text::number_in<std::size_t>(typed);
  return number && *number != 0 ? std::optional(*number - 1) : std::nullopt;
}

// What is known of a file when fields are looked up.
struct file_facts {
  const std::string& file;
  const std::vector<std::string_view>& lines;
  input_format format;
  std::optional<std::vector<std::string>> header;

  std::vector<std::string> names() const {
    if (format == input_format::ndjson) return keys();
    if (has_columns(format)) return header.value_or(std::vector<std::string>());
    if (format == input_format::plain) return {"line"};
    const auto columns = log_columns.begin() + (format == input_format::common ? 7 : 9);
    std::vector<std::string> all(log_columns.begin(), columns);
    if (format == input_format::vhost_combined) all.insert(all.begin(), "vhost");
    all.insert(all.end(), {"method", "path", "protocol", "line"});
    return all;
  }

  // Of all these lines: each may lack some.
  std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const std::string_view text : lines) {
      for (std::string& key : json_keys(text).value_or(std::vector<std::string>())) {
        if (std::find(all.begin(), all.end(), key) == all.end()) all.push_back(std::move(key));
      }
      if (all.size() > most_columns) break;
    }
    return all;
  }

  std::size_t before_host() const { return format == input_format::vhost_combined ? 1 : 0; }
};

// The --format in which the first line of plain lines names this column; null if there is none.
const char* format_with(const file_facts& facts, const std::string& typed) {
  if (facts.format != input_format::plain || facts.lines.empty()) return nullptr;
  for (const auto& [format, name] :
       {std::pair(input_format::csv, "csv"), std::pair(input_format::tsv, "tsv")}) {
    const auto columns = columns_of(format, facts.lines.front());
    if (columns.size() > 1 && std::find(columns.begin(), columns.end(), typed) != columns.end()) {
      return name;
    }
  }
  return nullptr;
}

[[noreturn]] void no_such_field(const file_facts& facts, const std::string& typed) {
  const std::vector<std::string> names = facts.names();
  if (names.empty()) {
    text::refuse(
        "{} has no header that names its columns; give the number of a column, as in --item 2, "
        "instead of {}",
        facts.file, text::shown(typed));
  }
  if (const char* columns = format_with(facts, typed)) {
    text::refuse("{} looks like plain lines; with --format {} it has the field {}", facts.file,
                 columns, text::shown(typed));
  }
  text::refuse("{} ({}) has no field {}; it has {}.{}{}", facts.file, described(facts.format),
               text::shown(typed), fmt::join(names, ", "), text::suggestion(typed, names),
               facts.format == input_format::plain
                   ? " If its lines have columns, give --format csv or tsv"
                   : "");
}

field log_field(const file_facts& facts, const std::string& typed) {
  using part = field::part;
  const std::size_t shift = facts.before_host();
  if (typed == "method") return {typed, part::method, request_column + shift};
  if (typed == "path") return {typed, part::path, request_column + shift};
  if (typed == "protocol") return {typed, part::protocol, request_column + shift};
  if (shift != 0 && typed == "vhost") return {typed, part::column, 0};
  const auto found = std::find(log_columns.begin(), log_columns.end(), typed);
  const auto column = static_cast<std::size_t>(found - log_columns.begin());
  const std::size_t columns = facts.format == input_format::common ? 7 : log_columns.size();
  if (column >= columns) no_such_field(facts, typed);
  return {typed, part::column, column + shift};
}

// Keys are taken as typed: lines need not all have the same. A name in the header comes before a
// number, a number before other names.
field field_named(const file_facts& facts, const std::string& typed) {
  if (facts.format == input_format::ndjson) return {typed, field::part::key, 0};
  if (facts.header) {
    const auto found = std::find(facts.header->begin(), facts.header->end(), typed);
    if (found != facts.header->end()) {
      return {typed, field::part::column, static_cast<std::size_t>(found - facts.header->begin())};
    }
  }
  if (const auto column = column_number(typed)) {
    if (*column < most_columns) return {typed, field::part::column, *column};
    text::refuse("column {} is too high; only the first {} columns are read", text::shown(typed),
                 most_columns);
  }
  if (typed == "line") return {typed, field::part::line, 0};
  if (is_log(facts.format)) return log_field(facts, typed);
  no_such_field(facts, typed);
}

// -- defaults ------------------------------------------------------------------------------------

// The column with such a name, or the first if it holds times.
std::string default_time(const file_facts& facts) {
  if (is_log(facts.format)) return "time";
  if (facts.format == input_format::ndjson) {
    return first_known(time_names(), facts.keys()).value_or("");
  }
  if (!has_columns(facts.format)) return "";
  const auto known =
      facts.header ? first_known(time_names(), *facts.header) : std::optional<std::string>();
  if (known) return *known;
  if (!begins_with_times(facts.format, facts.lines, facts.header.has_value())) return "";
  return facts.header ? facts.header->front() : "1";
}

// The first column that is not the time.
std::string default_column(const file_facts& facts, const std::string& time) {
  if (!facts.header) return time == "1" ? "2" : "1";
  const auto found =
      std::find_if(facts.header->begin(), facts.header->end(),
                   [&](const std::string& name) { return !name.empty() && name != time; });
  return found == facts.header->end() ? "1" : *found;
}

std::vector<std::string> default_items(const file_facts& facts, const std::string& time) {
  if (is_log(facts.format)) return {"path", "host"};
  if (facts.format == input_format::plain) return {"line"};
  const std::vector<std::string> item_names{"item", "key", "id"};
  if (const auto known = first_known(item_names, facts.names())) return {*known};
  if (has_columns(facts.format)) {
    const std::string name = default_column(facts, time);
    std::string quoted;  // it may have a comma in it
    append_joined(quoted, std::array{std::string_view(name)});
    return {quoted};
  }
  const std::vector<std::string> keys = facts.keys();
  text::refuse("{} is NDJSON; name a key with --item: it has {}", facts.file,
               keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", ")));
}

// -- putting together ----------------------------------------------------------------------------

std::vector<std::string> split_names(const std::string& typed) {
  const std::vector<std::string> names = columns_of(input_format::csv, typed);
  if (names.empty() ||
      std::any_of(names.begin(), names.end(), [](const std::string& n) { return n.empty(); })) {
    text::refuse("--item must be a field or fields joined by commas, as in host,path, got {}",
                 text::shown(typed));
  }
  return names;
}

std::size_t add_field(line_layout& layout, const field& wanted) {
  const auto found = std::find(layout.fields.begin(), layout.fields.end(), wanted);
  if (found != layout.fields.end()) return static_cast<std::size_t>(found - layout.fields.begin());
  layout.fields.push_back(wanted);
  return layout.fields.size() - 1;
}

std::optional<web_layout> web_fields(line_layout& layout, const file_facts& facts) {
  if (!is_log(facts.format)) return std::nullopt;
  return web_layout{.status = add_field(layout, field_named(facts, "status")),
                    .method = add_field(layout, field_named(facts, "method")),
                    .bytes = add_field(layout, field_named(facts, "bytes"))};
}

std::vector<std::string> names_asked(const input_options& asked) {
  std::vector<std::string> names;
  for (const std::string& item : asked.items) {
    for (std::string& name : split_names(item)) names.push_back(std::move(name));
  }
  if (!asked.time.empty()) names.push_back(asked.time);
  return names;
}

}  // namespace

bool has_header(const input_options& asked, const std::vector<std::string_view>& lines,
                input_format format) {
  return header_of(format, lines, names_asked(asked), asked.data).has_value();
}

line_layout layout_of(const input_options& asked, const std::string& file,
                      const std::vector<std::string_view>& lines,
                      std::optional<input_format> known) {
  if (!known) known = format_named(asked.format);
  const input_format format = known ? *known : detect(lines);
  const file_facts facts{file, lines, format,
                         header_of(format, lines, names_asked(asked), asked.data)};
  const std::string time =
      asked.time.empty() && asked.needs_time ? default_time(facts) : asked.time;
  const std::vector<std::string> items =
      asked.items.empty() ? default_items(facts, time) : asked.items;
  line_layout layout{.format = format,
                     .header = facts.header.has_value(),
                     .fields = {},
                     .items = {},
                     .partial = asked.partial,
                     .names = facts.names()};
  for (const std::string& item : items) {
    item_layout& added = layout.items.emplace_back();
    added.name = item;
    for (const std::string& name : split_names(item)) {
      added.parts.push_back(add_field(layout, field_named(facts, name)));
    }
  }
  if (!time.empty()) layout.time = add_field(layout, field_named(facts, time));
  if (asked.web) layout.web = web_fields(layout, facts);
  return layout;
}

std::string described(const line_layout& layout) {
  std::vector<std::string> names;
  for (const item_layout& item : layout.items) names.push_back(item.name);
  const bool named = layout.time != line_layout::none;
  return fmt::format("{}{}; item{} {}; {}", described(layout.format),
                     layout.header ? " with a header" : "", names.size() == 1 ? "" : "s",
                     fmt::join(names, " and "),
                     named ? "time " + layout.fields[layout.time].name : "no time");
}

}  // namespace bloomtime::logs
