#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/moved.hpp>

namespace bloomtime::detail {

// The counts of entries 0, 1, 2, ..., all at least 1, of which the smallest is always known.
// Entries with equal counts are ordered by earlier.rank(entry), and if that is equal by
// earlier(a, b). Every call must answer alike, so the smallest entry depends on the counts alone.
// Ranks are kept beside the counts: a comparison of equal counts then reads nothing else.
//
// Counts only rise between two calls of fade(), so the heap may hold older ones: raise() writes the
// count, and only the first node of the heap is brought up to date.
//
// Counts fade by halving, rounded up, so a count of 1 stays. Entries at rest there are kept apart,
// and fade() does not touch them: an entry costs little once it has faded. Only reserve()
// allocates.
class least_counts {
 public:
  std::size_t size() const noexcept { return counts_.size(); }
  std::uint64_t memory() const noexcept {
    return hooked_bytes<node>(nodes_.capacity()) + hooked_bytes<std::uint64_t>(counts_.capacity()) +
           hooked_bytes<std::uint32_t>(rests_.capacity());
  }
  // Makes room for `entries` in total.
  void reserve(std::size_t entries) {
    counts_.reserve(entries);
    rests_.reserve(entries);
    if (entries <= nodes_.size()) return;
    std::vector<node, hooked<node>> larger(entries);
    std::copy_n(nodes_.begin(), fading_, larger.begin());
    std::copy_n(nodes_.rbegin(), resting(), larger.rbegin());
    nodes_.swap(larger);
  }
  void clear() noexcept {
    counts_.clear();
    rests_.clear();
    fading_ = 0;
  }

  std::uint64_t operator[](std::uint32_t entry) const noexcept { return counts_[entry]; }
  // The smallest count. There must be entries.
  std::uint64_t least() const noexcept { return resting() != 0 ? 1 : nodes_.front().count; }

  // The entry with the smallest count. There must be one.
  template <class Earlier>
  std::uint32_t least_entry(const Earlier& earlier) const noexcept {
    const bool at_rest =
        resting() != 0 && (fading_ == 0 || before(nodes_.back(), nodes_.front(), earlier));
    return (at_rest ? nodes_.back() : nodes_.front()).entry;
  }

  // Appends an entry, for which there must be room.
  template <class Earlier>
  void push(std::uint64_t count, const Earlier& earlier) noexcept {
    const auto entry = static_cast<std::uint32_t>(counts_.size());
    counts_.push_back(count);
    rests_.push_back(0);
    insert({count, entry, earlier.rank(entry)}, earlier);
  }

  // Sets a count to a larger one. earlier() may have changed for this entry if it is least_entry().
  template <class Earlier>
  void raise(std::uint32_t entry, std::uint64_t count, const Earlier& earlier) noexcept {
    const std::uint64_t before = std::exchange(counts_[entry], count);
    if (before == 1 && rests_[entry] != 0) {
      remove_resting(entry, earlier);
      insert({count, entry, earlier.rank(entry)}, earlier);
    } else if (nodes_.front().entry == entry) {
      nodes_.front().rank = earlier.rank(entry);
      settle(earlier);
    }
  }

  // Each count becomes faded(entry, count), which keeps their order but may make some equal, and 1
  // stays 1. Entries of count 1 come to rest where at_rest(entry), if faded() need not see them
  // again.
  template <class Faded, class AtRest, class Earlier>
  void fade(const Faded& faded, const AtRest& at_rest, const Earlier& earlier) noexcept {
    for (std::size_t i = 0; i < fading_;) {
      node& n = nodes_[i];
      n.count = counts_[n.entry] = faded(n.entry, counts_[n.entry]);
      if (n.count != 1 || !at_rest(n.entry)) {
        ++i;
        continue;
      }
      const node settled = n;
      fading_ -= 1;
      n = nodes_[fading_];
      put<end::back>(resting() - 1, settled);
      rise<end::back>(resting() - 1, earlier);
    }
    order_fading(earlier);
  }

  // visit(entry) for the entries that are not at rest.
  template <class Visit>
  void for_each_fading(const Visit& visit) const noexcept {
    for (std::size_t i = 0; i < fading_; ++i) visit(nodes_[i].entry);
  }

  // Each count becomes change(count), whatever that is.
  template <class Change, class Earlier>
  void change_all(const Change& change, const Earlier& earlier) noexcept {
    const auto at = [&](std::size_t i) { return nodes_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::copy(at(nodes_.size() - resting()), nodes_.end(), at(fading_));
    fading_ = size();
    std::fill(rests_.begin(), rests_.end(), 0U);
    for (node& n : std::span(nodes_).first(fading_)) {
      n.count = counts_[n.entry] = change(counts_[n.entry]);
    }
    order_fading(earlier);
  }

 private:
  struct node {
    std::uint64_t count;  // the entry's, or an older one
    std::uint32_t entry;
    std::uint32_t rank;
  };

  // Two heaps with the smallest in front: those that fade at the front of nodes_, those at rest at
  // its back, where the last node is the first of the heap.
  enum class end : bool { front, back };

  std::size_t resting() const noexcept { return size() - fading_; }

  // Without a branch on what cannot be predicted.
  template <class Earlier>
  static bool before(const node& a, const node& b, const Earlier& earlier) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide x = static_cast<wide>(a.count) << 64 | a.rank;
    const wide y = static_cast<wide>(b.count) << 64 | b.rank;
    if (x == y) [[unlikely]]
      return earlier(a.entry, b.entry);
    return x < y;
  }

  template <end Of>
  node& at(std::size_t place) noexcept {
    return nodes_[Of == end::front ? place : nodes_.size() - 1 - place];
  }
  template <end Of>
  void put(std::size_t place, const node& n) noexcept {
    at<Of>(place) = n;
    if constexpr (Of == end::back) rests_[n.entry] = static_cast<std::uint32_t>(place) + 1;
  }

  // Down to the end and up again: where a node comes to rest cannot be predicted, and those that
  // sink are mostly among the largest.
  template <end Of, class Earlier>
  void sink(std::size_t place, std::size_t size, const Earlier& earlier) noexcept {
    const node moved = at<Of>(place);
    const std::size_t top = place;
    std::size_t child = 2 * place + 1;
    for (; child + 1 < size; child = 2 * place + 1) {
      child += before(at<Of>(child + 1), at<Of>(child), earlier) ? 1 : 0;
      put<Of>(place, at<Of>(child));
      place = child;
    }
    if (child < size) {
      put<Of>(place, at<Of>(child));
      place = child;
    }
    for (; place > top; place = (place - 1) / 2) {
      if (!before(moved, at<Of>((place - 1) / 2), earlier)) break;
      put<Of>(place, at<Of>((place - 1) / 2));
    }
    put<Of>(place, moved);
  }

  template <end Of, class Earlier>
  void rise(std::size_t place, const Earlier& earlier) noexcept {
    const node moved = at<Of>(place);
    while (place > 0 && before(moved, at<Of>((place - 1) / 2), earlier)) {
      put<Of>(place, at<Of>((place - 1) / 2));
      place = (place - 1) / 2;
    }
    put<Of>(place, moved);
  }

  // Until the first node has the count of its entry: none is smaller then, since no node has more
  // than its entry.
  template <class Earlier>
  void settle(const Earlier& earlier) noexcept {
    for (;;) {
      node& first = nodes_.front();
      const std::uint64_t count = counts_[first.entry];
      if (first.count == count) return;
      first.count = count;
      sink<end::front>(0, fading_, earlier);
    }
  }

  template <class Earlier>
  void insert(const node& n, const Earlier& earlier) noexcept {
    nodes_[fading_] = n;
    fading_ += 1;
    rise<end::front>(fading_ - 1, earlier);
  }

  // Leaves a free node behind those that fade; insert() must follow.
  template <class Earlier>
  void remove_resting(std::uint32_t entry, const Earlier& earlier) noexcept {
    const std::size_t place = std::exchange(rests_[entry], 0U) - 1;
    const std::size_t left = resting() - 1;
    const node last = at<end::back>(left);
    if (last.entry == entry) return;
    put<end::back>(place, last);
    rise<end::back>(place, earlier);
    sink<end::back>(rests_[last.entry] - 1, left, earlier);
  }

  // Most nodes are in order: halvings change that of equal counts only.
  template <class Earlier>
  void order_fading(const Earlier& earlier) noexcept {
    for (std::size_t i = fading_ / 2; i > 0; --i) {
      if (!leads(i - 1, earlier)) sink<end::front>(i - 1, fading_, earlier);
    }
  }

  // Whether no child of a node that fades comes before it.
  template <class Earlier>
  bool leads(std::size_t place, const Earlier& earlier) const noexcept {
    const std::size_t child = 2 * place + 1;
    return !before(nodes_[child], nodes_[place], earlier) &&
           (child + 1 == fading_ || !before(nodes_[child + 1], nodes_[place], earlier));
  }

  std::vector<node, hooked<node>> nodes_;                     // as many as there is room for
  std::vector<std::uint64_t, hooked<std::uint64_t>> counts_;  // of entries
  std::vector<std::uint32_t, hooked<std::uint32_t>> rests_;  // 0, or 1 + the place of those at rest
  zero_when_moved<std::size_t> fading_;                      // nodes
};

}  // namespace bloomtime::detail
