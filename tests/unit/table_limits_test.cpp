#include <gtest/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/math/random.hpp>

#include <chrono>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/table_kinds.hpp"

// Tables that have no room: at the cap of their stash, and in merges under a memory limit. What
// they took stays, what they refuse changes nothing.
namespace bloomtime::table_limits_test {

using namespace std::chrono_literals;
using support::expect_error;

constexpr instant now(0);
constexpr std::uint64_t items = 20'000;

// Items for one pair of blocks, by someone who knows the seed.
class aimed_items {
 public:
  digest next() { return {std::uint64_t{0x55} << 56 | random_() >> 8, std::uint64_t{7} << 40}; }

 private:
  math::random_source random_{4};
};

template <class Kind>
typename Kind::table at_load_95() {
  auto t = Kind::of(items, 1e-6, true);
  for (std::uint64_t x = 0; x < t.slots() * 95 / 100; ++x) {
    EXPECT_EQ(Kind::add(t, x, now), outcome::added);
  }
  return t;
}

template <class Table>
std::uint64_t most_stashed(const Table& t) {
  return 64 + t.slots() / 32;
}

template <class Kind>
class any_tables : public testing::Test {};
TYPED_TEST_SUITE(any_tables, support::table_kinds);

// -- the stash at its cap ----------------------------------------------------------------------

template <class Kind>
class full_stash : public testing::Test {
 protected:
  typename Kind::table t = at_load_95<Kind>();
  const std::uint64_t filled = t.slots() * 95 / 100;
  std::vector<digest> added;
  digest refused{};

  full_stash() {
    aimed_items aimed;
    for (refused = aimed.next(); Kind::add(t, refused, now) == outcome::added;) {
      added.push_back(refused);
      refused = aimed.next();
    }
  }
  static void expect_all(const typename Kind::table& t, const std::vector<digest>& aimed,
                         std::uint64_t others) {
    for (const digest& d : aimed) ASSERT_TRUE(Kind::has(t, d, now));
    for (std::uint64_t x = 0; x < others; ++x) ASSERT_TRUE(Kind::has(t, x, now)) << x;
  }
};
using kinds_with_full = testing::Types<support::recency_kind, support::tally_kind>;
TYPED_TEST_SUITE(full_stash, kinds_with_full);

TYPED_TEST(full_stash, refuses_without_a_change) {
  EXPECT_EQ(this->t.stashed(), most_stashed(this->t));
  EXPECT_GT(this->added.size(), this->t.stashed());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(TypeParam::add(this->t, this->refused, now), outcome::full);
    EXPECT_FALSE(TypeParam::has(this->t, this->refused, now));
  }
  EXPECT_EQ(this->t.losses().full, 4U);
  this->expect_all(this->t, this->added, this->filled);
}

TYPED_TEST(full_stash, is_stored_and_goes_on) {
  const auto bytes = this->t.serialize();
  auto loaded = TypeParam::table::load(bytes);
  EXPECT_TRUE(loaded.serialize() == bytes);
  EXPECT_EQ(loaded.stashed(), this->t.stashed());
  this->expect_all(loaded, this->added, this->filled);
  EXPECT_EQ(TypeParam::add(loaded, this->refused, now), outcome::full);
}

// Other items make the table grow, and its stash gives entries back as blocks are divided.
TYPED_TEST(full_stash, leaves_room_for_others) {
  const std::uint64_t more = 4 * items;
  for (std::uint64_t x = this->filled; x < more; ++x) {
    ASSERT_EQ(TypeParam::add(this->t, x, now), outcome::added) << x;
  }
  this->expect_all(this->t, this->added, more);
  EXPECT_LE(this->t.stashed(), most_stashed(this->t));
  EXPECT_EQ(TypeParam::add(this->t, this->refused, now), outcome::added);
}

// Both stashes are at their cap: the sum has all items, or the merge is refused and nothing
// changed.
TYPED_TEST(full_stash, merges_all_or_nothing) {
  auto other = at_load_95<TypeParam>();
  aimed_items aimed;
  std::vector<digest> theirs;
  for (int i = 0; i < 3000; ++i) {
    const digest d = aimed.next();
    if (TypeParam::add(other, d, now) == outcome::added) theirs.push_back(d);
  }
  const auto before = this->t.serialize();
  try {
    this->t.merge(other);
    this->expect_all(this->t, theirs, this->filled);
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::incompatible);
    EXPECT_TRUE(this->t.serialize() == before);
  }
  this->expect_all(this->t, this->added, this->filled);
}

// A heat table divides its blocks instead of refusing: aimed items take more memory than others, up
// to 87 bytes each where the others take 7, and a memory limit bounds them together.
TEST(heat_table, aimed_items_take_bounded_memory) {
  auto t = at_load_95<support::heat_kind>();
  const std::uint64_t memory = t.memory();
  aimed_items aimed;
  std::vector<digest> added;
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    added.push_back(aimed.next());
    ASSERT_EQ(t.add(added.back(), now), outcome::added);
    ASSERT_LE(t.memory(), 2 * memory + 96 * i);
  }
  for (const digest& d : added) ASSERT_GE(t.at(d, now).upper, 1);

  auto limited = support::heat_kind::limited(8192);
  for (const digest& d : added) {
    const outcome became = limited.add(d, now);
    ASSERT_TRUE(became == outcome::added || became == outcome::full);
    // Blocks, a stash of at most 64 entries and one per 32 slots, and the index of large counts.
    ASSERT_LE(limited.memory(), 8192U + 8192U);
    if (became == outcome::added) {
      ASSERT_GE(limited.at(d, now).upper, 1);
    }
  }
}

// -- memory that was used before ---------------------------------------------------------------

// Grows, shrinks where items can leave, and grows again.
template <class Kind>
typename Kind::table used_table() {
  auto t = Kind::of(1000, 1e-4, false);
  const instant later(3'600'000'000);
  for (std::uint64_t x = 0; x < 20'000; ++x) Kind::add(t, x, now);
  if constexpr (requires { t.remove(std::uint64_t{0}); }) {
    for (std::uint64_t x = 0; x < 19'000; ++x) EXPECT_EQ(t.remove(x), outcome::added);
  }
  for (std::uint64_t x = 0; x < 12'000; ++x) Kind::add(t, 50'000 + x % 300, later);
  for (std::uint64_t x = 0; x < 20'000; ++x) Kind::add(t, 100'000 + x, later);
  return t;
}

TYPED_TEST(any_tables, do_not_depend_on_what_their_memory_held) {
  const auto bytes = used_table<TypeParam>().serialize();
  const support::allocations dirty;
  const auto t = used_table<TypeParam>();
  EXPECT_TRUE(t.serialize() == bytes);
  EXPECT_TRUE(TypeParam::table::load(bytes).serialize() == bytes);
}

// -- merges without room -----------------------------------------------------------------------

TYPED_TEST(any_tables, merge_all_or_nothing_under_a_memory_limit) {
  constexpr std::uint64_t memory = 16 * 1024;
  bool refused = false;
  bool merged = false;
  for (std::uint64_t each = 100; each < 4000; each += each / 4) {
    auto a = TypeParam::limited(memory);
    auto b = TypeParam::limited(memory);
    std::vector<std::uint64_t> ours;
    std::vector<std::uint64_t> theirs;
    for (std::uint64_t x = 0; x < each; ++x) {
      if (TypeParam::add(a, x, now) == outcome::added) ours.push_back(x);
      const std::uint64_t y = 1'000'000 + x;
      if (TypeParam::add(b, y, now) == outcome::added) theirs.push_back(y);
    }
    const auto before = a.serialize();
    try {
      a.merge(b);
      merged = true;
      for (const std::uint64_t y : theirs) ASSERT_GE(TypeParam::upper(a, y, now), 1) << each;
    } catch (const error& e) {
      refused = true;
      EXPECT_EQ(e.code(), errc::incompatible);
      EXPECT_TRUE(a.serialize() == before) << each;
    }
    for (const std::uint64_t x : ours) ASSERT_GE(TypeParam::upper(a, x, now), 1) << each;
    EXPECT_LE(a.memory(), 2 * memory);
  }
  EXPECT_TRUE(merged);
  // A heat table gives up its lightest items instead, and answers them by a floor.
  EXPECT_EQ(refused, (!std::is_same_v<TypeParam, support::heat_kind>));
}

// Items that have too many hits for a floor cannot be given up.
TEST(heat_table, merges_of_hot_items_without_room_change_nothing) {
  auto a = support::heat_kind::limited(8192);
  auto b = support::heat_kind::limited(8192);
  for (std::uint64_t x = 0; x < 1000; ++x) {
    a.add(x, now, 5000);
    b.add(1'000'000 + x, now, 5000);
  }
  const auto before = a.serialize();
  expect_error(
      errc::incompatible, [&] { a.merge(b); }, "leaves no room");
  EXPECT_TRUE(a.serialize() == before);
}

// -- bursts one half-life apart ----------------------------------------------------------------

// Counts halve exactly between bursts, whatever part of a tick the first one comes in.
TEST(heat_table, bursts_exactly_one_half_life_apart) {
  constexpr std::uint64_t burst = 1500;
  for (const std::int64_t phase : {0, 333'333, 999'999}) {
    heat_table t({.items = burst, .error = 1e-7, .half_life = 60s});
    double truth = 0;
    for (std::int64_t round = 0; round < 8; ++round) {
      const instant when(phase + round * 60'000'000);
      for (std::uint64_t x = 0; x < burst; ++x)
        ASSERT_EQ(t.add(x, when, 1 + x % 9), outcome::added);
      truth = truth / 2 + 1;
      for (std::uint64_t x = 0; x < burst; ++x) {
        const double hits = truth * static_cast<double>(1 + x % 9);
        const estimate e = t.at(x, when);
        ASSERT_GE(e.upper, hits * (1 - 1e-9)) << phase << ' ' << round;
        ASSERT_LE(e.value, hits * 1.01 + 0.01) << phase << ' ' << round;
      }
    }
  }
}

}  // namespace bloomtime::table_limits_test
