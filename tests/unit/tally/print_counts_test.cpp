#include <gtest/gtest.h>

#include <bloomtime/detail/print_table.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/tally/detail/print_counts.hpp>

#include <cstdint>
#include <set>
#include <vector>

// How a table makes room for counts that take several slots.
namespace bloomtime::detail {
namespace print_counts_test {

using table = print_table<print_counts>;

constexpr print_shape shape{1024, 16, print_counts::bits, print_counts::mark_bits};

print_result add(table& t, const print& p, std::uint64_t n) {
  return t.change(p, [&](const std::uint64_t* old) -> print_change {
    return {print_change::set, (old != nullptr ? *old : 0) + n};
  });
}

std::uint64_t count(const table& t, const print& p) {
  std::uint64_t found = 0;
  t.find(p, [&](std::uint64_t payload, std::uint64_t, unsigned) { found = payload; });
  return found;
}

// A full block and another one with room for one slot, the two blocks of `wanted`. Two prints of
// the first one could move to the second one, and back. No other print of them finds room in its
// other block, but prints of these blocks do.
class crowded_pair : public ::testing::Test {
 protected:
  crowded_pair() {
    const std::uint64_t home = t.blocks().other(wanted).home;
    between = wanted;
    between.rest ^= 1;
    put(between, 1);
    put({wanted.home, wanted.rest ^ 2, wanted.tag}, 1);
    fill(wanted.home, slots - 2);
    fill(home, slots - 1);
    std::set<std::uint64_t> full{wanted.home, home};
    for (const print& p : std::vector<print>(added)) full.insert(t.blocks().other(p).home);
    for (const std::uint64_t each : full) {
      if (each != wanted.home && each != home) fill(each, slots);
    }
    for (std::uint64_t each = 0; each < shape.homes; ++each) {
      if (!full.contains(each)) fill(each, slots - 5);
    }
    EXPECT_EQ(block(wanted.home).count(), slots);
    EXPECT_EQ(block(home).count(), slots - 1);
  }

  print_block block(std::uint64_t home) const {
    return t.blocks().block(t.blocks().at({home, 0, 0}));
  }
  // Different prints, none with the tag of `wanted`.
  void fill(std::uint64_t home, unsigned count) {
    while (count != 0) {
      const print p{home, random.below(256), static_cast<std::uint32_t>(1 + random.below(255))};
      if (block(home).find(p.tag, p.rest) < slots) continue;
      put(p, 1);
      --count;
    }
  }
  void put(const print& p, std::uint64_t n) {
    ASSERT_EQ(add(t, p, n), print_result::added);
    added.push_back(p);
  }

  math::random_source random{4};
  table t{shape, {}};
  unsigned slots = t.blocks().form(0).slots;
  print wanted{100, 77, 0};
  print between{};
  std::vector<print> added;
};

// Nothing is gained by a print that goes from one block to the other and back.
TEST_F(crowded_pair, makes_room_for_two_slots) {
  const std::uint64_t before = t.work();
  EXPECT_EQ(add(t, wanted, 100), print_result::added);
  EXPECT_TRUE(t.stash().empty());
  EXPECT_LE(t.work() - before, 2 * table::most_probes);
  EXPECT_EQ(count(t, wanted), 100U);
  for (const print& p : added) EXPECT_GE(count(t, p), 1U);
}

TEST_F(crowded_pair, makes_room_for_a_count_that_becomes_longer) {
  const std::uint64_t before = t.work();
  EXPECT_EQ(add(t, between, std::uint64_t{1} << 50), print_result::present);
  EXPECT_TRUE(t.stash().empty());
  EXPECT_LE(t.work() - before, 2 * table::most_probes);
  EXPECT_EQ(count(t, between), (std::uint64_t{1} << 50) + 1);
  for (const print& p : added) EXPECT_GE(count(t, p), 1U);
}

}  // namespace print_counts_test
}  // namespace bloomtime::detail
