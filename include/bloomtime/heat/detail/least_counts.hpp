#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/moved.hpp>

namespace bloomtime::detail {

// The counts of entries 0, 1, 2, ..., all at least 1, of which the smallest is always known.
// Entries with equal counts are ordered by earlier.rank(entry), and if that is equal by
// earlier(a, b). Every call must answer alike, so the smallest entry depends on the counts alone.
// Ranks are kept beside the counts: a comparison of equal counts then reads nothing else.
//
// Counts fade by halving, rounded up, so a count of 1 stays. Entries at rest there are kept apart,
// and fade() does not touch them: an entry costs little once it has faded. Only reserve()
// allocates.
class least_counts {
 public:
  std::size_t size() const noexcept { return places_.size(); }
  std::uint64_t memory() const noexcept {
    return hooked_bytes<node>(nodes_.capacity()) + hooked_bytes<std::uint32_t>(places_.capacity());
  }
  // Makes room for `entries` in total.
  void reserve(std::size_t entries) {
    places_.reserve(entries);
    if (entries <= nodes_.size()) return;
    std::vector<node, hooked<node>> larger(entries);
    std::copy_n(nodes_.begin(), fading_, larger.begin());
    std::copy_n(nodes_.rbegin(), resting(), larger.rbegin());
    nodes_.swap(larger);
  }
  void clear() noexcept {
    places_.clear();
    fading_ = 0;
  }

  std::uint64_t operator[](std::uint32_t entry) const noexcept {
    return rests(entry) ? 1 : nodes_[places_[entry]].count;
  }
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
    places_.push_back(0);
    const auto entry = static_cast<std::uint32_t>(places_.size() - 1);
    insert({count, entry, earlier.rank(entry)}, earlier);
  }

  // Sets a count to a larger one. earlier() may have changed for this entry if it is least_entry().
  template <class Earlier>
  void raise(std::uint32_t entry, std::uint64_t count, const Earlier& earlier) noexcept {
    if (rests(entry)) {
      remove_resting(entry, earlier);
      insert({count, entry, earlier.rank(entry)}, earlier);
    } else {
      nodes_[places_[entry]] = {count, entry, earlier.rank(entry)};
      sink<end::front>(places_[entry], fading_, earlier);
    }
  }

  // Each count becomes faded(entry, count), which keeps their order but may make some equal, and 1
  // stays 1. Entries of count 1 come to rest where at_rest(entry), if faded() need not see them
  // again.
  template <class Faded, class AtRest, class Earlier>
  void fade(const Faded& faded, const AtRest& at_rest, const Earlier& earlier) noexcept {
    for (std::size_t i = 0; i < fading_;) {
      node& n = nodes_[i];
      n.count = faded(n.entry, n.count);
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
    for (std::size_t i = 0; i < fading_; ++i) nodes_[i].count = change(nodes_[i].count);
    order_fading(earlier);
  }

 private:
  struct node {
    std::uint64_t count;
    std::uint32_t entry;
    std::uint32_t rank;
  };

  // Two heaps with the smallest in front: those that fade at the front of nodes_, those at rest at
  // its back, where the last node is the first of the heap.
  enum class end : bool { front, back };
  static constexpr std::uint32_t resting_bit = std::uint32_t{1} << 31;

  std::size_t resting() const noexcept { return places_.size() - fading_; }
  bool rests(std::uint32_t entry) const noexcept { return (places_[entry] & resting_bit) != 0; }
  std::size_t place_of(std::uint32_t entry) const noexcept { return places_[entry] & ~resting_bit; }

  template <class Earlier>
  static bool before(const node& a, const node& b, const Earlier& earlier) noexcept {
    if (a.count != b.count) return a.count < b.count;
    if (a.rank != b.rank) return a.rank < b.rank;
    return earlier(a.entry, b.entry);
  }

  template <end Of>
  node& at(std::size_t place) noexcept {
    return nodes_[Of == end::front ? place : nodes_.size() - 1 - place];
  }
  template <end Of>
  void put(std::size_t place, const node& n) noexcept {
    at<Of>(place) = n;
    places_[n.entry] = static_cast<std::uint32_t>(place) | (Of == end::back ? resting_bit : 0);
  }

  template <end Of, class Earlier>
  void sink(std::size_t place, std::size_t size, const Earlier& earlier) noexcept {
    const node moved = at<Of>(place);
    for (std::size_t child = 2 * place + 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && before(at<Of>(child + 1), at<Of>(child), earlier)) ++child;
      if (!before(at<Of>(child), moved, earlier)) break;
      put<Of>(place, at<Of>(child));
      place = child;
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

  template <class Earlier>
  void insert(const node& n, const Earlier& earlier) noexcept {
    put<end::front>(fading_, n);
    fading_ += 1;
    rise<end::front>(fading_ - 1, earlier);
  }

  // Leaves a free node behind those that fade; insert() must follow.
  template <class Earlier>
  void remove_resting(std::uint32_t entry, const Earlier& earlier) noexcept {
    const std::size_t place = place_of(entry);
    const std::size_t left = resting() - 1;
    const node last = at<end::back>(left);
    if (last.entry == entry) return;
    put<end::back>(place, last);
    rise<end::back>(place, earlier);
    sink<end::back>(place_of(last.entry), left, earlier);
  }

  template <class Earlier>
  void order_fading(const Earlier& earlier) noexcept {
    for (std::size_t i = 0; i < fading_; ++i) put<end::front>(i, nodes_[i]);
    for (std::size_t i = fading_ / 2; i > 0; --i) sink<end::front>(i - 1, fading_, earlier);
  }

  std::vector<node, hooked<node>> nodes_;                     // as many as there is room for
  std::vector<std::uint32_t, hooked<std::uint32_t>> places_;  // of entries in their heap
  zero_when_moved<std::size_t> fading_;                       // nodes
};

}  // namespace bloomtime::detail
