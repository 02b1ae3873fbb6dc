#include <gtest/gtest.h>

#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/math/random.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace bloomtime {
namespace timeline_history_test {

instant at(std::int64_t second) { return instant::from_seconds(second); }

timeline_history of_a_day() { return timeline_history({.ticks = 86'400}); }

sighting ask(const timeline_history& h, std::uint64_t item, std::int64_t from, std::int64_t to) {
  return h.seen(item, at(from), at(to));
}

TEST(timeline_history, says_what_became_of_an_event) {
  timeline_history h({.first = 100, .ticks = 10});
  EXPECT_EQ(h.add("x", at(99)), outcome::dropped_late);
  EXPECT_EQ(h.add("x", at(100)), outcome::added);
  EXPECT_EQ(h.add("x", at(109)), outcome::added);
  EXPECT_EQ(h.add("x", at(110)), outcome::future);
  EXPECT_EQ(h.add("x", instant(std::numeric_limits<std::int64_t>::min())), outcome::dropped_late);
  EXPECT_EQ(h.add("x", instant(std::numeric_limits<std::int64_t>::max())), outcome::future);
  EXPECT_EQ(h.records(), 2u);
  EXPECT_EQ(h.pairs(), 2u);
}

TEST(timeline_history, knows_when_an_item_was_seen) {
  timeline_history h = of_a_day();
  for (const int t : {10, 11, 12, 12, 50, 60, 61}) ASSERT_EQ(h.add("x", at(t)), outcome::added);
  const interval day{{0}, {86'399}};
  const sightings want{{{10}, {12}}, {{50}, {50}}, {{60}, {61}}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(h.when("x", day), want);
    EXPECT_EQ(h.when("x", {{11}, {60}}), (sightings{{{11}, {12}}, {{50}, {50}}, {{60}, {60}}}));
    EXPECT_EQ(h.when("y", day), sightings{});
    EXPECT_EQ(h.when("x", {{5}, {4}}), sightings{});
    EXPECT_EQ(h.seen("x", at(13), at(49)), sighting::no);
    EXPECT_EQ(h.seen("x", at(12), at(49)), sighting::maybe);
    EXPECT_EQ(h.seen("x", at(49), at(12)), sighting::no);
    i == 0 ? h.compact() : h.seal();
  }
  EXPECT_EQ(h.live_memory(), timeline_history({.ticks = 1}).live_memory());
}

TEST(timeline_history, takes_what_comes_late_into_a_sealed_one) {
  timeline_history h = of_a_day();
  ASSERT_EQ(h.add(1, at(1000)), outcome::added);
  ASSERT_EQ(h.add(1, at(3000)), outcome::added);
  h.seal();
  ASSERT_EQ(h.add(1, at(2000)), outcome::added);
  ASSERT_EQ(h.add(2, at(5)), outcome::added);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ask(h, 1, 2000, 2000), sighting::maybe);
    EXPECT_EQ(ask(h, 1, 1000, 1000), sighting::maybe);
    EXPECT_EQ(ask(h, 2, 0, 9), sighting::maybe);
    EXPECT_EQ(ask(h, 1, 2001, 2999), sighting::no);
    h.seal();
  }
  EXPECT_EQ(count_ticks(h.when(1, {{0}, {86'399}})), 3u);
}

// Of items that come once, a name costs more than what is remembered of them.
TEST(timeline_history, takes_names_where_that_is_worth_it) {
  timeline_history once({.ticks = 86'400, .error = 1e-3, .length = 128});
  math::random_source random(1);
  std::vector<std::int64_t> times;
  for (std::uint64_t x = 0; x < 20'000; ++x) {
    times.push_back(static_cast<std::int64_t>(random.below(86'400)));
    ASSERT_EQ(once.add(x, at(times.back())), outcome::added);
  }
  EXPECT_EQ(once.current_error(128), 0.0);
  once.seal();
  EXPECT_EQ(once.named().shape().items, 0u);
  ASSERT_EQ(once.nameless().size(), 1u);
  EXPECT_LE(8.0 * static_cast<double>(once.sealed_bytes()) / 20'000, std::log2(128 / 1e-3) + 2.5);
  EXPECT_NEAR(once.current_error(128), 1e-3, 1e-5);
  for (std::uint64_t x = 0; x < 20'000; ++x) {
    ASSERT_EQ(ask(once, x, times[x], times[x]), sighting::maybe);
    ASSERT_FALSE(once.when(x, {{times[x]}, {times[x]}}).empty());
  }

  timeline_history often = of_a_day();
  for (std::int64_t t = 0; t < 5000; ++t) {
    ASSERT_EQ(often.add(random.below(50), at(t)), outcome::added);
  }
  often.seal();
  EXPECT_TRUE(often.nameless().empty());
  EXPECT_EQ(often.named().shape().items, 50u);
}

TEST(timeline_history, keeps_names_until_it_is_sealed_and_takes_them_once) {
  timeline_history h = of_a_day();
  for (std::uint64_t x = 0; x < 1000; ++x) {
    ASSERT_EQ(h.add(x, at(static_cast<std::int64_t>(x))), outcome::added);
  }
  h.compact();
  EXPECT_TRUE(h.nameless().empty());
  h.seal();
  EXPECT_EQ(h.nameless().size(), 1u);
  for (std::uint64_t x = 0; x < 1000; ++x) {
    ASSERT_EQ(h.add(x, at(50'000)), outcome::added);
  }
  h.seal();
  EXPECT_EQ(h.nameless().size(), 1u);
  EXPECT_EQ(h.named().shape().items, 1000u);
  EXPECT_EQ(ask(h, 77, 77, 77), sighting::maybe);
  EXPECT_EQ(ask(h, 77, 50'000, 50'000), sighting::maybe);
}

// Of 20,000 sightings in 80,000 places some coincide. They are one position, and are stored as
// such.
TEST(timeline_history, counts_positions_that_coincide_once) {
  timeline_history h({.ticks = 1000, .error = 0.25, .length = 1});
  for (std::uint64_t x = 0; x < 20'000; ++x) {
    ASSERT_EQ(h.add(x, at(static_cast<std::int64_t>(x % 1000))), outcome::added);
  }
  h.seal();
  ASSERT_EQ(h.nameless().size(), 1u);
  EXPECT_LT(h.nameless()[0].shape().count, 18'500u);
  EXPECT_GT(h.nameless()[0].shape().count, 17'000u);
  EXPECT_NO_THROW(timeline_history::verify(h.serialize()));
  for (std::uint64_t x = 0; x < 20'000; ++x) {
    const auto t = static_cast<std::int64_t>(x % 1000);
    ASSERT_EQ(ask(h, x, t, t), sighting::maybe);
  }
}

// There are 2^62 places, and an error asks for a number of them per sighting. What does not fit
// keeps its name: 36 million sightings without one at the default of 1e-9, here 36.
TEST(timeline_history, takes_no_more_names_than_its_error_allows) {
  for (const double error : {1e-15, 1e-14, 1e-13}) {
    timeline_history h({.ticks = std::uint64_t{1} << 32, .error = error, .length = 128});
    for (std::uint64_t x = 0; x < 20'000; ++x) {
      ASSERT_EQ(h.add(x, at(static_cast<std::int64_t>(x))), outcome::added);
    }
    h.seal();
    ASSERT_EQ(h.nameless().size(), 1u);
    EXPECT_LE(h.current_error(128), error);
    EXPECT_GE(h.current_error(128), 0.9 * error);
    EXPECT_EQ(h.pairs(), 20'000u);
    EXPECT_EQ(h.items() + h.nameless()[0].shape().count, 20'000u);
    for (std::uint64_t x = 0; x < 20'000; ++x) {
      const auto t = static_cast<std::int64_t>(x);
      ASSERT_EQ(ask(h, x, t, t), sighting::maybe);
      ASSERT_EQ(ask(h, x, t + 1, t + 128), sighting::no);
    }
  }
}

TEST(timeline_history, joins_neighbours) {
  timeline_history left({.first = 5000, .ticks = 1000});
  timeline_history right({.first = 6000, .ticks = 500});
  ASSERT_EQ(left.add("both", at(5001)), outcome::added);
  ASSERT_EQ(right.add("both", at(6001)), outcome::added);
  ASSERT_EQ(right.add("right", at(6499)), outcome::added);
  right.seal();
  const timeline_history all = timeline_history::joined(left, right);
  EXPECT_EQ(all.ticks(), 1500u);
  EXPECT_EQ(all.records(), 3u);
  EXPECT_EQ(all.seen("both", at(5001), at(5001)), sighting::maybe);
  EXPECT_EQ(all.seen("both", at(5002), at(6000)), sighting::no);
  EXPECT_EQ(all.seen("both", at(6001), at(6001)), sighting::maybe);
  EXPECT_EQ(all.seen("right", at(6400), at(6600)), sighting::maybe);
  EXPECT_EQ(all.seen("right", at(5000), at(6498)), sighting::no);
  support::expect_error(
      errc::incompatible, [&] { (void)timeline_history::joined(right, left); }, "begins at 6500");
}

TEST(timeline_history, merges_streams_of_the_same_span) {
  timeline_history one = of_a_day();
  timeline_history two = of_a_day();
  ASSERT_EQ(one.add("a", at(1)), outcome::added);
  ASSERT_EQ(two.add("a", at(2)), outcome::added);
  ASSERT_EQ(two.add("b", at(3)), outcome::added);
  two.seal();
  one.merge(two);
  EXPECT_EQ(one.when("a", {{0}, {9}}), (sightings{{{1}, {2}}}));
  EXPECT_EQ(one.seen("b", at(3), at(3)), sighting::maybe);
  EXPECT_EQ(one.records(), 3u);
  one.merge(one);
  EXPECT_EQ(one.when("a", {{0}, {9}}), (sightings{{{1}, {2}}}));
  support::expect_error(
      errc::incompatible, [&] { one.merge(timeline_history({.ticks = 9})); }, "same ticks");
}

TEST(timeline_history, refuses_what_cannot_be) {
  using support::expect_error;
  expect_error(
      errc::invalid_argument, [] { timeline_history({.ticks = 0}); }, "got 0");
  expect_error(
      errc::invalid_argument, [] { timeline_history({.ticks = (1ull << 32) + 1}); }, "2^32");
  expect_error(
      errc::invalid_argument, [] { timeline_history({.ticks = 9, .error = 0}); }, "got 0");
  expect_error(
      errc::invalid_argument, [] { timeline_history({.ticks = 9, .error = NAN}); }, "error");
  expect_error(
      errc::invalid_argument, [] { timeline_history({.ticks = 9, .length = 0}); }, "length");
}

// 100 items with 600 ticks each and 1000 with one: the timelines and the positions have filters,
// wherever they were made or copied, but not in a file that is mapped. They change no answer.
TEST(timeline_history, has_filters_that_deny_no_sighting) {
  timeline_history h({.ticks = 86'400, .error = 1e-3});
  math::random_source random(6);
  std::vector<std::pair<std::uint64_t, std::int64_t>> all;
  for (std::uint64_t i = 0; i < 61'000; ++i) {
    const std::uint64_t x = i < 60'000 ? i % 100 : i;
    all.emplace_back(x, static_cast<std::int64_t>(random.below(86'400)));
    ASSERT_EQ(h.add(all.back().first, at(all.back().second)), outcome::added);
  }
  h.seal();
  ASSERT_EQ(h.nameless().size(), 1u);
  EXPECT_EQ(h.named().filter().bytes(), (h.named().shape().items + 7) / 8 * 8);
  EXPECT_FALSE(h.nameless()[0].filter().empty());
  const timeline_history copy = h;
  const timeline_history loaded = timeline_history::load(h.serialize());
  const support::temporary_directory place;
  h.save(place.path() / "h");
  const auto mapped = timeline_history::map(place.path() / "h");
  EXPECT_EQ(copy.named().filter().bytes(), h.named().filter().bytes());
  EXPECT_EQ(copy.memory(), h.memory());
  EXPECT_EQ(mapped->sealed_bytes(), loaded.sealed_bytes());
  EXPECT_EQ(loaded.memory() - mapped->memory(),
            loaded.named().filter().bytes() + loaded.nameless()[0].filter().bytes());
  EXPECT_EQ(loaded.named().filter().bytes(), h.named().filter().bytes());
  EXPECT_FALSE(loaded.nameless()[0].filter().empty());
  EXPECT_TRUE(mapped->named().filter().empty());
  EXPECT_TRUE(mapped->nameless()[0].filter().empty());
  const timeline_history* const everywhere[] = {&h, &copy, &loaded, &*mapped};
  for (const timeline_history* each : everywhere) {
    for (const auto& [x, t] : all) ASSERT_EQ(ask(*each, x, t, t), sighting::maybe) << x;
    for (std::uint64_t x = 70'000; x < 80'000; ++x) {
      const auto from = static_cast<std::int64_t>(random.below(86'000));
      EXPECT_EQ(ask(*each, x, from, from + 99), ask(*mapped, x, from, from + 99));
    }
  }
}

TEST(timeline_history, is_saved_loaded_and_mapped) {
  timeline_history h({.ticks = 5000, .error = 1e-4, .seed = 9});
  math::random_source random(5);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(h.add(i % 3 == 0 ? static_cast<std::uint64_t>(i) : random.below(20),
                    at(static_cast<std::int64_t>(random.below(5000)))),
              outcome::added);
    if (i == 2000) h.seal();
  }
  const support::temporary_directory place;
  const auto path = place.path() / "h";
  h.save(path);
  const timeline_history loaded = timeline_history::load(path);
  const auto mapped = timeline_history::map(path);
  mapped.verify();
  EXPECT_EQ(loaded.serialize(), h.serialize());
  EXPECT_EQ(loaded.records(), h.records());
  EXPECT_EQ(loaded.memory(), loaded.memory());
  for (std::uint64_t x = 0; x < 300; ++x) {
    const auto from = static_cast<std::int64_t>(random.below(5000));
    EXPECT_EQ(ask(loaded, x, from, from + 99), ask(h, x, from, from + 99));
    EXPECT_EQ(ask(*mapped, x, from, from + 99), ask(h, x, from, from + 99));
    EXPECT_EQ(mapped->when(x, {{0}, {4999}}), h.when(x, {{0}, {4999}}));
  }
}

// A view checks heads only. What is made of it may be wrong, but has to be made of ticks in order,
// or it would be written beyond its end.
TEST(timeline_history, makes_nothing_of_damaged_timelines) {
  timeline_history h({.ticks = 5000, .error = 0.01});
  math::random_source random(9);
  for (int i = 0; i < 9000; ++i) {
    const std::uint64_t x = random.below(40);
    h.add(x, at(static_cast<std::int64_t>(random.below(5000) >> (x % 5))));
  }
  for (int x = 100; x < 300; ++x) h.add(x, at(x));
  h.compact();
  const std::vector<std::byte> whole = h.serialize();
  int refused = 0;
  for (std::size_t byte = support::head_length(whole); byte < whole.size(); byte += 29) {
    std::vector<std::byte> damaged = whole;
    damaged[byte] ^= static_cast<std::byte>(1 << byte % 8);
    try {
      timeline_history copy = timeline_history::view(damaged);
      copy.add("late", at(7));
      copy.seal();
      EXPECT_NO_THROW(timeline_history::verify(copy.serialize())) << byte;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::corrupt);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(sightings, are_counted_per_part_of_an_interval) {
  const sightings seen{{{0}, {4}}, {{9}, {10}}, {{19}, {25}}};
  EXPECT_EQ(count_ticks(seen), 14u);
  EXPECT_EQ(histogram(seen, {{0}, {29}}, 3), (std::vector<std::uint64_t>{6, 2, 6}));
  EXPECT_EQ(histogram(seen, {{3}, {9}}, 7), (std::vector<std::uint64_t>{1, 1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(histogram(seen, {{3}, {2}}, 2), (std::vector<std::uint64_t>{0, 0}));
  const tick first{std::numeric_limits<std::int64_t>::min()};
  const tick last{std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(histogram(seen, {first, last}, 2), (std::vector<std::uint64_t>{0, 14}));
  EXPECT_EQ(histogram(seen, {first, last}, 1), (std::vector<std::uint64_t>{14}));
  sightings ends{{first, first}};
  extend(ends, {last, last});
  extend(ends, {last, last});
  EXPECT_EQ(ends, (sightings{{first, first}, {last, last}}));
  EXPECT_EQ(count_ticks({{first, tick{0}}}), (std::uint64_t{1} << 63) + 1);
}

}  // namespace timeline_history_test
}  // namespace bloomtime
