#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/published/dynamic_count/counting_filter.hpp>
#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>
#include <bloomtime/published/dynamic_count/spectral_filter.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>
#include <bloomtime/tally/rising_tally.hpp>
#include <bloomtime/tally/tally_engine.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/expect_error.hpp"
#include "support/files.hpp"

// What a filter does after it was moved from: queries touch no memory and claim nothing, everything
// else throws, and another filter can be assigned to it.
namespace bloomtime::moved_test {

using namespace published;

template <class Call>
void expect_refused(Call&& call) {
  support::expect_error(errc::invalid_argument, call, "moved from");
}

TEST(zero_when_moved, is_zero_afterwards_and_never_by_a_copy) {
  detail::zero_when_moved<unsigned> a = 7u;
  detail::zero_when_moved<unsigned> b = a;
  EXPECT_EQ(a, 7u);
  detail::zero_when_moved<unsigned> c = std::move(a);
  EXPECT_EQ(a, 0u);  // NOLINT: what it is like after a move
  EXPECT_EQ(c, 7u);
  b += 2;
  c = std::move(b);
  EXPECT_EQ(b, 0u);  // NOLINT
  EXPECT_EQ(c, 9u);
  auto& same = c;
  c = std::move(same);
  EXPECT_EQ(c, 9u);
}

// Both ways to move from a filter.
template <class Filter, class Check>
void after_each_move(const Filter& full, Check&& check) {
  Filter constructed_from = full;
  const Filter taken = std::move(constructed_from);
  check(constructed_from);
  Filter assigned_from = full;
  Filter target = full;
  target = std::move(assigned_from);
  check(assigned_from);
  EXPECT_TRUE(taken.serialize() == full.serialize());
  EXPECT_TRUE(target.serialize() == full.serialize());
  assigned_from = std::move(target);
  EXPECT_TRUE(assigned_from.serialize() == full.serialize());
}

void expect_not_stored(const auto& moved) {
  const support::temporary_directory directory;
  expect_refused([&] { (void)moved.serialize(); });
  expect_refused([&] { moved.save(directory / "f"); });
  EXPECT_FALSE(std::filesystem::exists(directory / "f"));
}

// -- bloom -------------------------------------------------------------------------------------

class moved_bloom : public ::testing::TestWithParam<bloom_config> {};
INSTANTIATE_TEST_SUITE_P(
    of, moved_bloom,
    ::testing::Values(bloom_config{.items = 1000, .error = 0.01, .layout = layout::line},
                      bloom_config{.items = 1000, .error = 1e-4, .layout = layout::line},
                      bloom_config{.items = 1000, .error = 0.01, .layout = layout::flat}));

TEST_P(moved_bloom, filter_says_maybe_and_takes_nothing) {
  bloom_filter full(GetParam());
  for (int i = 0; i < 500; ++i) full.add(i);
  after_each_move(full, [&](bloom_filter& moved) {
    EXPECT_TRUE(moved.may_contain(1));
    EXPECT_TRUE(moved.may_contain("never"));
    std::array<bool, 40> answers{};
    const std::vector<int> items(40, -1);
    moved.may_contain_bulk(items, answers);
    for (const bool answer : answers) EXPECT_TRUE(answer);
    EXPECT_EQ(moved.posterior(1, prior::membership(0.25)), 0.25);
    EXPECT_TRUE(
        moved.decide(1, prior::membership(0.75), {.false_positive = 1, .false_negative = 1}));
    EXPECT_EQ(moved.memory(), 0u);
    EXPECT_EQ(moved.fill(), 0);
    EXPECT_EQ(moved.distinct(), 0);
    EXPECT_EQ(moved.insertions(), 0u);
    EXPECT_FALSE(moved.add(1));
    moved.add_bulk(items);
    EXPECT_EQ(moved.ones(), 0u);
    expect_refused([&] { moved.merge(full); });
    expect_refused([&] { moved.fold(1); });
    expect_refused([&] { (void)moved.current_error(); });
    expect_refused([&] { (void)moved.predicted_error(10); });
    expect_refused([&] { (void)describe(any_filter(moved)); });
    expect_not_stored(moved);
    support::expect_error(errc::incompatible, [&] { full.merge(moved); });
  });
}

TEST(moved_map, of_a_bloom_filter_says_maybe) {
  const support::temporary_directory directory;
  bloom_filter({.items = 100, .error = 0.01}).save(directory / "f");
  auto map = bloom_filter::map(directory / "f");
  EXPECT_FALSE(map->may_contain(1));
  const auto taken = std::move(map);
  EXPECT_TRUE(map->may_contain(1));  // NOLINT: what it is like after a move
  expect_refused([&] { map.verify(); });
  EXPECT_NO_THROW(taken.verify());
}

// -- tally -------------------------------------------------------------------------------------

template <class Engine>
class moved_tally : public ::testing::Test {};
using tallies =
    ::testing::Types<tally_table, tally_filter, rising_tally, counting_filter, spectral_filter,
                     rising_spectral_filter, recurring_spectral_filter, dynamic_count_filter>;
TYPED_TEST_SUITE(moved_tally, tallies);

TYPED_TEST(moved_tally, knows_nothing_and_takes_nothing) {
  TypeParam full({.items = 100, .error = 0.01});
  for (int i = 0; i < 50; ++i) full.add(i, 20);
  after_each_move(full, [&](TypeParam& moved) {
    EXPECT_EQ(moved.count(1), nothing_known);
    if constexpr (cell_tally_engine<TypeParam>) {
      EXPECT_EQ(moved.k(), 0u);
      EXPECT_EQ(moved.cells(), 0u);
      (void)moved.position(digest_of(1, 0), 0);
    }
    EXPECT_EQ(moved.memory(), 0u);
    EXPECT_EQ(moved.confidence(), 0);
    EXPECT_EQ(moved.statistics().distinct, 0);
    EXPECT_EQ(moved.statistics().total, 0u);
    EXPECT_EQ(moved.total(), 0u);
    expect_refused([&] { moved.add(1); });
    expect_refused([&] { moved.add(1, 7); });
    if constexpr (TypeParam::removes) {
      expect_refused([&] { (void)moved.remove(1); });
      expect_refused([&] { (void)moved.remove(1, 7); });
    }
    if constexpr (requires { moved.bits(); }) expect_refused([&] { (void)moved.bits(); });
    if constexpr (requires { moved.levels(); }) {
      EXPECT_TRUE(moved.levels().empty());
    }
    expect_refused([&] { (void)moved.predicted_error(1); });
    expect_refused([&] { (void)moved.current_error(); });
    const std::vector<int> items(40, 1);
    std::array<counted, 40> answers;
    std::array<outcome, 40> outcomes;
    moved.count_bulk(items, answers);
    for (const counted& answer : answers) EXPECT_EQ(answer, nothing_known);
    expect_refused([&] { moved.add_bulk(items, outcomes); });
    expect_refused([&] { moved.merge(full); });
    expect_refused([&] { moved.merge(moved); });
    expect_not_stored(moved);
    const errc expected =
        cell_tally_engine<TypeParam> ? errc::incompatible : errc::invalid_argument;
    support::expect_error(expected, [&] { full.merge(moved); });
    TypeParam copy = moved;
    EXPECT_EQ(copy.count(1), nothing_known);
  });
}

// -- history -----------------------------------------------------------------------------------

single_history some_history(const single_history*) {
  return single_history({.pairs = 100, .error = 0.01, .ticks = 16});
}
tree_history some_history(const tree_history*) {
  return tree_history({.granularity = 4, .sizes = {{{{256, 4}}}, {256, 4}}});
}
level_history some_history(const level_history*) {
  return level_history({.levels = {{256, 4}}, .most_levels = 8, .learns = true});
}

template <class Engine>
class moved_history : public ::testing::Test {};
using histories = ::testing::Types<single_history, tree_history, level_history>;
TYPED_TEST_SUITE(moved_history, histories);

TYPED_TEST(moved_history, says_maybe_and_takes_nothing) {
  const auto at = [](int second) { return instant(second * 1'000'000); };
  TypeParam full = some_history(static_cast<const TypeParam*>(nullptr));
  for (int i = 0; i < 10; ++i) ASSERT_EQ(full.add(i, at(i)), outcome::added);
  after_each_move(full, [&](TypeParam& moved) {
    EXPECT_EQ(moved.seen(1, at(0), at(9)), sighting::maybe);
    EXPECT_EQ(moved.seen("never", at(3), at(3)), sighting::maybe);
    EXPECT_EQ(moved.ticks(), 0u);
    expect_refused([&] { (void)moved.add(1, at(1)); });
    expect_refused([&] { (void)moved.add(1, at(100)); });
    expect_refused([&] { moved.merge(full); });
    expect_refused([&] { (void)TypeParam::joined(moved, full); });
    if constexpr (requires { moved.coarsen(1); }) expect_refused([&] { moved.coarsen(1); });
    if constexpr (requires { moved.pair_ticks(1, interval{}); }) {
      EXPECT_EQ(moved.pair_ticks(1, {tick{0}, tick{5}}), 0u);
    }
    EXPECT_EQ(moved.memory(), 0u);
    expect_not_stored(moved);
    expect_refused([&] { full.merge(moved); });
  });
}

}  // namespace bloomtime::moved_test
