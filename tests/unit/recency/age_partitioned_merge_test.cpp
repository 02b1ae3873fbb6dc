#include <gtest/gtest.h>

#include <bloomtime/recency/age_partitioned_filter.hpp>

#include <chrono>
#include <cstdint>

#include "support/expect_error.hpp"

namespace bloomtime {
namespace age_partitioned_merge_test {

using std::chrono::seconds;
using support::expect_error;

constexpr instant at_second(std::int64_t s) { return instant(s * 1'000'000); }

age_partitioned_filter minutes(std::uint64_t seed = 0) {
  return age_partitioned_filter(
      {.window = seconds(60), .tick = seconds(1), .items = 1000, .error = 1e-6, .seed = seed});
}

TEST(age_partitioned_merge, finds_what_either_found) {
  age_partitioned_filter a = minutes();
  age_partitioned_filter b = minutes();
  for (std::int64_t s = 0; s < 40; ++s) a.add(s, at_second(s));
  for (std::int64_t s = 20; s < 50; s += 3) b.add(1000 + s, at_second(s));
  age_partitioned_filter sum = a;
  sum.merge(b);
  EXPECT_EQ(sum.insertions(), a.insertions() + b.insertions());
  EXPECT_EQ(sum.newest(), b.newest());
  for (std::int64_t s = 0; s < 40; ++s) EXPECT_TRUE(sum.seen(s, at_second(50))) << s;
  for (std::int64_t s = 20; s < 50; s += 3) {
    EXPECT_TRUE(sum.seen(1000 + s, at_second(50))) << s;
    EXPECT_LE(sum.age(1000 + s, at_second(50))->youngest,
              static_cast<std::uint64_t>(50 - s) * 1'000'000);
    EXPECT_GE(sum.age(1000 + s, at_second(50))->oldest,
              static_cast<std::uint64_t>(50 - s) * 1'000'000);
  }
  int strangers = 0;
  for (int i = 0; i < 1000; ++i) strangers += sum.seen(100'000 + i, at_second(50));
  EXPECT_EQ(strangers, 0);
  // All of it is forgotten a window and a tick later.
  for (std::int64_t s = 0; s < 50; ++s) EXPECT_FALSE(sum.seen(s, at_second(112)));
  EXPECT_EQ(age_partitioned_filter::load(sum.serialize()).serialize(), sum.serialize());
}

TEST(age_partitioned_merge, takes_generations_with_other_numbers) {
  // The second filter has counted many rounds of generations more.
  age_partitioned_filter a = minutes();
  age_partitioned_filter b = minutes();
  const auto ring = static_cast<std::int64_t>(8 * b.bands());
  for (std::int64_t s = 0; s < 5 * ring; ++s) b.add(s, at_second(s));
  const std::int64_t now = 5 * ring - 1;
  for (std::int64_t s = now - 10; s <= now; ++s) a.add(-s, at_second(s));
  for (const bool turned : {false, true}) {
    age_partitioned_filter sum = turned ? b : a;
    try {
      sum.merge(turned ? a : b);
    } catch (const error& e) {
      FAIL() << e.what();
    }
    for (std::int64_t s = now - 60; s <= now; ++s) ASSERT_TRUE(sum.seen(s, at_second(now))) << s;
    for (std::int64_t s = now - 10; s <= now; ++s) ASSERT_TRUE(sum.seen(-s, at_second(now))) << s;
    // It goes on as a filter does.
    for (std::int64_t s = now + 1; s < now + 200; ++s) {
      sum.add(s, at_second(s));
      ASSERT_TRUE(sum.seen(s - 59, at_second(s)));
    }
  }
}

TEST(age_partitioned_merge, with_an_empty_or_expired_filter) {
  age_partitioned_filter a = minutes();
  a.add("x", at_second(0));
  age_partitioned_filter sum = a;
  sum.merge(minutes());
  EXPECT_EQ(sum.serialize(), a.serialize());
  age_partitioned_filter empty = minutes();
  empty.merge(a);
  EXPECT_EQ(empty.serialize(), a.serialize());
  age_partitioned_filter later = minutes();
  later.add("y", at_second(1000));
  for (age_partitioned_filter first : {a, later}) {
    first.merge(first.seen("x") ? later : a);
    EXPECT_TRUE(first.seen("y", at_second(1000)));
    EXPECT_FALSE(first.seen("x", at_second(1000)));
    EXPECT_EQ(first.insertions(), 2U);
  }
}

TEST(age_partitioned_merge, says_when_more_came_than_fits) {
  age_partitioned_filter a = minutes();
  age_partitioned_filter b = minutes();
  for (int i = 0; i < 900; ++i) {
    a.add(i, at_second(0));
    b.add(-i, at_second(0));
  }
  EXPECT_FALSE(a.overloaded() || b.overloaded());
  a.merge(b);
  EXPECT_TRUE(a.overloaded());
  for (int i = -899; i < 900; ++i) ASSERT_TRUE(a.seen(i));
}

TEST(age_partitioned_merge, refuses_what_does_not_go_together) {
  age_partitioned_filter a = minutes();
  const auto refused = [&](const age_partitioned_config& c, const std::string& says) {
    expect_error(
        errc::incompatible, [&] { a.merge(age_partitioned_filter(c)); }, says);
  };
  refused({.window = seconds(60), .tick = seconds(2), .items = 1000, .error = 1e-6}, "2000000");
  refused({.window = seconds(60), .tick = seconds(1), .items = 1000, .error = 1e-6, .seed = 9},
          "seed 9");
  refused({.window = seconds(60), .tick = seconds(1), .items = 1000, .error = 1e-3}, "k ");
  refused({.last = 1000, .error = 1e-6}, "insertions");
  age_partitioned_filter counted({.last = 1000, .error = 1e-6});
  expect_error(
      errc::incompatible, [&] { counted.merge(age_partitioned_filter(counted)); }, "no clock");
}

// Full windows whose slices lie half a ring apart.
TEST(age_partitioned_merge, refuses_generations_that_cannot_be_aligned) {
  age_partitioned_filter a({.window = seconds(60), .tick = seconds(1), .items = 60, .error = 1e-3});
  age_partitioned_filter b = a;
  const auto ring = static_cast<std::int64_t>(8 * a.bands());
  const std::int64_t now = 4 * ring;
  for (std::int64_t s = 0; s <= now; ++s) {
    for (int i = 0; i < 2; ++i) a.add(2 * s + i, at_second(s));
    if (s > ring / 2) {
      for (int i = 0; i < 2; ++i) b.add(-2 * s - i, at_second(s));
    }
  }
  const auto before = a.serialize();
  expect_error(
      errc::incompatible, [&] { a.merge(b); }, "cannot be aligned");
  EXPECT_EQ(a.serialize(), before);
}

}  // namespace age_partitioned_merge_test
}  // namespace bloomtime
