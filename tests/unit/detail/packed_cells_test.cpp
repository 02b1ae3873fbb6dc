#include <gtest/gtest.h>

#include <bloomtime/detail/packed_cells.hpp>

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime::detail {
namespace packed_cells_test {

using support::expect_error;

std::vector<unsigned> values(std::span<const std::byte> bytes) {
  std::vector<unsigned> v;
  for (const std::byte b : bytes) v.push_back(std::to_integer<unsigned>(b));
  return v;
}

TEST(packed_cells, start_at_zero) {
  const packed_cells<> cells(100, 7);
  EXPECT_EQ(cells.size(), 100u);
  EXPECT_EQ(cells.width(), 7u);
  EXPECT_EQ(cells.max_value(), 127u);
  EXPECT_EQ(cells.bytes().size(), 88u);
  for (std::uint64_t i = 0; i < cells.size(); ++i) EXPECT_EQ(cells.get(i), 0u);
}

// 1, 2, 3 in twelve bits each, lowest bit first, worked out by hand.
TEST(packed_cells, have_the_documented_bytes) {
  packed_cells<> at_run_time(3, 12);
  packed_cells<12> in_the_type(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    at_run_time.set(i, i + 1);
    in_the_type.set(i, i + 1);
  }
  const std::vector<unsigned> expected{0x01, 0x20, 0x00, 0x03, 0x00};
  EXPECT_EQ(values(at_run_time.bytes()), expected);
  EXPECT_EQ(values(in_the_type.bytes()), expected);
}

TEST(packed_cells, can_be_none) {
  packed_cells<> cells(0, 5);
  EXPECT_EQ(cells.size(), 0u);
  EXPECT_TRUE(cells.bytes().empty());
  EXPECT_TRUE(cells.padding_is_zero());
  cells.fill(31);
  const packed_cells<> loaded(buffer(), 0, 5);
  EXPECT_EQ(loaded.size(), 0u);
}

TEST(packed_cells, can_be_one) {
  packed_cells<> cells(1, 32);
  cells.set(0, 0xffffffff);
  EXPECT_EQ(cells.get(0), 0xffffffffu);
  cells.set(0, 0x12345678);
  EXPECT_EQ(values(cells.bytes()), (std::vector<unsigned>{0x78, 0x56, 0x34, 0x12}));
}

TEST(packed_cells, know_how_many_bytes_they_need) {
  EXPECT_EQ(packed_cells<>::bytes_for(0, 32), 0u);
  EXPECT_EQ(packed_cells<>::bytes_for(1, 1), 1u);
  EXPECT_EQ(packed_cells<>::bytes_for(8, 1), 1u);
  EXPECT_EQ(packed_cells<>::bytes_for(9, 1), 2u);
  EXPECT_EQ(packed_cells<6>::bytes_for(4096), 3072u);
  EXPECT_EQ(packed_cells<>::bytes_for(3, 31), 12u);
}

TEST(packed_cells, refuse_widths_outside_1_to_32) {
  expect_error(errc::invalid_argument, [] { (void)packed_cells<>::bytes_for(1, 0); });
  expect_error(errc::invalid_argument, [] { (void)packed_cells<>::bytes_for(1, 33); });
  expect_error(errc::invalid_argument, [] { (void)packed_cells<>(1, 33); });
  expect_error(errc::invalid_argument, [] { (void)packed_cells<>(1); });
  expect_error(errc::invalid_argument, [] { (void)packed_cells<8>(1, 9); });
}

TEST(packed_cells, refuse_more_bytes_than_a_buffer_may_have) {
  constexpr auto huge = std::numeric_limits<std::uint64_t>::max();
  for (unsigned width = 1; width <= 32; ++width) {
    const std::uint64_t most = max_buffer_bytes * 8 / width;
    EXPECT_LE(packed_cells<>::bytes_for(most, width), max_buffer_bytes);
    expect_error(errc::too_large, [&] { (void)packed_cells<>::bytes_for(most + 1, width); });
    expect_error(errc::too_large, [&] { (void)packed_cells<>::bytes_for(huge, width); });
  }
  for (unsigned width = 2; width <= 32; ++width) {
    // As many cells as make cells * width wrap around to a small number.
    expect_error(errc::too_large, [&] { (void)packed_cells<>(huge / width + 2, width); });
  }
}

TEST(packed_cells, refuse_a_buffer_of_another_size) {
  expect_error(errc::corrupt, [] { (void)packed_cells<>(buffer(4), 3, 12); });
  expect_error(errc::corrupt, [] { (void)packed_cells<>(buffer(6), 3, 12); });
  expect_error(errc::corrupt, [] { (void)packed_cells<>(buffer(1), 0, 12); });
  EXPECT_EQ(packed_cells<>(buffer(5), 3, 12).size(), 3u);
}

TEST(packed_cells, find_bits_that_belong_to_no_cell) {
  buffer clean(5);  // 3 cells of 12 bits use 36 of its 40 bits
  clean.data()[4] = std::byte{0x0f};
  EXPECT_TRUE(packed_cells<>(clean, 3, 12).padding_is_zero());
  buffer dirty(5);
  dirty.data()[4] = std::byte{0x10};
  EXPECT_FALSE(packed_cells<>(dirty, 3, 12).padding_is_zero());
  buffer full(3);
  full.data()[2] = std::byte{0xff};
  EXPECT_TRUE(packed_cells<>(full, 2, 12).padding_is_zero());
}

TEST(packed_cells, fill_all_cells_and_no_padding) {
  packed_cells<> cells(13, 5);
  cells.fill(21);
  for (std::uint64_t i = 0; i < cells.size(); ++i) EXPECT_EQ(cells.get(i), 21u);
  EXPECT_TRUE(cells.padding_is_zero());
  cells.fill(0);
  EXPECT_EQ(values(cells.bytes()), std::vector<unsigned>(9));
}

TEST(packed_cells, copies_are_independent) {
  packed_cells<> cells(10, 9);
  cells.set(3, 300);
  packed_cells<> copy = cells;
  copy.set(3, 1);
  EXPECT_EQ(cells.get(3), 300u);
  EXPECT_EQ(copy.get(3), 1u);
}

TEST(packed_cells, prefetching_changes_nothing) {
  packed_cells<11> cells(50);
  cells.set(49, 2047);
  cells.prefetch_read(49);
  cells.prefetch_write(49);
  EXPECT_EQ(cells.get(49), 2047u);
}

// Positions in bits do not fit in 32 bits: read a borrowed array of which only a page exists.
TEST(packed_cells, reach_beyond_four_billion_bits) {
  constexpr std::uint64_t count = (std::uint64_t{1} << 32) / 13 + 10000;
  const std::uint64_t bytes = packed_cells<13>::bytes_for(count);
  const std::size_t mapped = static_cast<std::size_t>(bytes) + readable_past_end;
  void* const memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::shared_ptr<const void> lender(memory, [mapped](void* p) { munmap(p, mapped); });
  const std::span array(static_cast<std::byte*>(memory), static_cast<std::size_t>(bytes));

  constexpr std::uint64_t last_bit = (count - 1) * 13;
  store_le32(array.data() + last_bit / 8, std::uint32_t{0x1a5b} << (last_bit % 8));

  const packed_cells<13> in_the_type(buffer::borrow(array, lender), count);
  const packed_cells<> at_run_time(buffer::borrow(array, lender), count, 13);
  EXPECT_EQ(in_the_type.get(count - 1), 0x1a5bu);
  EXPECT_EQ(at_run_time.get(count - 1), 0x1a5bu);
  EXPECT_EQ(at_run_time.get(count - 2), 0u);
}

}  // namespace packed_cells_test
}  // namespace bloomtime::detail
