#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <bloomtime/detail/digest_index.hpp>
#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/detail/segmented.hpp>
#include <bloomtime/history/detail/tick_pool.hpp>
#include <bloomtime/history/detail/tick_span.hpp>

namespace bloomtime::detail {

using item_order = std::vector<std::uint32_t, hooked<std::uint32_t>>;

// The ticks of every item, exactly, while they still come: in any order, though fastest in that of
// time. A repetition in the newest tick of an item, which most events are, costs one lookup. Takes
// 32 bytes per item, 16 to 32 of the index, and 4 to 8 per further tick (at least 16 per item that
// has one).
class live_ticks {
 public:
  // Whether the pair is new. If memory is out, nothing has changed.
  bool add(digest d, std::uint32_t tick) {
    if (entry* const known = find(items_, d)) return add_to(*known, tick);
    index_.reserve(size_ + 1);
    items_.reserve(size_ + 1);
    index_.insert(d, size_);
    items_[size_] = {d, tick, {}};
    size_ += 1;
    count(tick);
    return true;
  }

  // For a question that follows.
  void prefetch(digest d) const noexcept { index_.prefetch(d); }
  bool seen(digest d, tick_range asked) const noexcept {
    if (!reach_.touches(asked)) return false;
    const entry* const known = find(items_, d);
    if (known == nullptr) return false;
    if (asked.first <= known->newest && known->newest <= asked.last) return true;
    return pool_.seen(known->older, asked);
  }

  // The numbers of all items, in the order of their digests' high half.
  item_order in_order() const {
    using key = std::pair<std::uint64_t, std::uint32_t>;
    if (size_ == 0) return {};
    // The first bits of a digest are random, so that few items share a bucket.
    const auto width = static_cast<unsigned>(std::bit_width(std::uint32_t{size_}));
    const auto bucket_of = [&](std::uint32_t i) { return items_[i].item.hi >> (64 - width); };
    item_order ends((std::size_t{1} << width) + 1);  // of buckets, and before that their beginnings
    for (std::uint32_t i = 0; i < size_; ++i) ++ends[bucket_of(i) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<key, hooked<key>> keys(size_);
    for (std::uint32_t i = 0; i < size_; ++i) keys[ends[bucket_of(i)]++] = {items_[i].item.hi, i};
    const auto at = [&](std::uint32_t n) { return keys.begin() + static_cast<std::ptrdiff_t>(n); };
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
      if (end - begin > 1) {
        std::sort(at(begin), at(end), [&](const key& a, const key& b) {
          if (a.first != b.first) return a.first < b.first;
          return items_[a.second].item.lo < items_[b.second].item.lo;
        });
      }
      begin = end;
    }
    item_order order;
    order.reserve(size_);
    for (const key& each : keys) order.push_back(each.second);
    return order;
  }
  // Of an item, by its number: its digest, how many ticks it has, and the ticks in order.
  const digest& item(std::uint32_t number) const noexcept { return items_[number].item; }
  std::size_t ticks_of(std::uint32_t number) const noexcept {
    return std::size_t{items_[number].older.count} + 1;
  }
  std::uint32_t newest_of(std::uint32_t number) const noexcept { return items_[number].newest; }
  struct place {  // of a tick among those of its item
    tick_pool::place older = {};
    bool ended = false;
  };
  // The next ticks from this place on, at least one and at most so many, and moves it behind them;
  // none behind the last.
  std::span<const std::uint32_t> next_ticks(std::uint32_t number, place& at,
                                            std::size_t most) const noexcept {
    const entry& e = items_[number];
    if (const auto older = pool_.next(e.older, at.older, most); !older.empty()) return older;
    if (std::exchange(at.ended, true)) return {};
    return {&e.newest, 1};
  }
  // visit(tick) for all of an item, in order.
  template <class Visit>
  void for_each(std::uint32_t number, Visit&& visit) const {
    constexpr std::size_t any = tick_blocks::most;
    place at;
    for (auto ticks = next_ticks(number, at, any); !ticks.empty();
         ticks = next_ticks(number, at, any)) {
      for (const std::uint32_t t : ticks) visit(t);
    }
  }
  template <class Visit>
  void for_each(digest d, Visit&& visit) const {
    if (const auto known = number_of(d)) for_each(*known, visit);
  }

  bool empty() const noexcept { return size_ == 0; }
  const tick_range& reach() const noexcept { return reach_; }  // all ticks lie in it
  std::uint64_t items() const noexcept { return size_; }
  std::uint64_t ticks() const noexcept { return ticks_; }  // of all items together
  // With what the allocator takes for itself.
  BLOOMTIME_PER_ISA std::uint64_t bytes() const noexcept {
    return items_.bytes() + allocated_bytes(index_.bytes()) + pool_.bytes();
  }
  // Ticks that were moved so far to make place for others.
  std::uint64_t moved() const noexcept { return pool_.moved(); }

 private:
  struct entry {
    digest item;
    std::uint32_t newest;
    tick_pool::list older;
  };

  std::optional<std::uint32_t> number_of(digest d) const noexcept {
    return index_.find(d, [&](std::uint32_t slot) { return items_[slot].item == d; });
  }
  // The entry itself, whose place is computed once. Null if there is none.
  template <class Entries>
  auto find(Entries& entries, digest d) const noexcept -> decltype(&entries[0]) {
    decltype(&entries[0]) e = nullptr;
    const auto known = index_.find(d, [&](std::uint32_t slot) {
      e = &entries[slot];
      return e->item == d;
    });
    return known ? e : nullptr;
  }

  bool add_to(entry& e, std::uint32_t tick) {
    if (tick == e.newest) return false;
    if (tick > e.newest) {
      pool_.append(e.older, e.newest);
      e.newest = tick;
    } else if (!pool_.add(e.older, tick)) {
      return false;
    }
    count(tick);
    return true;
  }

  void count(std::uint32_t tick) noexcept {
    reach_.widen({tick, tick});
    ticks_ += 1;
  }

  segmented<entry> items_;
  zero_when_moved<std::uint32_t> size_;
  digest_index index_;
  tick_pool pool_;
  zero_when_moved<std::uint64_t> ticks_;
  tick_range reach_ = no_ticks;
};

}  // namespace bloomtime::detail
