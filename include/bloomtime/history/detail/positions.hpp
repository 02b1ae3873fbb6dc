#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/detail/bit_stream.hpp>
#include <bloomtime/history/detail/key_filter.hpp>
#include <bloomtime/history/detail/tick_list.hpp>
#include <bloomtime/history/detail/tick_span.hpp>

// Sightings of items that hardly repeat, sealed: item x at tick t is the position (r(x) + t) mod R,
// with r(x) anywhere in 0..R-1, and the sorted positions are one list
// (docs/math.md, Error of nameless positions). Whether x was seen in some ticks is whether there is
// a position between two. A query of L ticks is wrong with probability n L / R at most, for n
// positions, however many ticks there are. Items are identified by their keys, as in timelines, so
// that one can become the other.
namespace bloomtime::detail {

struct positions_shape {
  std::uint64_t first = 0;  // tick
  std::uint64_t span = 1;   // ticks; at most `range`, lest an item meet itself
  std::uint64_t range = 1;  // R
  std::uint64_t count = 0;  // n

  // r(x)
  std::uint64_t start(std::uint64_t key) const noexcept { return multiply(mix(key), range).high; }
  // Of an item at a tick of the span.
  std::uint64_t position(std::uint64_t key, std::uint64_t tick) const noexcept {
    const std::uint64_t p = start(key) + (tick - first);
    return p < range ? p : p - range;
  }

  // Positions are filtered by cells. The span of an item lies in 8 to 17 of them, or in more where
  // there are few places: at least 128 cells for each position.
  unsigned cell_bits() const noexcept {
    const auto bits_above = [](std::uint64_t n, unsigned less) {
      return std::max(static_cast<unsigned>(std::bit_width(n)), less) - less;
    };
    const auto for_all = static_cast<unsigned>(std::bit_width(count)) + 8;
    return std::min(bits_above(range, for_all), bits_above(span, 4));
  }
  // The key of a cell in the filter.
  static std::uint64_t cell_key(std::uint64_t cell) noexcept { return mix(cell) >> 16; }

  friend bool operator==(const positions_shape&, const positions_shape&) = default;
};

template <class Bits>
class positions_view {
 public:
  // A mark says how many positions have a high part below its own.
  static constexpr std::uint64_t high_parts_per_mark = 256;
  static constexpr unsigned mark_bits = 32;

  positions_view(const positions_shape& shape, Bits marks, Bits list) noexcept
      : shape_(shape), marks_(marks), bits_(list) {}

  // Whether there may be a sighting of the item in the range.
  bool seen(std::uint64_t key, tick_range asked) const noexcept {
    bool any = false;
    for_each(key, asked, [&](tick_range) { return !(any = true); });
    return any;
  }

  // visit(ticks) for all that may be in the range, by ranges, until it returns false. In order but
  // for where positions wrap around; neighbours may touch.
  template <class Visit>
  void for_each(std::uint64_t key, tick_range asked, Visit&& visit) const {
    const std::uint64_t from = std::max(asked.first, shape_.first);
    const std::uint64_t to = std::min(asked.last, shape_.first + shape_.span - 1);
    if (from > to || shape_.count == 0) return;
    const std::uint64_t start = shape_.start(key);
    const std::uint64_t before_wrap = shape_.range - start;  // ticks whose positions do not wrap
    const std::uint64_t a = from - shape_.first;
    const std::uint64_t b = to - shape_.first;
    if (a < before_wrap) {
      const std::uint64_t last = std::min(b, before_wrap - 1);
      if (!between(start + a, start + last, shape_.first - start, visit)) return;
    }
    if (b >= before_wrap) {
      between(std::max(a, before_wrap) - before_wrap, b - before_wrap, shape_.first + before_wrap,
              visit);
    }
  }

 private:
  // The tick of a position is later than it by `later`, modulo 2^64.
  template <class Visit>
  bool between(std::uint64_t from, std::uint64_t to, std::uint64_t later, Visit&& visit) const {
    list_cursor<Bits> places = from_place(from);
    while (const std::optional<tick_range> found = places.next()) {
      if (found->first > to) break;
      if (!visit(tick_range{found->first + later, std::min(found->last, to) + later})) return false;
    }
    return true;
  }

  list_cursor<Bits> from_place(std::uint64_t from) const noexcept {
    const list_place all{0, shape_.count, shape_.range};
    const list_code code = list_code::of(shape_.count, shape_.range);
    if (code.how != list_code::kind::split) return {bits_, all, from};
    const std::uint64_t mark = (from >> code.low) / high_parts_per_mark;
    const std::uint64_t zeros = mark * high_parts_per_mark;
    const std::uint64_t ones = marks_.get(mark * mark_bits, mark_bits);
    return {bits_, all, from, {zeros + ones, zeros}};
  }

  positions_shape shape_;
  Bits marks_;
  Bits bits_;
};

class positions {
 public:
  static constexpr std::uint64_t most_count = 0xffff'ffff;  // what a mark's bits can say

  positions() = default;
  // As they were stored. Throws error(corrupt) if the shape cannot be.
  positions(const positions_shape& shape, buffer marks, buffer list);
  // Sorted, without repetitions. The count of the shape is theirs.
  static positions of(positions_shape shape, std::span<const std::uint64_t> sorted);

  const positions_shape& shape() const noexcept { return shape_; }
  const buffer& marks() const noexcept { return marks_; }
  const buffer& list() const noexcept { return list_; }
  std::uint64_t bytes() const noexcept { return marks_.size() + list_.size() + filter_.bytes(); }
  static std::uint64_t marks_bytes(const positions_shape& shape) noexcept;
  static std::uint64_t list_bytes(const positions_shape& shape) noexcept;

  positions_view<bit_reader> view() const noexcept {
    return {shape_, bit_reader(marks_.bytes()), bit_reader(list_.bytes())};
  }

  // Whether there may be a sighting of the item in the range: what the view answers, mostly without
  // reading the list.
  bool seen(std::uint64_t key, tick_range asked) const noexcept {
    return may_have(key, asked) && view().seen(key, asked);
  }
  // False only if the filter alone answers.
  bool may_have(std::uint64_t key, tick_range asked) const noexcept;
  // Makes the filter that they would have if they had been written in this process.
  void make_filter();
  const key_filter& filter() const noexcept { return filter_; }

  // Throws error(corrupt) unless every bit is as it was written.
  void verify() const;
  // All ticks become later by so much.
  void delay(std::uint64_t ticks) noexcept { shape_.first += ticks; }

  friend bool operator==(const positions& a, const positions& b) noexcept;

 private:
  friend class positions_writer;

  positions_shape shape_;
  buffer marks_;
  buffer list_;
  key_filter filter_;  // of their cells
};

// Makes such a set of positions that come in order, in no more memory than it takes.
class positions_writer {
 public:
  positions_writer() = default;
  // As many as the shape says, or fewer.
  explicit positions_writer(const positions_shape& shape, bool with_filter = false);

  // Above all that came before.
  void put(std::uint64_t position);
  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t bytes() const noexcept {
    return marks_.capacity() + list_.capacity() + filter_.bytes();
  }
  // If as many came as the shape says.
  positions finish();

 private:
  positions_shape shape_;
  list_code code_;
  bit_writer marks_;
  bit_writer list_;
  key_filter filter_;
  std::uint64_t marked_ = 0;  // marks so far
  std::uint64_t count_ = 0;   // positions so far
};

}  // namespace bloomtime::detail
