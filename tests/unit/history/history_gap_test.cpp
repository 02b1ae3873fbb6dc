#include <gtest/gtest.h>

#include <bloomtime/history/history.hpp>

#include <chrono>
#include <cstdint>

// A history survives gaps and single wrong timestamps, at every setting that drops something.
namespace bloomtime::history_gap_test {

using namespace std::chrono_literals;

constexpr std::int64_t day_seconds = 86'400;
constexpr std::int64_t first_day = 17'000;

instant on_day(std::int64_t day) { return instant::from_seconds(day * day_seconds); }

bool is_seen(const history& h, const char* item, std::int64_t day) {
  return h.seen(item, on_day(day), on_day(day)) == sighting::maybe;
}

TEST(history_gap, the_default_survives_a_quiet_weekend) {
  history h({});
  ASSERT_EQ(h.add("x", on_day(first_day)), outcome::added);
  for (const std::int64_t gap : {3, 30, 400, 40'000}) {
    ASSERT_EQ(h.add("y", on_day(first_day + gap)), outcome::added) << gap;
    EXPECT_TRUE(is_seen(h, "y", first_day + gap)) << gap;
  }
  EXPECT_TRUE(is_seen(h, "x", first_day));
}

TEST(history_gap, a_partition_is_a_day_at_any_resolution) {
  for (const std::chrono::microseconds resolution :
       {std::chrono::microseconds(1h), 1s / 1us * 1us, std::chrono::microseconds(1ms), 21us}) {
    const history h({.tick = resolution});
    EXPECT_EQ(h.partition_ticks(), static_cast<std::uint64_t>(24h / resolution));
    EXPECT_EQ(h.config().partition, h.partition_ticks() * resolution);
  }
  // A day would have more than 2^32 ticks.
  EXPECT_EQ(history({.tick = 20us}).config().partition, 1h);
  EXPECT_EQ(history({.tick = 1us}).config().partition, 1h);
  EXPECT_EQ(history({.tick = 48h}).config().partition, 48h);
  EXPECT_EQ(history({.partition = 10s, .tick = 3s}).config().partition, 9s);
}

TEST(history_gap, ahead_is_a_duration_after_the_newest_partition) {
  const auto after = [](std::optional<std::chrono::microseconds> ahead, std::int64_t days) {
    history h({.ahead = ahead});
    EXPECT_EQ(h.add("x", on_day(first_day)), outcome::added);
    return h.add("x", on_day(first_day + days));
  };
  EXPECT_EQ(after(0s, 1), outcome::added);
  EXPECT_EQ(after(0s, 2), outcome::future);
  EXPECT_EQ(after(24h, 2), outcome::added);
  EXPECT_EQ(after(25h, 2), outcome::added);
  EXPECT_EQ(after(24h, 3), outcome::future);
  EXPECT_EQ(after(std::chrono::microseconds::max(), 1'000'000), outcome::added);
  const history stored = history::load(history({.ahead = 25h}).serialize());
  EXPECT_EQ(stored.config().ahead, 24h);  // in whole partitions
  EXPECT_EQ(history::load(history({}).serialize()).config().ahead, std::nullopt);
}

TEST(history_gap, a_wrong_timestamp_takes_nothing_from_those_after_it) {
  history h({});
  ASSERT_EQ(h.add("x", on_day(first_day)), outcome::added);
  ASSERT_EQ(h.add("wrong", on_day(70'000)), outcome::added);
  for (std::int64_t day = first_day; day < first_day + 9; ++day) {
    ASSERT_EQ(h.add("x", on_day(day)), outcome::added);
  }
  EXPECT_EQ(count_ticks(h.when("x", {{0}, {INT64_MAX}})), 9u);
  EXPECT_TRUE(is_seen(h, "wrong", 70'000));
}

// It neither drops what is kept, nor makes later events late, also after it was stored.
TEST(history_gap, a_wrong_timestamp_does_not_drop_what_is_kept) {
  history h({.retention = 3, .late = 1});
  for (std::int64_t day = first_day; day < first_day + 5; ++day) {
    ASSERT_EQ(h.add("x", on_day(day)), outcome::added);
  }
  ASSERT_EQ(h.add("wrong", on_day(70'000)), outcome::added);
  EXPECT_EQ(count_ticks(h.when("x", {{0}, {INT64_MAX}})), 3u);
  h = history::load(h.serialize());
  ASSERT_EQ(h.add("x", on_day(first_day + 5)), outcome::added);
  EXPECT_EQ(count_ticks(h.when("x", {{0}, {INT64_MAX}})), 3u);
  EXPECT_EQ(h.known_from().number, (first_day + 3) * day_seconds);
  EXPECT_EQ(h.add("x", on_day(first_day + 3)), outcome::dropped_late);
  EXPECT_TRUE(is_seen(h, "wrong", 70'000));
}

// What is older than the retention goes when a second day after the gap has come.
TEST(history_gap, retention_goes_on_after_a_gap) {
  for (const std::int64_t gap : {3, 30, 4000}) {
    history h({.retention = 2});
    ASSERT_EQ(h.add("x", on_day(first_day)), outcome::added);
    ASSERT_EQ(h.add("x", on_day(first_day + gap)), outcome::added);
    EXPECT_TRUE(is_seen(h, "x", first_day));
    ASSERT_EQ(h.add("x", on_day(first_day + gap + 1)), outcome::added);
    EXPECT_EQ(h.known_from().number, (first_day + gap) * day_seconds);
    EXPECT_EQ(h.partitions(), 2u);
    EXPECT_EQ(h.seen("x", on_day(first_day), on_day(first_day)), sighting::out_of_retention);
  }
}

// An `ahead` that was given says which times to believe.
TEST(history_gap, retention_counts_from_the_newest_within_ahead) {
  history h({.retention = 2, .ahead = 240h});
  ASSERT_EQ(h.add("x", on_day(first_day)), outcome::added);
  ASSERT_EQ(h.add("x", on_day(first_day + 10)), outcome::added);
  EXPECT_EQ(h.partitions(), 1u);
  EXPECT_EQ(h.known_from().number, (first_day + 9) * day_seconds);
}

// A partition that confirms a later one may itself be older than the retention.
TEST(history_gap, an_event_that_retention_drops_at_once_is_not_called_added) {
  history h({.retention = 1});
  ASSERT_EQ(h.add("x", on_day(first_day)), outcome::added);
  ASSERT_EQ(h.add("x", on_day(first_day + 10)), outcome::added);
  EXPECT_EQ(h.add("x", on_day(first_day + 9)), outcome::dropped_late);
  EXPECT_EQ(h.partitions(), 1u);
  EXPECT_TRUE(is_seen(h, "x", first_day + 10));
}

}  // namespace bloomtime::history_gap_test
