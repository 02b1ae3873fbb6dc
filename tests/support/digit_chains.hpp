#pragma once

#include <gtest/gtest.h>

#include <bloomtime/published/time_decaying/detail/digit_cells.hpp>

#include <cstdint>
#include <set>
#include <vector>

namespace bloomtime::support {

// The digits above the lowest, lowest first.
inline std::vector<unsigned> chain_of(const detail::digit_cells& cells, std::uint64_t cell) {
  std::vector<unsigned> digits;
  const detail::digit_pool& pool = cells.pool();
  for (auto node = pool.find(static_cast<std::uint32_t>(cell)); node;
       node = pool.find(detail::digit_pool::as_holder(*node))) {
    digits.push_back(pool.digit(*node));
  }
  return digits;
}

// Every node in use is reached from exactly one cell, knows its holder, and no chain ends with 0.
inline bool chains_are_sound(const detail::digit_cells& cells) {
  const detail::digit_pool& pool = cells.pool();
  std::set<std::uint32_t> reached;
  for (std::uint64_t cell = 0; cell < cells.size(); ++cell) {
    auto holder = static_cast<std::uint32_t>(cell);
    unsigned digit = 1;
    while (const auto node = pool.find(holder)) {
      if (*node >= pool.used() || pool.holder(*node) != holder) return false;
      if (!reached.insert(*node).second) return false;
      digit = pool.digit(*node);
      holder = detail::digit_pool::as_holder(*node);
    }
    if (digit == 0) return false;
  }
  return reached.size() == pool.used() && pool.used() <= pool.capacity();
}

inline void expect_sound_chains(const detail::digit_cells& cells) {
  EXPECT_TRUE(chains_are_sound(cells));
}

}  // namespace bloomtime::support
