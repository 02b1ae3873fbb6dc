#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

#include "support/files.hpp"
#include "support/history_engines.hpp"
#include "support/oracle_history.hpp"

// Histories that were stored, merged, joined or made coarser still never deny what was seen.
namespace bloomtime {
namespace history_storage_test {

using namespace published;
using support::add_any;
using support::any_folding_size;
using support::any_ticks;
using support::expect_nothing_denied;
using support::knows_ticks;
using support::oracle_history;
using support::settle;

static_assert(history_engine<single_history>);
static_assert(history_engine<tree_history>);
static_assert(history_engine<level_history>);
static_assert(history_engine<timeline_history>);
static_assert(history_engine<history>);

// Stored and read back at any moment, it goes on exactly as if nothing had happened.
template <history_engine History>
void expect_same_after_storage(History f, std::uint64_t ticks) {
  oracle_history exact;
  const int rounds = *rc::gen::inRange(0, 20);
  const int stored_after = *rc::gen::inRange(0, 20);
  History reloaded = f;
  for (int i = 0; i < rounds; ++i) {
    if (i == stored_after) reloaded = History::load(reloaded.serialize());
    const auto item = *rc::gen::inRange<std::uint64_t>(0, support::few_items);
    const auto t = *rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(ticks));
    const instant when = instant::from_seconds(t);
    RC_ASSERT(f.add(item, when) == reloaded.add(item, when));
    exact.add(item, t);
  }
  settle(f);
  settle(reloaded);
  const auto bytes = f.serialize();
  RC_ASSERT(reloaded.serialize() == bytes);
  const History loaded = History::load(bytes);
  RC_ASSERT(loaded.serialize() == bytes);
  // A list that grew may have spare room.
  if constexpr (!knows_ticks<History>) RC_ASSERT(loaded.memory() <= f.memory());
  const support::temporary_directory directory(support::quick_place());
  f.save(directory / "f");
  const auto mapped = History::map(directory / "f");
  mapped.verify();
  RC_ASSERT(mapped->serialize() == bytes);
  for (int i = 0; i < 8; ++i) expect_nothing_denied(*mapped, exact, support::any_interval(ticks));
}

template <class Sample>
class stored_history : public ::testing::Test {};
TYPED_TEST_SUITE(stored_history, support::history_samples);

TYPED_TEST(stored_history, goes_on_as_it_was) {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t ticks = any_ticks();
    expect_same_after_storage(TypeParam::draw(ticks), ticks);
  }));
}

// Two shards merged are what one history of both would have been, bit for bit.
template <history_engine History>
void expect_union(const History& empty, std::uint64_t ticks) {
  History all = empty;
  History left = empty;
  History right = empty;
  const int rounds = *rc::gen::inRange(0, 30);
  for (int i = 0; i < rounds; ++i) {
    const auto item = *rc::gen::inRange<std::uint64_t>(0, support::few_items);
    const instant when =
        instant::from_seconds(*rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(ticks)));
    RC_ASSERT(all.add(item, when) == outcome::added);
    RC_ASSERT((item % 2 == 0 ? left : right).add(item, when) == outcome::added);
  }
  left.merge(right);
  RC_ASSERT(left.newest() == all.newest());
  RC_ASSERT(left.records() == all.records());
  settle(left);
  settle(all);
  RC_ASSERT(left.serialize() == all.serialize());
  if constexpr (!knows_ticks<History>) {
    RC_ASSERT(left.memory() <= 2 * all.memory() && all.memory() <= 2 * left.memory());
  }
}

template <class Sample>
class merged_history : public ::testing::Test {};
TYPED_TEST_SUITE(merged_history, support::history_samples);

TYPED_TEST(merged_history, is_that_of_both) {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t ticks = any_ticks();
    expect_union(TypeParam::draw(ticks), ticks);
  }));
}

template <history_engine History>
History filled_span(History f, oracle_history& exact) {
  const int rounds = *rc::gen::inRange(0, 12);
  for (int i = 0; i < rounds; ++i) {
    add_any(f, exact, f.ticks(), static_cast<std::int64_t>(f.first()));
  }
  return f;
}

// Four neighbours become two, and then one; more may be added, also after storing it.
template <history_engine History, class Make>
void expect_joined(Make&& make, std::uint64_t ticks) {
  oracle_history exact;
  const std::uint64_t first = 4 * ticks * *rc::gen::inRange<std::uint64_t>(0, 3);
  std::vector<History> parts;
  for (std::uint64_t i = 0; i < 4; ++i) parts.push_back(make(first + i * ticks));
  for (History& part : parts) part = filled_span(part, exact);
  const auto join = [](const History& left, const History& right) {
    return History::joined(left, right);
  };
  History all = join(join(parts[0], parts[1]), join(parts[2], parts[3]));
  RC_ASSERT(all.first() == first);
  RC_ASSERT(all.ticks() == 4 * ticks);
  expect_nothing_denied(all, exact);
  all = History::load(filled_span(all, exact).serialize());
  expect_nothing_denied(all, exact);
}

std::uint64_t any_power() { return std::uint64_t{1} << *rc::gen::inRange(0, 7); }

RC_GTEST_PROP(joined_history, denies_nothing_single, ()) {
  const std::uint64_t ticks = any_ticks();
  expect_joined<single_history>(
      [&](std::uint64_t first) {
        return single_history({.memory = std::uint64_t{8} << *rc::gen::inRange(0, 2),
                               .k = *rc::gen::inRange(1u, 9u),
                               .ticks = ticks,
                               .first = first});
      },
      ticks);
}
// Level 0 stays, so that one level is in all of them, but in spans of a single tick.
RC_GTEST_PROP(joined_history, denies_nothing_level, ()) {
  const std::uint64_t ticks = any_power();
  expect_joined<level_history>(
      [&](std::uint64_t first) {
        level_config c = support::any_levels(ticks, any_folding_size);
        c.first = first;
        return level_history(c);
      },
      ticks);
}
RC_GTEST_PROP(joined_history, denies_nothing_tree, ()) {
  const std::uint64_t ticks = 8 * any_power();
  const tree_config like = support::any_tree(ticks, 3, any_folding_size);
  expect_joined<tree_history>(
      [&](std::uint64_t first) {
        tree_config c = like;
        c.first = first;
        for (auto& level : c.sizes.nodes) {
          for (auto& size : level) size = any_folding_size(true);
        }
        return tree_history(c);
      },
      ticks);
}

// Coarser and coarser, with more sightings in between.
template <history_engine History>
void expect_coarse(History f, unsigned root) {
  oracle_history exact;
  f = filled_span(f, exact);
  for (int i = 0; i < 3; ++i) {
    try {
      f.coarsen(*rc::gen::inRange(0u, root + 1));
    } catch (const error& e) {
      RC_ASSERT(e.code() == errc::invalid_argument);  // nothing would be left
    }
    f = History::load(filled_span(f, exact).serialize());
    expect_nothing_denied(f, exact);
  }
}

RC_GTEST_PROP(coarse_history, denies_nothing_level, ()) {
  level_history f(support::any_levels(any_ticks()));
  expect_coarse(f, f.heights());
}
RC_GTEST_PROP(coarse_history, denies_nothing_tree, ()) {
  tree_history f(support::any_tree(any_ticks()));
  expect_coarse(f, f.heights() + 4);
}

}  // namespace history_storage_test
}  // namespace bloomtime
