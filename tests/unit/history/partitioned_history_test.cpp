#include <gtest/gtest.h>

#include <bloomtime/history/history.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <new>
#include <vector>

#include "support/allocations.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace bloomtime {
namespace partitioned_history_test {

using support::expect_error;
using namespace std::chrono_literals;

instant at(std::int64_t second) { return instant::from_seconds(second); }

history_config hours(std::uint64_t retention = 0) {
  return {.partition = 3600s, .retention = retention};
}

TEST(history, answers_across_partitions) {
  history h(hours());
  ASSERT_EQ(h.add("x", at(3599)), outcome::added);
  ASSERT_EQ(h.add("x", at(3600)), outcome::added);
  ASSERT_EQ(h.add("x", at(5 * 3600)), outcome::added);
  EXPECT_EQ(h.partitions(), 3u);  // the hours between take nothing
  EXPECT_EQ(h.seen("x", at(0), at(3598)), sighting::no);
  EXPECT_EQ(h.seen("x", at(0), at(100'000)), sighting::maybe);
  EXPECT_EQ(h.seen("x", at(3601), at(5 * 3600 - 1)), sighting::no);
  EXPECT_EQ(h.seen("x", at(3601), at(5 * 3600)), sighting::maybe);
  EXPECT_EQ(h.seen("x", at(9), at(8)), sighting::no);
  EXPECT_EQ(h.when("x", {{0}, {100'000}}), (sightings{{{3599}, {3600}}, {{18'000}, {18'000}}}));
  EXPECT_EQ(h.records(), 3u);
}

TEST(history, says_what_became_of_an_event) {
  history h({.partition = 100s, .retention = 3, .late = 1, .ahead = 100s});
  EXPECT_EQ(h.add("x", at(-1)), outcome::dropped_late);
  EXPECT_EQ(h.add("x", instant(std::numeric_limits<std::int64_t>::min())), outcome::dropped_late);
  EXPECT_EQ(h.add("x", at(500)), outcome::added);
  EXPECT_EQ(h.add("x", at(499)), outcome::added);
  EXPECT_EQ(h.add("x", at(399)), outcome::dropped_late);  // two partitions late
  EXPECT_EQ(h.add("x", at(800)), outcome::future);
  EXPECT_EQ(h.add("x", instant(std::numeric_limits<std::int64_t>::max())), outcome::future);
  EXPECT_EQ(h.add("x", at(799)), outcome::added);
  EXPECT_EQ(h.records(), 2u);  // partition 4 is dropped: 5, 6 and 7 are kept
  EXPECT_EQ(h.known_from(), tick{500});
}

TEST(history, tells_no_from_out_of_retention) {
  history h(hours(2));
  for (const int hour : {0, 1, 2, 3}) ASSERT_EQ(h.add("x", at(3600 * hour)), outcome::added);
  EXPECT_EQ(h.partitions(), 2u);
  EXPECT_EQ(h.seen("x", at(0), at(10)), sighting::out_of_retention);
  EXPECT_EQ(h.seen("y", at(7000), at(7300)), sighting::out_of_retention);
  EXPECT_EQ(h.seen("y", at(7200), at(90'000)), sighting::no);
  EXPECT_EQ(h.seen("x", at(0), at(7200)), sighting::maybe);
  EXPECT_EQ(h.seen("x", at(-20), at(-10)), sighting::no);  // before there was anything to forget
  EXPECT_EQ(h.add("x", at(7199)), outcome::dropped_late);
}

TEST(history, is_certain_before_its_origin_if_nothing_was_dropped) {
  history h(hours(2));
  EXPECT_EQ(h.seen("x", at(-10), at(10)), sighting::no);
  ASSERT_EQ(h.add("x", at(20)), outcome::added);
  history other(hours(2));
  ASSERT_EQ(other.add("x", at(30)), outcome::added);
  h.merge(other);
  EXPECT_EQ(h.seen("x", at(-10), at(19)), sighting::no);
  EXPECT_EQ(h.seen("x", at(-10), at(20)), sighting::maybe);
  h.trim(at(3600));
  EXPECT_EQ(h.seen("x", at(-10), at(19)), sighting::out_of_retention);
  EXPECT_EQ(h.seen("x", at(-10), at(-1)), sighting::no);
}

TEST(history, keeps_its_tables_small) {
  history h({.partition = 1'000'000s, .live_memory = 1 << 20});
  math::random_source random(1);
  std::uint64_t most = 0;
  for (std::int64_t t = 0; t < 200'000; ++t) {
    ASSERT_EQ(h.add(random.below(3000), at(t)), outcome::added);
    h.for_each([&](const timeline_history& p) { most = std::max(most, p.live_memory()); });
  }
  EXPECT_LT(most, (1u << 20) + (1u << 18));  // one add may double a list
  EXPECT_GT(most, 1u << 19);
  EXPECT_EQ(h.records(), 200'000u);
  h.for_each([](const timeline_history& p) { EXPECT_EQ(p.pairs(), 200'000u); });
}

// Two hundred tables of late events, none of which is ever full, too far apart to be joined.
TEST(history, keeps_the_tables_of_many_partitions_small_together) {
  constexpr std::int64_t apart = std::int64_t{1} << 31;
  history h({.partition = 1us, .live_memory = 1 << 20, .tick = 1us});
  math::random_source random(7);
  for (std::int64_t p = 0; p < 200; ++p) ASSERT_EQ(h.add(0, instant(p * apart)), outcome::added);
  std::uint64_t most = 0;
  std::uint64_t most_work = 0;
  for (int i = 0; i < 40'000; ++i) {
    const auto p = static_cast<std::int64_t>(random.below(200));
    const std::uint64_t before = h.upkeep_work();
    ASSERT_EQ(h.add(i, instant(p * apart)), outcome::added);
    most_work = std::max(most_work, h.upkeep_work() - before);
    std::uint64_t now = 0;
    h.for_each([&](const timeline_history& each) { now += each.live_memory(); });
    most = std::max(most, now);
  }
  EXPECT_GT(most, 1u << 20);
  EXPECT_LT(most, (1u << 20) + (1u << 18));
  EXPECT_LT(most_work, 8192u);
}

// Compaction that fails has not made the tables smaller.
TEST(history, keeps_its_tables_small_after_memory_was_out) {
  history h({.partition = 1'000'000s, .live_memory = 1 << 20});
  std::uint64_t most = 0;
  std::uint64_t failures = 0;
  for (std::int64_t t = 0; t < 200'000; ++t) {
    support::allocations watch;
    if (t > 10'000 && failures < 3) watch.refuse_after(0);
    try {
      ASSERT_EQ(h.add(t % 3000, at(t)), outcome::added);
    } catch (const error& e) {
      ASSERT_EQ(e.code(), errc::out_of_memory);
      ++failures;
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    h.for_each([&](const timeline_history& p) { most = std::max(most, p.live_memory()); });
  }
  EXPECT_EQ(failures, 3u);
  EXPECT_EQ(h.records(), 200'000u - failures);
  EXPECT_LT(most, (1u << 20) + (1u << 18));
}

TEST(history, forgets_nothing_for_an_event_that_memory_is_out_for) {
  for (const std::uint64_t memory : {0u, 1u}) {
    for (std::size_t granted = 0;; ++granted) {
      history h({.partition = 10s, .retention = 4, .memory = memory});
      for (std::int64_t t = 0; t < 40; ++t) ASSERT_EQ(h.add("x", at(t)), outcome::added);
      try {
        support::allocations watch;
        watch.refuse_after(granted);
        h.add("y", at(40));
        EXPECT_GT(granted, 0u);
        break;
      } catch (const std::bad_alloc&) {
      } catch (const error& e) {
        ASSERT_EQ(e.code(), errc::out_of_memory);
      }
      ASSERT_EQ(h.known_from(), tick{0}) << granted;
      ASSERT_EQ(count_ticks(h.when("x", {{0}, {99}})), 40u) << granted;
      ASSERT_EQ(h.add("y", at(40)), outcome::added);
      EXPECT_EQ(h.known_from(), tick{10});
    }
  }
}

TEST(history, joins_neighbours_to_save_memory) {
  history apart(hours());
  history tight({.partition = 3600s, .memory = 1});
  math::random_source random(2);
  std::vector<std::pair<std::uint64_t, std::int64_t>> events;
  for (std::int64_t t = 0; t < 20 * 3600; t += 7) {
    events.push_back({random.below(500), t});
    ASSERT_EQ(apart.add(events.back().first, at(t)), outcome::added);
    ASSERT_EQ(tight.add(events.back().first, at(t)), outcome::added);
  }
  EXPECT_EQ(apart.partitions(), 6u);  // two of 8 hours, and 4
  EXPECT_EQ(tight.partitions(), 4u);  // hours 0 to 15, 16 and 17, 18, and the newest
  tight.seal();
  apart.seal();
  EXPECT_LT(tight.memory(), apart.memory());
  for (const auto& [x, t] : events) ASSERT_EQ(tight.seen(x, at(t), at(t)), sighting::maybe);
}

TEST(history, retires_partitions_to_files_and_takes_what_comes_late) {
  const support::temporary_directory place;
  history h(hours());
  math::random_source random(3);
  for (std::int64_t t = 0; t < 4 * 3600; ++t) {
    ASSERT_EQ(h.add(random.below(50), at(t)), outcome::added);
  }
  const std::uint64_t answers = count_ticks(h.when(7, {{0}, {20'000}}));
  h.retire(place.path());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place.path()), {}), 3);
  EXPECT_EQ(count_ticks(h.when(7, {{0}, {20'000}})), answers);
  ASSERT_EQ(h.add("late", at(1800)), outcome::added);
  EXPECT_EQ(h.seen("late", at(1800), at(1800)), sighting::maybe);
  h.retire(place.path());
  EXPECT_EQ(h.seen("late", at(1800), at(1800)), sighting::maybe);
  EXPECT_EQ(count_ticks(h.when(7, {{0}, {20'000}})), answers);
  // A copy is in memory, and has files of its own when it is retired.
  const support::temporary_directory other;
  history copy(h);
  copy.retire(other.path());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(other.path()), {}), 3);
  EXPECT_EQ(count_ticks(copy.when(7, {{0}, {20'000}})), answers);
}

// What was written to files takes no memory, and joining would bring it back.
TEST(history, leaves_retired_partitions_where_they_are) {
  const support::temporary_directory place;
  history h({.partition = 3600s, .memory = 1});
  math::random_source random(6);
  for (std::int64_t t = 0; t < 20 * 3600; ++t) {
    ASSERT_EQ(h.add(random.below(50), at(t)), outcome::added);
    if (t % 3600 == 3599) h.retire(place.path());
  }
  EXPECT_EQ(h.partitions(), 20u);
}

// A container has at most 4096 sections.
TEST(history, can_be_saved_however_many_partitions_there_were) {
  history h({.partition = 2s});
  for (std::int64_t t = 0; t < 8400; ++t) ASSERT_EQ(h.add("x", at(t)), outcome::added);
  const history loaded = history::load(h.serialize());
  EXPECT_EQ(loaded.records(), 8400u);
  EXPECT_EQ(loaded.when("x", {{0}, {20'000}}), (sightings{{{0}, {8399}}}));
}

TEST(history, is_saved_loaded_and_mapped) {
  const support::temporary_directory place;
  history h({.partition = 3600s, .retention = 3, .ahead = 9h, .seed = 5});
  math::random_source random(4);
  for (std::int64_t t = 0; t < 5 * 3600; t += 3) {
    ASSERT_EQ(h.add(random.below(50), at(t)), outcome::added);
  }
  h.save(place.path() / "h");
  history loaded = history::load(place.path() / "h");
  const auto file = history::map(place.path() / "h");
  EXPECT_EQ(file->serialize(), h.serialize());
  EXPECT_NO_THROW(file.verify());
  history mapped(*file);
  EXPECT_EQ(loaded.serialize(), h.serialize());
  EXPECT_EQ(mapped.serialize(), h.serialize());
  EXPECT_EQ(loaded.known_from(), h.known_from());
  EXPECT_EQ(loaded.seen(1, at(0), at(1)), sighting::out_of_retention);
  // All of them go on in the same way.
  for (history* each : {&h, &loaded, &mapped}) {
    ASSERT_EQ(each->add("new", at(6 * 3600)), outcome::added);
    ASSERT_EQ(each->add("late", at(4 * 3600)), outcome::added);
  }
  EXPECT_EQ(loaded.serialize(), h.serialize());
  EXPECT_EQ(mapped.serialize(), h.serialize());
  history::verify(h.serialize());
}

// Too far apart to be joined.
// Partitions have the error that they were made for; without one the history itself stores it.
TEST(history, keeps_its_error_while_it_is_empty) {
  const history_config config{.partition = 100s, .error = 1e-4, .length = 7};
  history trimmed(config);
  EXPECT_EQ(trimmed.add("x", at(50)), outcome::added);
  trimmed.trim(at(10'000));
  for (const history& made : {history(config), trimmed}) {
    ASSERT_EQ(made.partitions(), 0u);
    history loaded = history::load(made.serialize());
    EXPECT_EQ(loaded.config().error, 1e-4);
    EXPECT_EQ(loaded.config().length, 7u);
    EXPECT_EQ(loaded.serialize(), made.serialize());
    history alike = made;
    EXPECT_EQ(alike.add("y", at(20'000)), outcome::added);
    EXPECT_EQ(loaded.add("y", at(20'000)), outcome::added);
    EXPECT_EQ(loaded.serialize(), alike.serialize());
  }
}

TEST(history, saves_more_partitions_than_a_container_has_sections) {
  constexpr std::int64_t many = 5000;
  constexpr std::int64_t apart = std::int64_t{1} << 31;
  history h({.partition = 1us, .tick = 1us});
  for (std::int64_t i = 0; i < many; ++i) {
    ASSERT_EQ(h.add("x", instant(i * apart)), outcome::added);
  }
  const history loaded = history::load(h.serialize());
  EXPECT_EQ(loaded.partitions(), std::uint64_t{many});
  EXPECT_EQ(count_ticks(loaded.when("x", {{0}, {many * apart}})), std::uint64_t{many});
}

// In one go, and saved in between, before and after items came again and partitions were sealed.
TEST(history, has_the_same_bytes_however_often_it_was_compacted) {
  math::random_source random(1);
  history once(hours());
  history often(hours());
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t item = random.below(40);
    const instant when = at(i * 3 + static_cast<std::int64_t>(random.below(9000)));
    ASSERT_EQ(once.add(item, when), often.add(item, when));
    if (random.below(300) != 0) continue;
    often.compact();
    often = history::load(often.serialize());
  }
  once.compact();
  often.compact();
  EXPECT_EQ(once.serialize(), often.serialize());
}

TEST(history, refuses_partitions_of_another_engine) {
  history h(hours());
  ASSERT_EQ(h.add("x", at(1)), outcome::added);
  std::vector<std::byte> stored = h.serialize();
  const std::size_t engine = support::field::directory + 2 * support::field::entry + 7 * 8;
  support::put(stored, engine, std::uint64_t{3});
  support::seal_head(stored);
  expect_error(
      errc::unknown_kind, [&] { (void)history::load(stored); }, "engine 3");
}

TEST(history, refuses_what_cannot_be) {
  expect_error(
      errc::invalid_argument, [] { history({.partition = 0s}); }, "got 0");
  expect_error(
      errc::invalid_argument, [] { history({.partition = std::chrono::seconds((1ll << 32) + 1)}); },
      "2^32");
  expect_error(
      errc::invalid_argument, [] { history({.ahead = -1us}); }, "got -1 microseconds");
  expect_error(
      errc::invalid_argument, [] { history({.live_memory = 9}); }, "1 MiB");
  expect_error(
      errc::invalid_argument, [] { history({.error = 1}); }, "between 0 and 1");
  expect_error(
      errc::invalid_argument, [] { history({.length = 0}); }, "at least one tick");
}

}  // namespace partitioned_history_test
}  // namespace bloomtime
