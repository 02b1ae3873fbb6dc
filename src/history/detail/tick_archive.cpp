#include <bloomtime/history/detail/tick_archive.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace bloomtime::detail {
namespace {

constexpr std::uint64_t any_work = std::numeric_limits<std::uint64_t>::max();

// Of timelines of so many ticks, as if they had been merged of tables.
unsigned level_of(std::uint64_t ticks) {
  const auto tables = std::max<std::uint64_t>(1, ticks / tick_archive::most_table_items);
  return 1 + static_cast<unsigned>(std::bit_width(tables) - 1) / 3;
}

tick_layer layer_of(std::shared_ptr<const timelines> lines) {
  const unsigned level = level_of(lines->shape().ticks);
  return {.table = nullptr, .lines = std::move(lines), .first = 0, .level = level};
}

// It owns its bytes, and has a filter if that is worth it: timelines in a file have none.
std::shared_ptr<const timelines> copy_of(const timelines& lines) {
  auto copy = hooked_shared<timelines>(lines);
  copy->make_filter();
  return copy;
}

}  // namespace

// -- a layer -------------------------------------------------------------------------------------

tick_range tick_layer::reach() const noexcept {
  const tick_range& here = table ? table->reach() : lines->reach();
  return {first + here.first, first + here.last};
}

bool tick_layer::seen(digest d, tick_range asked) const noexcept {
  if (!reach().touches(asked)) return false;
  const tick_range here{asked.first < first ? 0 : asked.first - first, asked.last - first};
  if (table) return table->seen(d, here);
  return lines->seen(timeline_key(d), here);
}

shared_source tick_layer::source(std::uint64_t later_by) const {
  if (table) return hooked_shared<live_source>(*table, first + later_by);
  return hooked_shared<sealed_source>(*lines, first + later_by);
}

bool is_whole(const tick_layer& layer, std::uint64_t span) noexcept {
  return layer.lines && layer.first == 0 && layer.lines->shape().span == span;
}

tick_sources sources_of(std::span<const tick_layer> layers, std::uint64_t later_by) {
  tick_sources sources;
  for (const tick_layer& layer : layers) sources.push_back(layer.source(later_by));
  return sources;
}

// -- merging layers ------------------------------------------------------------------------------

layer_merge::layer_merge(std::uint64_t span, tick_layers from, std::optional<name_limits> names)
    : from_(std::move(from)), names_(names) {
  if (from_.size() == 1 && is_whole(from_.front(), span)) {
    lines_ = from_.front().lines;
  } else {
    merge_.emplace(span, sources_of(from_));
  }
}

bool layer_merge::step(std::uint64_t& work) {
  if (!lines_) {
    if (!merge_->step(work)) return false;
    lines_ = hooked_shared<const timelines>(merge_->finish());
    merge_.reset();
  }
  return !names_ || step_names(work);
}

bool layer_merge::step_names(std::uint64_t& work) {
  if (!removal_) removal_ = hooked_shared<name_removal>(*lines_, names_->error, names_->length);
  if (!removal_->step(work)) return false;
  if (!removal_->is_worth_it()) return true;
  nameless_ = std::move(removal_->nameless());
  lines_ = removal_->named().empty() ? nullptr
                                     : hooked_shared<const timelines>(std::move(removal_->named()));
  return true;
}

std::uint64_t layer_merge::bytes() const noexcept {
  const bool owns_lines = lines_ && lines_ != from_.front().lines;
  return allocated_by(from_) + (merge_ ? merge_->bytes() : 0) + (owns_lines ? lines_->bytes() : 0) +
         (removal_ ? removal_->bytes() : 0);
}

// -- all of them ---------------------------------------------------------------------------------

tick_archive::tick_archive(const tick_archive& other)
    : span_(other.span_),
      nameless_(other.nameless_),
      names_removed_(other.names_removed_),
      whole_(other.whole_),
      again_(other.again_),
      names_(other.names_) {
  for (tick_layer layer : other.layers_) {
    if (layer.table) layer.table = hooked_shared<const live_ticks>(*layer.table);
    if (layer.lines) layer.lines = copy_of(*layer.lines);
    layers_.push_back(std::move(layer));
  }
  std::uint64_t items = 0;
  std::uint64_t ticks = 0;
  for (const tick_layer& layer : layers_) items += layer.items(), ticks += layer.ticks();
  for (positions& set : nameless_) {
    const std::uint64_t count = set.shape().count;
    if (key_filter::is_worth_it(items + count, ticks + count)) set.make_filter();
  }
}

tick_archive& tick_archive::operator=(const tick_archive& other) {
  if (this != &other) *this = tick_archive(other);
  return *this;
}

void tick_archive::freeze(live_ticks& table) {
  if (table.empty()) return;
  layers_.reserve(layers_.size() + 1);
  auto full = hooked_shared<live_ticks>();
  *full = std::move(table);
  table = {};
  layers_.push_back({.table = std::move(full), .lines = nullptr});
}

void tick_archive::put(timelines lines) {
  if (lines.empty()) return;
  layers_.push_back(layer_of(hooked_shared<const timelines>(std::move(lines))));
}

void tick_archive::take(tick_archive& other, std::size_t layers, std::uint64_t later_by) {
  for (std::size_t i = layers; i < other.layers_.size(); ++i) {
    layers_.push_back(std::move(other.layers_[i]));
    layers_.back().first += later_by;
  }
  for (positions& set : other.nameless_) {
    set.delay(later_by);
    const bool known = std::find(nameless_.begin(), nameless_.end(), set) != nameless_.end();
    if (!known) nameless_.push_back(std::move(set));
  }
}

void tick_archive::replace(timelines lines) {
  tick_layers one;
  if (!lines.empty()) one.push_back(layer_of(hooked_shared<const timelines>(std::move(lines))));
  layers_ = std::move(one);
  merges_.clear();
  whole_ = 0;
  again_ = false;
}

void tick_archive::begin(std::optional<name_limits> names) {
  if (names_removed_) names.reset();
  if (layers_.empty()) names_removed_ = names_removed_ || names.has_value();
  if (layers_.empty() || (is_whole() && !names)) return;
  if (whole_ > 0 && (!names || names_)) {
    again_ = true;
    return;
  }
  if (names) names_ = names;
  merges_.clear();
  whole_ = layers_.size();
}

// How many of the last layers are to become one: tables at once, timelines if there are enough of
// one level.
std::size_t tick_archive::due() const noexcept {
  const std::size_t taken =
      merges_.empty() ? whole_ : merges_.back().at + merges_.back().merge.layers();
  if (layers_.size() <= taken) return 0;
  const unsigned level = layers_.back().level;
  std::size_t count = 0;
  while (count < fan && taken + count < layers_.size() &&
         layers_[layers_.size() - 1 - count].level == level) {
    ++count;
  }
  return level == 0 || count == fan ? count : 0;
}

void tick_archive::begin_next(std::uint64_t& work) {
  const auto merge_of = [&](std::size_t at, std::size_t count, std::optional<name_limits> names) {
    const auto first = layers_.begin() + static_cast<std::ptrdiff_t>(at);
    merges_.push_back(
        {at, layer_merge(span_, {first, first + static_cast<std::ptrdiff_t>(count)}, names)});
    for (std::size_t i = at; i < at + count; ++i) {  // tables were sorted
      if (layers_[i].table) work -= std::min(work, layers_[i].items());
    }
  };
  if (merges_.empty() && whole_ > 0) {
    // Names are removed from what was merged, when what it was merged of is gone.
    const bool merged = whole_ == 1 && detail::is_whole(layers_.front(), span_);
    merge_of(0, whole_, merged ? names_ : std::nullopt);
  }
  if (const std::size_t count = due()) merge_of(layers_.size() - count, count, std::nullopt);
}

bool tick_archive::step(std::uint64_t& work) {
  while (work > 0) {
    try {
      begin_next(work);
      if (merges_.empty()) return true;
      if (work > 0 && merges_.back().merge.step(work)) end_last();
    } catch (...) {
      merges_.clear();
      throw;
    }
  }
  return !is_busy();
}

// Puts the result in the place of the layers that it was made of.
void tick_archive::end_last() {
  running& last = merges_.back();
  const std::size_t at = last.at;
  const std::size_t count = last.merge.layers();
  const bool is_all = whole_ > 0 && at == 0;
  nameless_.reserve(nameless_.size() + 1);
  tick_layers made;
  if (auto lines = last.merge.lines()) {
    made.push_back(layer_of(std::move(lines)));
    if (!is_all) made.back().level = last.merge.level() + 1;
  }
  const auto first = layers_.begin() + static_cast<std::ptrdiff_t>(at);
  const auto after = layers_.erase(first, first + static_cast<std::ptrdiff_t>(count));
  if (!made.empty()) layers_.insert(after, std::move(made.front()));  // within its capacity
  if (last.merge.nameless()) nameless_.push_back(std::move(*last.merge.nameless()));
  if (last.merge.removes_names()) {
    names_removed_ = true;
    names_.reset();
  }
  merges_.pop_back();
  if (merges_.empty()) merges_.shrink_to_fit();
  if (!is_all) return;
  whole_ = names_ ? 1 : 0;
  if (whole_ == 0 && std::exchange(again_, false)) begin(names_);
}

void tick_archive::finish() {
  for (std::uint64_t work = any_work; !step(work);) work = any_work;
}

void tick_archive::remove_names(const name_limits& limits) {
  begin(limits);
  finish();
  names_removed_ = true;
}

const timelines& tick_archive::lines() const noexcept {
  static const timelines none;
  for (const tick_layer& layer : layers_) {
    if (layer.lines) return *layer.lines;  // a younger table may have become lines first
  }
  return none;
}

std::uint64_t tick_archive::tables() const noexcept {
  std::uint64_t tables = 0;
  for (const tick_layer& layer : layers_) tables += layer.table ? 1 : 0;
  return tables;
}

std::uint64_t tick_archive::table_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const tick_layer& layer : layers_) bytes += layer.table ? layer.table->bytes() : 0;
  return bytes;
}

std::uint64_t tick_archive::sealed_bytes() const noexcept {
  std::uint64_t bytes = allocated_by(layers_) + allocated_by(nameless_) + allocated_by(merges_);
  for (const tick_layer& layer : layers_) bytes += layer.lines ? layer.lines->bytes() : 0;
  for (const positions& set : nameless_) bytes += set.bytes();
  for (const running& r : merges_) bytes += r.merge.bytes();
  return bytes - filter_bytes();
}

std::uint64_t tick_archive::filter_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const tick_layer& layer : layers_) bytes += layer.lines ? layer.lines->filter().bytes() : 0;
  for (const positions& set : nameless_) bytes += set.filter().bytes();
  return bytes;
}

}  // namespace bloomtime::detail
