#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/published/persistent/learning.hpp>
#include <bloomtime/published/persistent/levels.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime {
namespace learning_test {

using namespace published;
using published::filter_load;
using published::filter_size;
using support::expect_error;

constexpr std::uint64_t lesson_ticks = 64;

instant lesson_time(std::int64_t t) { return instant::from_seconds(t); }

level_history lesson_levels(bool learns = true, std::uint64_t first = 64) {
  level_config c{.ticks = lesson_ticks,
                 .first = first,
                 .doubts = false,
                 .learns = learns,
                 .origin = lesson_time(7),
                 .seed = 3};
  c.levels.assign(7, {1024, 4});
  return level_history(c);
}

query_profile lesson_questions() {
  query_profile asked(lesson_ticks);
  for (std::int64_t s = 0; s + 7 < 64; ++s) asked.observe({{s}, {s + 7}});
  return asked;
}

std::uint64_t sum_of_bits(const std::vector<filter_size>& sizes) {
  std::uint64_t sum = 0;
  for (const filter_size& size : sizes) sum += size.bits;
  return sum;
}

TEST(learned_levels, get_what_the_last_ones_needed) {
  level_history last = lesson_levels();
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(last.add(i % 20, lesson_time(7 + 64 + i)), outcome::added);
  }
  const query_profile asked = lesson_questions();
  const level_config next = learned(last, asked, {.bits = 10'000});
  EXPECT_EQ(next.first, 128u);
  EXPECT_EQ(next.ticks, lesson_ticks);
  EXPECT_EQ(next.origin, lesson_time(7));
  EXPECT_EQ(next.seed, 3u);
  EXPECT_FALSE(next.doubts);
  EXPECT_TRUE(next.learns);
  EXPECT_LE(sum_of_bits(next.levels), 10'000u);
  std::vector<double> keys;
  for (unsigned h = 0; h < last.heights(); ++h) keys.push_back(*last.keys(h));
  keys = published::chained_keys(keys);
  const auto probes = asked.frequencies();
  std::vector<filter_load> loads;
  for (std::size_t h = 0; h < keys.size(); ++h) loads.push_back({keys[h], probes[h]});
  EXPECT_EQ(next.levels, published::allocate_bits(loads, 10'000));
  EXPECT_EQ(level_history(next).first(), 128u);

  const level_config folding =
      learned(last, asked, {.bits = 10'000, .grid = published::size_grid::powers_of_two});
  for (const filter_size& size : folding.levels) {
    EXPECT_TRUE(size.bits == 0 || std::has_single_bit(size.bits));
  }
  const level_config few = planned(last, asked, {.bits = 10'000}, 20);
  EXPECT_EQ(few.levels, published::plan_levels(keys, probes, 10'000, 20).levels);
}

// A quarter has passed, so four times as many keys are to come; never more.
TEST(learned_levels, expect_the_rest_of_a_partition) {
  level_history last = lesson_levels();
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(last.add(i, lesson_time(7 + 64 + i)), outcome::added);
  }
  const auto levels = [&](std::uint64_t elapsed) {
    return learned(last, lesson_questions(), {.bits = 2000, .elapsed = elapsed}).levels;
  };
  EXPECT_EQ(levels(0), levels(64));
  EXPECT_NE(levels(16), levels(64));
  EXPECT_EQ(levels(16), levels(2));
}

// What nobody asked for gets nothing if it is not smoothed, but for the finest level.
TEST(learned_levels, always_have_the_finest) {
  level_history last = lesson_levels();
  ASSERT_EQ(last.add(1, lesson_time(7 + 70)), outcome::added);
  query_profile whole(lesson_ticks);
  whole.observe({{0}, {63}});
  for (const std::uint64_t bits : {64u, 100u, 128u, 5000u}) {
    const auto next = learned(last, whole, {.bits = bits, .smoothing = 0});
    EXPECT_GE(next.levels[0].bits, 64u) << bits;
    EXPECT_LE(sum_of_bits(next.levels), bits);
    EXPECT_EQ(next.levels[3].bits, 0u);
    level_history usable(next);
    ASSERT_EQ(usable.add(1, lesson_time(7 + 130)), outcome::added);
    EXPECT_EQ(usable.seen(1, lesson_time(7 + 130), lesson_time(7 + 130)), sighting::maybe);
  }
}

TEST(learned_levels, are_all_alike_if_nothing_came) {
  const auto next = learned(lesson_levels(), lesson_questions(), {.bits = 7 * 640});
  for (const filter_size& size : next.levels) EXPECT_EQ(size.bits, 640u);
  EXPECT_EQ(planned(lesson_levels(), lesson_questions(), {.bits = 7 * 640}, 20).levels,
            next.levels);
}

TEST(learned_levels, refuse_what_teaches_nothing) {
  const auto refused = [](const level_history& last, const query_profile& asked,
                          const learning& how, const char* mention) {
    expect_error(
        errc::invalid_argument, [&] { (void)learned(last, asked, how); }, mention);
  };
  refused(lesson_levels(false), lesson_questions(), {.bits = 1000}, "if it learns");
  refused(lesson_levels(), query_profile(32), {.bits = 1000}, "64; got 32");
  refused(lesson_levels(), lesson_questions(), {.bits = 1000, .elapsed = 65}, "got 65");
  refused(level_history({.levels = {{64, 1}}, .learns = true}), query_profile(1), {.bits = 1000},
          "grows");
}

// -- trees -------------------------------------------------------------------------------------

tree_history lesson_tree(filter_size size = {512, 4}, filter_size pairs = {2048, 5}) {
  tree_config c{.ticks = lesson_ticks, .first = 64, .granularity = 4, .seed = 3};
  for (const std::uint64_t nodes : tree_history::nodes_for(lesson_ticks, 4)) {
    c.sizes.nodes.emplace_back(nodes, size);
  }
  c.sizes.pairs = pairs;
  return tree_history(c);
}

query_profile tree_questions() {
  query_profile asked(lesson_ticks, 4);
  for (std::int64_t s = 64; s + 17 < 128; ++s) asked.observe({{s}, {s + 17}}, 64);
  return asked;
}

TEST(learned_tree, counts_keys_by_how_full_its_nodes_are) {
  tree_history last = lesson_tree();
  for (int i = 0; i < 30; ++i) ASSERT_EQ(last.add(i, lesson_time(64 + 5)), outcome::added);
  const tree_loads loads = learned_loads(last, tree_questions(), {.bits = 10'000});
  ASSERT_EQ(loads.nodes.size(), 5u);
  // Of 16 leaves one has 30 keys: half of that and half of the mean, 30 / 16. The keys of a filter
  // of 512 bits are told to within a few.
  EXPECT_NEAR(loads.nodes[0][1].keys, 15 + 15. / 16, 2);
  EXPECT_NEAR(loads.nodes[0][2].keys, 15. / 16, 0.2);
  EXPECT_NEAR(loads.nodes[4][0].keys, 30, 4);
  EXPECT_NEAR(loads.pairs.keys, 30, 4);
  // The pairs were never asked. All 30 items are in one of 16 leaves.
  EXPECT_NEAR(loads.pairs.probes, 0.02 * 3. / 16, 0.001);
  const tree_config next = learned(last, tree_questions(), {.bits = 10'000});
  EXPECT_EQ(next.first, 128u);
  EXPECT_EQ(next.granularity, 4u);
  EXPECT_EQ(next.seed, 3u);
  EXPECT_GT(next.sizes.nodes[0][1].bits, 5 * next.sizes.nodes[0][2].bits);
  std::uint64_t sum = next.sizes.pairs.bits;
  for (const auto& height : next.sizes.nodes) sum += sum_of_bits(height);
  EXPECT_LE(sum, 10'000u);
  EXPECT_GT(sum, 10'000u - 64);
  EXPECT_EQ(tree_history(next).first(), 128u);
}

// Full nodes and absent ones tell nothing; then the pairs do, or the records.
TEST(learned_tree, does_not_trust_full_nodes) {
  for (const filter_size size : {filter_size{64, 8}, filter_size{}}) {
    tree_history last = lesson_tree(size, size.bits == 0 ? filter_size{} : filter_size{4096, 4});
    for (int i = 0; i < 320; ++i) {
      ASSERT_EQ(last.add(i, lesson_time(64 + i % 64)), outcome::added);
    }
    const tree_loads loads = learned_loads(last, tree_questions(), {.bits = 10'000});
    EXPECT_NEAR(loads.nodes[4][0].keys, 320, 40);
    EXPECT_NEAR(loads.pairs.keys, 320, 20);
    (void)tree_history(learned(last, tree_questions(), {.bits = 10'000}));
  }
}

// Leaves of 4 ticks: 66 and 67, then leaves 17 and 18, then 76.
TEST(learned_tree, is_told_how_often_the_pairs_matter) {
  tree_history tree = lesson_tree();
  const interval asked{{66}, {76}};
  EXPECT_EQ(tree.pair_ticks(1, asked), 0u);
  ASSERT_EQ(tree.add(1, lesson_time(64)), outcome::added);
  EXPECT_EQ(tree.pair_ticks(1, asked), 2u);
  ASSERT_EQ(tree.add(1, lesson_time(78)), outcome::added);
  EXPECT_EQ(tree.pair_ticks(1, asked), 3u);
  EXPECT_EQ(tree.pair_ticks(2, asked), 0u);
  EXPECT_EQ(tree.pair_ticks(1, {{0}, {63}}), 0u);
  query_profile often = tree_questions();
  for (int i = 0; i < 100; ++i) often.observe(asked, 64, tree.pair_ticks(1, asked));
  const double asked_often = learned_loads(tree, often, {.bits = 10'000}).pairs.probes;
  EXPECT_NEAR(asked_often, 0.98 * 300 / often.queries(), 0.1);
}

TEST(learned_tree, is_uniform_if_nothing_came) {
  const auto next = learned(lesson_tree(), tree_questions(), {.bits = 32 * 640});
  for (const auto& height : next.sizes.nodes) {
    for (const filter_size& size : height) EXPECT_EQ(size.bits, 640u);
  }
  EXPECT_EQ(next.sizes.pairs.bits, 640u);
}

TEST(learned_tree, refuses_profiles_of_other_trees) {
  const auto refused = [](const query_profile& asked, const char* mention) {
    expect_error(
        errc::invalid_argument, [&] { (void)learned(lesson_tree(), asked, {.bits = 1000}); },
        mention);
  };
  refused(query_profile(lesson_ticks), "counts nodes");
  refused(query_profile(lesson_ticks, 8), "leaves of 4");
  refused(query_profile(32, 4), "64; got 32");
}

// Three spans in a row, each with the levels that the one before would have needed.
TEST(learned_levels, follow_one_another_and_deny_nothing) {
  constexpr std::uint64_t ticks = 4096;
  query_profile asked(ticks);
  for (std::int64_t s = 0; s < 4000; s += 16) asked.observe({{s}, {s + 15}});
  level_config c{.ticks = ticks, .levels = {13, {1 << 14, 4}}, .learns = true};
  math::random_source random(5);
  for (std::int64_t part = 0; part < 3; ++part) {
    c.first = static_cast<std::uint64_t>(part) * ticks;
    level_history h(c);
    std::vector<std::uint64_t> items;
    for (std::uint64_t t = 0; t < ticks; ++t) {
      items.push_back(random.below(100));
      const auto second = static_cast<std::int64_t>(c.first + t);
      ASSERT_EQ(h.add(items.back(), instant::from_seconds(second)), outcome::added);
    }
    for (std::uint64_t t = 0; t < ticks; ++t) {
      const instant then = instant::from_seconds(static_cast<std::int64_t>(c.first + t));
      ASSERT_EQ(h.seen(items[t], then, then), sighting::maybe);
    }
    c = learned(h, asked, {.bits = 1 << 18});
    EXPECT_GT(c.levels[0].bits, 1u << 14);  // where questions about 16 ticks need them
  }
}

}  // namespace learning_test
}  // namespace bloomtime
