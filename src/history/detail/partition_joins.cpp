#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/partitions.hpp>
#include <bloomtime/history/detail/tick_archive.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/history/detail/timeline.hpp>

// How old partitions become one.
namespace bloomtime::detail {
namespace {

// By blocks of 8, 64, 512 and so on: none that is longer than an eighth of `retention`, since a
// block is dropped as a whole.
constexpr std::uint64_t block_factor = 8;

}  // namespace

void partitions::join_old(std::uint64_t present) noexcept {
  const std::uint64_t before = std::exchange(present_, present);
  wants_pair_ = is_too_much();
  const std::uint64_t upto = work_done_ + work_per_partition;
  try {
    for (auto p = parts_.lower_bound(before); p != parts_.end() && p->first < present; ++p) {
      look_at(p->first);
    }
    while ((may_join() || joining_) && busy_.size() < 2 && work_done_ < upto) {
      ++work_done_;
      step(upto - work_done_);
    }
  } catch (const std::bad_alloc&) {
    present_ = before;  // all of it is tried again
  } catch (const error&) {
    present_ = before;
  }
}

// -- which ---------------------------------------------------------------------------------------

// Whether the parts in the block are at least two, at rest, in memory and not too many.
bool partitions::can_join(block b, std::uint64_t most_records) noexcept {
  if (b.count > most_timeline_ticks / rules_.ticks ||
      b.first + b.count > most_ticks / rules_.ticks) {
    return false;
  }
  std::size_t parts = 0;
  std::size_t sets = 0;  // without names
  std::uint64_t records = 0;
  for (auto p = parts_.lower_bound(b.first); p != end_of(b); ++p, ++parts) {
    const partition& each = p->second;
    if (each.is_lent() || each.is_refused || busy_.contains(p->first) ||
        each.count > b.first + b.count - p->first || each.engine.records() > most_records) {
      return false;
    }
    records += each.engine.records();
    sets += each.engine.nameless().size();
    if (records > most_records || sets > most_nameless_sets) return false;
  }
  return parts >= 2;
}

// The smallest block that this part is in and that is to be joined.
auto partitions::block_of(std::uint64_t number) noexcept -> std::optional<block> {
  const std::uint64_t most =
      rules_.retention == 0 ? most_timeline_ticks : rules_.retention / block_factor;
  for (std::uint64_t count = block_factor; count <= most; count *= block_factor) {
    const block b{number / count * count, count};
    if (b.first + count > present_) break;
    if (can_join(b, rules_.most_joined)) return b;
  }
  return std::nullopt;
}

auto partitions::next_block() noexcept -> std::optional<block> {
  for (; !unjoined_.empty(); unjoined_.erase(unjoined_.begin())) {
    if (const std::optional<block> found = block_of(*unjoined_.begin())) return found;
  }
  return std::nullopt;
}

// If all take too much memory: the oldest two neighbours of the same length that begin where one of
// twice the length would. The newest partition is not among them.
auto partitions::next_pair() noexcept -> std::optional<block> {
  wants_pair_ = wants_pair_ && is_too_much();
  if (!wants_pair_) return std::nullopt;
  for (auto left = parts_.begin(); left != parts_.end(); ++left) {
    const auto right = std::next(left);
    if (right == parts_.end() || std::next(right) == parts_.end()) break;
    const block both{left->first, 2 * left->second.count};
    if (left->first % both.count == 0 && right->first == left->first + left->second.count &&
        right->second.count == left->second.count && can_join(both, any_work)) {
      return both;
    }
  }
  wants_pair_ = false;
  return std::nullopt;
}

// -- how -----------------------------------------------------------------------------------------

void partitions::step_join(std::uint64_t share) {
  std::uint64_t left = share;
  try {
    if (joining_->work.step(left)) end_join();
  } catch (const error& e) {
    const bool refused = e.code() == errc::too_large || e.code() == errc::corrupt;
    for (const std::uint64_t number : joining_->parts) {
      parts_.find(number)->second.is_refused |= refused;
    }
    cancel_join();
    if (!refused) throw;
  } catch (...) {
    cancel_join();
    throw;
  }
  work_done_ += share - left;
}

void partitions::begin_join() {
  std::optional<block> found = next_block();
  if (!found) found = next_pair();
  if (!found) return;
  numbers parts;
  std::vector<const timeline_history*> engines;
  for (auto p = parts_.lower_bound(found->first); p != end_of(*found); ++p) {
    parts.push_back(p->first);
    engines.push_back(&p->second.engine);
  }
  joining_ = std::make_unique<joining>(
      joining{*found, std::move(parts),
              timeline_join(found->first * rules_.ticks, found->count * rules_.ticks, engines)});
  for (const std::uint64_t number : joining_->parts) parts_.find(number)->second.is_joined = true;
}

// Nothing is taken from the parts before there is memory for all that follows.
void partitions::end_join() {
  const std::uint64_t first = joining_->into.first;
  const numbers& parts = joining_->parts;
  std::vector<timeline_history*> engines;
  for (const std::uint64_t number : parts) engines.push_back(&parts_.find(number)->second.engine);
  busy_.insert(first);
  unjoined_.insert(first);
  partition all(joining_->into.count, joining_->work.finish(engines));
  auto node = parts_.extract(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) parts_.erase(parts[i]);
  for (const std::uint64_t number : parts) {
    if (number != first) busy_.erase(number);
  }
  node.key() = first;
  node.mapped() = std::move(all);
  const auto joined = parts_.insert(std::move(node)).position;
  joining_.reset();
  close(joined);
  count_live();
}

void partitions::cancel_join() noexcept {
  if (!parts_.contains(joining_->into.first)) {  // end_join() has gone halfway
    busy_.erase(joining_->into.first);
    unjoined_.erase(joining_->into.first);
  }
  for (const std::uint64_t number : joining_->parts) {
    parts_.find(number)->second.is_joined = false;
  }
  joining_.reset();
}

// -- with another history ------------------------------------------------------------------------

void partitions::merge(const partitions& other) {
  map fresh;
  numbers replaced;
  for (auto theirs = other.parts_.begin(); theirs != other.parts_.end();) {
    std::vector<timeline_history> overlapping;
    auto mine = find(theirs->first);
    if (mine == parts_.end()) mine = parts_.lower_bound(theirs->first);
    const std::uint64_t first =
        mine == parts_.end() ? theirs->first : std::min(mine->first, theirs->first);
    std::uint64_t end = theirs->first + theirs->second.count;
    const auto take = [&](const auto& each) {
      overlapping.push_back(each->second.engine);
      end = std::max(end, each->first + each->second.count);
    };
    for (;;) {
      if (theirs != other.parts_.end() && theirs->first < end) {
        take(theirs++);
      } else if (mine != parts_.end() && mine->first < end) {
        replaced.push_back(mine->first);
        take(mine++);
      } else {
        break;
      }
    }
    fresh.emplace(first, united({first, end - first}, std::move(overlapping)));
  }
  replace(replaced, std::move(fresh));
}

partition partitions::united(block b, std::vector<timeline_history> overlapping) const {
  if (overlapping.size() == 1) return {b.count, std::move(overlapping.front())};
  if (b.count > most_timeline_ticks / rules_.ticks) {
    throw error(errc::too_large,
                "overlapping partitions can be merged up to 2^32 ticks; these span " +
                    std::to_string(b.count) + " partitions of " + std::to_string(rules_.ticks));
  }
  std::vector<timeline_history*> parts;
  for (timeline_history& each : overlapping) parts.push_back(&each);
  return {b.count, timeline_join::at_once(b.first * rules_.ticks, b.count * rules_.ticks, parts)};
}

void partitions::replace(const numbers& replaced, map by) {
  number_set busy = busy_;
  number_set unjoined = unjoined_;
  for (const std::uint64_t number : replaced) {
    busy.erase(number);
    unjoined.erase(number);
  }
  for (const auto& [number, p] : by) {
    if (p.engine.needs_upkeep()) busy.insert(number);
    if (rules_.joins && number < present_) unjoined.insert(number);
  }
  if (joining_) cancel_join();
  for (const std::uint64_t number : replaced) parts_.erase(number);
  parts_.merge(by);
  busy_.swap(busy);
  unjoined_.swap(unjoined);
  count_live();
}

}  // namespace bloomtime::detail
