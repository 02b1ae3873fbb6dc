#include <gtest/gtest.h>

#include <bloomtime/heat/detail/recent_counts.hpp>

#include <cstdint>
#include <random>
#include <vector>

#include "support/allocations.hpp"

namespace bloomtime::detail::recent_counts_test {

constexpr std::uint64_t largest = ~std::uint64_t{0};

recent_counts rings(unsigned length, std::size_t count) {
  recent_counts made(length);
  made.reserve(count);
  for (std::size_t i = 0; i < count; ++i) made.push();
  return made;
}

TEST(recent_counts, are_exact_on_both_sides_of_sixteen_bits) {
  recent_counts counts = rings(3, 2);
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{65'534},
                                    std::uint64_t{65'535}, std::uint64_t{65'536}, largest}) {
    counts.put(1, 2, count);
    EXPECT_EQ(counts.get(1, 2), count);
    EXPECT_EQ(counts.get(1, 1), 0u);
    EXPECT_EQ(counts.get(0, 2), 0u);
  }
  counts.set(1, 2, 7);
  EXPECT_EQ(counts.get(1, 2), 7u);
}

TEST(recent_counts, agree_with_plain_numbers_after_any_changes) {
  constexpr unsigned length = 5;
  constexpr std::size_t count = 20;
  recent_counts counts = rings(length, count);
  std::vector<std::uint64_t> plain(length * count);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t ring = random() % count;
    const unsigned cell = static_cast<unsigned>(random() % length);
    std::uint64_t& twin = plain[ring * length + cell];
    const std::uint64_t by = random() >> (40 + random() % 24);
    if (random() % 8 == 0) {
      counts.set_all_to_zero(ring);
      std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(ring * length), length, 0);
      counts.trim();
    } else if (random() % 8 == 0) {
      counts.put(ring, cell, by);
      twin = by;
    } else {
      if (counts.outgrows(ring, cell, by)) counts.reserve_large(1);
      counts.raise(ring, cell, by);
      twin += by;
    }
    ASSERT_EQ(counts.get(ring, cell), twin);
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(counts.get(i / length, static_cast<unsigned>(i % length)), plain[i]);
  }
}

TEST(recent_counts, stop_at_64_bits) {
  recent_counts counts = rings(1, 1);
  counts.put(0, 0, largest - 1);
  counts.raise(0, 0, 5);
  EXPECT_EQ(counts.get(0, 0), largest);
}

TEST(recent_counts, ask_for_memory_only_where_they_say_so) {
  support::allocations hook;
  recent_counts counts = rings(4, 3);
  const std::size_t before = hook.asked();
  EXPECT_FALSE(counts.outgrows(0, 0, 65'534));
  counts.raise(0, 0, 65'534);
  counts.push();
  EXPECT_GT(hook.asked(), before) << "the room for three rings was used up";
  EXPECT_TRUE(counts.outgrows(0, 0, 1));
  EXPECT_TRUE(counts.outgrows(0, 1, 65'535));
  EXPECT_FALSE(counts.outgrows(0, 1, 65'534));
  counts.reserve_large(1);
  const std::size_t reserved = hook.asked();
  counts.raise(0, 0, 1);
  EXPECT_FALSE(counts.outgrows(0, 0, largest));
  counts.raise(0, 0, 1'000'000);
  EXPECT_EQ(hook.asked(), reserved);
  EXPECT_EQ(counts.get(0, 0), 1'065'535u);
}

TEST(recent_counts, give_the_memory_of_large_counts_back) {
  recent_counts counts = rings(8, 10);
  const std::uint64_t small = counts.memory();
  for (std::size_t ring = 0; ring < 10; ++ring) counts.put(ring, 3, 100'000);
  EXPECT_GT(counts.memory(), small);
  for (std::size_t ring = 0; ring < 10; ++ring) counts.set_all_to_zero(ring);
  counts.trim();
  EXPECT_EQ(counts.memory(), small);
}

}  // namespace bloomtime::detail::recent_counts_test
