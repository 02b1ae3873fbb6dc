#include <gtest/gtest.h>

#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/published/persistent/detail/dyadic.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace bloomtime::detail {
namespace dyadic_test {

// The most nodes of a cover: 1 for one tick, else 2 floor(log2 length). The paper says
// ceil(log2 length), which 6 ticks refute.
std::size_t most_nodes(std::uint64_t length) {
  return length == 1 ? 1 : 2 * static_cast<std::size_t>(std::bit_width(length) - 1);
}

// docs/math.md, Dyadic cover.
TEST(dyadic_cover, is_exact_disjoint_and_short_for_all_short_spans) {
  for (unsigned top = 0; top <= 6; ++top) {
    const std::uint64_t ticks = std::uint64_t{1} << top;
    for (std::uint64_t s = 0; s < ticks; ++s) {
      for (std::uint64_t e = s; e < ticks; ++e) {
        const dyadic_cover cover(s, e, top);
        std::vector<int> covered(ticks);
        std::map<unsigned, int> of_height;
        unsigned before = 0;
        for (const dyadic_node& n : cover.nodes()) {
          EXPECT_LE(before, n.height);
          EXPECT_LE(n.height, top);
          before = n.height;
          EXPECT_LE(++of_height[n.height], 2);
          const std::uint64_t length = std::uint64_t{1} << n.height;
          for (std::uint64_t t = n.bucket * length; t < (n.bucket + 1) * length; ++t) ++covered[t];
        }
        for (std::uint64_t t = 0; t < ticks; ++t) ASSERT_EQ(covered[t], s <= t && t <= e);
        EXPECT_LE(cover.nodes().size(), most_nodes(e - s + 1));
      }
    }
  }
}

TEST(dyadic_cover, has_the_length_of_long_spans) {
  math::random_source random(1);
  for (int i = 0; i < 10'000; ++i) {
    std::uint64_t s = random.below(std::uint64_t{1} << most_height);
    std::uint64_t e = random.below(std::uint64_t{1} << random.below(most_height + 1));
    if (e < s) std::swap(s, e);
    std::uint64_t sum = 0;
    const dyadic_cover cover(s, e, most_height);
    for (const dyadic_node& n : cover.nodes()) sum += std::uint64_t{1} << n.height;
    ASSERT_EQ(sum, e - s + 1);
    ASSERT_LE(cover.nodes().size(), most_nodes(e - s + 1));
  }
}

TEST(dyadic_cover, needs_four_nodes_for_six_ticks) {
  EXPECT_EQ(dyadic_cover(1, 6, 3).nodes().size(), 4u);
  EXPECT_EQ(dyadic_cover(0, 7, 3).nodes().size(), 1u);
}

TEST(leaf_cut, is_exact_for_all_short_spans) {
  for (unsigned height = 0; height <= 4; ++height) {
    const std::uint64_t leaf = std::uint64_t{1} << height;
    for (std::uint64_t s = 0; s < 16; ++s) {
      for (std::uint64_t e = s; e < 16; ++e) {
        const leaf_cut cut({s, e}, height);
        std::vector<int> covered(32);
        const auto cover = [&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t t = first; t <= last; ++t) ++covered[t];
        };
        if (cut.leaves()) cover(cut.leaves()->first * leaf, (cut.leaves()->last + 1) * leaf - 1);
        for (const tick_range& part : cut.parts()) {
          EXPECT_EQ(part.first / leaf, part.last / leaf);
          EXPECT_LT(part.last - part.first + 1, leaf);
          cover(part.first, part.last);
        }
        for (std::uint64_t t = 0; t < 32; ++t) EXPECT_EQ(covered[t], s <= t && t <= e) << s << e;
      }
    }
  }
}

TEST(tick_span, ends_at_the_ends_of_time) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto all = clipped({{least}, {most}}, most_ticks, most_ticks);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->first, 0u);
  EXPECT_EQ(all->last, most_ticks - 1);
  EXPECT_FALSE(clipped({{least}, {most - 1}}, 0));
  EXPECT_FALSE(clipped({{8}, {9}}, 4, 4));
  EXPECT_FALSE(clipped({{2}, {3}}, 4, 4));
  EXPECT_FALSE(clipped({{6}, {5}}, 4, 4));
  EXPECT_EQ(placed({most}, most_ticks, most_ticks), outcome::added);
  EXPECT_EQ(placed({most}, most_ticks - 1, most_ticks), outcome::future);
  EXPECT_EQ(placed({3}, 4, 4), outcome::dropped_late);
  EXPECT_EQ(placed({least}, 4, 4), outcome::dropped_late);
}

}  // namespace dyadic_test
}  // namespace bloomtime::detail
