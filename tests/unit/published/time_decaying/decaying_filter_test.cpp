#include <gtest/gtest.h>

#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "support/allocations.hpp"
#include "support/container_bytes.hpp"
#include "support/digit_chains.hpp"
#include "support/expect_error.hpp"
#include "support/moments.hpp"
#include "support/numbers.hpp"

namespace bloomtime {
namespace decaying_filter_test {

using namespace published;
using namespace std::chrono_literals;
using support::after;
using support::expect_error;
using support::midnight;
using support::nan;

// A handful of items: sweeps are what such tests spend their time with.
decaying_config fading(double lambda) {
  return {.items = 20, .error = 0.001, .lambda = lambda, .ahead = 24h * 36'500};
}

// What holds of both published filters.
template <class Filter>
class decaying : public ::testing::Test {};
struct names {
  template <class Filter>
  static const char* GetName(int) {
    return std::is_same_v<Filter, decaying_filter> ? "basic" : "pooled";
  }
};
using both = ::testing::Types<decaying_filter, pooled_decaying_filter>;
TYPED_TEST_SUITE(decaying, both, names);

TYPED_TEST(decaying, counts_are_multiplied_by_lambda_when_an_epoch_ends) {
  TypeParam f({.memory = 4096, .lambda = 0.5, .epoch = 10s});
  EXPECT_EQ(f.add("/index.html", after(9s), 100), outcome::added);
  EXPECT_EQ(f.at("/index.html", after(9s)).value, 100);
  EXPECT_EQ(f.at("/index.html", after(11s)).value, 50);
  EXPECT_EQ(f.at("/index.html", after(41s)).value, 7);  // 6.25, rounded up
  EXPECT_EQ(f.at("/elsewhere", after(9s)), estimate());
  EXPECT_EQ(f.add("/index.html", after(10s)), outcome::added);
  EXPECT_EQ(f.at("/index.html", after(10s)).value, 51);
}

// Rounding up ends at the largest whole number below 1 / (1 - lambda), where lambda is rounded
// toward slower decay: 15/16 becomes a little more and ends at 16, as the doubles 0.8 and 0.9,
// which are a little more than 4/5 and 9/10, end at 5 and 10. Rounding down and at random end at
// nothing.
TYPED_TEST(decaying, counters_that_round_up_never_die) {
  const std::array<std::pair<double, double>, 6> ends{
      {{0.5, 1}, {0.8, 5}, {0.9, 10}, {0.9375, 16}, {0.95, 19}, {0.99, 99}}};
  for (const auto& [lambda, end] : ends) {
    for (const rounding how : {rounding::up, rounding::down, rounding::random}) {
      decaying_config c = fading(lambda);
      c.rounding = how;
      TypeParam f(c);
      ASSERT_EQ(f.add("x", midnight, 10'000), outcome::added);
      for (int epoch = 1; epoch <= 3000; ++epoch) f.advance(after(epoch * 1s));
      EXPECT_EQ(f.at("x", midnight).value, how == rounding::up ? end : 0) << lambda;
      EXPECT_GE(f.at("x", midnight).upper, 10'000 * std::pow(lambda, 3000));
    }
  }
}

TYPED_TEST(decaying, says_how_much_rounding_may_have_taken) {
  for (const double lambda : {0.5, 0.9, 0.99}) {
    decaying_config c = fading(lambda);
    c.rounding = rounding::down;
    const TypeParam down = [&] {
      TypeParam f(c);
      EXPECT_EQ(f.add("x", midnight), outcome::added);
      return f;
    }();
    EXPECT_NEAR(down.at("x", midnight).upper, 1 + 1 / (1 - lambda), 1e-9);
    EXPECT_EQ(down.at("x", after(1s)).value, 0);
  }
}

TYPED_TEST(decaying, takes_the_limits_of_lambda_and_of_time) {
  using limits = std::numeric_limits<std::int64_t>;
  for (const double lambda : {0.0, 0x1p-20, 0.5, 1 - 0x1p-20, 1.0}) {
    for (const auto epoch : {1us, std::chrono::microseconds(limits::max())}) {
      decaying_config c = fading(lambda);
      c.epoch = epoch;
      c.ahead = std::chrono::microseconds(limits::max());
      TypeParam f(c);
      EXPECT_EQ(f.add("x", instant(0), 100), outcome::added);
      EXPECT_EQ(f.at("x", instant(0)).value, 100);
      EXPECT_EQ(f.at("x", instant(-6)).value, 100);
      EXPECT_LE(f.at("x", instant(limits::max())).value, 100);
      EXPECT_EQ(f.at("y", instant(limits::max())).value, 0);
      EXPECT_EQ(f.add("x", instant(limits::min())), outcome::late);
      EXPECT_EQ(f.add("z", instant(limits::max()), 7), outcome::added);
      EXPECT_GE(f.at("z", instant(limits::max())).value, 7);
      f.advance(instant(limits::max()));
      const double left = f.at("x", midnight).value;
      EXPECT_TRUE(lambda == 1 ? left == 101 : lambda == 0 ? left == 0 : left >= 1) << left;
      EXPECT_TRUE(std::isfinite(f.mass(midnight)));
    }
  }
}

TYPED_TEST(decaying, jumps_over_any_number_of_epochs_at_once) {
  for (const double lambda : {0.0, 0.5, 0.9, 0.99}) {
    TypeParam f(fading(lambda));
    ASSERT_EQ(f.add("x", midnight, 1000), outcome::added);
    TypeParam jumped = f;
    jumped.advance(instant(midnight.micros + (std::int64_t{1} << 61)));
    EXPECT_EQ(jumped.at("x", midnight).value, lambda == 0 ? 0 : 1);
    // Single steps are never less, since each rounds up.
    TypeParam stepped = f;
    for (int i = 1; i <= 10; ++i) stepped.advance(after(i * 1s));
    EXPECT_GE(stepped.at("x", midnight).value, f.at("x", after(10s)).value);
    if (lambda == 0.5) {
      EXPECT_EQ(stepped.at("x", midnight), f.at("x", after(10s)));
    }
  }
}

TYPED_TEST(decaying, refuses_what_makes_no_filter) {
  const auto refused = [](decaying_config c, errc code, std::string_view mention) {
    expect_error(
        code, [&] { TypeParam{c}; }, mention);
  };
  refused({.items = 10, .error = 0.01}, errc::invalid_argument, "neither");
  refused({.items = 10, .error = 0.01, .half_life = 1h, .lambda = 0.5}, errc::invalid_argument,
          "both");
  refused({.items = 10, .half_life = 1h}, errc::invalid_argument, "neither");
  refused({.items = 10, .error = 0.01, .memory = 100, .half_life = 1h}, errc::invalid_argument,
          "both");
  refused({.items = 10, .error = 0.01, .half_life = 0s}, errc::invalid_argument, "half-life");
  refused({.items = 10, .error = 0.01, .lambda = nan}, errc::invalid_argument, "decay factor");
  refused({.items = 10, .error = 0.01, .lambda = -0.1}, errc::invalid_argument, "decay factor");
  refused({.items = 10, .error = nan, .half_life = 1h}, errc::invalid_argument, "error");
  refused({.items = 0, .error = 0.1, .half_life = 1h}, errc::invalid_argument, "one item");
  refused({.memory = 7, .half_life = 1h}, errc::invalid_argument, "4 cells");
  refused({.memory = std::uint64_t{1} << 50, .half_life = 1h}, errc::too_large, "bytes");
  refused({.memory = 640, .half_life = 1h, .ahead = -1s}, errc::invalid_argument, "ahead");
  refused({.memory = 640, .half_life = 1h, .epoch = 0s}, errc::invalid_argument, "microsecond");
}

TEST(decaying_filter, refuses_what_it_does_not_have) {
  expect_error(
      errc::invalid_argument,
      [] { decaying_filter({.memory = 640, .half_life = 1h, .cell_bits = 8}); }, "16 or 32");
  expect_error(
      errc::invalid_argument,
      [] { decaying_filter({.memory = 640, .half_life = 1h, .pool_memory = 100}); }, "no pool");
}

TEST(pooled_decaying_filter, refuses_more_cells_than_it_can_link) {
  expect_error(
      errc::too_large,
      [] { pooled_decaying_filter({.memory = std::uint64_t{1} << 36, .half_life = 1h}); }, "cells");
}

// One corrupt stamp must not wipe the heat.
TYPED_TEST(decaying, refuses_the_far_future_and_takes_the_past) {
  TypeParam f({.items = 1000, .error = 0.01, .half_life = 1h, .epoch = 1h});
  ASSERT_EQ(f.add("x", midnight, 8), outcome::added);
  const std::vector<std::byte> before = f.serialize();
  EXPECT_EQ(f.add("x", after(25h)), outcome::future);
  EXPECT_EQ(f.add("x", instant(std::numeric_limits<std::int64_t>::max())), outcome::future);
  EXPECT_EQ(f.add("x", after(24h), 0), outcome::added);
  EXPECT_TRUE(f.serialize() == before);
  EXPECT_EQ(*f.newest(), midnight);
  EXPECT_EQ(f.add("x", after(-1h), 8), outcome::late);
  EXPECT_EQ(f.at("x", midnight).value, 12);
  EXPECT_EQ(f.add("x", instant(std::numeric_limits<std::int64_t>::min())), outcome::late);
  EXPECT_EQ(f.at("x", midnight).value, 13);
  EXPECT_EQ(f.add("x", after(24h)), outcome::added);
}

TYPED_TEST(decaying, rates_are_events_per_second) {
  TypeParam f({.memory = 4096, .lambda = 0.9, .epoch = 10s});
  for (int i = 0; i < 300; ++i) ASSERT_EQ(f.add("x", after(i * 10s), 200), outcome::added);
  EXPECT_NEAR(f.rate("x", after(2990s)).value, 20, 0.1);  // 200 in 10 s
  TypeParam forever({.memory = 4096, .lambda = 1});
  ASSERT_EQ(forever.add("x", midnight), outcome::added);
  EXPECT_TRUE(std::isnan(forever.rate("x", midnight).value));
  EXPECT_EQ(forever.at("x", after(24h * 3650)).value, 1);
}

TYPED_TEST(decaying, sees_time_without_changing) {
  TypeParam f(fading(0.9));
  for (int i = 0; i < 500; ++i) ASSERT_EQ(f.add(i % 20, after(i * 1s), 40), outcome::added);
  const std::vector<std::byte> before = f.serialize();
  TypeParam advanced = f;
  advanced.advance(after(1000s));
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(f.at(i, after(1000s)), advanced.at(i, midnight));
    EXPECT_EQ(f.rate(i, after(1000s)), advanced.rate(i, midnight));
  }
  EXPECT_NEAR(f.mass(after(1000s)), advanced.mass(midnight), 0x1p-39);
  EXPECT_TRUE(f.serialize() == before);
}

TYPED_TEST(decaying, refuses_to_merge_with_another_kind) {
  TypeParam f({.memory = 1024, .lambda = 0.5});
  for (const decaying_config& other :
       {decaying_config{.memory = 2048, .lambda = 0.5},
        decaying_config{.memory = 1024, .lambda = 0.6},
        decaying_config{.memory = 1024, .lambda = 0.5, .seed = 1},
        decaying_config{.memory = 1024, .lambda = 0.5, .epoch = 2s},
        decaying_config{.memory = 1024, .lambda = 0.5, .rounding = rounding::down}}) {
    expect_error(
        errc::incompatible, [&] { f.merge(TypeParam(other)); }, "merge if");
    expect_error(
        errc::incompatible, [&] { TypeParam(other).merge(f); }, "merge if");
  }
}

TYPED_TEST(decaying, merges_with_itself) {
  TypeParam f(fading(0.5));
  ASSERT_EQ(f.add("x", midnight, 100), outcome::added);
  f.merge(f);
  EXPECT_EQ(f.at("x", midnight).value, 200);
  EXPECT_EQ(f.events(), 2u);
  TypeParam empty(fading(0.5));
  f.merge(empty);
  empty.merge(f);
  EXPECT_TRUE(empty.serialize() == f.serialize());
}

// Does something to a copy, and every allocation of it fails once. What came of it in the end.
template <class Filter, class Action>
Filter despite_failures(const Filter& start, Action&& action) {
  support::allocations memory;
  const std::vector<std::byte> before = start.serialize();
  for (std::size_t granted = 0;; ++granted) {
    Filter changed = start;
    memory.refuse_after(granted);
    try {
      action(changed);
      memory.refuse_none();
      return changed;
    } catch (const error& e) {
      memory.refuse_none();
      EXPECT_EQ(e.code(), errc::out_of_memory);
      EXPECT_TRUE(changed.serialize() == before) << granted;
    }
  }
}

TYPED_TEST(decaying, is_unchanged_when_memory_runs_out) {
  const decaying_config c{.memory = 300, .lambda = 0.5};
  TypeParam f(c);
  despite_failures(f, [&](TypeParam& any) { any = TypeParam(c); });
  for (int i = 0; i < 60; ++i) {
    f = despite_failures(f, [&](TypeParam& any) { any.add(i, after(i / 4 * 1s), 50'000); });
  }
  EXPECT_EQ(f.events(), 60u);
  despite_failures(f, [&](TypeParam& any) { any = TypeParam::load(f.serialize()); });
  TypeParam other(c);
  for (int i = 100; i < 160; ++i) other.add(i, after(20s), 60'000);
  const TypeParam merged = despite_failures(f, [&](TypeParam& any) { any.merge(other); });
  EXPECT_EQ(merged.events(), 120u);
}

TYPED_TEST(decaying, refuses_damaged_containers) {
  TypeParam f({.memory = 300, .lambda = 0.5, .pool_memory = {}, .seed = 3});
  for (int i = 0; i < 50; ++i) ASSERT_EQ(f.add(i, after(i * 1s), 10'000), outcome::added);
  const std::vector<std::byte> good = f.serialize();
  EXPECT_TRUE(TypeParam::load(good).serialize() == good);
  support::allocations watch;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<std::byte> bad = good;
    bad[i] ^= std::byte{1};
    EXPECT_THROW((void)TypeParam::load(bad), error) << i;
    EXPECT_THROW((void)TypeParam::load(std::span(good).first(i)), error) << i;
  }
  EXPECT_EQ(watch.asked(), 0u);
}

// A counter that is too small keeps its mark, and the others answer. When all of an item's are too
// small the heat of all events is the only bound left.
TEST(decaying_filter, reports_counters_that_are_too_small) {
  for (const auto& [bits, most] : {std::pair{16u, 65'535u}, std::pair{32u, 4'294'967'295u}}) {
    decaying_filter f({.memory = 4096, .lambda = 0.5, .cell_bits = bits});
    ASSERT_EQ(f.add("x", midnight, most - 1), outcome::added);
    EXPECT_EQ(f.at("x", midnight).value, most - 1);
    EXPECT_EQ(f.saturated(), 0u);
    EXPECT_EQ(f.add("x", midnight, 70'000), outcome::saturated);
    EXPECT_EQ(f.saturated(), f.k());
    const estimate full = f.at("x", midnight);
    EXPECT_EQ(full.value, most);
    EXPECT_EQ(full.lower, 0);
    EXPECT_GE(full.upper, most - 1 + 70'000.0);
    EXPECT_EQ(f.add("x", midnight, 1), outcome::saturated);
    EXPECT_EQ(f.add("y", midnight, ~std::uint64_t{0}), outcome::saturated);
    EXPECT_GE(f.at("y", midnight).upper, 0x1p64);
    // It stays so, whatever time passes.
    f.advance(after(24h));
    EXPECT_EQ(f.saturated(), 2 * f.k());
    EXPECT_EQ(f.add("z", after(24h), 5), outcome::added);
    EXPECT_EQ(f.at("z", after(24h)).value, 5);
    EXPECT_EQ(decaying_filter::load(f.serialize()).saturated(), f.saturated());
  }
}

TEST(pooled_decaying_filter, reports_an_empty_pool) {
  pooled_decaying_filter f({.memory = 4096, .lambda = 0.5, .pool_memory = 84});
  EXPECT_EQ(f.counters().setting(), 8u);
  ASSERT_EQ(f.add("x", midnight, 200), outcome::added);  // four nodes
  EXPECT_EQ(f.add("y", midnight, 300), outcome::saturated);
  EXPECT_EQ(f.saturated(), 2u);
  EXPECT_EQ(f.at("y", midnight).value, 300);  // two of its cells had their nodes
  EXPECT_EQ(f.add("z", midnight, 15), outcome::added);
  EXPECT_EQ(f.add("z", midnight, 1), outcome::saturated);
  EXPECT_EQ(f.saturated(), 6u);
  EXPECT_EQ(f.at("z", midnight).value, 15);
  EXPECT_EQ(f.at("z", midnight).upper, f.mass(midnight));
  const pooled_decaying_filter again = pooled_decaying_filter::load(f.serialize());
  EXPECT_TRUE(again.serialize() == f.serialize());
  EXPECT_EQ(again.saturated(), 6u);
  // Chains that decay releases serve others.
  f.advance(after(10s));
  EXPECT_EQ(f.counters().pool().used(), 0u);
  EXPECT_EQ(f.add("x", after(10s), 200), outcome::added);
}

TEST(pooled_decaying_filter, has_counters_of_64_bits_and_no_more) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  pooled_decaying_filter f({.memory = 4096, .lambda = 0.5, .pool_memory = 4096});
  ASSERT_EQ(f.add("x", midnight, half), outcome::added);
  EXPECT_GE(f.at("x", midnight).value, 0x1p63);
  EXPECT_EQ(f.add("x", midnight, half + 5), outcome::saturated);
  EXPECT_GE(f.at("x", midnight).upper, 0x1p64);
}

// The lowest digit of 288 is 0, and an event of which nothing is left must not make it all.
TEST(pooled_decaying_filter, keeps_digits_above_a_zero) {
  pooled_decaying_filter f({.memory = 4096, .lambda = 0});
  ASSERT_EQ(f.add("x", midnight, 288), outcome::added);
  EXPECT_EQ(f.add("x", after(-5s), 7), outcome::late);
  EXPECT_EQ(f.at("x", midnight).value, 288);
  EXPECT_EQ(f.add("x", midnight, 15), outcome::added);
  EXPECT_EQ(f.add("x", midnight, 1), outcome::added);
  EXPECT_EQ(f.at("x", midnight).value, 304);
}

TEST(pooled_decaying_filter, forgets_who_was_there) {
  pooled_decaying_filter f(
      {.memory = 4096, .lambda = 0.9, .rounding = rounding::down, .increase = increase::minimum});
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(f.add(i, midnight, 1000), outcome::added);
  EXPECT_GT(f.counters().pool().used(), 0u);
  for (int epoch = 1; epoch < 200; ++epoch) f.advance(after(epoch * 1s));
  EXPECT_EQ(f.counters().pool().used(), 0u);
  for (std::uint64_t i = 0; i < f.cells(); ++i) ASSERT_EQ(f.counters().get(i), 0u);
}

template <class Filter>
void expect_no_counts_without_events(std::size_t sections) {
  Filter f({.memory = 4096, .lambda = 0.5});
  ASSERT_EQ(f.add("x", instant{}), outcome::added);
  std::vector<std::byte> c = f.serialize();
  const std::size_t parameters = 64 + sections * 32;
  for (std::size_t i = 7; i < 13; ++i) support::put<std::uint64_t>(c, parameters + 8 * i, 0);
  support::seal(c);
  expect_error(
      errc::corrupt, [&] { (void)Filter::load(c); }, "no events");
}

TEST(decaying_filter, without_events_has_no_counts) {
  expect_no_counts_without_events<decaying_filter>(1);
}

TEST(pooled_decaying_filter, without_events_has_no_counts) {
  expect_no_counts_without_events<pooled_decaying_filter>(3);
}

}  // namespace decaying_filter_test
}  // namespace bloomtime
