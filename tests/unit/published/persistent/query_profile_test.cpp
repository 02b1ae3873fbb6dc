#include <gtest/gtest.h>

#include <bloomtime/published/persistent/levels.hpp>
#include <bloomtime/published/persistent/query_profile.hpp>

#include <cstdint>
#include <numeric>

#include "support/expect_error.hpp"

namespace bloomtime {
namespace query_profile_test {

using namespace published;
using support::expect_error;

TEST(query_profile, counts_the_nodes_of_what_is_asked) {
  query_profile p(1024);
  ASSERT_EQ(p.heights(), 11u);
  p.observe({{1}, {6}});  // 1, 2-3, 4-5, 6
  EXPECT_EQ(p.count(0), 2);
  EXPECT_EQ(p.count(1), 2);
  p.observe({{0}, {1023}});
  EXPECT_EQ(p.count(10), 1);
  p.observe({{-100}, {5000}});  // the same
  EXPECT_EQ(p.count(10), 2);
  p.observe({{7}, {6}});
  p.observe({{1024}, {1030}});
  EXPECT_EQ(p.queries(), 3);
  p.fade();
  EXPECT_EQ(p.queries(), 1.5);
  EXPECT_EQ(p.count(0), 1);
}

TEST(query_profile, learns_the_frequencies_of_a_length) {
  query_profile p(1 << 12);
  for (std::int64_t s = 0; s + 127 < 1 << 12; ++s) p.observe({{s}, {s + 127}});
  const auto exact = published::cover_profile(128, p.heights());
  const auto learned = p.frequencies(0);
  for (unsigned h = 0; h < p.heights(); ++h) EXPECT_NEAR(learned[h], exact[h], 0.02) << h;
}

TEST(query_profile, leaves_no_level_unasked_if_it_smooths) {
  query_profile p(1 << 12);
  p.observe({{0}, {0}});
  for (const double f : p.frequencies()) EXPECT_GT(f, 0);
  EXPECT_EQ(p.frequencies(0)[5], 0);
}

TEST(query_profile, assumes_all_lengths_before_the_first_question) {
  const query_profile p(256);
  for (const double f : p.frequencies(0)) EXPECT_GT(f, 0);
}

// 8 leaves of 2 ticks: half of leaf 0, leaves 1 and 2, half of leaf 3.
TEST(query_profile, counts_every_node_of_a_tree) {
  query_profile p(16, 2);
  ASSERT_TRUE(p.counts_nodes());
  ASSERT_EQ(p.heights(), 4u);
  p.observe({{101}, {106}}, 100, 2);
  for (const std::uint64_t leaf : {0u, 1u, 2u, 3u}) EXPECT_EQ(p.count(0, leaf), 1) << leaf;
  EXPECT_EQ(p.count(0, 4), 0);
  EXPECT_EQ(p.count(0), 4);
  EXPECT_EQ(p.pair_ticks(), 2);
  p.observe({{0}, {15}});
  EXPECT_EQ(p.count(3, 0), 1);
  p.observe({{4}, {4}}, 0, 1);  // inside of leaf 2
  EXPECT_EQ(p.count(0, 2), 2);
  EXPECT_EQ(p.pair_ticks(), 3);
  p.observe({{99}, {99}}, 100, 7);
  EXPECT_EQ(p.queries(), 3);
  p.fade();
  EXPECT_EQ(p.count(0, 2), 1);
  EXPECT_EQ(p.pair_ticks(), 1.5);
  EXPECT_EQ(p.pair_frequency(0.5, 0), 1);
  EXPECT_EQ(p.pair_frequency(0.5, 1), 0.5);
}

TEST(query_profile, moves_nodes_towards_the_mean_of_their_height) {
  query_profile p(16, 2);
  for (int i = 0; i < 4; ++i) p.observe({{4}, {5}});
  const auto each = p.node_frequencies(0);
  EXPECT_DOUBLE_EQ(each[0][2], (1 + 1. / 8) / 2);
  EXPECT_DOUBLE_EQ(each[0][0], 1. / 16);
  EXPECT_EQ(each[1][0], 0);
  for (const auto& height : p.node_frequencies()) {
    for (const double f : height) EXPECT_GT(f, 0);
  }
}

// A tree of single ticks has the levels of a level history.
TEST(query_profile, counts_heights_of_trees_as_of_levels) {
  query_profile levels(100);
  query_profile tree(100, 1);
  for (std::int64_t s = 0; s < 100; s += 3) {
    levels.observe({{s}, {s + s / 2}});
    tree.observe({{s}, {s + s / 2}});
  }
  EXPECT_EQ(tree.frequencies(), levels.frequencies());
}

TEST(query_profile, refuses_nonsense) {
  expect_error(
      errc::invalid_argument, [] { query_profile(std::uint64_t{1} << 30, 4); }, "2^20");
  expect_error(
      errc::invalid_argument, [] { query_profile(8, 3); }, "power of two");
  expect_error(
      errc::invalid_argument, [] { query_profile(0); }, "ticks");
  expect_error(
      errc::invalid_argument, [] { (void)query_profile(8).frequencies(1.5); }, "share");
}

}  // namespace query_profile_test
}  // namespace bloomtime
