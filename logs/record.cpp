#include "logs/record.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "logs/columns.hpp"
#include "logs/formats/error_log.hpp"
#include "logs/formats/load_balancer.hpp"
#include "logs/formats/syslog.hpp"
#include "logs/formats/timed.hpp"
#include "logs/formats/w3c.hpp"
#include "logs/parts.hpp"
#include "text/quantity.hpp"

namespace bloomtime::logs {
namespace {

std::size_t columns_needed(const line_layout& layout) {
  std::size_t needed = 0;
  if (has_keys(layout.format)) return needed;
  for (const field& f : layout.fields) {
    if (f.what == field::part::line || f.what == field::part::absent) continue;
    needed = std::max(needed, f.column + 1);
    if (f.second != field::none) needed = std::max(needed, f.second + 1);
  }
  return needed;
}

std::vector<std::string> keys_of(const std::vector<field>& fields) {
  std::vector<std::string> keys;
  for (const field& f : fields) keys.push_back(f.key);
  return keys;
}

std::vector<char> needed_fields(const line_layout& layout) {
  std::vector<char> needed(layout.fields.size());
  for (const item_layout& item : layout.items) {
    for (const std::size_t part : item.parts) needed[part] = 1;
  }
  if (layout.time != line_layout::none) needed[layout.time] = 1;
  if (layout.clock != line_layout::none) needed[layout.clock] = 1;
  return needed;
}

// Values of formats with keys are changed after they were found, and shapes come last.
bool changes_values(const line_layout& layout) {
  return std::any_of(layout.fields.begin(), layout.fields.end(), [&](const field& f) {
    return f.form.any() || (has_keys(layout.format) && f.what != field::part::value);
  });
}

}  // namespace

record_reader::record_reader(line_layout layout)
    : layout_(std::move(layout)),
      plain_values_(!changes_values(layout_)),
      columns_(columns_needed(layout_)),
      values_(layout_.fields.size()),
      found_(layout_.fields.size()),
      needed_(needed_fields(layout_)),
      scratch_(layout_.fields.size()),
      shortened_(layout_.fields.size()),
      items_(layout_.items.size()),
      present_(layout_.items.size()),
      joined_(layout_.items.size()),
      times_(layout_.newest) {
  if (is_json(layout_.format)) keys_.emplace(keys_of(layout_.fields));
  if (layout_.format == input_format::logfmt) pairs_.emplace(keys_of(layout_.fields));
}

std::optional<bad_line> record_reader::read(std::string_view text) {
  excluded_ = false;
  if (text.empty() && layout_.format != input_format::plain) return bad_line::empty;
  const bool keyed = keys_ || pairs_;
  if (const auto bad = keyed ? read_keys(text) : read_columns(text)) return bad;
  if (!layout_.conditions.empty() && !fulfils_conditions()) {
    excluded_ = true;
    return std::nullopt;
  }
  if (const auto bad = missing()) return bad;
  if (has_time()) {
    if (const auto bad = read_time()) return bad;
  }
  if (!plain_values_) shorten();
  join_items();
  return std::nullopt;
}

std::optional<bad_line> record_reader::read_time() {
  std::string_view text = values_[layout_.time];
  if (layout_.clock != line_layout::none) {
    joined_time_.assign(text).append(" ").append(values_[layout_.clock]);
    text = joined_time_;
  }
  const time_reading got = times_.read(text);
  if (got.problem == time_problem::unreadable) return bad_line::unreadable_time;
  if (got.problem == time_problem::impossible) return bad_line::impossible_time;
  if (got.problem == time_problem::ambiguous_zone) return bad_line::ambiguous_zone;
  time_ = got.time;
  return std::nullopt;
}

std::optional<bad_line> record_reader::read_columns(std::string_view text) {
  const std::size_t found = columns_.empty() ? 0 : split(text);
  if (found == 0 && !columns_.empty() && !is_log(layout_.format) &&
      layout_.format != input_format::plain) {
    return bad_line::other_format;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const field& f = layout_.fields[i];
    found_[i] =
        f.what == field::part::line || (f.column < found && columns_[f.column].data() != nullptr);
    values_[i] = found_[i] ? value_of(i, text) : std::string_view();
  }
  return std::nullopt;
}

std::optional<bad_line> record_reader::read_keys(std::string_view text) {
  if (pairs_) {
    pairs_->read(text, values_, found_);
  } else if (keys_->read(text, values_, found_) == json_problem::not_json) {
    return bad_line::other_format;
  }
  if (plain_values_) return std::nullopt;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (found_[i]) values_[i] = part_of(i, values_[i]);
  }
  return std::nullopt;
}

std::size_t record_reader::split(std::string_view text) {
  switch (layout_.format) {
    case input_format::common:
    case input_format::combined: return split_log(text, false, columns_);
    case input_format::vhost_combined: return split_log(text, true, columns_);
    case input_format::csv: return split_commas(text, columns_);
    case input_format::tsv: return split_tabs(text, columns_);
    case input_format::w3c: return split_w3c(text, columns_);
    case input_format::cloudfront: return split_cloudfront(text, columns_);
    case input_format::load_balancer: return split_load_balancer(text, columns_);
    case input_format::nginx_error: return split_nginx_error(text, columns_);
    case input_format::apache_error: return split_apache_error(text, columns_);
    case input_format::syslog: return split_syslog(text, columns_);
    case input_format::timed: return split_timed(text, columns_);
    case input_format::pattern: return layout_.by_pattern->split(text, columns_);
    default: return split_words(text, columns_);
  }
}

std::string_view record_reader::value_of(std::size_t number, std::string_view text) {
  const field& f = layout_.fields[number];
  if (f.what == field::part::line) return text;
  const std::string_view column = columns_[f.column];
  if (f.what != field::part::value) return part_of(number, column);
  if (layout_.format == input_format::csv) return unquoted(column, scratch_[number]);
  if (layout_.format == input_format::tsv) return unescaped(column, scratch_[number]);
  return column;
}

// Clears found_[number] if the value has no such part.
std::string_view record_reader::part_of(std::size_t number, std::string_view value) {
  const field& f = layout_.fields[number];
  std::optional<std::string_view> part = value;
  switch (f.what) {
    case field::part::path: return split_request(value).path;
    case field::part::method: return split_request(value).method;
    case field::part::protocol: return split_request(value).protocol;
    case field::part::url_path: return path_of_url(url_of_request(value));
    case field::part::url_site: return site_of_url(url_of_request(value));
    case field::part::address: return without_port(value);
    case field::part::stem:
      return f.second < columns_.size() && columns_[f.second].data() != nullptr
                 ? with_query(value, columns_[f.second], scratch_[number])
                 : value;
    case field::part::decoded: return percent_decoded(value, scratch_[number]);
    case field::part::family:
      if (!families_) families_ = std::make_unique<family_reader>();
      return families_->read(value);
    case field::part::facility: part = facility_of(value); break;
    case field::part::severity: part = severity_of(value); break;
    case field::part::absent: part = std::nullopt; break;
    case field::part::value:
    case field::part::line: break;
  }
  found_[number] = part.has_value();
  return part.value_or(std::string_view());
}

bool record_reader::fulfils_conditions() const {
  return std::all_of(layout_.conditions.begin(), layout_.conditions.end(),
                     [this](const placed_condition& c) {
                       return c.test.holds(found_[c.field] != 0, values_[c.field]);
                     });
}

void record_reader::shorten() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const shape& form = layout_.fields[i].form;
    if (found_[i] && form.any()) values_[i] = shaped(values_[i], form, shortened_[i]);
  }
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
  if (layout_.clock != line_layout::none && !found_[layout_.clock]) return bad_line::no_time;
  return std::nullopt;
}

std::vector<std::string> record_reader::lacking() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    if (lacks(i)) names.push_back(layout_.fields[i].name);
  }
  return names;
}

std::optional<double> record_reader::amount() const {
  if (layout_.amount == line_layout::none || !found_[layout_.amount]) return std::nullopt;
  const auto number = text::number_in<double>(values_[layout_.amount]);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::size_t record_reader::first_lacking() const {
  std::size_t number = 0;
  while (!lacks(number)) ++number;
  return number;
}

bool record_reader::lacks(std::size_t number) const {
  return needed_[number] != 0 && found_[number] == 0;
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
