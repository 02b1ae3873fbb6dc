#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/history/history.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/allocated.hpp"
#include "support/expect_error.hpp"
#include "support/forged_history.hpp"
#include "support/metered_bits.hpp"

// Histories of a few bytes that say that much was seen. Whoever uses one pays for its bytes and for
// what is listed, not for the ticks.
namespace bloomtime::stored_small_history_test {
namespace small_history_test {

using stored_bytes = std::vector<std::byte>;

constexpr std::uint64_t all_ticks = std::uint64_t{1} << 32;
constexpr std::int64_t last_tick = (std::int64_t{1} << 32) - 1;
constexpr interval every_tick{{0}, {last_tick}};
constexpr std::uint64_t little = std::uint64_t{1} << 20;  // bytes

std::vector<digest> some_items(int count) {
  std::vector<digest> items;
  for (int i = 0; i < count; ++i) items.push_back(digest_of("item-" + std::to_string(i)));
  return items;
}

history loaded(const stored_bytes& container) { return std::get<history>(load_any(container)); }

TEST(small_history, of_runs_costs_as_little_as_it_is_long) {
  const stored_bytes container = support::of_long_runs(all_ticks, some_items(20)).as_partition();
  EXPECT_LT(container.size(), 1500u);
  const support::allocated watch;
  history h = loaded(container);
  history::verify(container);
  (void)describe(any_filter(h));
  EXPECT_EQ(h.add("other", instant::from_seconds(7)), outcome::added);
  h.compact();
  h.seal();
  (void)describe(any_filter(h));
  EXPECT_EQ(h.when("item-3", every_tick), (sightings{every_tick}));
  EXPECT_EQ(h.when("item-3", {{5}, {9}}), (sightings{{{5}, {9}}}));
  EXPECT_EQ(history::load(h.serialize()).serialize(), h.serialize());
  EXPECT_LE(watch.total(), little);
}

TEST(small_history, of_runs_is_merged_and_joined_as_runs) {
  const stored_bytes container = support::of_long_runs(all_ticks, some_items(20)).bytes();
  const support::allocated watch;
  timeline_history h = timeline_history::load(container);
  h.merge(timeline_history::load(container));
  EXPECT_EQ(h.pairs(), 20 * all_ticks);
  timeline_history left =
      timeline_history::load(support::of_long_runs(all_ticks / 2, some_items(20)).bytes());
  timeline_history right({.first = all_ticks / 2, .ticks = all_ticks / 2});
  EXPECT_EQ(right.add("item-1", instant::from_seconds(last_tick)), outcome::added);
  support::expect_error(errc::too_large, [&] { (void)timeline_history::joined(left, right); });
  EXPECT_EQ(right.when("item-1", every_tick), (sightings{{{last_tick}, {last_tick}}}));
  EXPECT_LE(watch.total(), little);
}

// With a gap a run is coded in pieces of 128 ticks. So many of them are refused, and nothing is
// lost.
TEST(small_history, of_runs_is_not_taken_apart_into_gigabytes) {
  const stored_bytes container = support::of_long_runs(all_ticks, some_items(20), 2).as_partition();
  const support::allocated watch;
  history h = loaded(container);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(h.add("item-" + std::to_string(i), instant::from_seconds(last_tick)), outcome::added);
  }
  support::expect_error(errc::too_large, [&] { h.compact(); });
  support::expect_error(errc::too_large, [&] { h.seal(); });
  (void)describe(any_filter(h));
  EXPECT_EQ(h.when("item-3", every_tick),
            (sightings{{{0}, {last_tick - 2}}, {{last_tick}, {last_tick}}}));
  EXPECT_EQ(loaded(h.serialize()).serialize(), h.serialize());
  EXPECT_LE(watch.total(), little);
}

support::forged_history of_all_positions(std::uint64_t range) {
  const detail::positions_shape shape{.first = 0, .span = range, .range = range, .count = range};
  support::forged_history forged{.ticks = range, .named = {}, .nameless = {}};
  forged.nameless.emplace_back(shape, detail::buffer(8), detail::buffer(8));
  return forged;
}

TEST(small_history, of_all_positions_answers_at_once) {
  const std::uint64_t range = all_ticks - 1;
  const stored_bytes container = of_all_positions(range).as_partition();
  EXPECT_LT(container.size(), 1500u);
  const support::allocated watch;
  const history h = loaded(container);
  (void)describe(any_filter(h));
  for (int i = 0; i < 20; ++i) {  // wherever the item begins
    EXPECT_EQ(h.when(i, every_tick), (sightings{{{0}, {last_tick - 1}}}));
    EXPECT_EQ(h.when(i, {{7}, {1000}}), (sightings{{{7}, {1000}}}));
    EXPECT_EQ(h.seen(i, instant::from_seconds(i), instant::from_seconds(i)), sighting::maybe);
  }
  EXPECT_LE(watch.total(), little);
}

struct metered_positions {
  detail::positions all;
  mutable std::uint64_t reads = 0;

  detail::positions_view<support::metered_bits> view() const {
    return {all.shape(), {all.marks().bytes(), reads}, {all.list().bytes(), reads}};
  }
};

// One item in neighbouring ticks: all positions have the same high part.
TEST(small_history, of_crowded_positions_is_read_once) {
  const std::uint64_t count = 50'000;
  detail::positions_shape shape{.first = 0, .span = count, .range = std::uint64_t{1} << 62};
  std::vector<std::uint64_t> sorted(count);
  std::iota(sorted.begin(), sorted.end(), shape.position(1, 0));
  const metered_positions crowded{detail::positions::of(shape, sorted)};
  std::uint64_t listed = 0;
  crowded.view().for_each(1, {0, count - 1}, [&](detail::tick_range found) {
    listed += found.last - found.first + 1;
    return true;
  });
  EXPECT_EQ(listed, count);
  EXPECT_LE(crowded.reads, 4 * count);
}

}  // namespace small_history_test
}  // namespace bloomtime::stored_small_history_test
