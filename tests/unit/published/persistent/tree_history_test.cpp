#include <gtest/gtest.h>

#include <bloomtime/published/persistent/tree_history.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime {
namespace tree_history_test {

using namespace published;
using support::expect_error;

constexpr published::filter_size spacious{1 << 12, 8};  // a handful of keys never collide in it

instant tick_at(std::int64_t t) { return instant::from_seconds(t); }

// With each node left out whose bit of the mask, by its number from the leaves up, is not set; the
// last one is for the pairs.
tree_config tree_of(std::uint64_t ticks, std::uint64_t granularity, std::uint64_t mask) {
  tree_config c{.ticks = ticks, .granularity = granularity};
  unsigned number = 0;
  const auto size = [&] {
    return mask >> (number++ % 64) & 1 ? spacious : published::filter_size{};
  };
  for (const std::uint64_t nodes : tree_history::nodes_for(ticks, granularity)) {
    auto& level = c.sizes.nodes.emplace_back();
    for (std::uint64_t i = 0; i < nodes; ++i) level.push_back(size());
  }
  c.sizes.pairs = size();
  return c;
}

// All intervals, one item at two ticks. With all filters there and room to spare, an answer that
// differs from the truth is an error of logic; with some left out it may say "maybe" too often.
void expect_answers(std::uint64_t ticks, std::uint64_t granularity, std::uint64_t mask) {
  const bool complete = mask == ~std::uint64_t{0};
  for (std::int64_t a = 0; a < std::int64_t(ticks); ++a) {
    const std::int64_t b = (a * 5 + 2) % std::int64_t(ticks);
    tree_history f(tree_of(ticks, granularity, mask));
    ASSERT_EQ(f.add("x", tick_at(a)), outcome::added);
    ASSERT_EQ(f.add("x", tick_at(b)), outcome::added);
    for (std::int64_t s = 0; s < std::int64_t(ticks); ++s) {
      for (std::int64_t e = s; e < std::int64_t(ticks); ++e) {
        const bool truth = (s <= a && a <= e) || (s <= b && b <= e);
        const sighting got = f.seen("x", tick_at(s), tick_at(e));
        if (truth || complete) {
          ASSERT_EQ(got, truth ? sighting::maybe : sighting::no)
              << ticks << " " << granularity << " " << mask << ": " << a << " " << s << " " << e;
        }
        EXPECT_TRUE(!complete || f.seen("y", tick_at(s), tick_at(e)) == sighting::no);
      }
    }
  }
}

// docs/math.md, Tolerances of statistical tests, "Short spans".
TEST(tree_history, is_exact_in_all_short_spans) {
  for (const std::uint64_t ticks : {1u, 8u, 13u, 16u, 21u}) {
    for (const std::uint64_t granularity : {1u, 2u, 4u, 8u}) {
      expect_answers(ticks, granularity, ~std::uint64_t{0});
    }
  }
}

TEST(tree_history, misses_nothing_whatever_is_left_out) {
  for (std::uint64_t mask = 0; mask < 1u << 8; ++mask) expect_answers(8, 2, mask);
  for (std::uint64_t mask = 0; mask < 1u << 6; ++mask) expect_answers(9, 4, mask);
}

TEST(tree_history, asks_the_pairs_about_at_most_two_leaves_but_two_ticks) {
  const tree_config c = tree_of(64, 4, ~std::uint64_t{0});
  tree_history f(c);
  for (int t = 0; t < 64; t += 4) ASSERT_EQ(f.add("x", tick_at(t)), outcome::added);
  for (std::int64_t s = 0; s < 64; ++s) {
    for (std::int64_t e = s; e < 64; ++e) {
      std::uint64_t probes = 0;
      (void)f.seen("y", interval{{s}, {e}}, probes);
      const std::uint64_t leaves = std::uint64_t(e - s + 1) / 4;
      const auto nodes = leaves < 2 ? 1u : 2 * (std::bit_width(leaves) - 1u);
      ASSERT_LE(probes, nodes + 2);  // an item that is nowhere stops at the leaves
    }
  }
  std::uint64_t probes = 0;
  EXPECT_EQ(f.seen("x", interval{{5}, {6}}, probes), sighting::no);
  EXPECT_EQ(probes, 3u);  // the leaf, and two ticks
}

TEST(tree_history, counts_only_nodes_of_its_span) {
  EXPECT_EQ(tree_history::nodes_for(86'400, 4).size(), 16u);
  std::uint64_t sum = 0;
  for (const std::uint64_t n : tree_history::nodes_for(86'400, 4)) sum += n;
  EXPECT_EQ(sum, 43'205u);
}

TEST(tree_history, grows_to_what_it_would_have_been) {
  for (const std::int64_t last : {0, 3, 4, 5, 15, 16, 17, 63, 200}) {
    tree_history grown({.sizes = {{{spacious}}, spacious}});
    tree_history planned(tree_of(std::uint64_t(last) + 1, 4, ~std::uint64_t{0}));
    for (const std::int64_t t : {std::int64_t{0}, last / 3, last, last / 2}) {
      ASSERT_EQ(grown.add(t, tick_at(t)), outcome::added);
      ASSERT_EQ(planned.add(t, tick_at(t)), outcome::added);
    }
    for (std::int64_t item : {std::int64_t{0}, last / 3, last, last / 2, last + 1}) {
      for (std::int64_t s = 0; s <= last; ++s) {
        for (std::int64_t e = s; e <= last; ++e) {
          ASSERT_EQ(grown.seen(item, tick_at(s), tick_at(e)),
                    planned.seen(item, tick_at(s), tick_at(e)))
              << last << " " << s << " " << e;
        }
      }
    }
    const unsigned root = planned.heights() - 1;
    ASSERT_EQ(grown.heights(), planned.heights());
    EXPECT_TRUE(std::ranges::equal(grown.node(root, 0).storage().bytes(),
                                   planned.node(root, 0).storage().bytes()));
  }
}

// One corrupt stamp costs an answer, not a tree.
TEST(tree_history, does_not_grow_beyond_its_memory) {
  tree_history f({.sizes = {{{spacious}}, spacious}, .most_memory = 10'000});
  ASSERT_EQ(f.add("x", tick_at(0)), outcome::added);
  const std::uint64_t before = f.memory();
  EXPECT_EQ(f.add("x", tick_at(1'000'000'000)), outcome::full);
  EXPECT_EQ(f.memory(), before);
  EXPECT_EQ(f.heights(), 1u);
  EXPECT_EQ(f.add("x", tick_at(-1)), outcome::dropped_late);
  tree_history roomier({.sizes = {{{spacious}}, spacious}, .most_memory = 1 << 20});
  EXPECT_EQ(roomier.add("x", tick_at(1'000'000'000)), outcome::full);  // all leaves before it
  EXPECT_EQ(roomier.add("x", tick_at(1000)), outcome::added);
}

TEST(tree_history, refuses_impossible_shapes) {
  const auto refused = [](const tree_config& c, const char* mention) {
    expect_error(
        errc::invalid_argument, [&] { tree_history{c}; }, mention);
  };
  refused({.ticks = 8, .granularity = 3}, "power of two");
  refused({.ticks = 8, .granularity = 4}, "2 leaves");
  refused({.sizes = {{{}}, spacious}}, "one node");
  refused({.sizes = {{{{64, 0}}}, spacious}}, "hash functions");
}

}  // namespace tree_history_test
}  // namespace bloomtime
