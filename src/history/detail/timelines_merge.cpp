#include <bloomtime/history/detail/timelines_merge.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>

#include "history/detail/damaged.hpp"

namespace bloomtime::detail {
namespace {

constexpr std::uint64_t most_at_once = 1024;  // runs

// A run of any length takes a few bits. Once it has a gap, every 128 ticks take a few: a small file
// could ask for as much memory as it likes. Nothing that was ever counted tick by tick comes near
// this.
constexpr std::uint64_t most_times_larger = 1024;
constexpr std::uint64_t large = std::uint64_t{64} << 20;  // bytes

tick_run later(tick_range ticks, std::uint64_t by) {
  return {static_cast<std::uint32_t>(ticks.first + by),
          static_cast<std::uint32_t>(ticks.last + by)};
}

}  // namespace

// -- sources -------------------------------------------------------------------------------------

sealed_source::sealed_source(const timelines& sealed, std::uint64_t later_by, key_range keys)
    : sealed_(sealed), later_by_(later_by), keys_(keys), items_(sealed.cursor(keys)) {}

void sealed_source::rewind() {
  items_ = sealed_.cursor(keys_);
  ticks_.reset();
}

bool sealed_source::next() {
  ticks_.reset();
  if (items_.next()) return true;
  if (!items_.sound()) refuse_damaged("timelines");
  return false;
}

bool sealed_source::take(tick_runs& runs, std::size_t most) {
  if (!ticks_) ticks_.emplace(items_.line());  // most items are copied instead
  for (; most > 0; --most) {
    const std::optional<tick_range> ticks = ticks_->next();
    if (!ticks) {
      if (!ticks_->sound()) refuse_damaged("timelines");
      return false;
    }
    append(runs, later(*ticks, later_by_));
  }
  return true;
}

std::optional<timeline_head> sealed_source::head() const noexcept {
  timeline_head head = items_.head();
  head.first += later_by_;
  head.last += later_by_;
  return head;
}

std::optional<coded_body> sealed_source::body() const noexcept {
  return sealed_.is_trusted() ? std::optional(items_.body()) : std::nullopt;
}

live_source::live_source(const live_ticks& live, std::uint64_t later_by)
    : live_(live), later_by_(later_by), order_(live.in_order()) {
  rewind();
}

void live_source::rewind() {
  at_ = ~std::size_t{0};
  next_key_ = key_of(0);
  key_ = no_key;
}

bool live_source::next() {
  ++at_;
  tick_ = {};
  before_ = std::exchange(key_, next_key_);
  next_key_ = key_of(at_ + 1);
  return at_ < order_.size();
}

bool live_source::take(tick_runs& runs, std::size_t most) {
  while (most > 0) {
    const std::span<const std::uint32_t> ticks = live_.next_ticks(order_[at_], tick_, most);
    if (ticks.empty()) return false;
    tick_range run{ticks.front(), ticks.front()};
    for (const std::uint32_t t : ticks.subspan(1)) {
      if (t != run.last + 1) {
        append(runs, later(run, later_by_));
        run.first = t;
      }
      run.last = t;
    }
    append(runs, later(run, later_by_));
    most -= ticks.size();
  }
  return true;
}

std::optional<timeline_head> live_source::head() const noexcept {
  if (key_ == before_ || key_ == next_key_) return std::nullopt;
  const std::uint32_t item = order_[at_];
  if (live_.ticks_of(item) == 1) {
    const std::uint64_t only = live_.newest_of(item) + later_by_;
    return timeline_head{1, only, only, 0};
  }
  live_ticks::place from;
  const std::uint64_t first = live_.next_ticks(item, from, 1).front();
  timeline_head head{live_.ticks_of(item), first + later_by_, live_.newest_of(item) + later_by_, 0};
  head.body = head.in_pieces() ? bits_of_pieces(head) : body_bits(head);
  return head;
}

// Reads only the ends of the pieces.
std::uint64_t live_source::bits_of_pieces(const timeline_head& head) const noexcept {
  piece_sizes sizes(head);
  std::uint64_t first = 0;
  std::uint64_t before = 0;  // ticks
  live_ticks::place at;
  while (before < head.count) {
    const auto ticks = live_.next_ticks(order_[at_], at, tick_blocks::most);
    const std::uint64_t after = before + ticks.size();
    std::uint64_t piece = before / piece_ticks;
    for (; piece * piece_ticks < after; ++piece) {
      const std::uint64_t begin = piece * piece_ticks;
      const std::uint64_t last = std::min(begin + piece_ticks, head.count) - 1;
      if (begin >= before) first = ticks[begin - before];
      if (last < after) sizes.add(last - begin + 1, ticks[last - before] - first);
    }
    before = after;
  }
  return sizes.bits();
}

// -- merging -------------------------------------------------------------------------------------

timelines_merge::timelines_merge(std::uint64_t span, tick_sources sources) : span_(span) {
  for (auto& source : sources) inputs_.push_back({std::move(source), no_key});
  knows_ = source_bytes() <= most_known_bytes;
  if (knows_ && !inputs_.empty()) known_.reserve(least_known);
  begin(stage::count);
}

std::uint64_t timelines_merge::source_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const input& i : inputs_) bytes += i.source->bytes();
  return bytes;
}

void timelines_merge::begin(stage next) {
  stage_ = next;
  for (input& i : inputs_) {
    i.source->rewind();
    advance(i);
  }
}

bool timelines_merge::step(std::uint64_t& work) {
  while (work > 0 && stage_ != stage::done) {
    if (stage_ == stage::close) {
      if (out_->step(work)) stage_ = stage::done;
    } else if (stage_ == stage::write_known) {
      write_known(work);
    } else if (!in_item_ && !find_next(work)) {
      end_pass();
    } else if (in_item_ && !take_some(work)) {
      end_item(work);
    }
  }
  return stage_ == stage::done;
}

timelines timelines_merge::finish() {
  std::uint64_t work = std::numeric_limits<std::uint64_t>::max();
  while (!step(work)) {
  }
  return items_ == 0 ? timelines() : out_->finish();
}

std::uint64_t timelines_merge::bytes() const noexcept {
  std::uint64_t bytes = (out_ ? out_->bytes() : 0) + allocated_by(inputs_) + allocated_by(runs_) +
                        allocated_by(part_) + allocated_by(scratch_) + allocated_by(known_) +
                        allocated_by(known_runs_);
  for (const input& i : inputs_) bytes += i.source->own_bytes();
  return bytes;
}

void timelines_merge::advance(input& i) { i.key = i.source->next() ? i.source->key() : no_key; }

// The item with the least key. Which input has it is random, so nothing branches on that.
bool timelines_merge::find_next(std::uint64_t& work) {
  std::uint64_t least = no_key;
  input* has_it = nullptr;
  std::size_t inputs = 0;
  for (input& i : inputs_) {
    const bool is_less = i.key < least;
    inputs = is_less ? 1 : inputs + (i.key == least ? 1 : 0);
    has_it = is_less ? &i : has_it;
    least = is_less ? i.key : least;
  }
  if (least == no_key) return false;
  if (inputs == 1 && take_whole(*has_it, work)) return true;
  key_ = least;
  runs_.clear();
  part_.clear();
  in_item_ = true;
  return true;
}

// What the head of an item's only timeline says need not be read to be counted, and a body need not
// be read to be copied.
bool timelines_merge::take_whole(input& only, std::uint64_t& work) {
  const std::optional<timeline_head> head = only.source->head();
  if (!head) return false;
  std::optional<coded_body> body = coded_body{};  // of no bits
  if (knows_ || stage_ == stage::write) {
    if (head->has_body()) body = only.source->body();
    if (!body) return false;
  }
  if (stage_ == stage::count) {
    ++items_;
    ticks_ += head->count;
    bits_ += head_bits(*head, span_) + head->body;
    reach_.widen({head->first, head->last});
    if (knows_) know({only.key, *head, *body});
  } else {
    out_->add(only.key, *head, *body);
    work -= std::min(work, head->body / (8 * line_bytes));
  }
  work -= std::min<std::uint64_t>(work, 1);
  advance(only);
  return true;
}

// Reads more runs of the item. Returns false if no input has any.
bool timelines_merge::take_some(std::uint64_t& work) {
  for (input& i : inputs_) {
    if (i.key != key_) continue;
    const std::size_t had = part_.size();
    const std::size_t most = std::min(work, most_at_once);
    const bool more = i.source->take(part_, most);
    work -= std::min(work, std::uint64_t{part_.size() - had} + 1);
    if (more) return true;
    if (runs_.empty()) {
      runs_.swap(part_);
    } else {
      unite(runs_, part_, scratch_);
      runs_.swap(scratch_);
    }
    part_.clear();
    advance(i);
    return true;
  }
  return false;
}

void timelines_merge::end_item(std::uint64_t& work) {
  in_item_ = false;
  work -= std::min(work, std::uint64_t{runs_.size()} + 1);
  if (runs_.empty()) return;
  if (stage_ == stage::write) return out_->add(key_, runs_);
  ++items_;
  const timeline_head ends{count_ticks(runs_), runs_.front().first, runs_.back().last, 0};
  ticks_ += ends.count;
  reach_.widen({ends.first, ends.last});
  if (ends.in_pieces()) {
    expect_reasonable(bits_ + pieces_of(ends.count) * width_of(ends.distance()));
  }
  const timeline_head head = head_of(runs_);
  bits_ += head_bits(head, span_) + head.body;
  expect_reasonable(bits_);
  if (!knows_) return;
  const std::size_t at = known_runs_.size();
  known_runs_.insert(known_runs_.end(), runs_.begin(), runs_.end());
  know({key_, {}, {}, at, runs_.size()});
}

// Forgets all of them if they are too many.
void timelines_merge::know(const known_item& item) {
  knows_ = known_.size() < most_known && known_runs_.size() <= most_known_runs;
  if (knows_) return known_.push_back(item);
  known_ = {};
  known_runs_ = {};
}

void timelines_merge::write_known(std::uint64_t& work) {
  for (; work > 0 && written_ < known_.size(); ++written_, --work) {
    const known_item& item = known_[written_];
    if (item.runs == 0) {
      out_->add(item.key, item.head, item.body);
    } else {
      const auto runs = known_runs_.begin() + static_cast<std::ptrdiff_t>(item.runs_at);
      runs_.assign(runs, runs + static_cast<std::ptrdiff_t>(item.runs));
      out_->add(item.key, runs_);
    }
  }
  if (written_ == known_.size()) stage_ = stage::close;
}

void timelines_merge::end_pass() {
  if (stage_ == stage::write || items_ == 0) {
    stage_ = items_ == 0 ? stage::done : stage::close;
    return;
  }
  out_ = hooked_shared<timelines_writer>(span_, items_, bits_, ticks_, reach_);
  if (knows_) {
    stage_ = stage::write_known;
  } else {
    begin(stage::write);
  }
}

// Before much time is spent on as many.
void timelines_merge::expect_reasonable(std::uint64_t bits) const {
  if (bits / 8 <= large) return;
  const std::uint64_t bytes = source_bytes();
  if ((bits / 8 - large) / most_times_larger <= bytes) return;
  throw error(errc::too_large, "a history of " + std::to_string(bytes) +
                                   " bytes would take more than " + std::to_string(bits / 8) +
                                   " once its timelines are merged; use shorter partitions");
}

}  // namespace bloomtime::detail
