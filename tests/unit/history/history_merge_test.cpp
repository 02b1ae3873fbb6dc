#include <gtest/gtest.h>

#include <bloomtime/published/persistent/detail/flat_filter.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/expect_error.hpp"
#include "support/without_memory.hpp"

namespace bloomtime {
namespace history_merge_test {

using namespace published;
using detail::flat_filter;
using support::expect_error;
using support::expect_no_change_without_memory;

constexpr published::filter_size ample{1 << 12, 8};  // a handful of keys never collide in it
constexpr std::int64_t half = 4;                     // ticks of each of two neighbours

instant second(std::int64_t t) { return instant::from_seconds(t); }

template <class History>
sighting ask_joined(const History& f, int item, std::int64_t s, std::int64_t e) {
  return f.seen(item, second(s), second(e));
}

// Heights 0 to 2 of the mask.
level_config masked_levels(std::uint64_t first, unsigned mask, bool doubts = true) {
  level_config c{.ticks = half, .first = first, .doubts = doubts};
  for (unsigned h = 0; h < 3; ++h)
    c.levels.push_back(mask >> h & 1 ? ample : published::filter_size{});
  return c;
}

tree_config masked_tree(std::uint64_t first, unsigned mask) {
  const auto size = [&](unsigned i) { return mask >> i & 1 ? ample : published::filter_size{}; };
  return {.ticks = half,
          .first = first,
          .granularity = 2,
          .sizes = {{{size(0), size(1)}, {size(2)}}, size(3)}};
}

tree_sizes tree_sizes_for(std::uint64_t ticks) {
  tree_sizes sizes{{}, ample};
  for (const std::uint64_t nodes : tree_history::nodes_for(ticks, 4)) {
    sizes.nodes.emplace_back(nodes, ample);
  }
  return sizes;
}

// All questions about neighbours that were joined, with items in one of them and in both at every
// tick.
template <class History, class Make>
void expect_all_answers(Make&& make, std::int64_t first, bool exact) {
  enum : int { nowhere, on_the_left, on_the_right, in_both };
  for (std::int64_t a = first; a < first + half; ++a) {
    History left = make(first, true);
    History right = make(first + half, false);
    const std::int64_t b = a + half;
    for (const int x : {on_the_left, in_both}) ASSERT_EQ(left.add(x, second(a)), outcome::added);
    for (const int x : {on_the_right, in_both}) ASSERT_EQ(right.add(x, second(b)), outcome::added);
    const History both = History::joined(left, right);
    ASSERT_EQ(both.records(), 4u);
    for (std::int64_t s = first; s < first + 2 * half; ++s) {
      for (std::int64_t e = s; e < first + 2 * half; ++e) {
        for (const int x : {nowhere, on_the_left, on_the_right, in_both}) {
          const bool truth =
              ((x & on_the_left) && s <= a && a <= e) || ((x & on_the_right) && s <= b && b <= e);
          if (!truth && !exact) continue;
          ASSERT_EQ(ask_joined(both, x, s, e), truth ? sighting::maybe : sighting::no)
              << first << ": " << x << " at " << a << " in " << s << " to " << e;
        }
      }
    }
  }
}

// docs/math.md, Joining of levels: all sets of levels on either side. If both have the finest,
// nothing is blurred.
TEST(joined_levels, deny_nothing_whatever_is_left_out) {
  for (const std::int64_t first : {0, 8, 24}) {
    for (unsigned left = 1; left < 8; left += 2) {
      for (unsigned right = 1; right < 8; right += 2) {
        expect_all_answers<level_history>(
            [&](std::int64_t begin, bool is_left) {
              return level_history(
                  masked_levels(static_cast<std::uint64_t>(begin), is_left ? left : right));
            },
            first, true);
      }
    }
  }
}

TEST(joined_levels, deny_nothing_after_they_were_made_coarse) {
  for (unsigned left = 1; left < 3; ++left) {
    for (unsigned right = 0; right < 3; ++right) {
      expect_all_answers<level_history>(
          [&](std::int64_t begin, bool is_left) {
            level_history f(masked_levels(static_cast<std::uint64_t>(begin), 7));
            f.coarsen(is_left ? left : right);
            return f;
          },
          8, false);
    }
  }
}

TEST(joined_trees, deny_nothing_whatever_is_left_out) {
  for (unsigned left = 0; left < 16; ++left) {
    for (const unsigned right : {0u, 7u, 8u, 15u, left}) {
      expect_all_answers<tree_history>(
          [&](std::int64_t begin, bool is_left) {
            return tree_history(
                masked_tree(static_cast<std::uint64_t>(begin), is_left ? left : right));
          },
          4, left == 15 && right == 15);
    }
  }
}

TEST(joined_singles, deny_nothing_and_need_not_be_alike) {
  single_history left({.memory = 1024, .k = 6, .ticks = 4, .first = 3});
  single_history right({.memory = 512, .k = 4, .ticks = 9, .first = 7});
  ASSERT_EQ(left.add(1, second(5)), outcome::added);
  ASSERT_EQ(right.add(1, second(15)), outcome::added);
  const single_history both = single_history::joined(left, right);
  EXPECT_EQ(both.size(), (published::filter_size{512 * 8, 4}));
  EXPECT_EQ(both.ticks(), 13u);
  for (std::int64_t s = 3; s < 16; ++s) {
    for (std::int64_t e = s; e < 16; ++e) {
      const bool truth = (s <= 5 && 5 <= e) || e == 15;
      EXPECT_EQ(ask_joined(both, 1, s, e), truth ? sighting::maybe : sighting::no);
    }
  }
}

// Folding is what inserting into the smaller filter would have given.
TEST(flat_filter, folds_to_what_it_would_have_been) {
  flat_filter large({640, 5});
  flat_filter small({320, 5});
  flat_filter expected({320, 5});
  for (int i = 0; i < 60; ++i) {
    (i % 2 == 0 ? large : small).insert(digest_of(i));
    expected.insert(digest_of(i));
  }
  const flat_filter both = flat_filter::joined(large, small);
  EXPECT_EQ(both.size(), expected.size());
  EXPECT_EQ(both.ones(), expected.ones());
  EXPECT_TRUE(std::ranges::equal(both.storage().bytes(), expected.storage().bytes()));
}

TEST(flat_filter, refuses_to_fold_most_of_itself_away) {
  const auto join = [](std::uint64_t a, std::uint64_t b) {
    return flat_filter::joined(flat_filter({a, 3}), flat_filter({b, 3})).size().bits;
  };
  EXPECT_EQ(join(640, 320), 320u);
  EXPECT_EQ(join(320, 480), 160u);  // half of the smaller one
  EXPECT_EQ(join(24, 24), 24u);
  EXPECT_EQ(join(128, 32), 32u);
  for (const auto& [a, b] : {std::pair{640, 641}, {640, 64 * 9}, {1 << 20, 3 << 10}}) {
    expect_error(
        errc::incompatible,
        [&, a = a, b = b] { join(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)); },
        "greatest common size");
  }
}

template <class History>
void expect_not_joined(const History& left, const History& right, const char* mention) {
  const auto before = left.serialize();
  const auto other = right.serialize();
  expect_error(
      errc::incompatible, [&] { (void)History::joined(left, right); }, mention);
  EXPECT_TRUE(left.serialize() == before && right.serialize() == other);
}

TEST(joined_levels, must_be_neighbours_on_the_grid) {
  const auto of = [](std::uint64_t first, std::uint64_t seed = 0) {
    level_config c = masked_levels(first, 7);
    c.seed = seed;
    return level_history(c);
  };
  expect_not_joined(of(0), of(8), "begins at 4");
  expect_not_joined(of(4), of(0), "begins at 8");
  expect_not_joined(of(0), of(0), "begins at 4");
  expect_not_joined(of(4), of(8), "multiple of twice that");
  expect_not_joined(of(0), of(4, 1), "seed");
  level_history root_only = of(4);
  root_only.coarsen(2);
  expect_not_joined(level_history(masked_levels(0, 3)), root_only, "none does");
  level_config coprime = masked_levels(4, 7);
  coprime.levels[1] = {4097, 8};
  expect_not_joined(of(0), level_history(coprime), "4096 and 4097");
  level_history growing({.levels = {ample}});
  ASSERT_EQ(growing.add(1, second(3)), outcome::added);
  expect_not_joined(growing, of(4), "grow");
  expect_not_joined(level_history({.ticks = 2, .first = 2, .levels = {ample, ample}}), of(4),
                    "same power of two");
}

TEST(joined_trees, must_have_the_same_leaves) {
  const auto of = [](std::uint64_t first) { return tree_history(masked_tree(first, 15)); };
  expect_not_joined(of(0), of(8), "begins at 4");
  tree_config coarser{.ticks = half, .first = 4, .granularity = 4, .sizes = {{{ample}}, ample}};
  expect_not_joined(of(0), tree_history(coarser), "same leaves");
  coarser.granularity = 8;
  tree_config other = coarser;
  other.first = 0;
  expect_not_joined(tree_history(other), tree_history(coarser), "same leaves");
  tree_config coprime = masked_tree(4, 15);
  coprime.sizes.pairs.bits += 1;
  expect_not_joined(of(0), tree_history(coprime), "4097");
}

// -- merging -----------------------------------------------------------------------------------

template <class History>
void expect_not_merged(History& f, const History& other, const char* mention) {
  const auto before = f.serialize();
  expect_error(
      errc::incompatible, [&] { f.merge(other); }, mention);
  EXPECT_TRUE(f.serialize() == before);
}

TEST(merged_levels, must_be_alike) {
  level_history f(masked_levels(4, 7));
  ASSERT_EQ(f.add(1, second(5)), outcome::added);
  const auto with = [&](auto&& change) {
    level_config c = masked_levels(4, 7);
    change(c);
    return level_history(c);
  };
  expect_not_merged(f, with([](level_config& c) { c.first = 8; }), "same ticks");
  expect_not_merged(f, with([](level_config& c) { c.seed = 1; }), "seed");
  expect_not_merged(f, with([](level_config& c) { c.origin = second(1); }), "clock");
  expect_not_merged(f, with([](level_config& c) { c.levels[2].k = 7; }), "equal sizes");
  expect_not_merged(f, with([](level_config& c) { c.learns = true; }), "learn");
  f.merge(f);
  EXPECT_EQ(f.records(), 2u);
}

TEST(merged_trees, must_be_alike_and_stay_within_their_memory) {
  tree_history f(masked_tree(4, 15));
  tree_config other = masked_tree(4, 15);
  other.sizes.nodes[0][1].bits /= 2;
  expect_not_merged(f, tree_history(other), "sizes");
  expect_not_merged(f, tree_history(masked_tree(8, 15)), "same ticks");

  const tree_config growing{.sizes = {{{ample}}, ample}, .most_memory = 6'000};
  tree_history early(growing);
  tree_history late(growing);
  ASSERT_EQ(early.add(1, second(0)), outcome::added);
  ASSERT_EQ(late.add(1, second(20)), outcome::added);
  for (int t = 0; t < 12; t += 4) early.add(1, second(t));
  expect_error(
      errc::too_large, [&] { early.merge(late); }, "6000 bytes");
  EXPECT_EQ(ask_joined(early, 1, 20, 20), sighting::no);
}

TEST(merged_singles, must_be_alike) {
  single_history f({.memory = 64, .k = 4, .ticks = 8});
  expect_not_merged(f, single_history({.memory = 128, .k = 4, .ticks = 8}), "bits");
  expect_not_merged(f, single_history({.memory = 64, .k = 3, .ticks = 8}), "hash functions");
  expect_not_merged(f, single_history({.memory = 64, .k = 4, .ticks = 9}), "same ticks");
}

// -- coarser -----------------------------------------------------------------------------------

TEST(coarse_levels, answer_about_whole_buckets) {
  level_history f(masked_levels(8, 7));
  ASSERT_EQ(f.add(1, second(9)), outcome::added);
  f.coarsen(1);
  EXPECT_EQ(f.level(0), published::filter_size{});
  EXPECT_EQ(ask_joined(f, 1, 8, 8), sighting::maybe);
  EXPECT_EQ(ask_joined(f, 1, 10, 11), sighting::no);
  std::uint64_t probes = 0;
  EXPECT_EQ(f.seen(2, interval{{9}, {10}}, probes), sighting::no);
  EXPECT_EQ(probes, 1u);  // all of the span, which its root tells
  f.coarsen(2);
  EXPECT_EQ(ask_joined(f, 1, 11, 11), sighting::maybe);
  EXPECT_EQ(ask_joined(f, 2, 11, 11), sighting::no);
  expect_error(
      errc::invalid_argument, [&] { f.coarsen(3); }, "at least one level");
  level_history rootless(masked_levels(8, 3));
  expect_error(
      errc::invalid_argument, [&] { rootless.coarsen(2); }, "at least one level");
  EXPECT_EQ(rootless.level(0), ample);
}

TEST(coarse_trees, answer_about_whole_leaves) {
  tree_history f(masked_tree(8, 15));
  ASSERT_EQ(f.add(1, second(9)), outcome::added);
  EXPECT_EQ(ask_joined(f, 1, 8, 8), sighting::no);
  const std::uint64_t before = f.memory();
  f.coarsen(1);
  EXPECT_EQ(f.memory(), before - 512);
  EXPECT_EQ(ask_joined(f, 1, 8, 8), sighting::maybe);
  EXPECT_EQ(ask_joined(f, 1, 10, 11), sighting::no);
  f.coarsen(2);
  EXPECT_EQ(f.granularity(), 4u);
  EXPECT_EQ(ask_joined(f, 1, 11, 11), sighting::maybe);
  EXPECT_EQ(ask_joined(f, 2, 11, 11), sighting::no);
  expect_error(
      errc::invalid_argument, [&] { f.coarsen(3); }, "root");
}

// -- without memory ----------------------------------------------------------------------------

template <class History>
void expect_unharmed_without_memory(History f, const History& other) {
  const auto bytes = f.serialize();
  expect_no_change_without_memory(f, [&] { (void)History::load(bytes); });
  expect_no_change_without_memory(f, [&] { const History copy(f); });
  expect_no_change_without_memory(f, [&] { f = other; });
  EXPECT_TRUE(f.serialize() == other.serialize());
}

TEST(history, is_unharmed_when_memory_is_out) {
  expect_unharmed_without_memory(single_history({.memory = 64, .k = 4, .ticks = 8}),
                                 single_history({.memory = 128, .k = 3, .ticks = 80}));
  expect_unharmed_without_memory(tree_history(masked_tree(4, 15)),
                                 tree_history({.ticks = 64, .sizes = tree_sizes_for(64)}));
  level_config learning = masked_levels(4, 7);
  learning.learns = true;
  expect_unharmed_without_memory(level_history(learning), level_history({.levels = {ample}}));
}

TEST(history, is_unharmed_when_there_is_no_memory_to_join) {
  const level_history left(masked_levels(0, 7));
  const level_history right(masked_levels(4, 7));
  expect_no_change_without_memory(left, [&] { (void)level_history::joined(left, right); });
  const tree_history first(masked_tree(0, 15));
  const tree_history next(masked_tree(4, 15));
  expect_no_change_without_memory(first, [&] { (void)tree_history::joined(first, next); });
}

TEST(history, is_unharmed_when_there_is_no_memory_to_grow) {
  level_history f({.levels = {ample}, .learns = true});
  ASSERT_EQ(f.add(1, second(0)), outcome::added);
  const level_history longer = [&] {
    level_history copy(f);
    EXPECT_EQ(copy.add(2, second(100)), outcome::added);
    return copy;
  }();
  level_history merged = f;
  expect_no_change_without_memory(merged, [&] { merged.merge(longer); });
  level_history shorter = longer;
  expect_no_change_without_memory(shorter, [&] { shorter.merge(f); });
  expect_no_change_without_memory(f, [&] { f.add(2, second(100)); });
  EXPECT_TRUE(f.serialize() == longer.serialize());

  tree_history tree({.sizes = {{{ample}}, ample}});
  tree_history other = tree;
  ASSERT_EQ(other.add(2, second(30)), outcome::added);
  expect_no_change_without_memory(tree, [&] { tree.merge(other); });
  EXPECT_EQ(ask_joined(tree, 2, 30, 30), sighting::maybe);
}

// A tree may keep nodes that it had grown before memory ran out; they hold nothing.
TEST(history, denies_nothing_after_a_tree_ran_out_of_memory) {
  tree_history f({.sizes = {{{ample}}, ample}});
  ASSERT_EQ(f.add(1, second(2)), outcome::added);
  support::allocations watch;
  for (std::size_t granted = 0; f.records() == 1; ++granted) {
    watch.refuse_after(granted);
    try {
      f.add(2, second(50));
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::out_of_memory);
      EXPECT_EQ(ask_joined(f, 2, 0, 60), sighting::no);
    }
    EXPECT_EQ(ask_joined(f, 1, 0, 60), sighting::maybe);
    watch.refuse_none();
    const tree_history copy = f;  // like a loaded one, without places that were reserved for nodes
    EXPECT_EQ(tree_history::load(f.serialize()).memory(), copy.memory());
  }
  EXPECT_EQ(ask_joined(f, 2, 50, 50), sighting::maybe);
  EXPECT_EQ(ask_joined(f, 1, 3, 60), sighting::no);
}

}  // namespace history_merge_test
}  // namespace bloomtime
