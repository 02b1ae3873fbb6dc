#include <gtest/gtest.h>

#include <bloomtime/heat/decay_ring.hpp>
#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/heat/window_table.hpp>
#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/allocations.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/growth.hpp"
#include "support/heat_engines.hpp"
#include "support/moments.hpp"
#include "support/numbers.hpp"

// What the engines of heat take and refuse: memory that is counted, filters that were moved from,
// and constructors at the ends of their parameters.
namespace bloomtime::heat_limits_test {

using namespace published;
using namespace std::chrono_literals;
using std::chrono::microseconds;
using support::after;
using support::expect_error;
using support::midnight;

// -- memory ------------------------------------------------------------------------------------

// Every cell has a count that is too large for it.
TEST(heat_filter, counts_the_table_of_large_counts_and_keeps_its_bound) {
  heat_filter f({.memory = 1 << 16, .half_life = 1h});
  const std::uint64_t cells = f.memory();
  EXPECT_EQ(cells, std::uint64_t{1} << 16);
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(f.add(i, midnight, 1000), outcome::added);
  EXPECT_GT(f.memory(), 10 * cells);
  EXPECT_LE(f.memory(), 22 * cells);
}

TEST(heat_filter, needs_22_to_43_bytes_for_a_large_count_in_each_row) {
  heat_filter f({.memory = 1 << 20, .half_life = 1h});
  const std::uint64_t cells = f.memory();
  for (std::uint64_t i = 1; i <= 3000; ++i) {
    ASSERT_EQ(f.add(i, midnight, 1000), outcome::added);
    if (i < 100) continue;
    EXPECT_LE(f.memory() - cells, 43 * f.k() * i) << i;
    EXPECT_GE(f.memory() - cells, 20 * f.k() * i) << i;  // a few cells are shared
  }
}

// Long items that are replaced all the time, by short ones and longer ones.
TEST(hot_list, counts_what_it_allocates_and_does_not_grow) {
  support::allocations hook;
  hot_list hot({.entries = 1000, .half_life = 1h});
  std::uint64_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t length = i < 10'000 ? static_cast<std::size_t>(i * 37 % 1500) : 1024;
    std::string item = std::to_string(i) + '/';
    item.resize(std::max(item.size(), length), 'x');
    ASSERT_EQ(hot.add(item, after(i * 1ms)), outcome::added);
    ASSERT_EQ(hot.memory(), hook.live_bytes()) << i;
    most = std::max(most, hot.memory());
  }
  EXPECT_LE(most, 1'400'000u);
  const std::uint64_t long_ones = hot.memory();
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(hot.add("s" + std::to_string(i), after(20s)), outcome::added);
  EXPECT_LT(hot.memory(), long_ones / 3);  // short items do not keep the memory of long ones
  EXPECT_EQ(hot.memory(), hook.live_bytes());
  const hot_list copy = hot;
  EXPECT_EQ(hot.memory() + copy.memory(), hook.live_bytes());
  hot.clear();
  EXPECT_EQ(hot.memory() + copy.memory(), hook.live_bytes());
}

TEST(hot_list, takes_memory_for_the_entries_in_use) {
  hot_list hot({.entries = 1000, .half_life = 1h});
  for (int i = 1; i <= 3000; ++i) {
    for (int twice = 0; twice < 2; ++twice) {
      ASSERT_EQ(hot.add("/item/" + std::to_string(1'000'000 + i), after(i * 1s)), outcome::added);
    }
    const std::uint64_t entries = hot.listed();
    // 124 bytes for an entry and its counts and 24 for its text, with a quarter for growth; 24 to
    // 48 in the index.
    ASSERT_LE(hot.memory(), entries * (185 + 48) + 1000) << i;
  }
  EXPECT_LE(hot.memory(), 190'000u);
  EXPECT_LE(hot_list::load(hot.serialize()).memory(), hot.memory());
}

// -- all engines -------------------------------------------------------------------------------

template <class Engine>
class heat_memory : public ::testing::Test {};
TYPED_TEST_SUITE(heat_memory, support::heat_engines);

// A buffer asks for 63 bytes more, to be aligned, and for 8 that may be read past its end. The list
// of the buffers of a heat table is none, and a window table has no buffers.
TYPED_TEST(heat_memory, is_what_the_allocator_hook_gave) {
  constexpr bool pages = std::is_same_v<TypeParam, window_table>;
  constexpr std::uint64_t lists = std::is_same_v<TypeParam, heat_table> ? 1 : 0;
  support::allocations hook;
  const auto around = [&](std::uint64_t engines) {
    constexpr std::uint64_t per_buffer = pages ? 0 : 63 + 8;
    return per_buffer * (hook.live() - engines * lists);
  };
  auto f = support::make_heat<TypeParam>(0.9, 1 << 16, 1h);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    f.add(i, midnight, 70'000 + i);
    if (i % 100 == 0) {
      ASSERT_EQ(hook.live_bytes(), f.memory() + around(1));
    }
  }
  EXPECT_GE(f.memory(), pages ? 25'000u : 1u << 16);
  auto copy = f;
  EXPECT_EQ(hook.live_bytes(), f.memory() + copy.memory() + around(2));
  copy.merge(f);
  EXPECT_EQ(hook.live_bytes(), f.memory() + copy.memory() + around(2));
}

TYPED_TEST(heat_memory, grows_through_the_allocator_hook_only) {
  support::allocations hook;
  auto f = support::make_heat<TypeParam>(0.9, 1 << 20, 1h);
  support::expect_nothing_besides_the_hook(hook, [&] {
    for (std::uint64_t i = 0; i < 20'000; ++i) f.add(i, midnight, 70'000 + i);
  });
}

TEST(hot_list, grows_through_the_allocator_hook_only) {
  support::allocations hook;
  hot_list hot({.entries = 10'000, .half_life = 1h});
  support::expect_nothing_besides_the_hook(hook, [&] {
    for (int i = 0; i < 10'000; ++i) hot.add(std::string(200, 'x') + std::to_string(i), midnight);
  });
  EXPECT_GT(hook.live_bytes(), 10'000u * 300);
  support::expect_counted(hot.memory(), hook);
}

// A file has 4 bits for a cell, and 16 bytes for a counter above 15.
TEST(pooled_decaying_filter, loads_no_more_of_its_pool_than_is_in_use) {
  pooled_decaying_filter f({.memory = 1 << 20, .lambda = 0.9, .seed = 1});
  for (std::uint64_t i = 0; i < 500; ++i) {
    ASSERT_EQ(f.add(i, midnight, 20 + 10 * i), outcome::added);
  }
  const std::vector<std::byte> file = f.serialize();
  pooled_decaying_filter loaded = pooled_decaying_filter::load(file);
  const std::uint64_t nodes = loaded.counters().pool().used();
  EXPECT_EQ(nodes, f.counters().pool().used());
  EXPECT_LE(loaded.memory(), file.size() * 5 / 4 + 11 * nodes);
  EXPECT_GT(f.memory(), file.size() * 6);
  // It goes on as the one that was saved.
  for (std::uint64_t i = 400; i < 900; ++i) {
    ASSERT_EQ(f.add(i, after(1s), 700), outcome::added);
    ASSERT_EQ(loaded.add(i, after(1s), 700), outcome::added);
  }
  EXPECT_TRUE(loaded.serialize() == f.serialize());
}

// -- mass --------------------------------------------------------------------------------------

TEST(hot_list, has_a_mass_that_saturates) {
  hot_list hot({.half_life = 1s});
  ASSERT_EQ(hot.add("x", midnight), outcome::added);
  std::vector<std::byte> stored = hot.serialize();
  const std::size_t mass = 64 + 2 * 32 + 80;
  support::put(std::span(stored), mass, ~std::uint64_t{0} - 1);
  support::put(std::span(stored), mass + 8, ~std::uint64_t{0});
  support::seal(stored);
  hot_list heavy = hot_list::load(stored);
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_GT(heavy.mass(midnight), 0x1p87);
  hot_list merged = heavy;
  merged.merge(hot);
  EXPECT_EQ(merged.mass(midnight), infinite);
  ASSERT_EQ(heavy.add("x", midnight), outcome::added);
  EXPECT_EQ(heavy.mass(midnight), infinite);
  EXPECT_EQ(heavy.mass(after(1000s)), infinite);
}

// -- moved from --------------------------------------------------------------------------------

template <class Filter>
void expect_empty_after_move(Filter f) {
  ASSERT_EQ(f.add("x", midnight, 5), outcome::added);
  Filter taken = std::move(f);
  EXPECT_EQ(f.at("x", midnight), estimate());  // NOLINT: this is what is tested
  EXPECT_EQ(f.mass(midnight), 0);
  EXPECT_EQ(f.events(), 0u);
  EXPECT_FALSE(f.newest().has_value());
  EXPECT_LE(f.memory(), 64u);
  if constexpr (requires { f.advance(midnight); }) f.advance(after(1h));
  expect_error(
      errc::invalid_argument, [&] { f.add("x", midnight); }, "moved from");
  expect_error(
      errc::invalid_argument, [&] { (void)f.serialize(); }, "moved from");
  expect_error(
      errc::incompatible, [&] { f.merge(taken); }, "merge if");
  expect_error(
      errc::incompatible, [&] { taken.merge(f); }, "merge if");
  Filter copy = f;
  EXPECT_EQ(copy.at("x", midnight), estimate());
  f = taken;
  EXPECT_GE(f.at("x", midnight).upper, 5);
  f = std::move(taken);
  EXPECT_GE(f.at("x", midnight).upper, 5);
  EXPECT_EQ(f.add("x", midnight), outcome::added);
}

TEST(heat_engines, are_empty_after_they_were_moved_from) {
  expect_empty_after_move(heat_filter({.memory = 4096, .half_life = 1h}));
  expect_empty_after_move(hot_list({.half_life = 1h}));
  expect_empty_after_move(decaying_filter({.memory = 4096, .half_life = 1h}));
  expect_empty_after_move(pooled_decaying_filter({.memory = 4096, .half_life = 1h}));
  expect_empty_after_move(decay_ring({.memory = 4096, .window = 1h}));
  expect_empty_after_move(window_table({.window = 1h}));
}

TEST(heat_filter, moved_from_answers_and_refuses_many_at_once) {
  heat_filter f({.memory = 4096, .half_life = 1h});
  ASSERT_EQ(f.add(1, midnight), outcome::added);
  const heat_filter taken = std::move(f);
  const std::vector<int> items(40, 1);
  std::vector<estimate> answers(40, estimate{1, 1, 1});
  f.at_bulk(items, midnight, answers);  // NOLINT: this is what is tested
  for (const estimate& e : answers) EXPECT_EQ(e, estimate());
  const std::vector<instant> when(40, midnight);
  std::vector<outcome> outcomes(40);
  expect_error(
      errc::invalid_argument, [&] { f.add_bulk(items, when, outcomes); }, "moved from");
}

// -- constructors ------------------------------------------------------------------------------

constexpr auto last = microseconds(std::numeric_limits<std::int64_t>::max());
constexpr std::array<std::uint64_t, 8> numbers{0,
                                               1,
                                               64,
                                               1000,
                                               std::uint64_t{1} << 40,
                                               std::uint64_t{1} << 50,
                                               std::uint64_t{1} << 62,
                                               ~std::uint64_t{0}};
const std::array<double, 9> reals{0, 5e-324, 1e-300, 0.5, 1 - 0x1p-53, 1, -1, 1e300, support::nan};
constexpr std::array<microseconds, 6> spans{-1us, 0us, 1us, 60us, microseconds(1h), last};

// Built, or refused by a sentence; in either case at once, unless much memory was asked for.
template <class Make>
void expect_built_or_refused(Make&& make) {
  try {
    auto f = make();
    if constexpr (requires { f.add("x", midnight); }) {
      f.add("x", midnight, 3);
      f.add("x", instant(std::numeric_limits<std::int64_t>::max()), ~std::uint64_t{0});
      (void)f.at("x", instant(std::numeric_limits<std::int64_t>::max()));
    }
  } catch (const error& e) {
    EXPECT_GT(std::string(e.what()).size(), 20u);
  }
}

template <class Filter, class Config>
void expect_sizes_built_or_refused(Config c) {
  for (const std::uint64_t n : numbers) {
    c.items = n;
    for (const double e : reals) {
      c.error = e;
      c.memory.reset();
      if (n < 1000 || !(e >= 1e-12 && e < 1)) expect_built_or_refused([&] { return Filter(c); });
    }
    for (const std::uint64_t m : numbers) {
      c.error.reset();
      c.memory = m;
      if (m < 1 << 20 || m > std::uint64_t{1} << 43)
        expect_built_or_refused([&] { return Filter(c); });
    }
  }
}

TEST(heat_engines, build_or_refuse_any_size) {
  expect_sizes_built_or_refused<heat_filter>(heat_config{.half_life = 1h});
  expect_sizes_built_or_refused<decaying_filter>(decaying_config{.half_life = 1h});
  expect_sizes_built_or_refused<pooled_decaying_filter>(decaying_config{.half_life = 1h});
  expect_sizes_built_or_refused<decay_ring>(decay_ring_config{.window = 1h, .slots = 4});
  for (const std::uint64_t n : numbers) {
    for (const double e : reals) {
      for (const bool reserve : {false, n < 1 << 20}) {
        expect_built_or_refused([&] {
          return window_table({.window = 1h, .items = n, .error = e, .reserve = reserve});
        });
      }
    }
    expect_built_or_refused([&] { return window_table({.window = 1h, .memory = n}); });
    expect_built_or_refused(
        [&] { return window_table({.window = 1h, .items = 1000, .reserve = true, .memory = n}); });
  }
  for (const double epsilon : reals) {
    for (const double delta : reals) {
      expect_built_or_refused(
          [&] { return heat_filter({.epsilon = epsilon, .delta = delta, .half_life = 1h}); });
    }
  }
  for (const std::uint64_t entries : numbers) {
    for (const unsigned buckets : {0U, 1U, 10'000U, ~0U}) {
      expect_built_or_refused(
          [&] { return hot_list({.entries = entries, .half_life = 1h, .buckets = buckets}); });
    }
  }
}

TEST(heat_engines, build_or_refuse_any_time) {
  for (const microseconds a : spans) {
    for (const microseconds b : spans) {
      expect_built_or_refused(
          [&] { return heat_filter({.memory = 512, .half_life = a, .tick = b}); });
      expect_built_or_refused(
          [&] { return heat_filter({.memory = 512, .lambda = 0.5, .tick = a, .ahead = b}); });
      expect_built_or_refused(
          [&] { return decaying_filter({.memory = 512, .half_life = a, .epoch = b, .ahead = a}); });
      expect_built_or_refused(
          [&] { return hot_list({.half_life = 1h, .tick = a, .fast_half_life = b, .bucket = b}); });
      for (const unsigned slots : {0U, 1U, 16U, 17U, 1023U, 1024U, ~0U}) {
        expect_built_or_refused(
            [&] { return decay_ring({.memory = 9000, .window = a, .slots = slots, .ahead = b}); });
        expect_built_or_refused(
            [&] { return window_table({.window = a, .slots = slots, .ahead = b}); });
        for (const double alpha : reals) {
          expect_built_or_refused([&] {
            return decay_ring(
                {.memory = 9000, .polynomial = alpha, .per_octave = slots, .reach = a, .tick = b});
          });
        }
      }
    }
  }
  for (const double lambda : reals) {
    expect_built_or_refused([&] { return heat_filter({.memory = 512, .lambda = lambda}); });
    expect_built_or_refused([&] { return hot_list({.lambda = lambda}); });
    expect_built_or_refused(
        [&] { return pooled_decaying_filter({.memory = 512, .lambda = lambda}); });
  }
}

}  // namespace bloomtime::heat_limits_test
