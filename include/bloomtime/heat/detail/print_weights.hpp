#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/print_block.hpp>
#include <bloomtime/detail/side_table.hpp>

namespace bloomtime::detail {

// Decayed counts as payloads of a table of prints (print_table.hpp), in units that halve with every
// halving (heat/decay.hpp). The epoch of a segment is the number of halvings that its counts have
// seen. A count that halvings bring down to `threshold` units or less is dropped. Counts too large
// for a payload are in an exact table, by the key of their print.
//
// A mark has two parts. Its life is the number of halvings after which everything that left the
// block is dropped. Its floor is at least what was given up in the block for lack of room: a number
// of 8 bits with an exponent, which halves exactly.
//
// It also counts the prints of the table.
class print_weights {
 public:
  static constexpr unsigned bits = 16;
  static constexpr std::uint64_t elsewhere = (1 << bits) - 1;  // the count is in the exact table
  static constexpr std::uint64_t threshold = 24;
  static constexpr unsigned life_bits = 6;
  static constexpr unsigned floor_bits = 8;
  static constexpr unsigned mark_bits = life_bits + floor_bits;
  static constexpr std::uint64_t most_halvings = std::uint64_t{1} << 62;
  static constexpr std::uint64_t all_halvings = 64;  // leave nothing of any count
  static constexpr std::uint64_t floor_halvings = (1 << floor_bits) >> 4;  // leave no floor
  static constexpr std::uint64_t highest_floor = std::uint64_t{31} << 15;  // of the last code

  // A count after some halvings, each rounded up; 0 if it is dropped.
  BLOOMTIME_INLINE static std::uint64_t faded(std::uint64_t count,
                                              std::uint64_t halvings) noexcept {
    if (halvings == 0) return count;
    if (halvings >= all_halvings) return 0;
    const std::uint64_t whole = count >> halvings;
    const std::uint64_t left = whole + (whole << halvings != count ? 1 : 0);
    return left > threshold ? left : 0;
  }

  std::uint64_t now() const noexcept { return now_; }
  void set_now(std::uint64_t halvings) noexcept { now_ = halvings; }
  std::uint64_t prints() const noexcept { return prints_; }
  void add_print() noexcept { ++prints_; }
  void remove_print() noexcept { --prints_; }
  const side_table& large() const noexcept { return large_; }
  void set_large(side_table large) noexcept { large_ = std::move(large); }
  // So that the next `count` calls of raise_large() cannot fail.
  void reserve_large(unsigned count) { large_.reserve(large_.size() + count); }

  // More than `all_halvings` halvings at once count as so many, and the clock stops at
  // `most_halvings`. Counts in the exact table fade now: returned(key, count) for those that are no
  // longer too large for a slot, in which a count that is dropped leaves one unit until the next
  // halving.
  template <class Returned>
  void advance(std::uint64_t halvings, Returned&& returned) noexcept {
    halvings = std::min({halvings, all_halvings, most_halvings - now_});
    now_ += halvings;
    if (halvings == 0 || large_.empty()) return;
    large_.change_each(
        [&](std::uint64_t, std::uint64_t& count) { count = faded(count, halvings); });
    large_.for_each([&](std::uint64_t key, std::uint64_t count) {
      if (count < elsewhere) returned(key, std::max<std::uint64_t>(1, count));
    });
    large_.erase_if([](std::uint64_t, std::uint64_t count) { return count < elsewhere; });
    large_.trim();
  }

  // The exact count of a key; null if there is none.
  const std::uint64_t* find_large(std::uint64_t key) const noexcept { return large_.find(key); }
  std::uint64_t* find_large(std::uint64_t key) noexcept { return large_.find(key); }
  void raise_large(std::uint64_t key, std::uint64_t count) {
    const std::uint64_t* const before = large_.find(key);
    large_.set(key, before != nullptr ? std::max(*before, count) : count);
  }

  // The halvings after which a count is dropped: the fewest h with count <= threshold * 2^h.
  static std::uint32_t life_of(std::uint64_t count) noexcept {
    const std::uint64_t times = (count - 1) / threshold;
    return std::max(1U, static_cast<std::uint32_t>(std::bit_width(times)));
  }
  // The halvings that the mark of a block, refreshed at `epoch`, leads to its other block.
  std::uint32_t life_left(std::uint32_t mark, std::uint64_t epoch) const noexcept {
    return aged_mark(mark, epoch) & most_life;
  }

  // The floor of a mark after some halvings, in units; 0 if there is none.
  static std::uint64_t floor_of(std::uint32_t mark, std::uint64_t halvings) noexcept {
    return floor_value(faded_floor(mark >> life_bits, halvings));
  }

  // -- what a table calls ------------------------------------------------------------------------

  std::uint64_t epoch() const noexcept { return now_; }
  BLOOMTIME_INLINE bool due(std::uint64_t epoch) const noexcept { return now_ != epoch; }
  std::optional<std::uint64_t> aged(std::uint64_t payload, std::uint64_t epoch) noexcept {
    const std::uint64_t left = faded_payload(payload, epoch);
    if (left != 0) return left;
    --prints_;
    return std::nullopt;
  }
  // A segment is refreshed before it is searched for room.
  static std::uint32_t expired(const print_block&, std::uint64_t) noexcept { return 0; }
  void refresh(std::byte* at, std::uint64_t count, const print_form& form,
               std::uint64_t epoch) noexcept {
    for (std::uint64_t i = 0; i < count; ++i) {
      const print_block block(at + i * line_bytes, form);
      if (!block.blank()) refresh(block, epoch);
    }
  }
  void refresh(const print_block& block, std::uint64_t epoch) noexcept {
    for (unsigned i = block.count(); i-- != 0;) {
      const std::uint64_t before = block.payload(i);
      const std::uint64_t left = faded_payload(before, epoch);
      if (left == 0) {
        block.remove(i);
        --prints_;
      } else if (left != before) {
        block.set_payload(i, left);
      }
    }
    if (block.mark() != 0) block.set_mark(aged_mark(block.mark(), epoch));
  }
  std::uint32_t aged_mark(std::uint32_t mark, std::uint64_t epoch) const noexcept {
    const std::uint64_t halvings = now_ - epoch;
    const std::uint32_t life = mark & most_life;
    const std::uint32_t left = halvings < life ? life - static_cast<std::uint32_t>(halvings) : 0;
    return left | faded_floor(mark >> life_bits, halvings) << life_bits;
  }
  BLOOMTIME_INLINE static bool marked(std::uint32_t mark, std::uint32_t) noexcept {
    return (mark & most_life) != 0;
  }
  static std::uint32_t mark(std::uint32_t mark, std::uint32_t, std::uint64_t payload) noexcept {
    return merge_marks(mark, payload == elsewhere ? most_life : life_of(payload));
  }
  static std::uint32_t merge_marks(std::uint32_t a, std::uint32_t b) noexcept {
    const std::uint32_t floor = std::max(a >> life_bits, b >> life_bits);
    return std::max(a & most_life, b & most_life) | floor << life_bits;
  }
  static std::uint32_t given_up(std::uint32_t mark, std::uint64_t count) noexcept {
    return merge_marks(mark, floor_code(count) << life_bits);
  }
  void erased(std::uint64_t key, std::uint64_t payload) noexcept {
    if (payload == elsewhere) large_.erase(key);
  }
  void moved(std::uint64_t from, std::uint64_t to, std::uint64_t payload) noexcept {
    if (payload != elsewhere) return;
    const std::uint64_t* const count = large_.find(from);
    if (count == nullptr) return;
    const std::uint64_t moving = *count;
    large_.erase(from);
    raise_large(to, moving);  // takes the room that was left
  }
  void add(std::uint64_t) noexcept { ++prints_; }
  // The larger one is enough for both.
  std::uint64_t merge(std::uint64_t a, std::uint64_t b) noexcept {
    --prints_;
    return std::max(a, b);
  }
  static std::uint64_t to_stash(std::uint64_t payload) noexcept { return payload; }
  static std::optional<std::uint64_t> from_stash(std::uint64_t payload) noexcept { return payload; }

 private:
  static constexpr std::uint32_t most_life = (1 << life_bits) - 1;

  // A large count has faded already; its slot is changed when it is no longer large.
  std::uint64_t faded_payload(std::uint64_t payload, std::uint64_t epoch) const noexcept {
    return payload == elsewhere ? payload : faded(payload, now_ - epoch);
  }

  // Code c > 0 stands for 16 + c % 16 units times 2^(c / 16).
  static constexpr std::uint64_t floor_value(std::uint32_t code) noexcept {
    return code == 0 ? 0 : std::uint64_t{16 + (code & 15)} << (code >> 4);
  }
  static constexpr std::uint32_t faded_floor(std::uint32_t code, std::uint64_t halvings) noexcept {
    if (halvings >= floor_halvings || halvings * 16 >= code) return 0;
    return code - static_cast<std::uint32_t>(halvings) * 16;
  }
  // The least code for at least so many units.
  static constexpr std::uint32_t floor_code(std::uint64_t units) noexcept {
    if (units <= floor_value(1)) return 1;
    const auto exponent = static_cast<unsigned>(std::bit_width(units)) - 5;
    const auto sixteenths = static_cast<std::uint32_t>((units - 1) >> exponent) + 1;
    return exponent * 16 + sixteenths - 16;
  }

  std::uint64_t now_ = 0;
  std::uint64_t prints_ = 0;
  side_table large_;
};

}  // namespace bloomtime::detail
