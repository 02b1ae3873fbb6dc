#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "support/allocations.hpp"
#include "support/heap.hpp"

namespace bloomtime::support {

// Expects that the memory which `add` leaves allocated comes from the allocator hook.
template <class Add>
void expect_nothing_besides_the_hook(const allocations& hook, Add&& add) {
  if (!heap::works) return add();
  const std::uint64_t before = heap::in_use();
  const std::uint64_t live = hook.live_bytes();
  const std::uint64_t blocks = hook.live();
  add();
  // malloc adds at most 24 bytes to a block and the watch 16; it keeps up to 7 free blocks of each
  // of 64 sizes (16 to 1040 bytes) and counts them.
  constexpr std::uint64_t kept = 7 * (64 * 65 / 2 + 64) * 16;
  const std::uint64_t grown = heap::in_use() - before;
  EXPECT_LE(grown, hook.live_bytes() - live + 40 * (hook.live() - blocks) + kept);
}

inline constexpr std::uint64_t around_a_block = 63 + 8;  // alignment, and readable bytes behind it

// Expects that `memory`, from memory() of all filters that are alive, is what the allocator hook
// gave, except for what lies around each block.
inline void expect_counted(std::uint64_t memory, const allocations& hook) {
  EXPECT_LE(memory, hook.live_bytes());
  EXPECT_GE(memory + around_a_block * hook.live(), hook.live_bytes());
}

}  // namespace bloomtime::support
