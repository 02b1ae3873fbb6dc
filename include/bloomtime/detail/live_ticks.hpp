#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/detail/digest_index.hpp>
#include <bloomtime/detail/tick_span.hpp>
#include <bloomtime/digest.hpp>

namespace bloomtime::detail {

// The ticks of every item, exactly, while they still come: in any order, though fastest in that of
// time. A repetition in the newest tick of an item, which most events are, costs one look.
class live_ticks {
 public:
  // Whether the pair is new. If memory is out, nothing has changed.
  bool add(digest d, std::uint32_t tick) {
    if (const auto known = find(d)) return add_to(items_[*known], tick);
    make_room();
    index_.insert(d, static_cast<std::uint32_t>(items_.size()));
    items_.push_back({d, tick, {}});
    ++ticks_;
    return true;
  }

  bool seen(digest d, tick_range asked) const noexcept {
    const auto known = find(d);
    if (!known) return false;
    const entry& e = items_[*known];
    if (asked.first <= e.newest && e.newest <= asked.last) return true;
    const auto next = std::lower_bound(e.older.begin(), e.older.end(), asked.first);
    return next != e.older.end() && *next <= asked.last;
  }

  // visit(tick) for all of an item, in order.
  template <class Visit>
  void for_each(digest d, Visit&& visit) const {
    const auto known = find(d);
    if (!known) return;
    for (const std::uint32_t t : items_[*known].older) visit(t);
    visit(items_[*known].newest);
  }

  // visit(digest) for all items, in any order.
  template <class Visit>
  void for_each_item(Visit&& visit) const {
    for (const entry& e : items_) visit(e.item);
  }

  // The numbers of all items, in the order of their digests' high half.
  std::vector<std::uint32_t> in_order() const {
    std::vector<std::uint32_t> order(items_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const digest x = items_[a].item;
      const digest y = items_[b].item;
      return x.hi != y.hi ? x.hi < y.hi : x.lo < y.lo;
    });
    return order;
  }
  // The digest of an item, and its ticks in order, by its number.
  const digest& item(std::uint32_t number) const noexcept { return items_[number].item; }
  std::size_t ticks_of(std::uint32_t number) const noexcept {
    return items_[number].older.size() + 1;
  }
  std::uint32_t tick_of(std::uint32_t number, std::size_t i) const noexcept {
    const entry& e = items_[number];
    return i < e.older.size() ? e.older[i] : e.newest;
  }

  bool empty() const noexcept { return items_.empty(); }
  std::uint64_t items() const noexcept { return items_.size(); }
  std::uint64_t ticks() const noexcept { return ticks_; }  // of all items together
  std::uint64_t bytes() const noexcept {
    return items_.capacity() * sizeof(entry) + index_.bytes() + older_bytes_;
  }

 private:
  struct entry {
    digest item;
    std::uint32_t newest;
    std::vector<std::uint32_t> older;  // sorted
  };

  std::optional<std::uint32_t> find(digest d) const noexcept {
    return index_.find(d, [&](std::uint32_t slot) { return items_[slot].item == d; });
  }

  void make_room() {
    index_.reserve(items_.size() + 1);
    if (items_.size() == items_.capacity())
      items_.reserve(std::max<std::size_t>(16, items_.size() / 2 * 3));
  }

  bool add_to(entry& e, std::uint32_t tick) {
    if (tick == e.newest) return false;
    const std::size_t had = e.older.capacity();
    if (tick > e.newest) {
      e.older.push_back(e.newest);
      e.newest = tick;
    } else {
      const auto next = std::lower_bound(e.older.begin(), e.older.end(), tick);
      if (next != e.older.end() && *next == tick) return false;
      e.older.insert(next, tick);
    }
    older_bytes_ += (e.older.capacity() - had) * sizeof(std::uint32_t);
    ++ticks_;
    return true;
  }

  std::vector<entry> items_;
  digest_index index_;
  std::uint64_t ticks_ = 0;
  std::uint64_t older_bytes_ = 0;
};

}  // namespace bloomtime::detail
