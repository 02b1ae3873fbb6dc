#include <bloomtime/history/detail/tick_archive.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace bloomtime::detail {
namespace {

constexpr std::uint64_t any_work = std::numeric_limits<std::uint64_t>::max();
// Bytes of timelines from which on a merge gives back what it has read.
constexpr std::uint64_t least_given_back = 1024;
constexpr std::uint64_t most_before_handing_over = 65'536;  // work

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
  if (!reach().touches(asked) || !keys.has(timeline_key(d))) return false;
  const tick_range here{asked.first < first ? 0 : asked.first - first, asked.last - first};
  if (table) return table->seen(d, here);
  return lines->seen(timeline_key(d), here);
}

shared_source tick_layer::source(std::uint64_t later_by) const {
  if (table) return hooked_shared<live_source>(*table, first + later_by);
  return hooked_shared<sealed_source>(*lines, first + later_by, keys);
}

void tick_layer::hand_over(std::uint64_t upto) noexcept {
  keys.first = std::max(keys.first, upto);  // an earlier merge may have come further
  if (lines) discarded = lines->stream().discard(discarded, lines->bytes_before(upto));
}

bool is_whole(const tick_layer& layer, std::uint64_t span) noexcept {
  return layer.lines && layer.first == 0 && layer.lines->shape().span == span &&
         layer.keys.is_all();
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
    auto made = hooked_shared<timelines>();  // before anything is taken from the writer
    *made = merge_->finish();
    lines_ = std::move(made);
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

std::shared_ptr<const timelines_writer> layer_merge::writer() const noexcept {
  if (!merge_) return nullptr;
  std::uint64_t bytes = 0;
  for (const tick_layer& layer : from_) bytes += layer.lines ? layer.lines->bytes() : 0;
  return bytes < least_given_back ? nullptr : merge_->writer();
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
      again_(other.again_),
      names_(other.names_) {
  put_copies(other.layers_, other.whole_);
  std::uint64_t items = 0;
  std::uint64_t ticks = 0;
  for (const tick_layer& layer : layers_) items += layer.items(), ticks += layer.ticks();
  for (positions& set : nameless_) {
    const std::uint64_t count = set.shape().count;
    if (key_filter::is_worth_it(items + count, ticks + count)) set.make_filter();
  }
}

// Of these layers, of which so many are to become one. Neighbours that answer for some items only
// become one at once: what merges have written, and what they have not read yet.
void tick_archive::put_copies(const tick_layers& of, std::size_t whole) {
  for (std::size_t i = 0; i < of.size();) {
    tick_layer layer = of[i];
    std::size_t end = i + 1;
    if (!layer.keys.is_all()) {
      const std::size_t most = i < whole ? whole : of.size();
      while (end < most && !of[end].keys.is_all()) ++end;
      auto made = hooked_shared<timelines>();
      *made = timelines_merge(span_, sources_of(std::span(of).subspan(i, end - i))).finish();
      if (made->empty()) {
        i = end;
        continue;
      }
      layer = layer_of(std::move(made));
    } else if (layer.table) {
      layer.table = hooked_shared<const live_ticks>(*layer.table);
    } else {
      layer.lines = copy_of(*layer.lines);
    }
    if (i < whole) ++whole_;
    i = end;
    layers_.push_back(std::move(layer));
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
  const std::size_t taken = merges_.empty() ? whole_ : merges_.back().at + merges_.back().count;
  if (layers_.size() <= taken) return 0;
  const unsigned level = layers_.back().level;
  std::size_t count = 0;
  while (count < fan && taken + count < layers_.size() &&
         layers_[layers_.size() - 1 - count].level == level) {
    ++count;
  }
  if (level != 0 && count < fan) return 0;
  // What a merge that failed had written comes before what it had not read.
  const bool is_rest = taken + count < layers_.size() &&
                       layers_[layers_.size() - 1 - count].keys.end != key_range::all_keys;
  return is_rest ? count + 1 : count;
}

void tick_archive::begin_next(std::uint64_t& work) {
  const auto merge_of = [&](std::size_t at, std::size_t count, std::optional<name_limits> names) {
    const auto first = layers_.begin() + static_cast<std::ptrdiff_t>(at);
    merges_.push_back(
        {at, count,
         layer_merge(span_, {first, first + static_cast<std::ptrdiff_t>(count)}, names)});
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
      if (work == 0) break;
      nameless_.reserve(nameless_.size() + 1);
      std::uint64_t some = std::min(work, most_before_handing_over);
      work -= some;
      const bool done = merges_.back().merge.step(some);
      work += some;
      if (done) {
        end_last();
      } else {
        hand_over(merges_.back());
      }
    } catch (...) {
      abandon();
      throw;
    }
  }
  return !is_busy();
}

// From now on the result is a layer of its own, as far as it is written.
void tick_archive::begin_growing(running& r) {
  layers_.reserve(layers_.size() + 1);
  auto grown = hooked_shared<grown_lines>();
  grown->by = r.merge.writer();
  tick_layer layer{.table = nullptr,
                   .lines = std::shared_ptr<const timelines>(grown, &grown->lines),
                   .first = 0,
                   .level = r.merge.level(),
                   .keys = {0, 0}};
  layers_.insert(layers_.begin() + static_cast<std::ptrdiff_t>(r.at), std::move(layer));
  r.grown = std::move(grown);
  r.count += 1;
  if (r.at < whole_) whole_ += 1;
}

// The result answers for what is written of it, and the layers that are merged for the rest.
void tick_archive::hand_over(running& r) {
  if (!r.grown) {
    const auto writer = r.merge.writer();
    if (!writer || writer->written_upto() == 0) return;
    begin_growing(r);
  }
  r.grown->lines = r.grown->by->written();
  const std::uint64_t upto = r.grown->by->written_upto();
  layers_[r.at].keys.end = upto;
  for (std::size_t i = r.at + 1; i < r.at + r.count; ++i) layers_[i].hand_over(upto);
}

// What merges have written stays, since it is all that answers for it.
void tick_archive::abandon() noexcept {
  if (!merges_.empty() && merges_.back().grown) {
    grown_lines& last = *merges_.back().grown;
    last.lines = last.by->written();  // in what memory it is now
  }
  merges_.clear();
}

// Puts the result in the place of the layers that it was made of.
// Nothing here can fail.
void tick_archive::end_last() noexcept {
  running& last = merges_.back();
  const std::size_t at = last.at;
  const std::size_t count = last.count;
  const bool is_all = whole_ > 0 && at == 0;
  std::optional<tick_layer> made;
  if (auto lines = last.merge.lines(); lines && !lines->empty()) {
    made = layer_of(std::move(lines));
    if (!is_all) made->level = last.merge.level() + 1;
  }
  const auto first = layers_.begin() + static_cast<std::ptrdiff_t>(at);
  const auto after = layers_.erase(first, first + static_cast<std::ptrdiff_t>(count));
  if (made) layers_.insert(after, std::move(*made));  // within its capacity
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

void tick_archive::unite(live_ticks& table) {
  const bool adds = !table.empty();
  finish();
  freeze(table);
  begin(std::nullopt);
  try {
    finish();
  } catch (...) {
    whole_ = 0;
    again_ = false;
    if (adds) thaw(table);
    throw;
  }
}

// Gives the youngest table back, unless a merge has written some of it.
void tick_archive::thaw(live_ticks& table) noexcept {
  const tick_layer& youngest = layers_.back();
  if (!youngest.table || !youngest.keys.is_all()) return;
  table = std::move(*std::const_pointer_cast<live_ticks>(youngest.table));
  layers_.pop_back();
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
  for (const running& r : merges_) {
    bytes += r.merge.bytes();
    if (r.grown) bytes -= r.grown->lines.bytes();  // the writer's
  }
  return bytes - filter_bytes();
}

std::uint64_t tick_archive::filter_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const tick_layer& layer : layers_) bytes += layer.lines ? layer.lines->filter().bytes() : 0;
  for (const positions& set : nameless_) bytes += set.filter().bytes();
  return bytes;
}

}  // namespace bloomtime::detail
