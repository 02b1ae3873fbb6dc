#include <gtest/gtest.h>

#include <bloomtime/history/history.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "support/allocated.hpp"
#include "support/allocations.hpp"
#include "support/sanitized.hpp"

// Sealing and joining go on in small steps while events come.
namespace bloomtime::history_upkeep_test {

using namespace std::chrono_literals;
using partitions = detail::partitions;
using events = std::vector<std::pair<std::uint64_t, std::int64_t>>;  // item and second

instant at(std::int64_t second) { return instant::from_seconds(second); }

void expect_all_seen(const history& h, const events& added) {
  std::uint64_t denied = 0;
  for (const auto& [x, t] : added) denied += h.seen(x, at(t), at(t)) != sighting::maybe;
  EXPECT_EQ(denied, 0u);
}

// Of 30,000 items a day, a tenth of which come again an hour late.
events of_days(int days) {
  events all;
  for (int day = 0; day < days; ++day) {
    for (std::int64_t i = 0; i < 30'000; ++i) {
      const auto x = static_cast<std::uint64_t>(day * 20'000 + i);
      const std::int64_t t = day * 86'400 + i * 86'400 / 30'000;
      all.push_back({x, t});
      if (i % 10 == 0) all.push_back({x, std::max<std::int64_t>(0, t - 3600)});
    }
  }
  return all;
}

// The items of a few tables may be sorted at once, and a bucket of items is written as a whole.
TEST(history_upkeep, of_an_event_is_bounded) {
  history h({});
  std::uint64_t most = 0;
  std::uint64_t tables = 0;
  for (const auto& [x, t] : of_days(3)) {
    const std::uint64_t before = h.upkeep_work();
    ASSERT_EQ(h.add(x, at(t)), outcome::added);
    most = std::max(most, h.upkeep_work() - before);
    h.for_each([&](const timeline_history& p) { tables = std::max(tables, p.waiting_tables()); });
  }
  EXPECT_LE(tables, 4u);
  EXPECT_LE(most, 2 * partitions::work_per_event * (1 + tables) +
                      2 * partitions::work_per_partition + detail::tick_archive::most_table_items);
  EXPECT_GT(h.upkeep_work(), 90'000u);
}

TEST(history_upkeep, leaves_no_table_larger_than_it_may_be) {
  history h({.partition = 1'000'000s});
  std::uint64_t most = 0;
  for (std::uint64_t x = 0; x < 100'000; ++x) {
    ASSERT_EQ(h.add(x, at(7)), outcome::added);
    h.for_each([&](const timeline_history& p) { most = std::max(most, p.live_memory()); });
  }
  EXPECT_LT(most, 2u << 20);
}

// What is merged is there twice while it is; beside it there are a few tables.
TEST(history_upkeep, takes_at_most_twice_the_memory_of_its_result) {
  for (const std::uint64_t repeats : {1u, 20u}) {
    support::allocated watch;
    history h({});
    for (std::uint64_t i = 0; i < 300'000; ++i) {
      const std::uint64_t x = i / repeats * 7919 % (300'000 / repeats);
      ASSERT_EQ(h.add(x, at(static_cast<std::int64_t>(i * 86'399 / 300'000))), outcome::added);
    }
    h.compact();
    EXPECT_LE(watch.most(), 2 * h.memory() + (3u << 20));
    EXPECT_EQ(h.seen(0, at(0), at(86'399)), sighting::maybe);
  }
}

TEST(history_upkeep, changes_no_answer) {
  const events all = of_days(2);
  history h({});
  history at_once({.partition = 24h});
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(h.add(all[i].first, at(all[i].second)), outcome::added);
    ASSERT_EQ(at_once.add(all[i].first, at(all[i].second)), outcome::added);
    if (i % 9973 != 0) continue;
    at_once.compact();
    const events so_far(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    expect_all_seen(h, so_far);
    const std::uint64_t x = all[i / 2].first;
    EXPECT_EQ(h.when(x, {{0}, {200'000}}), at_once.when(x, {{0}, {200'000}}));
    EXPECT_EQ(h.seen(x + 1'000'000, at(0), at(200'000)), sighting::no);
  }
}

TEST(history_upkeep, ends_in_the_same_bytes_wherever_it_was_interrupted) {
  const events all = of_days(2);
  history once({});
  history copied({});
  history loaded({});
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (history* h : {&once, &copied, &loaded}) {
      ASSERT_EQ(h->add(all[i].first, at(all[i].second)), outcome::added);
    }
    if (i % 7919 == 0) copied = history(copied);
    if (i % 11'003 == 0) loaded = history::load(loaded.serialize());
    if (i == all.size() / 2) loaded.compact();
  }
  for (history* h : {&once, &copied, &loaded}) h->compact();
  EXPECT_EQ(copied.serialize(), once.serialize());
  EXPECT_EQ(loaded.serialize(), once.serialize());
}

// Names are removed from the first day while the second one begins.
TEST(history_upkeep, of_large_partitions_ends_in_the_same_bytes) {
  constexpr std::int64_t a_day = 70'000;
  history once({});
  history loaded({});
  for (std::int64_t i = 0; i < 2 * a_day; ++i) {
    const std::int64_t t = i / a_day * 86'400 + i % a_day * 86'400 / a_day;
    for (history* h : {&once, &loaded}) ASSERT_EQ(h->add(i, at(t)), outcome::added);
    if (i == a_day + 1000) loaded = history::load(loaded.serialize());
  }
  for (history* h : {&once, &loaded}) h->compact();
  EXPECT_EQ(loaded.serialize(), once.serialize());
  once.for_each([](const timeline_history& p) { EXPECT_EQ(p.is_sealed(), p.first() == 0); });
}

events of_hours(std::int64_t hours) {
  math::random_source random(3);
  events all;
  for (std::int64_t t = 0; t < hours * 3600; t += 600) all.push_back({random.below(40), t});
  return all;
}

TEST(history_joins, old_partitions_by_eights) {
  history h({.partition = 1h});
  const events all = of_hours(1000);
  for (const auto& [x, t] : all) ASSERT_EQ(h.add(x, at(t)), outcome::added);
  h.compact();
  EXPECT_EQ(h.partitions(), 1u + 7 + 4 + 8);  // 512 hours, 7 times 64, 4 times 8, and 8 more
  expect_all_seen(h, all);
  EXPECT_EQ(h.when(all[5].first, {{0}, {3'600'000}}),
            history::load(h.serialize()).when(all[5].first, {{0}, {3'600'000}}));
}

TEST(history_joins, go_on_where_hours_are_missing) {
  history h({.partition = 1h});
  events all;
  for (std::int64_t hour = 0; hour < 2000; hour += 1 + hour % 29) all.push_back({7, hour * 3600});
  for (const auto& [x, t] : all) ASSERT_EQ(h.add(x, at(t)), outcome::added);
  h.compact();
  EXPECT_LE(h.partitions(), 3u + 7 + 7 + 8);
  expect_all_seen(h, all);
  EXPECT_EQ(count_ticks(h.when(7, {{0}, {8'000'000}})), all.size());
  // What comes late goes where it belongs, in a block as well.
  ASSERT_EQ(h.add("late", at(4 * 3600 + 5)), outcome::added);
  EXPECT_EQ(h.seen("late", at(4 * 3600 + 5), at(4 * 3600 + 5)), sighting::maybe);
  h.compact();
  EXPECT_EQ(h.when("late", {{0}, {8'000'000}}), (sightings{{{14'405}, {14'405}}}));
}

TEST(history_joins, keep_little_longer_than_the_retention) {
  history h({.partition = 1h, .retention = 100});
  for (const auto& [x, t] : of_hours(1000)) {
    ASSERT_EQ(h.add(x, at(t)), outcome::added);
    const std::int64_t hour = t / 3600;
    ASSERT_EQ(h.known_from().number, std::max<std::int64_t>(0, hour - 99) * 3600);
  }
  std::uint64_t kept = 0;
  h.for_each([&](const timeline_history& p) { kept += p.ticks() / 3600; });
  EXPECT_GE(kept, 100u);
  EXPECT_LT(kept, 100u + 8);
}

TEST(history_joins, are_made_again_of_a_copy) {
  history h({.partition = 1h});
  const events all = of_hours(700);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(h.add(all[i].first, at(all[i].second)), outcome::added);
    if (i % 101 == 0) h = history(h);
    if (i % 211 == 0) h = history::load(h.serialize());
  }
  expect_all_seen(h, all);
  history once({.partition = 1h});
  for (const auto& [x, t] : all) ASSERT_EQ(once.add(x, at(t)), outcome::added);
  h.compact();
  once.compact();
  EXPECT_EQ(h.serialize(), once.serialize());
}

// Ten years of a hundred lines a day. 1217 of 315 million seconds take log2 of their quotient and
// 1.44 bits each, 19.4.
TEST(history_joins, make_ten_years_few_partitions) {
  history h({});
  math::random_source random(10);
  events all;
  for (std::int64_t day = 0; day < 3650; ++day) {
    for (std::int64_t i = 0; i < 100; ++i)
      all.push_back({random.below(300), day * 86'400 + i * 864});
  }
  for (const auto& [x, t] : all) ASSERT_EQ(h.add(x, at(t)), outcome::added);
  EXPECT_LE(h.partitions(), 50u);
  h.compact();
  const double bytes = static_cast<double>(h.serialized_size());
  const double parts = 1024. * static_cast<double>(h.partitions());  // heads and objects of these
  EXPECT_LE(bytes, (19.4 + 1.2) / 8 * static_cast<double>(all.size()) + parts);
  EXPECT_LE(static_cast<double>(h.memory()), bytes + parts);
  for (std::size_t i = 0; i < all.size(); i += 97) {
    const auto& [x, t] = all[i];
    ASSERT_EQ(h.seen(x, at(t), at(t)), sighting::maybe);
  }
}

// A table that was set aside while another one waits may become timelines before that one does.
TEST(history_upkeep, stores_everything_whatever_has_been_done) {
  for (std::uint64_t work = 3900; work < 4400; work += 7) {
    timeline_history h({.ticks = 1000});
    for (std::uint64_t i = 0; i < 4000; ++i) {
      h.add(i, at(static_cast<std::int64_t>(i % 1000)));
    }
    h.begin_compact();
    h.add(std::uint64_t{5000}, at(5));
    h.set_table_aside();
    std::uint64_t left = work;
    h.upkeep(left);
    const timeline_history loaded = timeline_history::load(h.serialize());
    ASSERT_EQ(loaded.seen(std::uint64_t{5000}, at(5), at(5)), sighting::maybe) << work;
    for (std::uint64_t i = 0; i < 4000; i += 37) {
      const instant then = at(static_cast<std::int64_t>(i % 1000));
      ASSERT_EQ(loaded.seen(i, then, then), sighting::maybe) << work;
    }
  }
}

// Partitions that were sealed one by one have a set without names each, and a history has room for
// 2046.
TEST(history_joins, of_too_many_sets_are_not_tried) {
  history h({.partition = 10s});
  std::uint64_t x = 0;
  for (std::int64_t p = 0; p < 4200; ++p) {
    for (int i = 0; i < 30; ++i) ASSERT_EQ(h.add(x++, at(p * 10 + i % 10)), outcome::added);
    ASSERT_NO_THROW(h.seal());
  }
  std::size_t most = 0;
  h.for_each([&](const timeline_history& p) { most = std::max(most, p.nameless().size()); });
  EXPECT_GT(most, 500u);
  EXPECT_LE(most, 2046u);
  for (std::uint64_t i = 0; i < x; i += 97) {
    const auto t = static_cast<std::int64_t>(i / 30 * 10 + i % 30 % 10);
    ASSERT_EQ(h.seen(i, at(t), at(t)), sighting::maybe);
  }
}

// -- partitions alone, with limits that are soon reached
// -------------------------------------------

timeline_history one_hour(std::uint64_t number) {
  return timeline_history({.first = number * 3600, .ticks = 3600, .error = 1e-3});
}

TEST(partitions, are_not_joined_if_they_have_many_records) {
  partitions parts({.ticks = 3600, .live_memory = 1 << 20, .most_joined = 800});
  for (std::uint64_t hour = 0; hour < 24; ++hour) {
    parts.put(hour, {1, one_hour(hour)});
    const auto p = parts.find(hour);
    const std::uint64_t events = hour / 8 == 1 ? 101 : 100;
    for (std::uint64_t i = 0; i < events; ++i) {
      parts.add(p, digest_of(i), at(static_cast<std::int64_t>(hour * 3600 + i)));
    }
  }
  parts.close_before(24);
  parts.join_old(24);
  parts.finish();
  std::vector<std::uint64_t> counts;
  for (const auto& [number, p] : parts.all()) counts.push_back(p.count);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{8, 1, 1, 1, 1, 1, 1, 1, 1, 8}));
}

TEST(partitions, keep_names_until_they_have_enough_records) {
  partitions parts({.ticks = 3600, .live_memory = 1 << 20, .least_nameless = 5000});
  for (std::uint64_t hour = 0; hour < 9; ++hour) {
    parts.put(hour, {1, one_hour(hour)});
    const auto p = parts.find(hour);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      parts.add(p, digest_of(hour * 1000 + i), at(static_cast<std::int64_t>(hour * 3600 + i)));
    }
    parts.close_before(hour + 1);
    EXPECT_FALSE(parts.find(hour)->second.engine.is_sealed());
  }
  parts.finish();
  EXPECT_TRUE(parts.find(0)->second.engine.nameless().empty());
  parts.join_old(8);
  parts.finish();
  const timeline_history& joined = parts.find(0)->second.engine;
  EXPECT_EQ(joined.ticks(), 8u * 3600);
  EXPECT_TRUE(joined.is_sealed());
  EXPECT_EQ(joined.nameless().size(), 1u);
  for (std::uint64_t x = 0; x < 8000; ++x) {
    const auto t = static_cast<std::int64_t>(x / 1000 * 3600 + x % 1000);
    ASSERT_EQ(joined.seen(digest_of(x), at(t), at(t)), sighting::maybe);
  }
}

// Events that come late while a block is joined are in it afterwards.
TEST(partitions, take_what_comes_late_while_they_are_joined) {
  partitions parts({.ticks = 3600, .live_memory = 1 << 20});
  for (std::uint64_t hour = 0; hour < 9; ++hour) {
    parts.put(hour, {1, one_hour(hour)});
    const auto p = parts.find(hour);
    for (std::uint64_t i = 0; i < 3000; ++i) {
      parts.add(p, digest_of(i), at(static_cast<std::int64_t>(hour * 3600 + i)));
    }
  }
  parts.close_before(9);
  parts.join_old(8);
  std::uint64_t added = 0;
  std::uint64_t before = 0;  // while nothing is joined yet
  while (parts.all().size() > 2) {
    before += parts.all().size() == 9;
    const std::uint64_t hour = added % 8;
    parts.add(parts.find(hour), digest_of(100'000 + added),
              at(static_cast<std::int64_t>(hour * 3600 + 3500)));
    ++added;
    ASSERT_LT(added, 1'000'000u);
  }
  EXPECT_GT(before, 100u);
  parts.compact();
  const timeline_history& joined = parts.find(0)->second.engine;
  EXPECT_EQ(joined.records(), 8 * 3000 + added);
  for (std::uint64_t i = 0; i < added; ++i) {
    const auto t = static_cast<std::int64_t>(i % 8 * 3600 + 3500);
    ASSERT_EQ(joined.seen(digest_of(100'000 + i), at(t), at(t)), sighting::maybe);
    ASSERT_EQ(count_ticks(joined.when(digest_of(100'000 + i), {{0}, {40'000}})), 1u);
  }
}

TEST(history_joins, keep_a_block_if_there_is_no_memory_for_the_event_that_came_late) {
  for (std::size_t granted = 0; granted < 100; ++granted) {
    history h({.partition = 10s});
    for (const std::int64_t t : {15, 805, 815}) ASSERT_EQ(h.add(1, at(t)), outcome::added);
    h.compact();
    try {
      support::allocations watch;
      watch.refuse_after(granted);
      h.add(7, at(5));
    } catch (const std::bad_alloc&) {
    } catch (const error& e) {
      ASSERT_EQ(e.code(), errc::out_of_memory);
    }
    EXPECT_EQ(h.seen(1, at(15), at(15)), sighting::maybe) << granted;
  }
}

// Hours that come late into a block that is joined just then, or has been joined meanwhile.
TEST(history_joins, take_partitions_that_are_opened_late) {
  for (std::int64_t lines = 50; lines < 1600; lines += 50) {
    history h({.partition = 1h});
    events all;
    const auto add = [&](std::uint64_t x, std::int64_t t) {
      all.push_back({x, t});
      ASSERT_EQ(h.add(x, at(t)), outcome::added);
    };
    for (const std::int64_t hour : {1, 2, 5, 6}) {
      for (std::int64_t i = 0; i < lines; ++i) {
        add(static_cast<std::uint64_t>(i), hour * 3600 + i);
      }
    }
    for (std::int64_t i = 0; i < 40; ++i) add(7, 8 * 3600 + i);
    for (const std::int64_t hour : {0, 7, 3, 4}) {
      for (std::int64_t i = 0; i < 9; ++i) add(static_cast<std::uint64_t>(i), hour * 3600 + i);
    }
    expect_all_seen(h, all);
    h.compact();
    EXPECT_EQ(h.partitions(), 2u) << lines;
    EXPECT_EQ(h.records(), all.size());
    EXPECT_EQ(count_ticks(h.when(0, {{0}, {40'000}})), 8u);
    expect_all_seen(history::load(h.serialize()), all);
  }
}

// Partitions opened in any order. A sanitizer needs no rare order.
TEST(history_joins, never_overlap) {
  const std::uint64_t seeds = support::sanitized() ? 10 : 50;
  for (std::uint64_t seed = 150; seed < 150 + seeds; ++seed) {
    math::random_source random(seed);
    history h({.partition = 1h});
    events all;
    std::int64_t now = 0;
    for (int i = 0; i < 200; ++i) {
      const auto back =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(now) + 1));
      const auto on = now + static_cast<std::int64_t>(random.below(20));
      const std::int64_t hour = random.below(2) == 0 ? back : on;
      now = std::max(now, hour);
      for (std::int64_t k = 0; k < 20; ++k) {
        all.push_back({20 * random.below(20) + static_cast<std::uint64_t>(k), hour * 3600 + k});
        ASSERT_EQ(h.add(all.back().first, at(all.back().second)), outcome::added);
      }
      std::uint64_t end = 0;
      h.for_each([&](const timeline_history& p) {
        EXPECT_GE(p.first(), end);
        end = p.first() + p.ticks();
      });
    }
    expect_all_seen(h, all);
    EXPECT_NO_THROW((void)history::load(h.serialize())) << seed;
  }
}

TEST(history_joins, lose_nothing_if_memory_is_out) {
  std::size_t failures = 0;
  for (std::size_t granted = 0; granted < 200; ++granted) {
    history h({.partition = 10s});
    for (std::int64_t t = 10; t < 80; ++t) ASSERT_EQ(h.add(t % 3, at(t)), outcome::added);
    try {
      support::allocations watch;
      watch.refuse_after(granted);
      h.add(7, at(80));
    } catch (const std::bad_alloc&) {
      ++failures;
    } catch (const error& e) {
      ASSERT_EQ(e.code(), errc::out_of_memory);
      ++failures;
    }
    for (std::int64_t t = 10; t < 80; ++t) {
      ASSERT_EQ(h.seen(t % 3, at(t), at(t)), sighting::maybe) << granted;
    }
    ASSERT_EQ(h.add(7, at(81)), outcome::added);
    h.compact();
    EXPECT_EQ(h.partitions(), 2u) << granted;
    EXPECT_EQ(count_ticks(h.when(1, {{0}, {99}})), 24u) << granted;
  }
  EXPECT_GT(failures, 0u);
}

}  // namespace bloomtime::history_upkeep_test
