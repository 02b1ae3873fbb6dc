#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <bloomtime/published/dynamic_count/sizes.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "support/oracle_tally.hpp"

// Whatever comes and goes: every cell is what the exact twin says, and no answer is too low.
namespace bloomtime {
namespace tally_property {

using namespace published;
using support::oracle_tally;

constexpr std::uint64_t tally_items = 12;

support::tally_shape any_tally_shape() {
  return {*rc::gen::inRange<std::uint64_t>(1, 20), *rc::gen::element(0.5, 0.2, 0.05, 0.01),
          *rc::gen::inRange<std::uint64_t>(0, 1000)};
}

// Mostly small, sometimes across several widths at once.
std::uint64_t any_amount() {
  const auto small = *rc::gen::inRange<std::uint64_t>(0, 4);
  if (small != 0) return small;
  return *rc::gen::inRange<std::uint64_t>(0, 256) << *rc::gen::inRange(0, 40);
}

// What the recurring minimum answers may be too low, what it encloses may not.
template <cell_tally_engine Engine>
void expect_answers(const Engine& f, const oracle_tally& exact) {
  for (std::uint64_t x = 0; x < 2 * tally_items; ++x) {
    const counted answer = f.count(x);
    const std::uint64_t least = exact.least(f, x);
    RC_ASSERT(answer.upper == least);
    RC_ASSERT(answer.upper >= exact.truth(x));
    RC_ASSERT(answer.lower <= answer.value && answer.value <= answer.upper);
    RC_ASSERT(!answer.saturated);
    if (Engine::one_sided) RC_ASSERT(answer.value == least);
    if constexpr (requires { f.value_of(x); }) RC_ASSERT(f.value_of(x) == answer.value);
    if constexpr (requires { f.lines(); }) RC_ASSERT(answer.lower == exact.lower(f, x));
  }
}

// One event, to both; true if the engine took it.
template <cell_tally_engine Engine>
bool any_event(Engine& f, oracle_tally& exact) {
  const auto item = *rc::gen::inRange<std::uint64_t>(0, tally_items);
  if constexpr (removing_tally_engine<Engine>) {
    if (*rc::gen::inRange(0, 3) == 0) {
      const std::uint64_t amount = std::min(any_amount(), exact.truth(item));
      RC_ASSERT(f.remove(item, amount) == outcome::added);
      exact.remove(f, item, amount);
      return true;
    }
  }
  const std::uint64_t amount = any_amount();
  if (*std::max_element(exact.cells().begin(), exact.cells().end()) + amount > 0xfffffffe) {
    return false;  // counters of 32 bits would be stuck
  }
  RC_ASSERT(f.add(item, amount) == outcome::added);
  exact.add(f, item, amount);
  return true;
}

template <class Kind>
class any_tally : public ::testing::Test {};
TYPED_TEST_SUITE(any_tally, support::cell_kinds);

TYPED_TEST(any_tally, counts_like_its_exact_twin) {
  const bool holds = rc::check([] {
    auto f = TypeParam::make(any_tally_shape());
    oracle_tally exact(f);
    const int events = *rc::gen::inRange(1, 120);
    for (int i = 0; i < events; ++i) {
      if (any_event(f, exact)) RC_ASSERT(exact.same_cells(f));
    }
    expect_answers(f, exact);
    const auto bytes = f.serialize();
    using engine = typename TypeParam::engine;
    const engine again = engine::load(bytes);
    RC_ASSERT(again.serialize() == bytes);
    RC_ASSERT(exact.same_cells(again));
  });
  EXPECT_TRUE(holds);
}

TYPED_TEST(any_tally, merges_to_the_filter_of_both_streams) {
  const bool holds = rc::check([] {
    const support::tally_shape shape = any_tally_shape();
    auto f = TypeParam::make(shape);
    auto g = TypeParam::make(shape);
    oracle_tally first(f);
    oracle_tally second(g);
    for (int i = *rc::gen::inRange(0, 40); i > 0; --i) (void)any_event(f, first);
    for (int i = *rc::gen::inRange(0, 40); i > 0; --i) (void)any_event(g, second);
    const auto before = f;
    f.merge(g);
    for (std::uint64_t c = 0; c < f.cells(); ++c) {
      const std::uint64_t sum = first.cells()[c] + second.cells()[c];
      RC_ASSERT(f.cell(c) == sum || (sum >= 0xffffffff && f.cell(c) == 0xffffffff));
    }
    RC_ASSERT(f.total() == first.total() + second.total());
    g.merge(before);
    RC_ASSERT(g.count(0).upper == f.count(0).upper);
  });
  EXPECT_TRUE(holds);
}

template <class Kind>
class any_removing_tally : public ::testing::Test {};
TYPED_TEST_SUITE(any_removing_tally, support::removing_cell_kinds);

TYPED_TEST(any_removing_tally, is_empty_when_all_has_gone) {
  const bool holds = rc::check([] {
    auto f = TypeParam::make(any_tally_shape());
    const auto bytes = f.memory();
    oracle_tally exact(f);
    for (int i = *rc::gen::inRange(0, 60); i > 0; --i) (void)any_event(f, exact);
    while (exact.total() > 0) {
      std::vector<std::uint64_t> left;
      for (const auto& [item, count] : exact.counts()) {
        if (count > 0) left.push_back(item);
      }
      const auto item = *rc::gen::elementOf(left);
      const std::uint64_t amount = exact.truth(item) - exact.truth(item) / 4;
      RC_ASSERT(f.remove(item, amount) == outcome::added);
      exact.remove(f, item, amount);
    }
    RC_ASSERT(exact.same_cells(f));
    const tally_statistics s = f.statistics();
    RC_ASSERT(s.total == 0U && s.largest == 0U && s.distinct == 0);
    using engine = typename TypeParam::engine;
    if constexpr (!std::same_as<engine, spectral_filter> &&
                  !std::same_as<engine, recurring_spectral_filter>) {
      RC_ASSERT(f.memory() == bytes);  // strings do not become shorter
    }
    if constexpr (std::same_as<engine, dynamic_count_filter>) RC_ASSERT(f.overflow_bits() == 0U);
    if constexpr (std::same_as<engine, tally_filter>) RC_ASSERT(f.large() == 0U);
  });
  EXPECT_TRUE(holds);
}

// What is refused leaves no trace; and what a filter cannot know is not refused.
TYPED_TEST(any_removing_tally, refuses_what_is_certainly_not_there) {
  const bool holds = rc::check([] {
    auto f = TypeParam::make(any_tally_shape());
    oracle_tally exact(f);
    for (int i = *rc::gen::inRange(0, 40); i > 0; --i) (void)any_event(f, exact);
    const auto item = *rc::gen::inRange<std::uint64_t>(0, 2 * tally_items);
    const std::uint64_t more = exact.least(f, item) + 1 + any_amount();
    const auto bytes = f.serialize();
    RC_ASSERT(f.remove(item, more) == outcome::refused);
    RC_ASSERT(f.remove(item, ~std::uint64_t{0}) == outcome::refused);
    RC_ASSERT(f.serialize() == bytes);
    RC_ASSERT(f.remove(item, exact.least(f, item)) == outcome::added);
  });
  EXPECT_TRUE(holds);
}

// The order in which items come and go leaves no trace in the cells.
TYPED_TEST(any_removing_tally, does_not_care_about_order) {
  const bool holds = rc::check([] {
    const support::tally_shape shape = any_tally_shape();
    auto f = TypeParam::make(shape);
    auto g = TypeParam::make(shape);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> adds;
    for (int i = *rc::gen::inRange(1, 20); i > 0; --i) {
      adds.emplace_back(*rc::gen::inRange<std::uint64_t>(0, tally_items), any_amount() % 100'000);
    }
    for (const auto& [item, amount] : adds) {
      RC_ASSERT(f.add(item, amount) == outcome::added);
      RC_ASSERT(f.remove(item, amount / 2) == outcome::added);
    }
    for (auto a = adds.rbegin(); a != adds.rend(); ++a) {
      RC_ASSERT(g.add(a->first, a->second) == outcome::added);
    }
    for (const auto& [item, amount] : adds) {
      RC_ASSERT(g.remove(item, amount / 2) == outcome::added);
    }
    for (std::uint64_t c = 0; c < f.cells(); ++c) RC_ASSERT(f.cell(c) == g.cell(c));
  });
  EXPECT_TRUE(holds);
}

// -- tables ------------------------------------------------------------------------------------

using item_counts = std::map<std::uint64_t, std::uint64_t>;

tally_table_config any_table() {
  tally_table_config c{.items = *rc::gen::element<std::uint64_t>(10, 1000),
                       .error = *rc::gen::element(0.5, 1e-2, 1e-6),
                       .seed = *rc::gen::inRange<std::uint64_t>(0, 1000)};
  if (*rc::gen::inRange(0, 2) == 0) c.memory = *rc::gen::element<std::uint64_t>(64, 256, 8192);
  c.reserve = !c.memory && *rc::gen::inRange(0, 2) == 0;
  return c;
}

// Adds and removals in runs over many items, so that blocks fill up and empty.
void any_run(tally_table& f, item_counts& exact) {
  const auto first = *rc::gen::inRange<std::uint64_t>(0, 500);
  const auto items = *rc::gen::inRange<std::uint64_t>(1, 200);
  const std::uint64_t amount = any_amount();
  const bool removes = *rc::gen::inRange(0, 3) == 0;
  for (std::uint64_t x = first; x < first + items; ++x) {
    if (removes) {
      const std::uint64_t less = std::min(amount, exact[x]);
      RC_ASSERT(f.remove(x, less) == outcome::added);
      exact[x] -= less;
    } else if (f.add(x, amount) == outcome::added) {
      exact[x] += amount;
    } else {
      RC_ASSERT(f.count(x).value >= exact[x]);
    }
  }
}

void expect_covered(const tally_table& f, const item_counts& exact) {
  std::uint64_t total = 0;
  for (const auto& [x, count] : exact) {
    RC_ASSERT(f.count(x).value >= count);
    total += count;
  }
  RC_ASSERT(f.total() == total);
  RC_ASSERT(tally_table::load(f.serialize()).serialize() == f.serialize());
}

RC_GTEST_PROP(tally_table, is_never_too_low, ()) {
  const tally_table_config c = any_table();
  tally_table f(c);
  tally_table g(c);
  item_counts exact;
  item_counts others;
  for (int i = *rc::gen::inRange(1, 20); i > 0; --i) any_run(f, exact);
  for (int i = *rc::gen::inRange(1, 20); i > 0; --i) any_run(g, others);
  expect_covered(f, exact);
  const auto before = f.serialize();
  try {
    f.merge(g);
    for (const auto& [x, count] : others) exact[x] += count;
  } catch (const error& e) {
    RC_ASSERT(e.code() == errc::incompatible);
    RC_ASSERT(f.serialize() == before);
  }
  expect_covered(f, exact);
  for (auto& [x, count] : exact) RC_ASSERT(f.remove(x, std::exchange(count, 0)) == outcome::added);
  expect_covered(f, exact);
}

RC_GTEST_PROP(tally_table, adds_in_bulk_as_one_by_one, ()) {
  const tally_table_config c = any_table();
  tally_table single(c);
  tally_table bulk(c);
  item_counts exact;
  for (int i = *rc::gen::inRange(1, 20); i > 0; --i) {
    std::vector<std::uint64_t> items(*rc::gen::inRange<std::size_t>(0, 400));
    for (std::uint64_t& x : items) x = *rc::gen::inRange<std::uint64_t>(0, 500);
    std::vector<outcome> outcomes(items.size());
    bulk.add_bulk(items, outcomes);
    for (std::size_t j = 0; j < items.size(); ++j) {
      RC_ASSERT(outcomes[j] == single.add(items[j]));
      if (outcomes[j] == outcome::added) ++exact[items[j]];
    }
    if (*rc::gen::inRange(0, 3) == 0) {  // tables shrink as well
      for (auto& [x, count] : exact) {
        RC_ASSERT(bulk.remove(x, count) == outcome::added);
        RC_ASSERT(single.remove(x, std::exchange(count, 0)) == outcome::added);
      }
    }
    RC_ASSERT(bulk.serialize() == single.serialize());
  }
  expect_covered(bulk, exact);
}

// Minimum increase never has more in a cell than plain counting.
RC_GTEST_PROP(rising_tally, is_nowhere_above_a_tally_filter, ()) {
  const support::tally_shape shape = any_tally_shape();
  auto rising = support::own_kind<tally_rule::minimum, 4>::make(shape);
  auto plain = support::own_kind<tally_rule::all, 4>::make(shape);
  for (int i = *rc::gen::inRange(1, 100); i > 0; --i) {
    const auto item = *rc::gen::inRange<std::uint64_t>(0, tally_items);
    const std::uint64_t amount = any_amount();
    RC_ASSERT(rising.add(item, amount) == outcome::added);
    RC_ASSERT(plain.add(item, amount) == outcome::added);
  }
  for (std::uint64_t c = 0; c < plain.cells(); ++c) RC_ASSERT(rising.cell(c) <= plain.cell(c));
}

// Whatever the width: T lies where a narrower vector can hold what is below it, the count of cells
// above it is right, and the vector is exactly as wide as the largest cell needed when it grew.
RC_GTEST_PROP(dynamic_count_filter, keeps_its_books, ()) {
  dynamic_count_filter f(
      {.items = 4,
       .error = 0.2,
       .base_bits = *rc::gen::inRange(1U, 7U),
       .threshold = *rc::gen::element(0.0, 0.1, 0.25, 0.5, 0.9, 1.0),
       .shrinking = *rc::gen::element(shrinking::with_gap, shrinking::published)});
  oracle_tally exact(f);
  for (int i = *rc::gen::inRange(1, 120); i > 0; --i) {
    const std::uint64_t grown = f.growths();
    if (!any_event(f, exact)) continue;
    const unsigned x = f.base_bits();
    const unsigned y = f.overflow_bits();
    std::uint64_t largest = 0;
    std::uint64_t above = 0;
    std::vector<level_count> levels(f.levels().empty() ? 0 : y + 1);
    for (const std::uint64_t v : exact.cells()) {
      largest = std::max(largest, v);
      above += y > 0 && v >= f.threshold();
      if (levels.empty()) continue;
      const unsigned level = published::overflow_level(v >> x);
      const bool high = v >= published::published_level_threshold(x, level, f.lambda());
      ++(high ? levels[level].above : levels[level].below);
    }
    RC_ASSERT((largest >> (x + y)) == 0U);
    RC_ASSERT(f.above() == above);
    RC_ASSERT(y == 0 || f.threshold() <= std::uint64_t{1} << (x + y - 1));
    RC_ASSERT(y == 0 || above > 0);
    RC_ASSERT(f.levels() == levels);
    if (f.growths() > grown) RC_ASSERT(y == published::overflow_level(largest >> x));
  }
}

}  // namespace tally_property
}  // namespace bloomtime
