#include <gtest/gtest.h>

#include <bloomtime/history/detail/key_filter.hpp>
#include <bloomtime/history/detail/timelines.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>

namespace bloomtime::detail {
namespace key_filter_test {

std::uint64_t key_of(std::uint64_t item) { return timeline_key(digest_of(item)); }

TEST(key_filter, never_denies_a_key) {
  for (const std::uint64_t keys : {1u, 7u, 8u, 9u, 1000u, 100'000u}) {
    key_filter filter(keys);
    EXPECT_EQ(filter.bytes(), (keys + 7) / 8 * 8);
    for (std::uint64_t x = 0; x < keys; ++x) filter.add(key_of(x));
    for (std::uint64_t x = 0; x < keys; ++x) ASSERT_TRUE(filter.may_have(key_of(x)));
  }
}

TEST(key_filter, has_room_for_the_least_and_the_greatest_key) {
  constexpr std::uint64_t greatest = (std::uint64_t{1} << timeline_key_bits) - 1;
  key_filter filter(50);
  EXPECT_FALSE(filter.may_have(0));
  EXPECT_FALSE(filter.may_have(greatest));
  filter.add(0);
  filter.add(greatest);
  EXPECT_TRUE(filter.may_have(0));
  EXPECT_TRUE(filter.may_have(greatest));
}

TEST(key_filter, denies_nothing_if_it_is_empty) {
  const key_filter none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.bytes(), 0u);
  EXPECT_TRUE(none.may_have(key_of(1)));
}

std::uint64_t passed(std::uint64_t keys, std::uint64_t questions, std::uint64_t last_bits) {
  const auto key_at = [&](std::uint64_t x) { return (key_of(x) & ~last_bits) | (5 & last_bits); };
  key_filter filter(keys);
  for (std::uint64_t x = 0; x < keys; ++x) filter.add(key_at(x));
  std::uint64_t passed = 0;
  for (std::uint64_t x = keys; x < keys + questions; ++x) passed += filter.may_have(key_at(x));
  return passed;
}

// docs/math.md, Filter of keys: 3.69 %. The standard deviation over filters of 12,500 words is
// 0.03 %, that of 10^6 questions 0.02 %; the range is six of both.
TEST(key_filter, denies_nearly_all_other_keys) {
  EXPECT_NEAR(static_cast<double>(passed(100'000, 1'000'000, 0)) / 1e6, 0.0369, 0.0022);
}

// As in the part of one shard of 65,536.
TEST(key_filter, denies_as_many_if_all_keys_have_the_same_last_bits) {
  EXPECT_NEAR(static_cast<double>(passed(100'000, 1'000'000, 0xffff)) / 1e6, 0.0369, 0.0022);
}

TEST(key_filter, takes_at_most_half_a_bit_for_each_sighting) {
  EXPECT_FALSE(key_filter::is_worth_it(0, 0));
  EXPECT_FALSE(key_filter::is_worth_it(0, 100));
  EXPECT_FALSE(key_filter::is_worth_it(10, 159));
  EXPECT_TRUE(key_filter::is_worth_it(10, 160));
}

}  // namespace key_filter_test
}  // namespace bloomtime::detail
