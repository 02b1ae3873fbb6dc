#include <gtest/gtest.h>

#include <bloomtime/detail/dyadic.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <vector>

namespace bloomtime::detail {
namespace {

// The most nodes of a cover: 1 for one tick, else 2 floor(log2 length). The paper says
// ceil(log2 length), which 6 ticks refute.
std::size_t most_nodes(std::uint64_t length) {
  return length == 1 ? 1 : 2 * static_cast<std::size_t>(std::bit_width(length) - 1);
}

// history.md 14.1.
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

}  // namespace
}  // namespace bloomtime::detail
