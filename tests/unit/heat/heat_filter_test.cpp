#include <gtest/gtest.h>

#include <bloomtime/heat/heat_filter.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "support/allocations.hpp"
#include "support/container_bytes.hpp"
#include "support/damage.hpp"
#include "support/expect_error.hpp"
#include "support/moments.hpp"
#include "support/numbers.hpp"

namespace bloomtime {
namespace heat_filter_test {

using namespace std::chrono_literals;
using support::after;
using support::expect_error;
using support::midnight;
using support::nan;

heat_config hourly() { return {.items = 1000, .error = 0.01, .half_life = 1h}; }

TEST(heat_filter, halves_in_a_half_life) {
  heat_filter f(hourly());
  EXPECT_EQ(f.add("/index.html", midnight, 100), outcome::added);
  EXPECT_NEAR(f.at("/index.html", midnight).value, 100, 0.5);
  EXPECT_NEAR(f.at("/index.html", after(1h)).value, 50, 0.5);
  EXPECT_NEAR(f.at("/index.html", after(3h)).value, 12.5, 0.1);
  EXPECT_EQ(f.at("/elsewhere", midnight).value, 0);
  EXPECT_EQ(f.at("/index.html", after(24h * 365)).value, 0);
}

// The clock of the paper: what came just before an epoch ends fades just after it.
TEST(heat_filter, counts_ages_in_epochs_of_the_clock) {
  heat_filter f({.memory = 4096, .lambda = 0.5, .tick = 10s});
  ASSERT_EQ(f.add(1, after(9s)), outcome::added);
  EXPECT_NEAR(f.at(1, after(9s)).value, 1, 0.005);
  EXPECT_NEAR(f.at(1, after(11s)).value, 0.5, 0.005);
  EXPECT_NEAR(f.at(1, after(10s - 1us)).value, 1, 0.005);
  EXPECT_NEAR(f.at(1, after(10s)).value, 0.5, 0.005);
}

TEST(heat_filter, counts_a_first_event_in_the_first_epoch_of_the_clock) {
  heat_filter f(hourly());
  ASSERT_EQ(f.add("x", instant{}, 5), outcome::added);
  EXPECT_NEAR(f.at("x", instant{}).value, 5, 0.05);
  EXPECT_NEAR(f.mass(instant{}), 5, 1e-9);
}

TEST(heat_filter, refuses_what_makes_no_filter) {
  const auto refused = [](heat_config c, errc code, std::string_view mention) {
    expect_error(
        code, [&] { heat_filter{c}; }, mention);
  };
  refused({.items = 10, .error = 0.01}, errc::invalid_argument, "neither");
  refused({.items = 10, .error = 0.01, .half_life = 1h, .lambda = 0.5}, errc::invalid_argument,
          "both");
  refused({.items = 10, .half_life = 1h}, errc::invalid_argument, "neither");
  refused({.items = 10, .error = 0.01, .memory = 100, .half_life = 1h}, errc::invalid_argument,
          "both");
  refused({.epsilon = 0.01, .half_life = 1h}, errc::invalid_argument, "only epsilon");
  refused({.delta = 0.01, .half_life = 1h}, errc::invalid_argument, "only delta");
  refused({.epsilon = 0.01, .delta = 0.1, .memory = 100, .half_life = 1h}, errc::invalid_argument,
          "both");
  refused({.epsilon = nan, .delta = 0.1, .half_life = 1h}, errc::invalid_argument, "epsilon");
  refused({.items = 10, .error = 0.01, .half_life = 0s}, errc::invalid_argument, "half-life");
  refused({.items = 10, .error = 0.01, .lambda = nan}, errc::invalid_argument, "decay factor");
  refused({.items = 10, .error = nan, .half_life = 1h}, errc::invalid_argument, "error");
  refused({.items = 0, .error = 0.1, .half_life = 1h}, errc::invalid_argument, "one item");
  refused({.memory = 63, .half_life = 1h}, errc::invalid_argument, "64 to");
  refused({.memory = std::uint64_t{1} << 50, .half_life = 1h}, errc::too_large, "64 to");
  refused({.memory = 640, .half_life = 1h, .cell_bits = 8}, errc::invalid_argument, "16 or 32");
  refused({.memory = 640, .half_life = 1h, .ahead = -1s}, errc::invalid_argument, "ahead");
  refused({.memory = 640, .half_life = 1h, .tick = 0s}, errc::invalid_argument, "tick");
}

// One corrupt stamp must not wipe the heat.
TEST(heat_filter, is_sized_by_a_share_of_all_heat) {
  const heat_filter f({.epsilon = 1e-4, .delta = 0.02, .half_life = 1h});
  EXPECT_EQ(f.k(), 4u);
  const double row = static_cast<double>(f.cells()) / f.k();
  EXPECT_GE(row, std::pow(0.02, -0.25) / 1e-4);
  EXPECT_LT(row, std::pow(0.02, -0.25) / 1e-4 + 32);
}

TEST(heat_filter, bulk_calls_need_room_for_their_answers) {
  heat_filter f(hourly());
  const std::vector<std::uint64_t> items(3);
  std::vector<instant> times(2);
  std::vector<outcome> outcomes(3);
  std::vector<estimate> answers(4);
  expect_error(
      errc::invalid_argument, [&] { f.add_bulk(items, times, outcomes); }, "as many times");
  times.resize(3);
  outcomes.resize(2);
  expect_error(
      errc::invalid_argument, [&] { f.add_bulk(items, times, outcomes); }, "as many outcomes");
  expect_error(
      errc::invalid_argument, [&] { f.at_bulk(items, midnight, answers); }, "as many answers");
  EXPECT_EQ(f.events(), 0u);
}

// One hit ages half-life by half-life until its last unit is forgotten.
TEST(heat_filter, forgets_a_hit_after_eight_half_lives) {
  heat_filter f(hourly());
  ASSERT_EQ(f.add("x", midnight), outcome::added);
  EXPECT_GT(f.at("x", after(7h)).value, 0);
  EXPECT_EQ(f.at("x", after(10h)).value, 0);
  EXPECT_GE(f.at("x", after(10h)).upper, 0x1p-10);
  f.advance(after(24h * 365));
  EXPECT_EQ(f.at("x", after(24h * 365)).value, 0);
}

TEST(heat_filter, that_refused_its_first_event_is_still_empty) {
  heat_filter f(hourly());
  const std::vector<std::byte> empty = f.serialize();
  EXPECT_EQ(f.add("x", midnight, std::numeric_limits<std::uint64_t>::max()), outcome::full);
  EXPECT_EQ(f.add("x", midnight, 0), outcome::added);
  EXPECT_TRUE(f.serialize() == empty);
  EXPECT_TRUE(heat_filter::load(f.serialize()).serialize() == empty);
  EXPECT_EQ(f.add("x", after(-24h * 100)), outcome::added);
  EXPECT_NEAR(f.at("x", after(-24h * 100)).value, 1, 0.01);
}

TEST(heat_filter, refuses_the_far_future_and_takes_the_past) {
  heat_filter f(hourly());
  ASSERT_EQ(f.add("x", midnight, 8), outcome::added);
  EXPECT_EQ(f.add("x", after(24h + 1s)), outcome::future);
  EXPECT_EQ(f.add("x", instant(std::numeric_limits<std::int64_t>::max())), outcome::future);
  EXPECT_EQ(f.events(), 1u);
  EXPECT_EQ(*f.newest(), midnight);
  EXPECT_NEAR(f.at("x", midnight).value, 8, 0.1);
  EXPECT_EQ(f.add("x", after(-1h), 8), outcome::late);
  EXPECT_NEAR(f.at("x", midnight).value, 12, 0.1);
  EXPECT_EQ(f.add("x", instant(std::numeric_limits<std::int64_t>::min())), outcome::late);
  EXPECT_EQ(f.add("x", after(24h)), outcome::added);
}

TEST(heat_filter, answers_from_its_newest_event_on) {
  heat_filter f(hourly());
  ASSERT_EQ(f.add("x", midnight), outcome::added);
  EXPECT_EQ(f.at("x", after(-5h)), f.at("x", midnight));
  f.advance(after(1h));
  f.advance(midnight);
  EXPECT_EQ(f.at("x", midnight), f.at("x", after(1h)));
}

TEST(heat_filter, takes_weights_of_any_size) {
  for (const unsigned cell_bits : {16u, 32u}) {
    heat_filter f({.memory = 1024, .lambda = 0.9, .cell_bits = cell_bits});
    EXPECT_EQ(f.add("x", midnight, 0), outcome::added);
    EXPECT_EQ(f.events(), 0u);
    EXPECT_EQ(f.add("x", midnight, 1'000'000'000'000), outcome::added);
    EXPECT_NEAR(f.at("x", midnight).value / 1e12, 1, 1e-9);
    EXPECT_EQ(f.add("x", midnight, ~std::uint64_t{0}), outcome::full);
    EXPECT_NEAR(f.at("x", midnight).value / 1e12, 1, 1e-9);
    // 300 epochs later nothing large is left, and the memory is given back to the cells.
    EXPECT_EQ(f.add("x", after(300s), 1), outcome::added);
    EXPECT_NEAR(f.at("x", after(300s)).value, 1 + 1e12 * std::pow(0.9, 300), 0.02);
  }
}

TEST(heat_filter, rates_are_events_per_second) {
  heat_filter f({.memory = 4096, .lambda = 0.9, .tick = 10s});
  for (int i = 0; i < 300; ++i) ASSERT_EQ(f.add("x", after(i * 10s), 20), outcome::added);
  EXPECT_NEAR(f.rate("x", after(2990s)).value, 2, 0.02);  // 20 in 10 s
  heat_filter forever({.memory = 4096, .lambda = 1});
  ASSERT_EQ(forever.add("x", midnight), outcome::added);
  EXPECT_TRUE(std::isnan(forever.rate("x", midnight).value));
  EXPECT_NEAR(forever.at("x", after(24h * 3650)).value, 1, 0.005);
}

TEST(heat_filter, jumps_over_any_time) {
  heat_filter f({.memory = 1024, .lambda = 0.5, .tick = 1us, .ahead = 24h * 36500});
  ASSERT_EQ(f.add("x", midnight, 1000), outcome::added);
  ASSERT_EQ(f.add("y", instant(midnight.micros + (std::int64_t{1} << 40))), outcome::added);
  EXPECT_EQ(f.at("x", midnight).value, 0);
  EXPECT_NEAR(f.at("y", midnight).value, 1, 0.01);
}

// Not a timing: an add catches up with the lines it writes and with no other, whatever the epoch.
TEST(heat_filter, does_no_work_when_an_epoch_ends) {
  heat_filter f({.memory = 1 << 16, .lambda = 0.5, .tick = 1s});
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t before = f.lines_caught_up();
    ASSERT_EQ(f.add(i % 100, after(i * 3s)), outcome::added);
    ASSERT_LE(f.lines_caught_up() - before, f.k());
  }
  EXPECT_GT(f.lines_caught_up(), 0u);
}

TEST(heat_filter, refuses_to_merge_with_another_kind) {
  heat_filter f({.memory = 1024, .lambda = 0.5});
  for (const heat_config& other :
       {heat_config{.memory = 2048, .lambda = 0.5}, heat_config{.memory = 1024, .lambda = 0.6},
        heat_config{.memory = 1024, .lambda = 0.5, .seed = 1},
        heat_config{.memory = 1024, .lambda = 0.5, .tick = 2s},
        heat_config{.memory = 1024, .lambda = 0.5, .cell_bits = 32}}) {
    expect_error(
        errc::incompatible, [&] { f.merge(heat_filter(other)); }, "merge if");
  }
}

// Each part has forgotten its last units, and upper still covers all of them.
TEST(heat_filter, merged_from_many_shards_covers_what_each_forgot) {
  const heat_config config{.memory = 256, .lambda = 0.5};
  heat_filter all(config);
  for (int shard = 0; shard < 16; ++shard) {
    heat_filter f(config);
    ASSERT_EQ(f.add("x", midnight), outcome::added);
    f.advance(after(8s));
    all.merge(f);
  }
  EXPECT_GE(all.at("x", after(8s)).upper, 16 * std::exp2(-8));
}

// And each has rounded up: in a large filter, where other items hardly count, lower has to know.
TEST(heat_filter, merged_from_many_shards_allows_for_what_each_rounded_up) {
  const heat_config config{.memory = 1 << 20, .lambda = 0.9};
  heat_filter all(config);
  for (int shard = 0; shard < 50; ++shard) {
    heat_filter f(config);
    ASSERT_EQ(f.add("x", midnight), outcome::added);
    f.advance(after(43s));
    all.merge(f);
  }
  const double truth = 50 * std::pow(0.9, 43);
  EXPECT_GT(all.at("x", after(43s)).value * 0.99, truth);
  EXPECT_LE(all.at("x", after(43s)).lower, truth);
}

// What is left of a late event is rounded up to a whole unit, each time.
TEST(heat_filter, lower_allows_for_what_late_events_are_rounded_up_by) {
  heat_filter f({.memory = 1 << 20, .lambda = 0.5});
  ASSERT_EQ(f.add("newest", after(30s)), outcome::added);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(f.add("x", midnight), outcome::late);
  const double truth = 1000 * std::exp2(-30);
  const estimate e = f.at("x", after(30s));
  EXPECT_GT(e.value, 1000 * truth);
  EXPECT_LE(e.lower, truth);
  EXPECT_GE(e.upper, truth);
}

TEST(heat_filter, that_was_empty_keeps_its_own_settings_when_merged) {
  heat_filter f({.memory = 256, .lambda = 0.5, .ahead = 1s});
  heat_filter other({.memory = 256, .lambda = 0.5});
  ASSERT_EQ(other.add("x", midnight), outcome::added);
  f.merge(other);
  EXPECT_EQ(f.add("x", after(1000s)), outcome::future);
}

TEST(heat_filter, without_events_has_no_counts) {
  const auto without_events = [](const std::vector<std::byte>& container) {
    std::vector<std::byte> c = container;
    const std::size_t parameters = 64 + 2 * 32;
    for (std::size_t i = 5; i < 14; ++i) support::put<std::uint64_t>(c, parameters + 8 * i, 0);
    support::seal(c);
    return c;
  };
  heat_filter f({.memory = 256, .lambda = 0.5});
  const std::vector<std::byte> empty = f.serialize();
  EXPECT_TRUE(without_events(empty) == empty);
  ASSERT_EQ(f.add("x", instant{}), outcome::added);
  expect_error(
      errc::corrupt, [&] { heat_filter::load(without_events(f.serialize())); }, "no events");
}

// 1 - lambda is far below the last digit of lambda here.
TEST(heat_filter, rates_keep_their_bounds_when_heat_fades_slowly) {
  heat_filter f({.memory = 256, .half_life = 24h * 365 * 100, .tick = 1us});
  ASSERT_EQ(f.add("x", midnight, 1'000'000), outcome::added);
  const double exact = 1e6 * std::log(2) / (24. * 365 * 100 * 3600);
  EXPECT_GE(f.rate("x", midnight).upper, exact * (1 - 1e-9));
  EXPECT_LE(f.rate("x", midnight).lower, exact);
}

TEST(heat_filter, has_nothing_left_of_heavy_events_that_it_forgets_at_once) {
  heat_filter f({.memory = 1 << 14, .lambda = 0.0});
  ASSERT_EQ(f.add("x", after(1s)), outcome::added);
  ASSERT_EQ(f.add("y", midnight, std::uint64_t{1} << 63), outcome::late);
  EXPECT_EQ(f.at("y", after(1s)).lower, 0);
}

TEST(heat_filter, is_unchanged_when_memory_runs_out) {
  support::allocations memory;
  heat_filter f({.memory = 1024, .lambda = 0.5});
  ASSERT_EQ(f.add("x", midnight), outcome::added);
  const std::vector<std::byte> before = f.serialize();
  memory.refuse_after(0);
  const auto refused = [&](auto&& action) { expect_error(errc::out_of_memory, action, "bytes"); };
  refused([&] { f.add("x", after(5s), 1'000'000); });
  refused([&] { heat_filter({.memory = 1024, .lambda = 0.5}); });
  refused([&] { heat_filter::load(before); });
  memory.refuse_none();
  EXPECT_TRUE(f.serialize() == before);
}

TEST(heat_filter, refuses_damaged_containers) {
  heat_filter f({.memory = 256, .lambda = 0.5});
  for (int i = 0; i < 50; ++i) ASSERT_EQ(f.add(i, after(i * 1s), 100'000), outcome::added);
  support::expect_damage_refused<heat_filter>(f.serialize());
}

}  // namespace heat_filter_test
}  // namespace bloomtime
