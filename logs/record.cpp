#include "logs/record.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "logs/columns.hpp"
#include "text/quantity.hpp"

namespace bloomtime::logs {
namespace {

std::size_t columns_needed(const line_layout& layout) {
  std::size_t needed = 0;
  for (const field& f : layout.fields) {
    if (f.what == field::part::line || f.what == field::part::key) continue;
    needed = std::max(needed, f.column + 1);
  }
  return needed;
}

std::vector<std::string> names_of(const std::vector<field>& fields) {
  std::vector<std::string> names;
  for (const field& f : fields) names.push_back(f.name);
  return names;
}

}  // namespace

record_reader::record_reader(line_layout layout)
    : layout_(std::move(layout)),
      columns_(columns_needed(layout_)),
      values_(layout_.fields.size()),
      found_(layout_.fields.size()),
      scratch_(layout_.fields.size()),
      items_(layout_.items.size()),
      present_(layout_.items.size()),
      joined_(layout_.items.size()) {
  if (layout_.format == input_format::ndjson) keys_.emplace(names_of(layout_.fields));
}

std::optional<bad_line> record_reader::read(std::string_view text) {
  if (text.empty() && layout_.format != input_format::plain) return bad_line::empty;
  if (const auto bad = keys_ ? read_keys(text) : read_columns(text)) return bad;
  if (has_time()) {
    const time_reading got = times_.read(values_[layout_.time]);
    if (got.problem == time_problem::unreadable) return bad_line::unreadable_time;
    if (got.problem == time_problem::impossible) return bad_line::impossible_time;
    time_ = got.time;
  }
  join_items();
  return std::nullopt;
}

std::optional<bad_line> record_reader::read_columns(std::string_view text) {
  const std::size_t found = columns_.empty() ? 0 : split(text);
  if (found == 0 && !columns_.empty() && layout_.format == input_format::csv) {
    return bad_line::other_format;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const field& f = layout_.fields[i];
    found_[i] = f.what == field::part::line || f.column < found;
    values_[i] = found_[i] ? value_of(i, text) : std::string_view();
  }
  return missing();
}

std::optional<bad_line> record_reader::read_keys(std::string_view text) {
  if (keys_->read(text, values_, found_) == json_problem::not_json) return bad_line::other_format;
  return missing();
}

std::size_t record_reader::split(std::string_view text) {
  switch (layout_.format) {
    case input_format::common:
    case input_format::combined: return split_log(text, false, columns_);
    case input_format::vhost_combined: return split_log(text, true, columns_);
    case input_format::csv: return split_commas(text, columns_);
    case input_format::tsv: return split_tabs(text, columns_);
    case input_format::plain:
    case input_format::ndjson: break;
  }
  return split_words(text, columns_);
}

std::string_view record_reader::value_of(std::size_t number, std::string_view text) {
  const field& f = layout_.fields[number];
  switch (f.what) {
    case field::part::line: return text;
    case field::part::method: return split_request(columns_[f.column]).method;
    case field::part::path: return split_request(columns_[f.column]).path;
    case field::part::protocol: return split_request(columns_[f.column]).protocol;
    case field::part::column:
    case field::part::key: break;
  }
  const std::string_view column = columns_[f.column];
  if (layout_.format == input_format::csv) return unquoted(column, scratch_[number]);
  if (layout_.format == input_format::tsv) return unescaped(column, scratch_[number]);
  return column;
}

// Whether the line lacks too much to be an event.
std::optional<bad_line> record_reader::missing() {
  for (std::size_t i = 0; i < present_.size(); ++i) {
    const std::vector<std::size_t>& parts = layout_.items[i].parts;
    present_[i] =
        std::all_of(parts.begin(), parts.end(), [this](std::size_t part) { return found_[part]; });
  }
  const auto lacking = std::count(present_.begin(), present_.end(), char{0});
  const auto most = layout_.partial ? std::ssize(present_) - 1 : 0;
  if (lacking > most) return bad_line::no_item;
  if (has_time() && !found_[layout_.time]) return bad_line::no_time;
  return std::nullopt;
}

std::vector<std::string> record_reader::lacking() const {
  std::vector<bool> needed(found_.size());
  for (const item_layout& item : layout_.items) {
    for (const std::size_t part : item.parts) needed[part] = true;
  }
  if (has_time()) needed[layout_.time] = true;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    if (needed[i] && !found_[i]) names.push_back(layout_.fields[i].name);
  }
  return names;
}

std::optional<web_facts> record_reader::web() const {
  if (!layout_.web) return std::nullopt;
  const web_layout& from = *layout_.web;
  web_facts facts{.status = text::number_in<unsigned>(values_[from.status]).value_or(0),
                  .method = values_[from.method]};
  if (from.bytes && found_[*from.bytes]) {
    const std::string_view bytes = values_[*from.bytes];
    facts.bytes = bytes == "-" ? 0 : text::number_in<std::uint64_t>(bytes);
  }
  return facts;
}

void record_reader::join_items() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const std::vector<std::size_t>& parts = layout_.items[i].parts;
    if (parts.size() == 1 || !present_[i]) {
      items_[i] = present_[i] ? values_[parts.front()] : std::string_view();
      continue;
    }
    parts_.clear();
    for (const std::size_t part : parts) parts_.push_back(values_[part]);
    joined_[i].clear();
    append_joined(joined_[i], parts_);
    items_[i] = joined_[i];
  }
}

}  // namespace bloomtime::logs
