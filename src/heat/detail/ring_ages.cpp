#include <bloomtime/heat/detail/ring_ages.hpp>

#include <algorithm>
#include <array>

#include "heat/forward.hpp"

namespace bloomtime::detail {
namespace {

using wide = ring_ages::wide;

unsigned modulo(wide n, unsigned m) {
  const auto rest = static_cast<int>(n % m);
  return static_cast<unsigned>(rest < 0 ? rest + static_cast<int>(m) : rest);
}

}  // namespace

std::optional<unsigned> ring_ages::slot_of(wide tick, wide now) const noexcept {
  if (now - tick < singles_) return modulo(tick, singles_);
  if (!dyadic_) return std::nullopt;
  for (unsigned level = 1; level <= levels_; ++level) {
    const wide block = tick >> level;
    if ((now >> level) - block < singles_) {
      return singles_ + (level - 1) * shared() + modulo(block, shared());
    }
  }
  return slots() - 1;
}

// The number of the block of ticks that the slot holds, counted in blocks of the slot's length.
wide ring_ages::block_of(unsigned slot, wide now) const noexcept {
  const unsigned level = level_of(slot);
  if (level == 0) return now - modulo(now - slot, singles_);
  const wide newest = (now >> level) - per_octave();
  return newest - modulo(newest - (slot - singles_) % shared(), shared());
}

ring_ages::ages ring_ages::ages_of(unsigned slot, std::int64_t now) const noexcept {
  if (is_last_of_all(slot)) {
    const wide beyond = (wide{now} >> levels_) - singles_ + 1;  // the first block that is not here
    return {now - (beyond * (wide{1} << levels_) - 1), unbounded};
  }
  const unsigned level = level_of(slot);
  const wide length = wide{1} << level;
  const wide first = block_of(slot, now) * length;
  if (level == 0) return {now - first, now - first};
  // The younger half of a block may still be in slots of the level before.
  const wide half = length / 2;
  const wide beyond = ((wide{now} >> (level - 1)) - singles_ + 1) * half;
  const wide last = std::min(first + length, beyond) - 1;
  return {now - last, now - first};
}

void ring_ages::move(std::span<std::uint64_t> values, std::int64_t from,
                     std::int64_t to) const noexcept {
  if (from == to) return;
  std::array<std::uint64_t, most_slots> before;
  std::copy(values.begin(), values.end(), before.begin());
  std::fill(values.begin(), values.end(), 0);
  for (unsigned i = 0; i < slots(); ++i) {
    if (before[i] == 0) continue;
    const wide tick = block_of(i, from) * (wide{1} << level_of(i));
    const auto slot = is_last_of_all(i) ? slots() - 1 : slot_of(tick, to);
    if (slot) values[*slot] = forward::sum(values[*slot], before[i]);
  }
}

}  // namespace bloomtime::detail
