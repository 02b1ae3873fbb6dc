#include <gtest/gtest.h>

#include <bloomtime/heat/decay_ring.hpp>

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
namespace decay_ring_test {

using namespace std::chrono_literals;
using support::after;
using support::expect_error;
using support::first_micro;
using support::last_micro;
using support::midnight;
using support::nan;

constexpr double infinity = std::numeric_limits<double>::infinity();

decay_ring_config last_hour() { return {.items = 1000, .error = 0.01, .window = 1h}; }

TEST(decay_ring, has_a_slot_more_than_its_window) {
  EXPECT_EQ(decay_ring(last_hour()).slots(), 61u);
}

TEST(decay_ring, takes_any_decay_that_never_rises) {
  decay_ring r({.memory = 1 << 16, .weights = {1, 0.75, 0.25}, .tick = 10s});
  ASSERT_EQ(r.add(1, midnight, 8), outcome::added);
  EXPECT_NEAR(r.at(1, after(9s)).value, 8, 1e-9);
  EXPECT_NEAR(r.at(1, after(10s)).value, 6, 1e-9);
  EXPECT_NEAR(r.at(1, after(29s)).value, 2, 1e-9);
  EXPECT_EQ(r.at(1, after(30s)).value, 0);
  EXPECT_NEAR(r.rate(1, after(10s)).value, 6.0 / 20, 1e-9);  // two ticks in full
}

TEST(decay_ring, fades_by_a_power_of_age) {
  decay_ring r({.memory = 1 << 18, .polynomial = 1, .per_octave = 8, .tick = 1min});
  ASSERT_EQ(r.add("x", midnight, 1000), outcome::added);
  for (const int age : {0, 1, 10, 100, 1000, 1440}) {
    const double truth = 1000.0 / (1 + age);
    const double value = r.at("x", after(age * 1min)).value;
    EXPECT_GE(value, truth * (1 - 1e-12)) << age;
    EXPECT_LE(value, truth * 1.125 * (1 + 1e-9)) << age;
  }
  EXPECT_TRUE(std::isnan(r.rate("x", midnight).value));
  // Beyond the reach nothing is lost, and nothing is known of ages.
  EXPECT_GE(r.at("x", after(24h * 3650)).value, 1000.0 / 5'256'001);
  EXPECT_EQ(r.at("x", after(24h * 3650)).lower, 0);
}

TEST(decay_ring, keeps_its_factor_up_to_the_reach) {
  for (const unsigned b : {1u, 2u, 3u}) {
    for (int reach = 1; reach <= 40; ++reach) {
      for (const int phase : {0, 1, 2, 5, 15}) {
        decay_ring r(
            {.memory = 4096, .polynomial = 1, .per_octave = b, .reach = reach * 1s, .tick = 1s});
        ASSERT_EQ(r.add("x", after(phase * 1s), 1000), outcome::added);
        for (int age = 0; age <= reach; ++age) {
          const double value = r.at("x", after((phase + age) * 1s)).value;
          ASSERT_LE(value * (1 + age), 1000 * (1 + 1.0 / b) * (1 + 1e-9)) << b << ' ' << age;
        }
      }
    }
  }
}

TEST(decay_ring, refuses_what_makes_no_ring) {
  const auto refused = [](decay_ring_config c, std::string_view mention,
                          errc code = errc::invalid_argument) {
    expect_error(
        code, [&] { decay_ring{c}; }, mention);
  };
  refused({.memory = 4096}, "neither");
  refused({.memory = 4096, .window = 1h, .polynomial = 1}, "both");
  refused({.window = 1h}, "neither");
  refused({.error = 0.1, .memory = 4096, .window = 1h}, "both");
  refused({.items = 0, .error = 0.1, .window = 1h}, "one item");
  refused({.memory = 100, .window = 1h}, "at least one cell");
  refused({.memory = std::uint64_t{1} << 50, .window = 1h}, "at most", errc::too_large);
  refused({.memory = 4096, .window = 0s}, "window");
  refused({.memory = 4096, .window = -1h}, "window");
  refused({.memory = 4096, .window = 1h, .slots = 0}, "slots");
  refused({.memory = 4096, .window = 1h, .slots = 1024}, "slots");
  refused({.memory = 4096, .window = 1h, .slots = 7}, "whole microseconds");
  refused({.memory = 4096, .polynomial = -1}, "alpha");
  refused({.memory = 4096, .polynomial = nan}, "alpha");
  refused({.memory = 4096, .polynomial = infinity}, "alpha");
  refused({.memory = 4096, .polynomial = 1, .per_octave = 0}, "per octave");
  refused({.memory = 4096, .polynomial = 1, .tick = 0s}, "resolution");
  refused({.memory = 4096, .weights = {1, 0.5, 0.6}}, "0.6 at age 2");
  refused({.memory = 4096, .weights = {0.5}}, "0.5 at age 0");
  refused({.memory = 4096, .weights = {1, nan}}, "at age 1");
  refused({.memory = 4096, .weights = {infinity}}, "at age 0");
  refused({.memory = 4096, .weights = {1, -0.5}}, "at age 1");
  refused({.memory = 4096, .weights = std::vector<double>(1025, 1.0)}, "1 to 1024");
  refused({.memory = 4096, .window = 1h, .ahead = -1s}, "ahead");
  // a * 0.9^a
  refused({.memory = 4096, .weights = {0, 0.9, 1.62}},
          "polyexponential decay, a^j lambda^a, begins with 0 and rises before it falls");
}

TEST(decay_ring, jumps_over_any_time) {
  for (const decay_ring_config& c :
       {decay_ring_config{.memory = 4096, .window = 10us, .slots = 10, .ahead = 24h * 36500},
        decay_ring_config{.memory = 4096, .polynomial = 1, .tick = 1us, .ahead = 24h * 36500}}) {
    decay_ring r(c);
    ASSERT_EQ(r.add("x", midnight, 1000), outcome::added);
    const instant later(midnight.micros + (std::int64_t{1} << 40));
    ASSERT_EQ(r.add("y", later), outcome::added);
    EXPECT_LE(r.at("x", later).upper, c.window ? 0 : 1000 / 1e10);
    EXPECT_NEAR(r.at("y", later).upper, 1, 1e-6);
  }
}

TEST(decay_ring, lives_from_the_first_to_the_last_instant) {
  decay_ring r({.memory = 4096,
                .polynomial = 2,
                .reach = 1h,
                .tick = 1us,
                .ahead = std::chrono::microseconds(last_micro)});
  ASSERT_EQ(r.add("x", instant(first_micro)), outcome::added);
  ASSERT_EQ(r.add("x", instant(last_micro)), outcome::future);
  ASSERT_EQ(r.add("x", instant(-1)), outcome::added);
  ASSERT_EQ(r.add("x", instant(last_micro - 1)), outcome::added);
  ASSERT_EQ(r.add("x", instant(last_micro)), outcome::added);
  EXPECT_EQ(r.add("x", instant(first_micro)), outcome::late);
  EXPECT_NEAR(r.at("x", instant(first_micro)).upper, 1.25, 1e-6);
  EXPECT_TRUE(decay_ring::load(r.serialize()).serialize() == r.serialize());
}

TEST(decay_ring, merges_with_anything_of_its_kind) {
  decay_ring r(last_hour());
  r.merge(decay_ring(last_hour()));
  EXPECT_EQ(r.events(), 0u);
  decay_ring other(last_hour());
  ASSERT_EQ(other.add("x", midnight, 40'000), outcome::added);
  r.merge(other);
  EXPECT_TRUE(r.serialize() == other.serialize());
  r.merge(r);
  EXPECT_EQ(r.at("x", midnight).value, 80'000);
  EXPECT_EQ(r.events(), 2u);
  decay_ring later(last_hour());
  ASSERT_EQ(later.add("x", after(61min), 7), outcome::added);
  r.merge(later);
  EXPECT_EQ(r.at("x", midnight).value, 7);
  EXPECT_EQ(*r.newest(), after(61min));
}

TEST(decay_ring, refuses_to_merge_with_another_kind) {
  decay_ring r({.memory = 4096, .weights = {1, 0.5}});
  for (const decay_ring_config& c :
       {decay_ring_config{.memory = 8192, .weights = {1, 0.5}},
        decay_ring_config{.memory = 4096, .weights = {1, 0.4}},
        decay_ring_config{.memory = 4096, .weights = {1, 0.5}, .tick = 1s},
        decay_ring_config{.memory = 4096, .weights = {1, 0.5}, .seed = 1},
        decay_ring_config{.memory = 4096, .window = 1min, .slots = 1},
        decay_ring_config{.memory = 4096, .polynomial = 1}}) {
    expect_error(
        errc::incompatible, [&] { r.merge(decay_ring(c)); }, "merge if");
  }
  ASSERT_EQ(r.add("x", midnight, std::uint64_t{1} << 63), outcome::added);
  expect_error(
      errc::too_large, [&] { r.merge(r); }, "64 bits");
}

TEST(decay_ring, is_unchanged_when_memory_runs_out) {
  support::allocations memory;
  decay_ring r({.memory = 1024, .window = 10s, .slots = 5});
  ASSERT_EQ(r.add("x", midnight), outcome::added);
  const std::vector<std::byte> before = r.serialize();
  memory.refuse_after(0);
  const auto refused = [&](auto&& action) { expect_error(errc::out_of_memory, action, "bytes"); };
  refused([&] { r.add("x", after(5s), 1'000'000); });
  refused([&] { decay_ring({.memory = 1024, .window = 1h}); });
  refused([&] { decay_ring::load(before); });
  memory.refuse_none();
  EXPECT_TRUE(r.serialize() == before);
}

decay_ring sample_ring() {
  decay_ring r({.memory = 200, .weights = {1, 0.5, 0.25}, .tick = 1s});
  for (int i = 0; i < 9; ++i) EXPECT_EQ(r.add(i, after(i * 1s), 30'000), outcome::added);
  return r;
}

TEST(decay_ring, refuses_damaged_containers) {
  support::expect_damage_refused<decay_ring>(sample_ring().serialize());
}

// A window has a slot more than it is long, or there is nothing to divide a rate by.
TEST(decay_ring, refuses_a_window_of_one_slot) {
  const decay_ring whole({.memory = 200, .weights = {1}, .tick = 1s});
  std::vector<std::byte> c = whole.serialize();
  support::put<std::uint64_t>(c, 64 + 4 * 32, 1);  // weights of 1 are a window
  support::seal(c);
  expect_error(errc::corrupt, [&] { (void)decay_ring::load(c); });
}

TEST(decay_ring, without_events_has_no_counts) {
  std::vector<std::byte> c = sample_ring().serialize();
  const std::size_t parameters = 64 + 4 * 32;
  const std::size_t totals = support::get<std::uint64_t>(c, 64 + 2 * 32 + 8);
  for (std::size_t i = 7; i < 10; ++i) support::put<std::uint64_t>(c, parameters + 8 * i, 0);
  for (std::size_t i = 0; i < 3; ++i) support::put<std::uint64_t>(c, totals + 8 * i, 0);
  support::seal(c);
  expect_error(errc::corrupt, [&] { (void)decay_ring::load(c); });
}

// With right checksums, and before anything is allocated.
TEST(decay_ring, refuses_containers_that_lie) {
  const std::vector<std::byte> good = sample_ring().serialize();
  const auto parameter = [](std::size_t i) { return 64 + 4 * 32 + 8 * i; };
  const std::size_t head = support::head_length(good);
  const std::size_t weights = support::get<std::uint64_t>(good, 64 + 3 * 32 + 8);
  const std::size_t totals = support::get<std::uint64_t>(good, 64 + 2 * 32 + 8);
  support::allocations watch;
  const auto refused = [&](std::size_t at, std::uint64_t lie) {
    std::vector<std::byte> bad = good;
    support::put<std::uint64_t>(bad, at, lie);
    support::seal(bad);
    expect_error(errc::corrupt, [&] { (void)decay_ring::load(bad); });
    EXPECT_EQ(watch.asked(), 0u);
  };
  constexpr std::uint64_t most = ~std::uint64_t{0};
  enum { kind, slots, levels, alpha, k, row, ahead, events, start, epoch };
  for (const std::uint64_t lie : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4}, most}) {
    refused(parameter(kind), lie);
  }
  for (const std::uint64_t lie : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{1025}, most}) {
    refused(parameter(slots), lie);
  }
  refused(parameter(levels), 1);
  refused(parameter(alpha), most);
  for (const std::uint64_t lie : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, most}) {
    refused(parameter(k), lie);
    refused(parameter(row), lie);
  }
  refused(parameter(events), 0);
  refused(parameter(start), most >> 1);
  refused(parameter(epoch), support::get<std::uint64_t>(good, parameter(start)));
  refused(head, most);                                                    // a stamp
  refused(weights, 0);                                                    // not 1
  refused(weights + 16, support::get<std::uint64_t>(good, weights) + 1);  // rises
  refused(totals, most);                                                  // too much together
}

}  // namespace decay_ring_test
}  // namespace bloomtime
