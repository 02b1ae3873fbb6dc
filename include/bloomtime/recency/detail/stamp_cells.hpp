#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/layout.hpp>

namespace bloomtime::detail {

inline constexpr unsigned max_stamp_k = 64;       // flat
inline constexpr unsigned max_line_stamp_k = 16;  // line

// Timers hold stamps 0 to cycle - 1, of ticks modulo cycle, or `cycle` itself: expired. Ages up to
// `oldest` matter; the padding beyond them is the time that a sweep has to find a stamp before it
// would be taken for a new one (docs/math.md, Padding and quota of a sweep).
struct stamp_shape {
  bloomtime::layout layout = layout::flat;  // or line
  unsigned bits = 0;                        // of a timer: 2 to 32
  unsigned k = 0;
  std::uint64_t cells = 0;   // of line: whole lines, per_line() in each
  std::uint32_t oldest = 0;  // 1 to cycle() - 2

  constexpr std::uint32_t cycle() const noexcept { return ~std::uint32_t{0} >> (32 - bits); }
  constexpr std::uint32_t padding() const noexcept { return cycle() - 2 - oldest; }
  constexpr unsigned per_line() const noexcept { return 8 * line_bytes / bits; }
  // Timers to look at per tick, so that every one is looked at in padding() + 1 ticks.
  constexpr std::uint64_t quota() const noexcept {
    const std::uint64_t ticks = std::uint64_t{padding()} + 1;
    return cells / ticks + (cells % ticks != 0);
  }

  friend bool operator==(const stamp_shape&, const stamp_shape&) = default;
};

// Throws error(invalid_argument) unless every number is in its range.
void check(const stamp_shape& shape);

// Every item has k timers; a sighting writes the present tick into them. The age of a timer is
// the number of ticks since. An item was seen at the age of its oldest timer, or earlier, or never
// (Dautrich & Ravishankar 2019; docs/math.md, Liveness of a stamp). Keeps count of how many timers
// hold which stamp, which is what the census likelihood is made of.
class stamp_cells {
 public:
  static constexpr std::uint32_t expired = std::numeric_limits<std::uint32_t>::max();  // an age

  stamp_cells() noexcept = default;
  explicit stamp_cells(const stamp_shape& shape);  // all timers are expired
  // From what codes(), now(), cursor() and swept() said. `due`: timers that will be swept before
  // the next tick, the rest of the quota unless given. Checks all of them and every code: no stamp
  // may be so old that it would look new again before a sweep finds it.
  static stamp_cells read(const stamp_shape& shape, std::span<const std::byte> codes,
                          std::uint64_t now, std::uint64_t cursor, std::uint64_t swept,
                          std::optional<std::uint64_t> due = {});
  static std::uint64_t bytes_for(const stamp_shape& shape) noexcept;

  stamp_cells(const stamp_cells&) = default;
  stamp_cells(stamp_cells&&) noexcept = default;
  stamp_cells& operator=(const stamp_cells& other) { return *this = stamp_cells(other); }
  stamp_cells& operator=(stamp_cells&&) noexcept = default;

  // As it was made.
  void clear() noexcept;

  bool empty() const noexcept { return codes_.size() == 0; }  // moved from, or never made
  const stamp_shape& shape() const noexcept { return shape_; }
  std::uint32_t now() const noexcept { return now_; }
  std::uint64_t cursor() const noexcept { return cursor_; }
  std::uint64_t swept() const noexcept { return swept_; }  // since the last tick
  std::span<const std::byte> codes() const noexcept { return codes_.bytes(); }
  std::uint64_t memory() const noexcept {
    return codes_.size() + counts_.capacity() * sizeof(std::uint64_t);
  }

  // What an item's timers say: the age of the oldest, and how many different ones have it.
  struct sight {
    std::uint32_t age;
    unsigned count;
  };

  // Where a timer is: the byte from which 64 bits are read, and the shift in them.
  struct place {
    std::uint64_t number;

    std::size_t byte() const noexcept { return static_cast<std::size_t>(number >> 6); }
    unsigned shift() const noexcept { return static_cast<unsigned>(number & 63); }
    friend bool operator==(const place&, const place&) = default;
  };
  // Of an item, the first k of them: found once, read and written after.
  using places = std::array<place, max_stamp_k>;

  BLOOMTIME_INLINE void find(digest d, places& at) const noexcept {
    if (shape_.layout == layout::line) {
      find_in_line(d, at);
    } else {
      for (unsigned i = 0; i < shape_.k; ++i) {
        at[i] = place_of(reduce(probe(d, i), shape_.cells) * shape_.bits);
      }
    }
  }

  BLOOMTIME_INLINE void prefetch_read(const places& at) const noexcept {
    for (unsigned i = 0; i < prefetched_; ++i) detail::prefetch_read(codes_.data() + at[i].byte());
  }
  BLOOMTIME_INLINE void prefetch_write(const places& at) const noexcept {
    for (unsigned i = 0; i < prefetched_; ++i) detail::prefetch_write(codes_.data() + at[i].byte());
  }

  // The age of the oldest timer.
  BLOOMTIME_INLINE std::uint32_t age(const places& at) const noexcept {
    std::uint32_t oldest = 0;
    for (unsigned i = 0; i < shape_.k; ++i) oldest = std::max(oldest, age_of(code(at[i])));
    return oldest;
  }

  // The same, and whether it is above `limit` without reading on.
  BLOOMTIME_INLINE bool younger(const places& at, std::uint32_t limit) const noexcept {
    for (unsigned i = 0; i < shape_.k; ++i) {
      if (age_of(code(at[i])) > limit) return false;
    }
    return true;
  }

  BLOOMTIME_INLINE sight look(const places& at) const noexcept {
    // Without branches: which timer is the oldest cannot be foreseen.
    sight seen{0, 0};
    for (unsigned i = 0; i < shape_.k; ++i) {
      const std::uint32_t age = age_of(code(at[i]));
      seen.count = age > seen.age ? 1 : seen.count + (age == seen.age ? 1 : 0);
      seen.age = std::max(seen.age, age);
    }
    if (lines_ == 0 && !surely_different(at)) [[unlikely]]
      seen.count -= repeats(at, seen.age);
    return seen;
  }

  // Writes the present tick into the timers.
  BLOOMTIME_INLINE void stamp(const places& at) noexcept {
    for (unsigned i = 0; i < shape_.k; ++i) --counts_[slot_of(exchange(at[i], now_))];
    counts_[slot_of(now_)] += shape_.k;
  }
  // The tick `age` ticks ago, where it is younger than what a timer holds; age <= oldest.
  void stamp_back(const places& at, std::uint32_t age) noexcept;

  // Looks at the next `count` timers in turn, and marks those older than `oldest` as expired.
  void sweep(std::uint64_t count) noexcept;
  // At most so many, and no more than quota() in one tick.
  void sweep_some(std::uint64_t most) noexcept {
    const std::uint64_t left = quota_ - swept_;
    if (left != 0) sweep(std::min(most, left));
  }
  // One tick passes. Without a sweep of quota() since the last one, stamps may come to life again.
  void step() noexcept {
    now_ = now_ + 1 == shape_.cycle() ? 0 : now_ + 1;
    swept_ = 0;
  }
  // Any number of ticks pass, and timers are swept as docs/math.md, Padding and quota of a sweep,
  // needs.
  void advance(std::uint64_t ticks) noexcept;

  // How many timers have this age, and how many a smaller one. Exact up to 4096 stamps, beyond that
  // as if neighbouring stamps had equally many.
  BLOOMTIME_INLINE std::uint64_t with_age(std::uint32_t age) const noexcept {
    return age >= shape_.cycle() ? 0 : counts_[slot_of(stamp_of(age))] >> group_;
  }
  BLOOMTIME_INLINE std::uint64_t younger_than(std::uint32_t age) const noexcept {
    constexpr std::uint32_t few = 32;
    if (group_ != 0 || age > few) return sum_younger(age);
    std::uint64_t sum = 0;
    std::uint32_t stamp = now_;
    for (age = std::min(age, shape_.cycle()); age != 0; --age) {
      sum += counts_[stamp];
      stamp = stamp == 0 ? shape_.cycle() - 1 : stamp - 1;
    }
    return sum;
  }
  // As many as are not younger, expired ones included.
  std::uint64_t at_least(std::uint32_t age) const noexcept {
    return shape_.cells - younger_than(age);
  }

  // Every timer is the younger one of both, if `behind` ticks more have passed here than there.
  void unite(const stamp_cells& other, std::uint64_t behind) noexcept;

  // Whether any timer has this age, by looking at all of them.
  bool holds(std::uint32_t age) const noexcept;

  // For tests: what timer number i holds, and how old that is.
  std::uint32_t code_at(std::uint64_t i) const noexcept { return code(place_at(i)); }
  BLOOMTIME_INLINE std::uint32_t age_of(std::uint32_t code) const noexcept {
    const std::uint32_t behind = now_ - code + (code > now_ ? shape_.cycle() : 0);
    return behind | (code == shape_.cycle() ? expired : 0);
  }

 private:
  static constexpr unsigned exact_bits = 12;
  static constexpr std::size_t last_window = line_bytes - sizeof(std::uint64_t);

  place place_of(std::uint64_t bit) const noexcept { return {bit / 8 << 6 | bit % 8}; }
  // No access crosses the end of a line.
  place line_place(std::uint64_t line, unsigned cell) const noexcept {
    const unsigned bit = cell * shape_.bits;
    const auto byte = std::min<unsigned>(bit / 8, last_window);
    return {(line * line_bytes + byte) << 6 | (bit - 8 * byte)};
  }
  place place_at(std::uint64_t i) const noexcept {
    if (shape_.layout == layout::flat) return place_of(i * shape_.bits);
    return line_place(i / shape_.per_line(), static_cast<unsigned>(i % shape_.per_line()));
  }

  // As line_probes does, with the division by k done beforehand.
  BLOOMTIME_INLINE void find_in_line(digest d, places& at) const noexcept {
    const std::uint64_t line = reduce(d.hi, lines_);
    std::uint64_t fields = 0;
    for (unsigned i = 0; i < shape_.k; ++i, fields >>= 16) {
      if (i % 4 == 0) fields = probe(d, 1 + i / 4);
      const unsigned width = starts_[i + 1] - starts_[i];
      at[i] = line_place(line, starts_[i] + ((static_cast<std::uint16_t>(fields) * width) >> 16));
    }
  }

  BLOOMTIME_INLINE std::uint32_t code(place at) const noexcept {
    return static_cast<std::uint32_t>(load_le64(codes_.data() + at.byte()) >> at.shift()) &
           shape_.cycle();
  }
  // Returns what was there.
  BLOOMTIME_INLINE std::uint32_t exchange(place at, std::uint32_t code) noexcept {
    std::byte* const p = codes_.data() + at.byte();
    const std::uint64_t window = load_le64(p);
    const std::uint64_t mask = std::uint64_t{shape_.cycle()} << at.shift();
    store_le64(p, (window & ~mask) | (std::uint64_t{code} << at.shift()));
    return static_cast<std::uint32_t>((window & mask) >> at.shift());
  }
  void write(place at, std::uint32_t code) noexcept {
    --counts_[slot_of(exchange(at, code))];
    ++counts_[slot_of(code)];
  }

  std::size_t slot_of(std::uint32_t code) const noexcept {
    return code == shape_.cycle() ? counts_.size() - 1 : code >> group_;
  }
  std::uint32_t stamp_of(std::uint32_t age) const noexcept {
    return age <= now_ ? now_ - age : now_ - age + shape_.cycle();
  }
  // In one line all are. Elsewhere, if six bits of a hash of each say so.
  BLOOMTIME_INLINE bool surely_different(const places& at) const noexcept {
    std::uint64_t found = 0;
    std::uint64_t twice = 0;
    for (unsigned i = 0; i < shape_.k; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << (at[i].number * golden >> 58);
      twice |= found & bit;
      found |= bit;
    }
    return twice == 0;
  }
  unsigned repeats(const places& at, std::uint32_t age) const noexcept;
  std::uint64_t sum_younger(std::uint32_t age) const noexcept;
  std::uint64_t between(std::uint32_t first, std::uint32_t end) const noexcept;
  std::uint64_t below(std::uint32_t stamp) const noexcept;
  void expire(std::uint64_t first, std::uint64_t count, std::uint32_t limit) noexcept;
  struct stale_stamps;
  void expire_run(std::uint64_t bit, std::uint64_t count, const stale_stamps& stale) noexcept;
  void expire_all() noexcept;
  void count_codes() noexcept;
  bool finds_stale_in_time(std::uint64_t due) const noexcept;

  buffer codes_;
  // By stamp, or group of 2^group_ of them; the last counts expired timers.
  std::vector<std::uint64_t, hooked<std::uint64_t>> counts_;
  stamp_shape shape_;
  std::uint64_t lines_ = 0;
  std::array<std::uint16_t, max_line_stamp_k + 1> starts_{};  // of the share of the line per probe
  unsigned prefetched_ = 0;                                   // places in different lines
  unsigned group_ = 0;
  std::uint64_t quota_ = 0;
  std::uint64_t ones_ = 0;  // the lowest bit of each timer of a window of 64 bits
  std::uint32_t now_ = 0;
  std::uint64_t cursor_ = 0;
  std::uint64_t swept_ = 0;
};

}  // namespace bloomtime::detail
