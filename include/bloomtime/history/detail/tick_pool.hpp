#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/segmented.hpp>
#include <bloomtime/history/detail/tick_span.hpp>

// Many sorted lists of ticks that grow, in one pool of memory.
namespace bloomtime::detail {

// Blocks of 4 to 512 ticks, a power of two. A released block is used again for the same size.
class tick_blocks {
 public:
  static constexpr std::uint32_t least = 4;
  static constexpr std::uint32_t most = 512;
  static constexpr std::uint32_t end = std::uint32_t{1} << 31;  // all blocks lie below it

  // Throws if memory is out, with nothing changed.
  std::uint32_t take(std::uint32_t capacity) {
    std::uint32_t& free = free_[class_of(capacity)];
    if (free != 0) {
      const std::uint32_t block = free - 1;
      free = ticks_[block];
      return block;
    }
    const std::uint64_t at = (used_ + capacity - 1) / capacity * capacity;
    if (at + capacity > end) {
      throw error(errc::too_large,
                  "a history's table holds at most 2^31 ticks; compact it earlier");
    }
    ticks_.reserve(at + capacity);
    used_ = at + capacity;
    return static_cast<std::uint32_t>(at);
  }
  void release(std::uint32_t block, std::uint32_t capacity) noexcept {
    ticks_[block] = std::exchange(free_[class_of(capacity)], block + 1);
  }

  std::span<std::uint32_t> ticks(std::uint32_t block, std::uint32_t count) noexcept {
    return {&ticks_[block], count};
  }
  std::span<const std::uint32_t> ticks(std::uint32_t block, std::uint32_t count) const noexcept {
    return {&ticks_[block], count};
  }
  std::uint64_t bytes() const noexcept { return ticks_.bytes(); }

 private:
  static unsigned class_of(std::uint32_t capacity) noexcept {
    return static_cast<unsigned>(std::countr_zero(capacity / least));
  }

  segmented<std::uint32_t> ticks_;
  std::uint64_t used_ = 0;
  std::array<std::uint32_t, 8> free_ = {};  // of each size the first free block + 1
};

// A list is one block while it has at most 512 ticks, and then several of that size with a
// directory. So a tick that comes late moves at most 512 others, and once in 256 times a directory.
class tick_pool {
 public:
  struct list {
    std::uint32_t count = 0;
    std::uint32_t at = 0;  // the block, or tick_blocks::end + the number of the directory
  };

  // A tick above all of the list. If memory is out, nothing has changed.
  void append(list& l, std::uint32_t tick) {
    if (is_long(l)) {
      directory& parts = directories_[l.at - tick_blocks::end];
      if (parts.back().count == tick_blocks::most)
        split(parts, parts.size() - 1, tick_blocks::most);
      part& last = parts.back();
      if (last.count == 0) last.first = tick;
      blocks_.ticks(last.block, tick_blocks::most)[last.count++] = tick;
    } else {
      if (l.count == tick_blocks::most) {
        make_long(l);
        return append(l, tick);
      }
      make_room(l);
      blocks_.ticks(l.at, l.count + 1)[l.count] = tick;
    }
    ++l.count;
  }

  // Whether the tick is new. If memory is out, nothing has changed.
  bool add(list& l, std::uint32_t tick) {
    if (l.count == 0) {
      append(l, tick);
      return true;
    }
    if (is_long(l)) {
      return add_to_long(l, tick);
    }
    const std::uint32_t where = rank(l.at, l.count, tick);
    if (where < l.count && blocks_.ticks(l.at, l.count)[where] == tick) return false;
    if (l.count == tick_blocks::most) {
      make_long(l);
      return add_to_long(l, tick);
    }
    make_room(l);
    insert(l.at, l.count++, where, tick);
    return true;
  }

  bool seen(const list& l, tick_range asked) const noexcept {
    if (l.count == 0) return false;
    if (!is_long(l)) return seen_in(l.at, l.count, asked);
    const directory& parts = directory_of(l);
    const auto after = first_after(parts, asked.first);
    if (after != parts.end() && after->first <= asked.last) return true;
    if (after == parts.begin()) return false;
    return seen_in(std::prev(after)->block, std::prev(after)->count, asked);
  }

  struct place {  // of a tick in its list
    std::uint32_t part = 0;
    std::uint32_t tick = 0;  // of the part
  };
  // The next ticks from this place on that lie side by side, at most so many, and moves it behind
  // them; none behind the last.
  std::span<const std::uint32_t> next(const list& l, place& at, std::size_t most) const noexcept {
    if (l.count == 0) return {};
    part here{0, l.count, l.at};
    if (is_long(l)) {
      const directory& parts = directory_of(l);
      if (at.part < parts.size() && at.tick == parts[at.part].count) at = {at.part + 1, 0};
      if (at.part == parts.size()) return {};
      here = parts[at.part];
    }
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>(most, here.count - at.tick));
    if (count == 0) return {};
    const auto ticks = blocks_.ticks(here.block, here.count).subspan(at.tick, count);
    at.tick += count;
    return ticks;
  }

  std::uint64_t bytes() const noexcept {
    return blocks_.bytes() + directory_bytes_ + allocated_by(directories_);
  }
  // Ticks and entries of directories that were moved so far.
  std::uint64_t moved() const noexcept { return moved_; }

 private:
  struct part {  // of a long list
    std::uint32_t first;
    std::uint32_t count;
    std::uint32_t block;
  };
  using directory = std::vector<part, hooked<part>>;  // in the order of time

  static bool is_long(const list& l) noexcept { return l.at >= tick_blocks::end; }
  const directory& directory_of(const list& l) const noexcept {
    return directories_[l.at - tick_blocks::end];
  }

  // How many ticks of the block lie before this one.
  std::uint32_t rank(std::uint32_t block, std::uint32_t count, std::uint32_t tick) const noexcept {
    const auto ticks = blocks_.ticks(block, count);
    if (ticks.empty() || ticks.back() < tick) return count;
    return static_cast<std::uint32_t>(std::lower_bound(ticks.begin(), ticks.end(), tick) -
                                      ticks.begin());
  }
  bool seen_in(std::uint32_t block, std::uint32_t count, tick_range asked) const noexcept {
    const auto ticks = blocks_.ticks(block, count);
    const auto next = std::lower_bound(ticks.begin(), ticks.end(), asked.first);
    return next != ticks.end() && *next <= asked.last;
  }
  // The first part that begins after the tick.
  static directory::const_iterator first_after(const directory& parts,
                                               std::uint64_t tick) noexcept {
    return std::upper_bound(parts.begin(), parts.end(), tick,
                            [](std::uint64_t t, const part& p) { return t < p.first; });
  }

  // Of a list of one block, for one more.
  void make_room(list& l) {
    if (l.count == 0) {
      l.at = blocks_.take(tick_blocks::least);
    } else if (l.count >= tick_blocks::least && std::has_single_bit(l.count)) {
      double_block(l);
    }
  }

  void double_block(list& l) {
    const std::uint32_t larger = blocks_.take(2 * l.count);
    const auto ticks = blocks_.ticks(l.at, l.count);
    std::copy(ticks.begin(), ticks.end(), blocks_.ticks(larger, l.count).begin());
    blocks_.release(l.at, l.count);
    moved_ += l.count;
    l.at = larger;
  }

  void insert(std::uint32_t block, std::uint32_t count, std::uint32_t where,
              std::uint32_t tick) noexcept {
    const auto ticks = blocks_.ticks(block, count + 1);
    std::copy_backward(ticks.begin() + where, ticks.end() - 1, ticks.end());
    ticks[where] = tick;
    moved_ += count - where;
  }

  void make_long(list& l) {
    directories_.push_back({{blocks_.ticks(l.at, 1)[0], l.count, l.at}});
    directory_bytes_ += allocated_by(directories_.back());
    l.at = tick_blocks::end + static_cast<std::uint32_t>(directories_.size() - 1);
  }

  bool add_to_long(list& l, std::uint32_t tick) {
    directory& parts = directories_[l.at - tick_blocks::end];
    const auto after = static_cast<std::size_t>(first_after(parts, tick) - parts.begin());
    std::size_t i = after == 0 ? 0 : after - 1;
    std::uint32_t where = rank(parts[i].block, parts[i].count, tick);
    if (where < parts[i].count && blocks_.ticks(parts[i].block, where + 1)[where] == tick) {
      return false;
    }
    if (parts[i].count == tick_blocks::most) {
      split(parts, i, where);
      if (where >= parts[i].count && (where > parts[i].count || parts[i + 1].count == 0)) {
        where -= parts[i++].count;
      }
    }
    insert(parts[i].block, parts[i].count++, where, tick);
    parts[i].first = std::min(parts[i].count == 1 ? tick : parts[i].first, tick);
    ++l.count;
    return true;
  }

  // Makes two parts of one, in the middle, or at the end if that is where the next tick goes, so
  // that ticks that come in order fill their blocks.
  void split(directory& parts, std::size_t i, std::uint32_t next) {
    const std::uint64_t had = allocated_by(parts);
    if (parts.size() == parts.capacity()) parts.reserve(2 * parts.size());
    directory_bytes_ += allocated_by(parts) - had;
    const std::uint32_t block = blocks_.take(tick_blocks::most);
    const std::uint32_t kept = next == tick_blocks::most ? next : tick_blocks::most / 2;
    const auto ticks = blocks_.ticks(parts[i].block, tick_blocks::most);
    std::copy(ticks.begin() + kept, ticks.end(), blocks_.ticks(block, tick_blocks::most).begin());
    parts[i].count = kept;
    const std::uint32_t first = kept < tick_blocks::most ? ticks[kept] : 0;
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                 {first, tick_blocks::most - kept, block});
    moved_ += tick_blocks::most - kept + parts.size() - i - 1;
  }

  tick_blocks blocks_;
  std::vector<directory, hooked<directory>> directories_;
  std::uint64_t directory_bytes_ = 0;
  std::uint64_t moved_ = 0;
};

}  // namespace bloomtime::detail
