#include <gtest/gtest.h>

#include <bloomtime/heat/heat_table.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "support/moments.hpp"

// Tables at their memory limit, where all items have more hits than a slot can count.
namespace bloomtime::heat_table_overload_test {

using namespace std::chrono_literals;
using support::after;
using support::midnight;

TEST(heat_table, gives_up_items_of_many_hits_and_is_never_below_the_truth) {
  heat_table t({.memory = 1024, .half_life = 1h});
  constexpr std::uint64_t items = 2000;
  std::vector<double> exact(items);
  std::mt19937_64 random(1);
  int last = 0;
  for (int hour = 0; hour < 6; ++hour) {
    for (std::uint64_t i = 0; i < items; ++i) {
      const std::uint64_t item = random() % (i % 2 == 0 ? items : 20);
      ASSERT_EQ(t.add(item, after(hour * 1h), 100), outcome::added) << hour << ", " << i;
      exact[item] += 100 * std::exp2(hour);
    }
    last = hour;
    for (std::uint64_t item = 0; item < items; ++item) {
      const estimate e = t.at(item, after(hour * 1h));
      ASSERT_GE(e.upper, exact[item] * std::exp2(-hour) - 1e-9) << item;
    }
  }
  EXPECT_GT(t.losses().forgot_early, items);
  EXPECT_GT(t.large_counts(), 0u);
  EXPECT_LE(t.large_counts(), t.slots());  // counts of items that are gone are gone
  const heat_table loaded = heat_table::load(t.serialize());
  for (std::uint64_t item = 0; item < items; ++item) {
    EXPECT_EQ(loaded.at(item, after(last * 1h)), t.at(item, after(last * 1h)));
  }
}

// A floor has room for 1984 hits, or twice as many at the end of a halving.
TEST(heat_table, is_full_where_all_items_have_more_hits_than_a_floor_holds) {
  heat_table t({.memory = 64, .half_life = 1h});
  bool full = false;
  for (std::uint64_t i = 0; i < 100 && !full; ++i) {
    const std::vector<std::byte> before = t.serialize();
    const outcome became = t.add(i, midnight, 5000);
    full = became == outcome::full;
    ASSERT_TRUE(full || became == outcome::added);
    if (!full) continue;
    EXPECT_TRUE(t.serialize() == before);
    EXPECT_EQ(t.prints(), t.slots());
  }
  EXPECT_TRUE(full);
  EXPECT_EQ(t.losses().full, 1u);
}

}  // namespace bloomtime::heat_table_overload_test
