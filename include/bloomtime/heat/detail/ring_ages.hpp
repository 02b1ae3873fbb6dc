#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace bloomtime::detail {

// Which slot of a ring holds which ticks; slots move on as time passes. Either one slot per tick
// and none for older ones; or dyadic (docs/heat.md): with b slots per octave, a tick has its own
// slot while it is at most 2b ticks back, then shares one with its neighbour until their pair is 2b
// pairs back, and so on, in blocks that double in length and are aligned to the clock. Everything
// older shares the last slot. Ticks that share a slot stay together, so slots are merged by
// addition.
class ring_ages {
 public:
  __extension__ using wide = __int128;

  static constexpr unsigned most_slots = 1024;
  static constexpr wide unbounded = std::numeric_limits<std::int64_t>::max();

  static ring_ages single(unsigned slots) noexcept { return {slots, 0, false}; }
  // Slots are short enough that 1 + age varies by a factor of at most 1 + 1/b within one, up to
  // ages of 2b * 2^levels.
  static ring_ages dyadic(unsigned b, unsigned levels) noexcept {
    return {2 * b + 1, levels, true};
  }

  unsigned per_octave() const noexcept { return singles_ / 2; }
  unsigned levels() const noexcept { return levels_; }
  unsigned slots() const noexcept { return singles_ + (dyadic_ ? levels_ * shared() + 1 : 0); }

  std::optional<unsigned> slot_of(wide tick, wide now) const noexcept;

  // The ages, in ticks, of the youngest and the oldest event that a slot may hold.
  struct ages {
    wide youngest;
    wide oldest;
  };
  ages ages_of(unsigned slot, std::int64_t now) const noexcept;

  // values[i] are those of slot i at tick `from` before the call, and at tick `to` after it.
  void move(std::span<std::uint64_t> values, std::int64_t from, std::int64_t to) const noexcept;

  friend bool operator==(const ring_ages&, const ring_ages&) = default;

 private:
  ring_ages(unsigned singles, unsigned levels, bool dyadic) noexcept
      : singles_(singles), levels_(levels), dyadic_(dyadic) {}

  // The number of slots of each level but the first: blocks that are b to 2b back.
  unsigned shared() const noexcept { return per_octave() + 1; }
  unsigned level_of(unsigned slot) const noexcept {
    return slot < singles_ ? 0 : 1 + (slot - singles_) / shared();
  }
  bool is_last_of_all(unsigned slot) const noexcept { return dyadic_ && slot + 1 == slots(); }
  wide block_of(unsigned slot, wide now) const noexcept;

  unsigned singles_;  // slots for one tick each
  unsigned levels_;
  bool dyadic_;
};

}  // namespace bloomtime::detail
