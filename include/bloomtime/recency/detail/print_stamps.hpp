#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/print_block.hpp>
#include <bloomtime/recency/detail/payload_range.hpp>

namespace bloomtime::detail {

// Ticks as payloads of a table of prints (print_table.hpp): the low bits of the number of
// the tick in which a print was last seen. The epoch of a segment is the tick in which it was last
// refreshed: its stamps are from `oldest` ticks before that to `spare` ticks after it, and there
// are no more codes than such ticks. So a stamp is never mistaken for a later one, however long
// nothing happens. Segments are refreshed about 16 times per window, as far as codes allow less:
// full blocks are rarely searched for expired stamps then.
//
// It also counts the prints of each tick.
class print_stamps {
 public:
  static constexpr bool balanced = true;
  static constexpr std::uint64_t most_ticks = std::uint64_t{1} << 62;

  // Stamps of up to `oldest` ticks ago are alive. At least two bits.
  static constexpr unsigned bits_for(std::uint32_t oldest) noexcept {
    return static_cast<unsigned>(std::bit_width(oldest + 1));
  }

  print_stamps() noexcept = default;
  explicit print_stamps(std::uint32_t oldest)
      : oldest_(oldest),
        bits_(bits_for(oldest)),
        mask_((std::uint64_t{1} << bits_) - 1),
        spare_(mask_ - oldest),
        patience_(std::min<std::uint64_t>(spare_, std::max(1U, oldest / 16) - 1)),
        prints_(mask_ + 1) {}

  unsigned bits() const noexcept { return bits_; }
  unsigned mark_bits() const noexcept { return bits_ + 1; }
  std::uint64_t now() const noexcept { return now_; }
  void set_now(std::uint64_t tick) noexcept { now_ = tick; }
  std::uint64_t spare() const noexcept { return spare_; }
  std::uint64_t alive() const noexcept { return alive_; }
  std::uint64_t memory() const noexcept { return hooked_bytes<std::uint64_t>(prints_.capacity()); }

  BLOOMTIME_INLINE std::uint64_t code(std::uint64_t age) const noexcept {
    return (now_ - age) & mask_;
  }
  // Of a stamp in a segment that was refreshed at `epoch`; negative if it is from a later tick.
  BLOOMTIME_INLINE std::int64_t age(std::uint64_t code, std::uint64_t epoch) const noexcept {
    const std::uint64_t latest = epoch + spare_;
    return static_cast<std::int64_t>((now_ - latest) + ((latest - code) & mask_));
  }
  // The same in a segment that is not due.
  BLOOMTIME_INLINE std::uint64_t age(std::uint64_t code) const noexcept {
    return (now_ - code) & mask_;
  }

  // Prints with this age, at most `oldest`.
  std::uint64_t with_age(std::uint64_t age) const noexcept { return prints_[code(age)]; }
  BLOOMTIME_INLINE void add(std::uint64_t code) noexcept {
    ++prints_[code];
    ++alive_;
  }
  BLOOMTIME_INLINE void remove(std::uint64_t code) noexcept {
    --prints_[code];
    --alive_;
  }

  // So many ticks pass. More than there are codes leave nothing alive, and all such gaps count as
  // equally long, so that no age overflows. The clock stops at `most_ticks`.
  void advance(std::uint64_t ticks) noexcept {
    ticks = std::min({ticks, mask_ + 1, most_ticks - now_});
    if (ticks > mask_) {
      now_ += ticks;
      clear_counts();
      return;
    }
    for (; ticks != 0; --ticks) {
      ++now_;
      alive_ -= prints_[code(std::uint64_t{oldest_} + 1)];
      prints_[code(0)] = 0;
    }
  }
  void clear_counts() noexcept {
    std::fill(prints_.begin(), prints_.end(), 0);
    alive_ = 0;
  }

  // -- what a table calls ------------------------------------------------------------------------

  std::uint64_t epoch() const noexcept { return now_; }
  BLOOMTIME_INLINE bool due(std::uint64_t epoch) const noexcept { return now_ - epoch > patience_; }
  std::optional<std::uint64_t> aged(std::uint64_t code, std::uint64_t epoch) const noexcept {
    return age(code, epoch) <= oldest_ ? std::optional(code) : std::nullopt;
  }
  // As many codes have expired as ticks have passed since the segment was refreshed.
  std::uint32_t expired(const print_block& block, std::uint64_t epoch) const noexcept {
    const std::uint64_t passed = now_ - epoch;
    if (passed == 0) return 0;
    if (passed > mask_) return (std::uint32_t{1} << block.count()) - 1;
    return expired_since(block.form(), epoch).slots_of(block);
  }
  void refresh(std::byte* at, std::uint64_t count, const print_form& form,
               std::uint64_t epoch) const noexcept {
    const std::uint64_t passed = now_ - epoch;
    if (passed == 0) return;
    if (passed > mask_) {
      std::memset(at, 0, count * line_bytes);
      return;
    }
    const print_form own = form;  // stores to blocks do not change it
    const payload_range gone = expired_since(own, epoch);
    std::array<std::uint32_t, slot_removals::most_blocks> found{};
    gone.add_slots_of(at, std::span(found).first(count));
    slot_removals removals;
    for (std::size_t i = 0; i < count; ++i) {
      const print_block block(at + i * line_bytes, own);
      removals.add(i, found[i] & block.in_use());
      block.set_mark(0, 0 - std::uint64_t{gone.has(block.mark())});
    }
    removals.remove_from(at, own);
  }
  BLOOMTIME_INLINE std::uint32_t aged_mark(std::uint32_t mark, std::uint64_t epoch) const noexcept {
    return mark != 0 && age(mark & mask_, epoch) <= oldest_ ? mark : 0;
  }
  BLOOMTIME_INLINE bool marked(std::uint32_t mark, std::uint32_t) const noexcept {
    return mark != 0;
  }
  // Unless there is a younger one.
  BLOOMTIME_INLINE std::uint32_t mark(std::uint64_t code) const noexcept {
    return static_cast<std::uint32_t>(code | (mask_ + 1));
  }
  BLOOMTIME_INLINE std::uint32_t mark(std::uint32_t mark, std::uint32_t,
                                      std::uint64_t code) const noexcept {
    const std::uint32_t made = this->mark(code);
    const bool younger = (mark != 0) & (age(mark) < age(made));
    return static_cast<std::uint32_t>(either(made, mark, 0 - std::uint64_t{younger}));
  }
  std::uint32_t merge_marks(std::uint32_t a, std::uint32_t b) const noexcept {
    if (a == 0 || b == 0) return a | b;
    return age(a) < age(b) ? a : b;
  }
  // The younger one; the other no longer counts.
  std::uint64_t merge(std::uint64_t a, std::uint64_t b) noexcept {
    const std::uint64_t older = age(a) < age(b) ? b : a;
    if (age(older) <= oldest_) remove(older);
    return age(a) < age(b) ? a : b;
  }
  std::uint64_t to_stash(std::uint64_t code) const noexcept { return now_ - age(code); }
  std::optional<std::uint64_t> from_stash(std::uint64_t tick) const noexcept {
    return now_ - tick <= oldest_ ? std::optional(tick & mask_) : std::nullopt;
  }

 private:
  // At most mask_ ticks ago.
  BLOOMTIME_INLINE payload_range expired_since(const print_form& form,
                                               std::uint64_t epoch) const noexcept {
    return {form, (epoch - oldest_) & mask_, now_ - epoch};
  }

  std::uint32_t oldest_ = 0;
  unsigned bits_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t spare_ = 0;
  std::uint64_t patience_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t alive_ = 0;
  std::vector<std::uint64_t, hooked<std::uint64_t>> prints_;  // of each code
};

}  // namespace bloomtime::detail
