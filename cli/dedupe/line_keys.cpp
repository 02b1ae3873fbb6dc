#include "cli/dedupe/line_keys.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "logs/format.hpp"
#include "logs/json_fields.hpp"
#include "logs/layout.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

// Without fields that nobody asks for: a line need not have them.
void keep_needed(line_layout& layout) {
  std::vector<field> needed;
  const auto keep = [&](std::size_t& number) {
    const field& wanted = layout.fields[number];
    const auto found = std::find(needed.begin(), needed.end(), wanted);
    number = static_cast<std::size_t>(found - needed.begin());
    if (found == needed.end()) needed.push_back(wanted);
  };
  for (item_layout& item : layout.items) {
    for (std::size_t& part : item.parts) keep(part);
  }
  if (layout.time != line_layout::none) keep(layout.time);
  layout.fields = std::move(needed);
}

}  // namespace

line_keys::line_keys(const input_options& asked, times wanted)
    : asked_(asked), wanted_(wanted), whole_line_(asked.items.empty()) {
  (void)format_named(asked_.format);
  key_ = whole_line_ ? "line" : fmt::format("{}", fmt::join(asked_.items, ","));
  if (!whole_line_) asked_.items = {key_};
}

std::string line_keys::begin(const std::string& file, const std::vector<std::string_view>& lines) {
  record_.reset();
  if (whole_line_ && wanted_ == times::none) return file + ": whole lines";
  input_options asked = asked_;
  if (whole_line_) asked.items = {key_};
  line_layout layout = layout_of(asked, file, lines);
  if (wanted_ == times::none) layout.time = line_layout::none;
  if (wanted_ == times::needed && layout.time == line_layout::none) {
    throw usage_error(
        fmt::format("{} has no times that are known; say with --time in which field they stand, or "
                    "with --wall that the clock counts",
                    file));
  }
  std::string told = fmt::format("{}: {}", file, described(layout));
  if (whole_line_) layout.items.clear();
  keep_needed(layout);
  record_.emplace(std::move(layout));
  return told;
}

void line_keys::keep_source_of_time() {
  if (wanted_ != times::if_any) return;
  wanted_ = has_times() ? times::needed : times::none;
  if (whole_line_ && wanted_ == times::none) record_.reset();
}

std::optional<bad_line> line_keys::read(std::string_view text, digest& key, instant& at) {
  if (record_) {
    if (const auto bad = record_->read(text)) {
      if (bad == bad_line::no_item || bad == bad_line::no_time) count_lacking();
      return bad;
    }
    if (has_times()) at = record_->time().at;
  }
  key = digest_of(whole_line_ ? text : record_->items().front(), seed_);
  return std::nullopt;
}

void line_keys::count_lacking() {
  const std::string& name = record_->lacking().name;
  const auto found = std::find_if(lacking_.begin(), lacking_.end(),
                                  [&](const lacking_field& f) { return f.name == name; });
  last_lacking_ = static_cast<std::size_t>(found - lacking_.begin());
  if (found == lacking_.end()) lacking_.push_back({.name = name});
  ++lacking_[last_lacking_].lines;
}

std::string line_keys::fields_of(std::string_view text) const {
  if (!record_ || record_->layout().format != input_format::ndjson) return {};
  const auto keys = json_keys(text);
  if (!keys) return {};
  return keys->empty() ? "; it has none" : fmt::format("; it has {}", fmt::join(*keys, ", "));
}

}  // namespace bloomtime::cli
