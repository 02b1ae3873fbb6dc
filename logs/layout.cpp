#include "logs/layout.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "logs/columns.hpp"
#include "logs/detect.hpp"
#include "logs/names.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace {

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

std::vector<std::string> names_asked(const input_options& asked) {
  std::vector<std::string> names;
  for (const std::string& item : asked.items) {
    for (std::string& name : split_names(item)) names.push_back(std::move(name));
  }
  if (!asked.time.empty()) names.push_back(asked.time);
  if (!asked.amount.empty()) names.push_back(asked.amount);
  for (const std::string& typed : asked.where) names.push_back(condition(typed).field());
  return names;
}

// -- items ---------------------------------------------------------------------------------------

bool is_path(const field& f) {
  using part = field::part;
  return f.name == "path" || f.what == part::path || f.what == part::url_path ||
         f.what == part::stem;
}

// How each field of an item is shortened.
class shaping {
 public:
  explicit shaping(const input_options& asked)
      : no_query_(asked.no_query), groups_(groupings_of(asked.group)), used_(groups_.size()) {}

  field shaped(field f) {
    f.form.no_query = no_query_ && is_path(f);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].field != f.name) continue;
      used_[i] = true;
      const bool no_query = f.form.no_query;
      f.form = groups_[i].form;
      f.form.no_query = no_query;
    }
    return f;
  }

  void expect_used() const {
    const auto unused = std::find(used_.begin(), used_.end(), false);
    if (unused == used_.end()) return;
    const std::string& name = groups_[static_cast<std::size_t>(unused - used_.begin())].field;
    text::refuse("--group {0} changes nothing, because {0} is no item; add --item {0}", name);
  }

 private:
  bool no_query_;
  std::vector<grouping> groups_;
  std::vector<bool> used_;
};

void add_items(line_layout& layout, const input_options& asked, const file_names& names,
               const std::vector<std::string>& items) {
  shaping shapes(asked);
  for (const std::string& item : items) {
    item_layout& added = layout.items.emplace_back();
    added.name = item;
    if (asked.whole_line) continue;
    for (const std::string& name : split_names(item)) {
      added.parts.push_back(add_field(layout, shapes.shaped(names.named(name))));
    }
  }
  shapes.expect_used();
}

// A field, or the fields of the date and of the time of day.
void add_time(line_layout& layout, const file_names& names, const std::string& typed) {
  if (typed.empty()) return;
  const std::size_t comma = typed.find(',');
  if (comma == typed.npos || names.find(typed)) {
    layout.time = add_field(layout, names.named(typed));
    return;
  }
  layout.time = add_field(layout, names.named(typed.substr(0, comma)));
  layout.clock = add_field(layout, names.named(typed.substr(comma + 1)));
}

void add_conditions(line_layout& layout, const input_options& asked, const file_names& names) {
  for (const std::string& typed : asked.where) {
    condition test(typed);
    const std::size_t number = add_field(layout, names.named(test.field()));
    layout.conditions.push_back({std::move(test), number});
  }
}

std::optional<web_layout> web_fields(line_layout& layout, const file_names& names) {
  const auto status = names.find("status");
  const auto method = names.find("method");
  const auto bytes = names.find("bytes");
  if (has_columns(names.format()) || !status || !method) return std::nullopt;
  web_layout web{.status = add_field(layout, *status), .method = add_field(layout, *method)};
  if (bytes) web.bytes = add_field(layout, *bytes);
  return web;
}

std::shared_ptr<const pattern> pattern_of(const input_options& asked) {
  return asked.pattern.empty() ? nullptr : std::make_shared<const pattern>(asked.pattern);
}

}  // namespace

bool has_header(const input_options& asked, const std::vector<std::string_view>& lines,
                input_format format) {
  return header_of(format, lines, names_asked(asked), asked.data).has_value();
}

line_layout layout_of(const input_options& asked, const std::string& file,
                      const std::vector<std::string_view>& lines,
                      std::optional<input_format> given) {
  const auto by_pattern = pattern_of(asked);
  if (by_pattern) by_pattern->expect_match(lines, file);
  if (!given) given = by_pattern ? input_format::pattern : format_named(asked.format);
  const input_format format = given ? *given : detect(lines);
  const file_names names(file, format, lines,
                         header_of(format, lines, names_asked(asked), asked.data), by_pattern);
  const std::string time =
      asked.time.empty() && asked.needs_time ? names.default_time() : asked.time;
  line_layout layout{.format = format,
                     .header = names.header().has_value(),
                     .fields = {},
                     .items = {},
                     .by_pattern = by_pattern,
                     .partial = asked.partial,
                     .names = names.all()};
  add_items(layout, asked, names, asked.items.empty() ? names.default_items(time) : asked.items);
  add_time(layout, names, time);
  add_conditions(layout, asked, names);
  if (asked.web) layout.web = web_fields(layout, names);
  if (!asked.amount.empty()) layout.amount = add_field(layout, names.named(asked.amount));
  return layout;
}

line_layout layout_below(const line_layout& before, std::string_view fields_line) {
  line_layout layout = before;
  const file_names names("", before.format, {fields_line}, std::nullopt, nullptr);
  for (field& f : layout.fields) {
    const shape form = f.form;
    const auto found = names.find(f.name);
    f = found ? *found : field{.name = f.name, .what = field::part::absent};
    f.form = form;
  }
  layout.names = names.all();
  return layout;
}

std::string described(const line_layout& layout) {
  std::vector<std::string> names;
  for (const item_layout& item : layout.items) names.push_back(item.name);
  std::string time = "no time";
  if (layout.time != line_layout::none) time = "time " + layout.fields[layout.time].name;
  if (layout.clock != line_layout::none) time += " and " + layout.fields[layout.clock].name;
  return fmt::format("{}{}; item{} {}; {}", described(layout.format),
                     layout.header ? " with a header" : "", names.size() == 1 ? "" : "s",
                     fmt::join(names, " and "), time);
}

}  // namespace bloomtime::logs
