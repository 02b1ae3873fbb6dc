#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/detail/hooked.hpp>

namespace bloomtime::detail {

// The counts of entries 0, 1, 2, ..., all at least 1, of which the smallest is always known.
// Entries with equal counts are ordered by earlier(a, b), which every call must answer alike, so
// the smallest entry depends on the counts alone.
//
// Counts fade by halving, rounded up, so a count of 1 stays. Entries at rest there are kept apart,
// and fade() does not touch them: an entry costs little once it has faded. Only reserve()
// allocates.
class least_counts {
 public:
  std::size_t size() const noexcept { return places_.size(); }
  std::uint64_t memory() const noexcept {
    return hooked_bytes<node>(fading_.capacity()) +
           hooked_bytes<std::uint32_t>(resting_.capacity()) +
           hooked_bytes<std::uint32_t>(places_.capacity());
  }
  // Makes room for `entries` in total.
  void reserve(std::size_t entries) {
    fading_.reserve(entries);
    resting_.reserve(entries);
    places_.reserve(entries);
  }
  void clear() noexcept {
    fading_.clear();
    resting_.clear();
    places_.clear();
  }

  std::uint64_t operator[](std::uint32_t entry) const noexcept {
    return rests(entry) ? 1 : fading_[places_[entry]].count;
  }
  // The smallest count. There must be entries.
  std::uint64_t least() const noexcept { return resting_.empty() ? fading_.front().count : 1; }

  // The entry with the smallest count. There must be one.
  template <class Earlier>
  std::uint32_t least_entry(const Earlier& earlier) const noexcept {
    if (resting_.empty()) return fading_.front().entry;
    const std::uint32_t at_rest = resting_.front();
    if (fading_.empty() || !before(fading_.front(), {1, at_rest}, earlier)) return at_rest;
    return fading_.front().entry;
  }

  // Appends an entry, for which there must be room.
  template <class Earlier>
  void push(std::uint64_t count, const Earlier& earlier) noexcept {
    const auto entry = static_cast<std::uint32_t>(places_.size());
    places_.push_back(0);
    insert({count, entry}, earlier);
  }

  // Sets a count to a larger one. earlier() may have changed for this entry if it is least_entry().
  template <class Earlier>
  void raise(std::uint32_t entry, std::uint64_t count, const Earlier& earlier) noexcept {
    if (rests(entry)) {
      remove_resting(entry, earlier);
      insert({count, entry}, earlier);
    } else {
      fading_[places_[entry]].count = count;
      sink(fading_, places_[entry], earlier);
    }
  }

  // Each count becomes faded(entry, count), which keeps their order but may make some equal, and 1
  // stays 1. Entries of count 1 come to rest where at_rest(entry), if faded() need not see them
  // again.
  template <class Faded, class AtRest, class Earlier>
  void fade(const Faded& faded, const AtRest& at_rest, const Earlier& earlier) noexcept {
    std::size_t kept = 0;
    for (const node& n : fading_) {
      const std::uint64_t count = faded(n.entry, n.count);
      if (count == 1 && at_rest(n.entry)) {
        resting_.push_back(n.entry);
        rise(resting_, resting_.size() - 1, earlier);
      } else {
        fading_[kept++] = {count, n.entry};
      }
    }
    fading_.resize(kept);
    order_fading(earlier);
  }

  // visit(entry) for the entries that are not at rest.
  template <class Visit>
  void for_each_fading(const Visit& visit) const noexcept {
    for (const node& n : fading_) visit(n.entry);
  }

  // Each count becomes change(count), whatever that is.
  template <class Change, class Earlier>
  void change_all(const Change& change, const Earlier& earlier) noexcept {
    for (const std::uint32_t entry : resting_) fading_.push_back({1, entry});
    resting_.clear();
    for (node& n : fading_) n.count = change(n.count);
    order_fading(earlier);
  }

 private:
  struct node {
    std::uint64_t count;
    std::uint32_t entry;
  };
  // Heaps with the smallest in front: of fading_ by count, of resting_ by earlier().
  using fading_heap = std::vector<node, hooked<node>>;
  using resting_heap = std::vector<std::uint32_t, hooked<std::uint32_t>>;

  static constexpr std::uint32_t resting_bit = std::uint32_t{1} << 31;

  bool rests(std::uint32_t entry) const noexcept { return (places_[entry] & resting_bit) != 0; }

  template <class Earlier>
  static bool before(const node& a, const node& b, const Earlier& earlier) noexcept {
    if (a.count != b.count) return a.count < b.count;
    return earlier(a.entry, b.entry);
  }
  template <class Earlier>
  static bool before(std::uint32_t a, std::uint32_t b, const Earlier& earlier) noexcept {
    return earlier(a, b);
  }

  void put(fading_heap& heap, std::size_t place, const node& n) noexcept {
    heap[place] = n;
    places_[n.entry] = static_cast<std::uint32_t>(place);
  }
  void put(resting_heap& heap, std::size_t place, std::uint32_t entry) noexcept {
    heap[place] = entry;
    places_[entry] = static_cast<std::uint32_t>(place) | resting_bit;
  }

  template <class Heap, class Earlier>
  void sink(Heap& heap, std::size_t place, const Earlier& earlier) noexcept {
    const auto moved = heap[place];
    const std::size_t size = heap.size();
    for (std::size_t child = 2 * place + 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && before(heap[child + 1], heap[child], earlier)) ++child;
      if (!before(heap[child], moved, earlier)) break;
      put(heap, place, heap[child]);
      place = child;
    }
    put(heap, place, moved);
  }

  template <class Heap, class Earlier>
  void rise(Heap& heap, std::size_t place, const Earlier& earlier) noexcept {
    const auto moved = heap[place];
    while (place > 0 && before(moved, heap[(place - 1) / 2], earlier)) {
      put(heap, place, heap[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    put(heap, place, moved);
  }

  template <class Earlier>
  void insert(const node& n, const Earlier& earlier) noexcept {
    fading_.push_back(n);
    rise(fading_, fading_.size() - 1, earlier);
  }

  template <class Earlier>
  void remove_resting(std::uint32_t entry, const Earlier& earlier) noexcept {
    const std::size_t place = places_[entry] & ~resting_bit;
    const std::uint32_t last = resting_.back();
    resting_.pop_back();
    if (last == entry) return;
    put(resting_, place, last);
    rise(resting_, place, earlier);
    sink(resting_, places_[last] & ~resting_bit, earlier);
  }

  template <class Earlier>
  void order_fading(const Earlier& earlier) noexcept {
    for (std::size_t i = 0; i < fading_.size(); ++i) put(fading_, i, fading_[i]);
    for (std::size_t i = fading_.size() / 2; i > 0; --i) sink(fading_, i - 1, earlier);
  }

  fading_heap fading_;
  resting_heap resting_;
  std::vector<std::uint32_t, hooked<std::uint32_t>> places_;  // of entries in their heap
};

}  // namespace bloomtime::detail
