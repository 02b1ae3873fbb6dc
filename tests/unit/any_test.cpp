#include <gtest/gtest.h>

#include <bloomtime/any.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace bloomtime {
namespace any_test {

using namespace published;
using support::expect_error;

bloom_filter example() {
  bloom_filter f({.items = 100, .error = 0.01, .layout = layout::flat, .seed = 7});
  f.add("x");
  f.add("x");
  return f;
}

template <class T>
T value_of(const std::vector<fact>& facts, const std::string& name) {
  for (const fact& f : facts) {
    if (f.name == name) return std::get<T>(f.value);
  }
  throw std::out_of_range("there is no fact called " + name);
}

TEST(any, loads_whatever_a_container_holds) {
  const bloom_filter f = example();
  const any_filter from_bytes = load_any(f.serialize());
  ASSERT_TRUE(std::holds_alternative<bloom_filter>(from_bytes));
  EXPECT_EQ(std::get<bloom_filter>(from_bytes).serialize(), f.serialize());

  const support::temporary_directory directory;
  f.save(directory / "f");
  EXPECT_EQ(std::get<bloom_filter>(load_any(directory / "f")).serialize(), f.serialize());
}

TEST(any, refuses_what_it_does_not_know) {
  auto bytes = example().serialize();
  for (const int family : {0, 6, 255}) {
    support::put(bytes, support::field::family, static_cast<std::uint8_t>(family));
    support::seal(bytes);
    expect_error(
        errc::unknown_kind, [&] { load_any(bytes); }, "family " + std::to_string(family));
  }
  expect_error(errc::truncated, [] { load_any(std::vector<std::byte>()); });
  expect_error(
      errc::io, [] { load_any("/nonexistent/file"); }, "/nonexistent/file");
}

TEST(any, refuses_engines_it_does_not_know) {
  auto bytes = heat_filter({.memory = 64, .lambda = 0.5}).serialize();
  for (const int engine : {0, 99}) {
    support::put(bytes, support::field::engine, static_cast<std::uint8_t>(engine));
    support::seal(bytes);
    expect_error(
        errc::unknown_kind, [&] { load_any(bytes); }, "engine " + std::to_string(engine));
  }
}

TEST(any, describes_how_heat_fades) {
  heat_filter f({.memory = 640, .half_life = std::chrono::hours(1), .seed = 3});
  f.add("x", instant{}, 5);
  const auto facts = describe(load_any(f.serialize()));
  EXPECT_EQ(value_of<std::string>(facts, "engine"), "heat_filter");
  EXPECT_EQ(value_of<std::uint64_t>(facts, "memory"), f.memory());
  EXPECT_EQ(value_of<std::uint64_t>(facts, "cells"), f.cells());
  EXPECT_EQ(value_of<double>(facts, "tick_seconds"), 1);
  EXPECT_EQ(value_of<double>(facts, "half_life_seconds"), 3600);
  EXPECT_EQ(value_of<std::uint64_t>(facts, "events"), 1U);
  EXPECT_NEAR(value_of<double>(facts, "mass"), 5, 1e-9);
}

TEST(any, tells_half_lives_as_they_were_given) {
  using std::chrono::microseconds;
  const auto told = [](microseconds half_life, microseconds epoch) {
    const heat_filter f({.memory = 64, .half_life = half_life, .tick = epoch});
    return value_of<double>(describe(any_filter(f)), "half_life_seconds");
  };
  const microseconds second = std::chrono::seconds(1);
  EXPECT_EQ(told(std::chrono::hours(24 * 365), second), 31'536'000);
  EXPECT_EQ(told(std::chrono::minutes(7), second), 420);
  EXPECT_EQ(told(microseconds(1'234'567), microseconds(10)), 1.234567);
  EXPECT_EQ(told(microseconds(3), microseconds(3)), 0.000003);
  const heat_filter short_lived({.memory = 64, .lambda = 0.01});
  EXPECT_NEAR(value_of<double>(describe(any_filter(short_lived)), "half_life_seconds"),
              std::log(0.5) / std::log(0.01), 1e-9);
}

TEST(any, describes_a_hot_list) {
  hot_list l({.entries = 7, .half_life = std::chrono::hours(1), .buckets = 3});
  l.add("x", instant{}, 5);
  const auto facts = describe(load_any(l.serialize()));
  EXPECT_EQ(value_of<std::string>(facts, "engine"), "hot_list");
  EXPECT_EQ(value_of<std::uint64_t>(facts, "entries"), 7U);
  EXPECT_EQ(value_of<std::uint64_t>(facts, "listed"), 1U);
  EXPECT_GT(value_of<std::uint64_t>(facts, "memory"), 0U);
  EXPECT_EQ(value_of<double>(facts, "bucket_seconds"), 3600);
  EXPECT_EQ(value_of<std::uint64_t>(facts, "buckets"), 3U);
  EXPECT_NEAR(value_of<double>(facts, "mass"), 5, 1e-9);
}

TEST(any, describes_a_decay_ring) {
  using facts_type = std::vector<fact>;
  const auto facts_of = [](const decay_ring_config& c) -> facts_type {
    decay_ring r(c);
    r.add("x", instant{}, 5);
    return describe(load_any(r.serialize()));
  };
  const facts_type facts = facts_of({.memory = 4096, .window = std::chrono::hours(1)});
  EXPECT_EQ(value_of<std::string>(facts, "engine"), "decay_ring");
  EXPECT_EQ(value_of<std::string>(facts, "decay"), "window");
  EXPECT_EQ(value_of<std::uint64_t>(facts, "slots"), 61U);
  EXPECT_EQ(value_of<double>(facts, "tick_seconds"), 60);
  EXPECT_EQ(value_of<double>(facts, "mass"), 5);
  EXPECT_EQ(value_of<std::string>(facts_of({.memory = 640, .weights = {1, 1}}), "decay"),
            "weights");
  EXPECT_EQ(value_of<std::string>(facts_of({.memory = 640, .polynomial = 1}), "decay"),
            "polynomial");
}

TEST(any, describes_the_published_filters) {
  const auto facts_of = [](auto f) {
    f.add("x", instant{}, 70'000);
    return describe(load_any(f.serialize()));
  };
  const auto basic = facts_of(decaying_filter({.memory = 640, .lambda = 0.5}));
  EXPECT_EQ(value_of<std::string>(basic, "engine"), "decaying_filter");
  EXPECT_EQ(value_of<std::uint64_t>(basic, "memory"), 640U);
  EXPECT_EQ(value_of<std::uint64_t>(basic, "cells"), 320U);
  EXPECT_EQ(value_of<std::uint64_t>(basic, "saturated"), 4U);
  EXPECT_NEAR(value_of<double>(basic, "half_life_seconds"), 1, 1e-9);
  EXPECT_NEAR(value_of<double>(basic, "mass"), 70'000, 1e-4);
  const auto pooled = facts_of(pooled_decaying_filter({.memory = 640, .lambda = 0.5}));
  EXPECT_EQ(value_of<std::string>(pooled, "engine"), "pooled_decaying_filter");
  EXPECT_EQ(value_of<std::uint64_t>(pooled, "saturated"), 0U);
}

TEST(any, describes_tallies) {
  const auto facts_of = [](auto f) {
    f.add("x", 70'000);
    return describe(load_any(f.serialize()));
  };
  const auto own = facts_of(tally_filter({.memory = 640, .seed = 3}));
  EXPECT_EQ(value_of<std::string>(own, "engine"), "tally_filter");
  EXPECT_EQ(value_of<std::string>(own, "layout"), "line");
  EXPECT_EQ(value_of<std::uint64_t>(own, "cells"), 512U);
  EXPECT_EQ(value_of<std::uint64_t>(own, "cell_bits"), 8U);
  EXPECT_EQ(value_of<std::uint64_t>(own, "total"), 70'000U);
  EXPECT_EQ(value_of<std::uint64_t>(own, "largest"), 70'000U);
  EXPECT_EQ(value_of<std::uint64_t>(own, "large"), 4U);
  EXPECT_NEAR(value_of<double>(own, "distinct"), 1, 0.1);
  EXPECT_EQ(value_of<std::string>(facts_of(rising_tally({.memory = 640})), "engine"),
            "rising_tally");
  const auto fixed = facts_of(counting_filter({.memory = 640}));
  EXPECT_EQ(value_of<std::string>(fixed, "engine"), "counting_filter");
  EXPECT_EQ(value_of<std::uint64_t>(fixed, "saturated"), 4U);
  const auto rule = [&](auto f) { return value_of<std::string>(facts_of(std::move(f)), "rule"); };
  EXPECT_EQ(rule(spectral_filter({.memory = 640})), "minimum selection");
  EXPECT_EQ(rule(rising_spectral_filter({.memory = 640})), "minimum increase");
  EXPECT_EQ(rule(recurring_spectral_filter({.memory = 640})), "recurring minimum");
  const auto dynamic = facts_of(dynamic_count_filter({.items = 10, .error = 0.1, .base_bits = 4}));
  EXPECT_EQ(value_of<std::uint64_t>(dynamic, "overflow_bits"), 13U);
  EXPECT_EQ(value_of<std::uint64_t>(dynamic, "growths"), 1U);
}

TEST(any, describes_histories) {
  const auto facts_of = [](auto f) {
    for (int i = 0; i < 30; ++i) {
      f.add(i % 10, instant::from_seconds(600 + 60 * (i % 6)));
    }
    return describe(load_any(f.serialize()));
  };
  const std::chrono::minutes minute(1);
  const auto single =
      facts_of(single_history({.memory = 512, .k = 4, .ticks = 6, .first = 10, .tick = minute}));
  EXPECT_EQ(value_of<std::string>(single, "family"), "history");
  EXPECT_EQ(value_of<std::string>(single, "engine"), "single_history");
  EXPECT_EQ(value_of<std::uint64_t>(single, "memory"), 512U);
  EXPECT_EQ(value_of<std::uint64_t>(single, "first_tick"), 10U);
  EXPECT_EQ(value_of<std::uint64_t>(single, "ticks"), 6U);
  EXPECT_EQ(value_of<double>(single, "tick_seconds"), 60);
  EXPECT_EQ(value_of<std::uint64_t>(single, "records"), 30U);
  EXPECT_NEAR(value_of<double>(single, "pairs"), 30, 2);
  EXPECT_LT(value_of<double>(single, "error_of_a_tick"), 0.001);

  const auto tree = facts_of(
      tree_history({.granularity = 4, .sizes = {{{{2048, 4}}}, {4096, 4}}, .tick = minute}));
  EXPECT_EQ(value_of<std::string>(tree, "engine"), "tree_history");
  EXPECT_EQ(value_of<std::uint64_t>(tree, "ticks"), 16U);
  EXPECT_EQ(value_of<std::uint64_t>(tree, "granularity"), 4U);
  EXPECT_EQ(value_of<std::uint64_t>(tree, "heights"), 3U);
  EXPECT_EQ(value_of<std::uint64_t>(tree, "nodes"), 7U);
  EXPECT_NEAR(value_of<double>(tree, "pairs"), 30, 2);
  EXPECT_NEAR(value_of<double>(tree, "items"), 10, 1);

  const auto level = facts_of(level_history(
      {.ticks = 16, .levels = {{2048, 4}, {}, {}, {}, {1024, 4}}, .learns = true, .tick = minute}));
  EXPECT_EQ(value_of<std::string>(level, "engine"), "level_history");
  EXPECT_EQ(value_of<std::uint64_t>(level, "heights"), 5U);
  EXPECT_EQ(value_of<std::uint64_t>(level, "levels"), 2U);
  EXPECT_EQ(value_of<std::string>(level, "doubts"), "yes");
  EXPECT_NEAR(value_of<double>(level, "pairs"), 30, 2);
  EXPECT_NEAR(value_of<double>(level, "items"), 10, 1);

  auto bytes = level_history({.levels = {{64, 1}}}).serialize();
  support::put(bytes, support::field::engine, std::uint8_t{99});
  support::seal(bytes);
  expect_error(
      errc::unknown_kind, [&] { load_any(bytes); }, "3 (history), engine 99");
}

TEST(any, counts_the_items_of_all_partitions_once) {
  history h({.partition = std::chrono::seconds(1000)});
  for (int item = 0; item < 7; ++item) {
    for (int t = 0; t < 3000; t += 10) h.add(item, instant::from_seconds(t));
  }
  for (int item = 100; item < 600; ++item) h.add(item, instant::from_seconds(item));
  for (const bool compacted : {false, true}) {
    if (compacted) h.compact();
    const auto facts = describe(load_any(h.serialize()));
    EXPECT_EQ(value_of<std::string>(facts, "engine"), "history");
    EXPECT_EQ(value_of<std::uint64_t>(facts, "partitions"), 3U);
    EXPECT_EQ(value_of<std::uint64_t>(facts, "partition_ticks"), 1000U);
    EXPECT_EQ(value_of<std::uint64_t>(facts, "records"), 2600U);
    EXPECT_EQ(value_of<std::uint64_t>(facts, "pairs"), 2600U);
    EXPECT_EQ(value_of<std::uint64_t>(facts, "items"), 507U);  // those 500 came after sealing
    EXPECT_EQ(value_of<std::uint64_t>(facts, "nameless_pairs"), 0U);
  }
  history once({.partition = std::chrono::seconds(1000)});
  for (int item = 0; item < 500; ++item) once.add(item, instant::from_seconds(item));
  once.seal();
  once.add(-1, instant::from_seconds(1000));
  const auto facts = describe(any_filter(once));
  EXPECT_EQ(value_of<std::uint64_t>(facts, "nameless_pairs"), 500U);
  EXPECT_EQ(value_of<std::uint64_t>(facts, "items"), 1U);
  EXPECT_EQ(value_of<std::uint64_t>(facts, "pairs"), 501U);
}

TEST(any, describes_a_filter_in_the_order_in_which_people_read) {
  const bloom_filter f = example();
  const auto facts = describe(any_filter(f));
  std::vector<std::string> names;
  for (const fact& one : facts) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"family", "engine", "layout", "memory", "bits", "k",
                                             "seed", "capacity", "insertions", "distinct", "fill",
                                             "error_at_capacity", "error_now"}));
  EXPECT_EQ(value_of<std::string>(facts, "family"), "bloom");
  EXPECT_EQ(value_of<std::string>(facts, "engine"), "bloom_filter");
  EXPECT_EQ(value_of<std::string>(facts, "layout"), "flat");
  EXPECT_EQ(value_of<std::uint64_t>(facts, "memory"), f.bits() / 8);
  EXPECT_EQ(value_of<std::uint64_t>(facts, "bits"), f.bits());
  EXPECT_EQ(value_of<std::uint64_t>(facts, "k"), f.k());
  EXPECT_EQ(value_of<std::uint64_t>(facts, "seed"), 7U);
  EXPECT_EQ(value_of<std::uint64_t>(facts, "capacity"), 100U);
  EXPECT_EQ(value_of<std::uint64_t>(facts, "insertions"), 2U);
  EXPECT_EQ(value_of<double>(facts, "distinct"), f.distinct());
  EXPECT_EQ(value_of<double>(facts, "fill"), f.fill());
  EXPECT_EQ(value_of<double>(facts, "error_at_capacity"), f.predicted_error(100));
  EXPECT_EQ(value_of<double>(facts, "error_now"), f.current_error());
}

}  // namespace any_test
}  // namespace bloomtime
