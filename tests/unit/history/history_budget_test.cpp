#include <gtest/gtest.h>

#include <bloomtime/history/history.hpp>

#include <chrono>
#include <cstdint>

namespace bloomtime::history_budget_test {

using namespace std::chrono_literals;

history filled(std::uint64_t memory) {
  history h({.partition = 3600s, .memory = memory});
  for (std::int64_t t = 0; t < 20 * 3600; t += 7) {
    h.add(t * 31 % 500, instant::from_seconds(t));
  }
  return h;
}

TEST(history_budget, says_when_it_is_exceeded) {
  const history free = filled(0);
  EXPECT_FALSE(free.over_budget());
  EXPECT_FALSE(filled(2 * free.memory()).over_budget());
  const history tight = filled(1);
  EXPECT_LT(tight.partitions(), free.partitions());  // what could be joined was
  EXPECT_TRUE(tight.over_budget());
  EXPECT_TRUE(history::load(tight.serialize()).over_budget());
}

// The newest partition is joined with nothing, and may alone be too much.
TEST(history_budget, is_exceeded_by_the_newest_partition_alone) {
  history h({.partition = 24h, .memory = 20'000});
  bool was_over = false;
  for (std::int64_t i = 0; i < 5000; ++i) {
    h.add(i, instant::from_seconds(i));
    EXPECT_EQ(h.over_budget(), h.memory() > 20'000);
    was_over = was_over || h.over_budget();
  }
  EXPECT_TRUE(was_over);
  EXPECT_EQ(h.records(), 5000u);  // nothing was dropped for it
}

}  // namespace bloomtime::history_budget_test
