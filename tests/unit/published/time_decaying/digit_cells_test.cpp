#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/published/time_decaying/detail/digit_cells.hpp>

#include <cstdint>
#include <vector>

#include "support/allocations.hpp"
#include "support/digit_chains.hpp"
#include "support/expect_error.hpp"

namespace bloomtime::detail {
namespace digit_cells_test {

using namespace published;
using support::chain_of;
using support::expect_sound_chains;

constexpr std::uint64_t plenty = digit_pool::most_nodes;
constexpr std::uint64_t too_large = ~std::uint64_t{0};

bool set(digit_cells& cells, std::uint64_t cell, std::uint64_t value) {
  const raise r{cell, cells.get(cell), value};
  if (r.from < r.to) cells.prepare({&r, 1});
  return cells.set(r);
}

// The example of the papers: digits 2 and 1 above a 0.
TEST(digit_cells, are_numbers_of_base_16) {
  digit_cells cells(8, plenty);
  EXPECT_TRUE(set(cells, 3, 288));
  EXPECT_EQ(cells.get(3), 288u);
  EXPECT_EQ(chain_of(cells, 3), (std::vector<unsigned>{2, 1}));
  EXPECT_EQ(cells.pool().used(), 2u);
  EXPECT_EQ(cells.get(2), 0u);
}

TEST(digit_cells, carry_into_new_digits) {
  digit_cells cells(8, plenty);
  for (std::uint64_t value = 1; value <= 4096; ++value) {
    ASSERT_TRUE(set(cells, 5, value));
    ASSERT_EQ(cells.get(5), value);
    const std::uint64_t nodes = value < 16 ? 0 : value < 256 ? 1 : value < 4096 ? 2 : 3;
    ASSERT_EQ(cells.pool().used(), nodes) << value;
  }
  EXPECT_EQ(chain_of(cells, 5), (std::vector<unsigned>{0, 0, 1}));
}

TEST(digit_cells, start_with_a_pool_of_half_as_many_and_grow) {
  digit_cells cells(10, plenty);
  EXPECT_EQ(cells.pool().capacity(), 5u);
  for (std::uint64_t cell = 0; cell < 10; ++cell) ASSERT_TRUE(set(cells, cell, 300 + cell));
  EXPECT_GE(cells.pool().capacity(), 20u);
  expect_sound_chains(cells);
}

// Every order in which chains may be released and their nodes be moved.
TEST(digit_cells, release_what_they_need_no_more) {
  math::random_source random(1);
  digit_cells cells(50, plenty);
  std::vector<std::uint64_t> values(50);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t cell = random.below(50);
    values[cell] = random() >> (1 + random.below(63));
    ASSERT_TRUE(set(cells, cell, values[cell]));
    if (round % 100 == 0) expect_sound_chains(cells);
  }
  for (std::uint64_t i = 0; i < 50; ++i) ASSERT_EQ(cells.get(i), values[i]);
  cells.sweep(fade(decay::by_factor(0), 1, rounding::up, 0));
  EXPECT_EQ(cells.pool().used(), 0u);
  for (std::uint64_t i = 0; i < 50; ++i) ASSERT_EQ(cells.get(i), 0u);
}

// Whatever the number of nodes, a cell that gets none is pinned with the digits it has, and all
// others are as they were.
TEST(digit_cells, are_pinned_when_the_pool_is_empty) {
  for (std::uint64_t most = 0; most < 9; ++most) {
    digit_cells cells(4, most);
    std::uint64_t given = 0;
    for (std::uint64_t cell = 0; cell < 4; ++cell) {
      ASSERT_TRUE(set(cells, cell, 9));
      const bool fits = given + 2 <= most;
      EXPECT_EQ(set(cells, cell, 288), fits);
      EXPECT_EQ(cells.pinned(cell), !fits);
      EXPECT_EQ(cells.get(cell), fits ? 288u : 15u);
      given += fits ? 2 : 0;
      expect_sound_chains(cells);
    }
    EXPECT_EQ(cells.pinned_cells(), 4 - given / 2);
    EXPECT_EQ(cells.pool().used(), given);
    const std::uint64_t pins = cells.pinned_cells();
    cells.sweep(fade(decay::by_factor(0), 1, rounding::up, 0));
    EXPECT_EQ(cells.pinned_cells(), pins);
    EXPECT_EQ(cells.pool().used(), 0u);
    for (std::uint64_t cell = 0; cell < 4; ++cell) {
      EXPECT_EQ(cells.get(cell), cells.pinned(cell) ? 15u : 0u);
    }
  }
}

TEST(digit_cells, are_pinned_beyond_64_bits) {
  digit_cells cells(4, plenty);
  ASSERT_TRUE(set(cells, 0, too_large - 1));
  EXPECT_EQ(cells.get(0), too_large - 1);
  EXPECT_FALSE(set(cells, 0, too_large));
  EXPECT_EQ(cells.get(0), too_large);
  EXPECT_TRUE(cells.pinned(0));
  EXPECT_FALSE(set(cells, 1, too_large));
  EXPECT_EQ(cells.get(1), 15u);
}

TEST(digit_cells, are_unchanged_when_any_allocation_fails) {
  for (std::size_t granted = 0;; ++granted) {
    support::allocations memory;
    digit_cells cells(4, 9);
    for (std::uint64_t cell = 0; cell < 4; ++cell) ASSERT_TRUE(set(cells, cell, 17 + cell));
    const std::size_t before = memory.asked();
    memory.refuse_after(granted);
    const std::vector<raise> raises{{0, 17, 5000}, {1, 18, 5000}, {2, 19, 5000}, {3, 20, 5000}};
    bool failed = false;
    try {
      cells.prepare(raises);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::out_of_memory);
      failed = true;
    }
    for (std::uint64_t cell = 0; cell < 4; ++cell) EXPECT_EQ(cells.get(cell), 17 + cell);
    EXPECT_EQ(cells.pinned_cells(), 0u);
    expect_sound_chains(cells);
    if (failed) continue;
    EXPECT_EQ(memory.asked() - before, granted);
    EXPECT_GE(granted, 4u);  // pins, digits, links to and from nodes
    memory.refuse_after(0);
    for (const raise& r : raises) EXPECT_EQ(cells.set(r), r.cell < 2);
    EXPECT_EQ(cells.pinned_cells(), 2u);
    expect_sound_chains(cells);
    break;
  }
}

}  // namespace digit_cells_test
}  // namespace bloomtime::detail
