#include <gtest/gtest.h>

#include <bloomtime/history/query_profile.hpp>
#include <bloomtime/math/history.hpp>

#include <cstdint>
#include <numeric>

#include "support/expect_error.hpp"

namespace bloomtime {
namespace {

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
  EXPECT_EQ(p.questions(), 3);
  p.fade();
  EXPECT_EQ(p.questions(), 1.5);
  EXPECT_EQ(p.count(0), 1);
}

TEST(query_profile, learns_the_frequencies_of_a_length) {
  query_profile p(1 << 12);
  for (std::int64_t s = 0; s + 127 < 1 << 12; ++s) p.observe({{s}, {s + 127}});
  const auto exact = math::cover_profile(128, p.heights());
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

TEST(query_profile, refuses_nonsense) {
  expect_error(
      errc::invalid_argument, [] { query_profile(0); }, "ticks");
  expect_error(
      errc::invalid_argument, [] { (void)query_profile(8).frequencies(1.5); }, "share");
}

}  // namespace
}  // namespace bloomtime
