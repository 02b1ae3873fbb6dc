#include <gtest/gtest.h>

#include <bloomtime/detail/side_table.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime::detail {
namespace side_table_test {

using support::expect_error;

// Counts what buffers allocate, and refuses when told to.
class watched_allocator {
 public:
  watched_allocator() {
    allocations = 0;
    refuse = false;
    set_allocator({[](std::size_t bytes) -> void* {
                     if (refuse) return nullptr;
                     ++allocations;
                     return std::malloc(bytes);
                   },
                   [](void* block) { std::free(block); }});
  }
  watched_allocator(const watched_allocator&) = delete;
  watched_allocator& operator=(const watched_allocator&) = delete;
  ~watched_allocator() {
    set_allocator({[](std::size_t bytes) { return std::malloc(bytes); },
                   [](void* block) { std::free(block); }});
  }

  static inline int allocations = 0;
  static inline bool refuse = false;
};

constexpr auto anything = [](std::uint64_t, std::uint64_t) { return true; };
constexpr auto no_cell = std::numeric_limits<std::uint64_t>::max();

std::vector<std::byte> written(const side_table& table) {
  byte_writer out;
  table.write(out);
  return out.written();
}

std::vector<std::byte> table_bytes(const std::vector<std::uint64_t>& numbers) {
  byte_writer out;
  for (const auto n : numbers) out.u64(n);
  return out.written();
}

side_table with_cells(std::uint64_t count) {
  side_table table;
  for (std::uint64_t cell = 0; cell < count; ++cell) table.set(cell, cell * cell);
  return table;
}

TEST(side_table, holds_nothing_and_no_memory_at_first) {
  const watched_allocator watched;
  side_table table;
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.bytes(), 0u);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_FALSE(table.erase(0));
  table.reserve(0);
  table.trim();
  table.clear();
  const side_table copy = table;
  EXPECT_TRUE(written(copy).empty());
  EXPECT_EQ(watched.allocations, 0);
}

TEST(side_table, keeps_the_last_value_of_a_cell) {
  side_table table;
  table.set(5, 100);
  table.set(5, 200);
  EXPECT_EQ(table.size(), 1u);
  ASSERT_NE(table.find(5), nullptr);
  EXPECT_EQ(*table.find(5), 200u);
  *table.find(5) += 1;
  EXPECT_EQ(*std::as_const(table).find(5), 201u);
  EXPECT_EQ(table.find(4), nullptr);
}

TEST(side_table, keeps_zero_and_extreme_values_and_cells) {
  side_table table;
  table.set(0, 0);
  table.set(side_table::max_cell, no_cell);
  ASSERT_NE(table.find(0), nullptr);
  EXPECT_EQ(*table.find(0), 0u);
  ASSERT_NE(table.find(side_table::max_cell), nullptr);
  EXPECT_EQ(*table.find(side_table::max_cell), no_cell);
}

TEST(side_table, has_no_cell_beyond_the_last) {
  side_table table = with_cells(5);
  EXPECT_EQ(table.find(no_cell), nullptr);
  EXPECT_FALSE(table.erase(no_cell));
  expect_error(errc::invalid_argument, [&] { table.set(no_cell, 1); });
  EXPECT_EQ(table.size(), 5u);
}

TEST(side_table, stays_at_most_three_quarters_full) {
  side_table table;
  for (std::uint64_t cell = 0; cell < 3000; ++cell) {
    table.set(cell, 1);
    EXPECT_LE(table.size() * 16 * 4, table.bytes() * 3);
  }
  EXPECT_EQ(table.bytes(), 4096u * 16);
}

TEST(side_table, tells_its_memory_before_it_has_it) {
  EXPECT_EQ(side_table::bytes_for(0), 0U);
  side_table table;
  for (std::uint64_t entries = 1; entries < 2000; ++entries) {
    table.set(entries, 1);
    ASSERT_EQ(table.bytes(), side_table::bytes_for(entries)) << entries;
    ASSERT_GE(side_table::entries_in(table.bytes()), entries);
    ASSERT_LT(side_table::entries_in(table.bytes() - 1), entries);
  }
  EXPECT_EQ(side_table::bytes_for(~std::uint64_t{0}), max_buffer_bytes);
}

TEST(side_table, does_not_allocate_within_a_reservation) {
  side_table table;
  table.reserve(1000);
  const watched_allocator watched;
  watched.refuse = true;
  for (std::uint64_t cell = 0; cell < 1000; ++cell) table.set(cell, cell);
  for (std::uint64_t cell = 0; cell < 1000; ++cell) EXPECT_TRUE(table.erase(cell));
  for (std::uint64_t cell = 0; cell < 1000; ++cell) table.set(cell + 5000, cell);
  EXPECT_EQ(table.size(), 1000u);
}

TEST(side_table, refuses_more_than_a_buffer_may_hold) {
  side_table table = with_cells(3);
  constexpr std::uint64_t most = max_buffer_bytes / 16 / 4 * 3;
  expect_error(errc::too_large, [&] { table.reserve(most + 1); });
  expect_error(errc::too_large, [&] { table.reserve(no_cell); });
  EXPECT_EQ(written(table), written(with_cells(3)));
}

TEST(side_table, gives_memory_back_when_trimmed) {
  side_table table = with_cells(3000);
  const auto most = table.bytes();
  table.trim();
  EXPECT_EQ(table.bytes(), most);
  for (std::uint64_t cell = 10; cell < 3000; ++cell) table.erase(cell);
  EXPECT_EQ(table.bytes(), most);
  table.trim();
  EXPECT_EQ(table.bytes(), 32u * 16);
  EXPECT_EQ(written(table), written(with_cells(10)));
  for (std::uint64_t cell = 0; cell < 10; ++cell) table.erase(cell);
  table.trim();
  EXPECT_EQ(table.bytes(), 0u);
}

// One entry more or less around any size: hardly ever a new table.
TEST(side_table, does_not_flap_when_trimmed_after_every_change) {
  for (std::uint64_t size = 2; size < 200; ++size) {
    side_table table = with_cells(size);
    table.trim();
    const watched_allocator watched;
    for (int i = 0; i < 100; ++i) {
      table.set(size, 1);
      table.trim();
      table.erase(size);
      table.trim();
    }
    EXPECT_LE(watched.allocations, 1) << size;
  }
}

TEST(side_table, survives_a_trim_without_memory) {
  side_table table = with_cells(100);
  for (std::uint64_t cell = 5; cell < 100; ++cell) table.erase(cell);
  const auto before = table.bytes();
  const auto contents = written(with_cells(5));
  const watched_allocator watched;
  watched.refuse = true;
  table.trim();
  EXPECT_EQ(table.bytes(), before);
  EXPECT_EQ(written(table), contents);
}

TEST(side_table, copies_are_independent_and_moves_leave_nothing) {
  side_table table = with_cells(20);
  side_table copy = table;
  copy.set(3, 77);
  copy.erase(4);
  EXPECT_EQ(written(table), written(with_cells(20)));

  side_table moved = std::move(table);
  EXPECT_EQ(written(moved), written(with_cells(20)));
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(3), nullptr);
  table.set(1, 2);
  EXPECT_EQ(table.size(), 1u);

  table = moved;
  EXPECT_EQ(written(table), written(moved));
  table = std::move(copy);
  EXPECT_EQ(*table.find(3), 77u);
  EXPECT_TRUE(copy.empty());
  EXPECT_EQ(copy.find(3), nullptr);
}

TEST(side_table, clears_to_nothing) {
  side_table table = with_cells(50);
  table.clear();
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.bytes(), 0u);
  EXPECT_EQ(table.find(3), nullptr);
}

TEST(side_table, is_written_in_the_order_of_its_cells) {
  side_table table;
  table.set(300, 0x0102);
  table.set(7, 9);
  EXPECT_EQ(written(table), table_bytes({7, 9, 300, 0x0102}));
  const auto bytes = written(table);
  EXPECT_EQ(bytes.size(), 2 * side_table::bytes_per_entry);
  EXPECT_EQ(bytes[16], std::byte{0x2c});
  EXPECT_EQ(bytes[17], std::byte{0x01});
  EXPECT_EQ(bytes[24], std::byte{0x02});
  EXPECT_EQ(bytes[25], std::byte{0x01});
}

TEST(side_table, comes_back_from_what_was_written) {
  const auto bytes = written(with_cells(100));
  const side_table back = side_table::read(bytes, 100, anything);
  EXPECT_EQ(back.size(), 100u);
  EXPECT_EQ(*back.find(99), 99u * 99);
  EXPECT_EQ(written(back), bytes);
  EXPECT_EQ(side_table::read({}, 0, anything).bytes(), 0u);
}

TEST(side_table, checks_everything_it_reads_before_it_allocates) {
  const watched_allocator watched;
  const auto reading = [](const std::vector<std::uint64_t>& numbers, std::uint64_t cells) {
    return [=] { (void)side_table::read(table_bytes(numbers), cells, anything); };
  };
  expect_error(errc::corrupt, reading({1, 0, 3, 0, 2, 0}, 10));
  expect_error(errc::corrupt, reading({1, 0, 3, 0, 3, 0}, 10));
  expect_error(errc::corrupt, reading({1, 0, 10, 0}, 10));
  expect_error(errc::corrupt, reading({0, 0}, 0));
  expect_error(errc::corrupt, reading({1, 0, no_cell, 0}, no_cell));
  expect_error(errc::corrupt, [] {
    (void)side_table::read(table_bytes({1, 20, 2, 14}), 10,
                           [](std::uint64_t, std::uint64_t value) { return value > 14; });
  });
  expect_error(errc::corrupt, [] {
    (void)side_table::read(table_bytes({1, 20, 2, 20}), 10,
                           [](std::uint64_t cell, std::uint64_t) { return cell != 2; });
  });
  const auto whole = table_bytes({1, 0, 2, 0});
  for (std::size_t n = 1; n < whole.size(); ++n) {
    if (n == 16) continue;
    expect_error(errc::truncated,
                 [&] { (void)side_table::read(std::span(whole).first(n), 10, anything); });
  }
  EXPECT_EQ(watched.allocations, 0);
}

}  // namespace side_table_test
}  // namespace bloomtime::detail
