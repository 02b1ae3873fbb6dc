#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bloomtime/published/dynamic_count/sizes.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/growth.hpp"
#include "support/oracle_tally.hpp"
#include "support/soaking.hpp"
#include "support/without_memory.hpp"

namespace bloomtime {
namespace tally_test {

using namespace published;
using support::expect_error;

constexpr std::uint64_t most_amount = ~std::uint64_t{0};

static_assert(removing_tally_engine<counting_filter>);
static_assert(removing_tally_engine<spectral_filter>);
static_assert(removing_tally_engine<recurring_spectral_filter>);
static_assert(removing_tally_engine<dynamic_count_filter>);
static_assert(removing_tally_engine<tally_filter>);
static_assert(removing_tally_engine<tally_table> && !cell_tally_engine<tally_table>);
static_assert(cell_tally_engine<tally_filter> && cell_tally_engine<rising_spectral_filter>);
static_assert(tally_engine<rising_tally> && !removing_tally_engine<rising_tally>);
static_assert(tally_engine<rising_spectral_filter> &&
              !removing_tally_engine<rising_spectral_filter>);
static_assert(spectral_filter::one_sided && rising_spectral_filter::one_sided &&
              !recurring_spectral_filter::one_sided);

// An item that meets `x` in cell `i` and in no other.
template <cell_tally_engine Engine>
std::uint64_t neighbour(const Engine& f, std::uint64_t x, unsigned i) {
  for (std::uint64_t y = x + 1;; ++y) {
    bool fits = true;
    for (unsigned j = 0; j < f.k(); ++j) {
      const bool same =
          f.position(digest_of(x, f.seed()), j) == f.position(digest_of(y, f.seed()), j);
      fits = fits && same == (i == j);
    }
    if (fits) return y;
  }
}

template <class Kind>
class tally : public ::testing::Test {
 protected:
  using engine = typename Kind::engine;
  engine f = Kind::make({20, 0.1, 7});
};
TYPED_TEST_SUITE(tally, support::all_kinds);

TYPED_TEST(tally, counts_what_comes) {
  EXPECT_EQ(this->f.count("x"), counted());
  EXPECT_EQ(this->f.add("x"), outcome::added);
  EXPECT_EQ(this->f.add("x", 41), outcome::added);
  EXPECT_EQ(this->f.count("x").value, 42U);
  EXPECT_EQ(this->f.count("x").lower, 42U);  // nothing else is there
  EXPECT_EQ(this->f.count(digest_of("x", 7)).value, 42U);
  EXPECT_EQ(this->f.total(), 42U);
  EXPECT_EQ(this->f.count("").value, 0U);
}

TYPED_TEST(tally, adding_nothing_changes_nothing) {
  ASSERT_EQ(this->f.add("x", 3), outcome::added);
  const auto before = this->f.serialize();
  EXPECT_EQ(this->f.add("x", 0), outcome::added);
  EXPECT_EQ(this->f.add("y", 0), outcome::added);
  EXPECT_TRUE(this->f.serialize() == before);
}

TYPED_TEST(tally, takes_large_amounts_and_refuses_what_64_bits_cannot_hold) {
  ASSERT_NE(this->f.add("x", std::uint64_t{1} << 63), outcome::full);
  const auto before = this->f.serialize();
  EXPECT_EQ(this->f.add("y", std::uint64_t{1} << 63), outcome::full);
  EXPECT_EQ(this->f.add("x", most_amount), outcome::full);
  EXPECT_TRUE(this->f.serialize() == before);
  EXPECT_NE(this->f.add("x", (std::uint64_t{1} << 63) - 1), outcome::full);
  EXPECT_GE(this->f.count("x").upper, most_amount);
  EXPECT_EQ(this->f.add("x"), outcome::full);
  auto other = TypeParam::make({20, 0.1, 7});
  ASSERT_EQ(other.add("y"), outcome::added);
  expect_error(
      errc::too_large, [&] { this->f.merge(other); }, "64 bits");
}

template <class Kind>
class tally_of_cells : public ::testing::Test {};
TYPED_TEST_SUITE(tally_of_cells, support::cell_kinds);

// The answer is the least of all cells, wherever that is.
TYPED_TEST(tally_of_cells, answers_with_the_least_cell) {
  const support::tally_shape shape{200, 0.03, 7};
  const unsigned k = TypeParam::make(shape).k();
  ASSERT_GE(k, 3U);
  for (unsigned least = 0; least < k; ++least) {
    auto f = TypeParam::make(shape);
    for (unsigned i = 0; i < k; ++i) {
      const std::uint64_t amount = i == least ? 5 : 10 + (i + least) % k;
      ASSERT_EQ(f.add(neighbour(f, 1000, i), amount), outcome::added);
    }
    EXPECT_EQ(f.count(1000).upper, 5U) << least;
  }
}

TYPED_TEST(tally, merges_with_itself_and_with_no_other_shape) {
  for (int i = 0; i < 30; ++i) ASSERT_EQ(this->f.add(i % 10, 100), outcome::added);
  this->f.merge(this->f);
  EXPECT_EQ(this->f.total(), 6000U);
  EXPECT_GE(this->f.count(3).upper, 600U);
  for (const support::tally_shape& shape :
       {support::tally_shape{20, 0.1, 8}, {400'000, 0.1, 7}, {20, 1e-5, 7}}) {
    const auto other = TypeParam::make(shape);
    expect_error(
        errc::incompatible, [&] { this->f.merge(other); }, "same shape and seed");
  }
}

TYPED_TEST(tally, tells_what_it_holds) {
  auto f = TypeParam::make({1000, 0.01, 3});
  for (int i = 0; i < 500; ++i) ASSERT_EQ(f.add(i, i == 77 ? 5000 : 2), outcome::added);
  const tally_statistics s = f.statistics();
  EXPECT_NEAR(s.distinct, 500, 25);
  EXPECT_EQ(s.total, 5998U);
  EXPECT_GE(s.largest, 5000U);
  EXPECT_LT(s.largest, 5020U);
  EXPECT_EQ(s.saturated, 0U);
  EXPECT_GT(f.confidence(), 0.9);
}

TYPED_TEST(tally_of_cells, refuses_sizes_that_mean_nothing) {
  for (const double error : {0.0, 1.0, -0.5}) {
    expect_error(errc::invalid_argument, [&] { TypeParam::make({10, error, 0}); });
  }
  expect_error(errc::invalid_argument, [] { TypeParam::make({0, 0.1, 0}); });
  expect_error(errc::too_large, [] { TypeParam::make({most_amount, 0.1, 0}); });
}

TYPED_TEST(tally, reports_the_memory_it_has) {
  const support::allocations hook;
  auto f = TypeParam::make({500, 0.1, 0});
  EXPECT_GT(f.memory(), 0U);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(f.add(i, 3 + 1000 * (i % 2)), outcome::added);
    support::expect_counted(f.memory(), hook);
  }
  const auto copy = f;
  EXPECT_EQ(copy.memory(), f.memory());
  support::expect_counted(f.memory() + copy.memory(), hook);
}

// Spectral filters lay out all counters anew after every few large counts, and get small ones.
TYPED_TEST(tally, grows_through_the_allocator_hook_only) {
  using engine = typename TypeParam::engine;
  constexpr bool is_spectral = requires(const engine& e) { e.bits(); };
  support::allocations hook;
  std::optional<engine> made;
  support::expect_nothing_besides_the_hook(hook, [&] {
    made.emplace(TypeParam::make({40'000, 0.1, 7}));
    for (std::uint64_t i = 0; i < 40'000; ++i) made->add(i, is_spectral ? 1 : 70'000 + i);
  });
  EXPECT_GT(hook.live_bytes(), cell_tally_engine<engine> ? 280'000U : 120'000U);
}

template <class Kind>
class removing_tally : public tally<Kind> {};
TYPED_TEST_SUITE(removing_tally, support::removing_kinds);

TYPED_TEST(removing_tally, gives_back_what_goes) {
  ASSERT_EQ(this->f.add("x", 1000), outcome::added);
  ASSERT_EQ(this->f.add("y", 5), outcome::added);
  EXPECT_EQ(this->f.remove("x", 999), outcome::added);
  EXPECT_EQ(this->f.count("x").value, 1U);
  EXPECT_EQ(this->f.remove("x"), outcome::added);
  EXPECT_EQ(this->f.count("x").value, 0U);
  EXPECT_EQ(this->f.count("y").value, 5U);
  EXPECT_EQ(this->f.total(), 5U);
}

TYPED_TEST(removing_tally, refuses_to_go_below_zero) {
  EXPECT_EQ(this->f.remove("x"), outcome::refused);
  ASSERT_EQ(this->f.add("x", 7), outcome::added);
  const auto before = this->f.serialize();
  EXPECT_EQ(this->f.remove("x", 8), outcome::refused);
  EXPECT_EQ(this->f.remove("x", most_amount), outcome::refused);
  EXPECT_EQ(this->f.remove("absent"), outcome::refused);
  EXPECT_EQ(this->f.remove("absent", 0), outcome::added);
  EXPECT_TRUE(this->f.serialize() == before);
}

// -- counters of fixed width ---------------------------------------------------------------------

TEST(counting_filter, keeps_a_counter_at_its_end_and_says_so) {
  counting_filter f({.items = 10, .error = 0.01, .cell_bits = 4});
  for (int i = 0; i < 14; ++i) ASSERT_EQ(f.add("x"), outcome::added);
  EXPECT_FALSE(f.count("x").saturated);
  EXPECT_EQ(f.add("x"), outcome::saturated);
  EXPECT_EQ(f.add("x", 100), outcome::saturated);
  EXPECT_EQ(f.count("x"), (counted{15, 0, 115, true}));
  EXPECT_EQ(f.statistics().saturated, f.k());
  for (int i = 0; i < 115; ++i) ASSERT_EQ(f.remove("x"), outcome::saturated) << i;
  EXPECT_EQ(f.remove("x"), outcome::refused);  // there is nothing at all
  EXPECT_EQ(f.count("x"), (counted{15, 0, 15, true}));
  EXPECT_EQ(counting_filter::load(f.serialize()).count("x").value, 15U);
}

// Every counter that is not stuck is a bound.
TEST(counting_filter, asks_those_of_its_counters_that_still_count) {
  counting_filter f({.items = 10, .error = 0.01, .cell_bits = 4});
  ASSERT_EQ(f.add(1000, 3), outcome::added);
  ASSERT_EQ(f.add(neighbour(f, 1000, 0), 14), outcome::saturated);
  EXPECT_EQ(f.count(1000).value, 3U);
  EXPECT_FALSE(f.count(1000).saturated);
  EXPECT_EQ(f.remove(1000, 4), outcome::refused);
  EXPECT_EQ(f.remove(1000, 3), outcome::added);
  EXPECT_EQ(f.count(1000).value, 0U);
  EXPECT_EQ(f.cell(f.position(digest_of(1000), 0)), 15U);
}

TEST(counting_filter, has_cells_of_2_to_32_bits) {
  for (unsigned bits = 2; bits <= 32; ++bits) {
    counting_filter f({.items = 30, .error = 0.1, .cell_bits = bits});
    const std::uint64_t end = (std::uint64_t{1} << bits) - 1;
    ASSERT_EQ(f.add(1, end - 1), outcome::added);
    EXPECT_EQ(f.count(1).value, end - 1);
    EXPECT_EQ(f.memory(), (f.cells() * bits + 7) / 8);
  }
  for (const unsigned bits : {0U, 1U, 33U}) {
    expect_error(
        errc::invalid_argument, [&] { counting_filter({.memory = 100, .cell_bits = bits}); },
        "2 to 32 bits");
  }
}

TEST(counting_filter, is_sized_by_memory_or_by_error) {
  const counting_filter f({.items = 100, .memory = 600});
  EXPECT_LE(f.memory(), 600U);
  EXPECT_GT(f.memory(), 590U);
  EXPECT_EQ(counting_filter({.memory = 600, .k = 5}).k(), 5U);
  expect_error(
      errc::invalid_argument, [] { counting_filter({.items = 1}); }, "neither");
  expect_error(
      errc::invalid_argument, [] { counting_filter({.items = 1, .error = 0.1, .memory = 9}); },
      "both");
  expect_error(
      errc::invalid_argument, [] { counting_filter({.memory = 0}); }, "memory");
  expect_error(errc::invalid_argument, [] { counting_filter({.memory = 1, .k = 3}); });
  expect_error(errc::too_large, [] { counting_filter({.memory = most_amount}); });
  for (const unsigned k : {0U, 33U}) {
    expect_error(errc::invalid_argument, [&] { counting_filter({.memory = 900, .k = k}); });
  }
}

TEST(counting_filter, merges_only_with_counters_of_its_width) {
  counting_filter f({.items = 10, .error = 0.1, .k = 3, .cell_bits = 4});
  const counting_filter other({.items = 10, .error = 0.1, .k = 3, .cell_bits = 5});
  expect_error(
      errc::incompatible, [&] { f.merge(other); }, "5 bits");
  ASSERT_EQ(f.add("x", 9), outcome::added);
  f.merge(f);
  EXPECT_TRUE(f.count("x").saturated);
}

// -- spectral filters ----------------------------------------------------------------------------

TEST(spectral_filter, accounts_for_its_bits_in_both_ways) {
  spectral_filter f({.items = 1000, .error = 0.05, .k = 3});
  EXPECT_EQ(f.bits().counters, f.cells());
  ASSERT_EQ(f.add("x", 255), outcome::added);
  const spectral_bits bits = f.bits();
  EXPECT_EQ(bits.counters, f.cells() + 3 * 7);
  EXPECT_GT(bits.string, bits.counters);
  EXPECT_EQ(bits.published_index, published::published_index_bits(f.cells(), bits.counters));
  EXPECT_EQ(bits.compact_index, published::compact_index_bits(f.cells()));
  EXPECT_EQ(f.work().lengthened, 3U);
  ASSERT_EQ(f.remove("x", 255), outcome::added);
  EXPECT_EQ(f.work().shortened, 3U);
  // What it takes is what the paper adds up, the slack and the rounding of vectors to bytes.
  EXPECT_NEAR(static_cast<double>(f.memory()),
              static_cast<double>(bits.string + bits.published_index) / 8,
              0.05 * static_cast<double>(f.memory()));
}

// docs/math.md, Minimum increase and removal: what forced removal would do.
TEST(rising_tally, must_not_be_able_to_remove) {
  const spectral_filter shape({.items = 20, .error = 0.1, .k = 2});
  const std::uint64_t b = 1000;
  const std::uint64_t a = neighbour(shape, b, 0);
  support::oracle_tally exact(shape, true);
  exact.add(shape, b, 1);
  exact.add(shape, a, 1);
  EXPECT_EQ(exact.least(shape, a), 1U);
  exact.remove(shape, b, 1);
  EXPECT_EQ(exact.truth(a), 1U);
  EXPECT_EQ(exact.least(shape, a), 0U);  // a has vanished
}

TEST(spectral_filter, refuses_slack_that_means_nothing) {
  for (const unsigned n : {0U, 65U}) {
    expect_error(
        errc::invalid_argument, [&] { spectral_filter({.memory = 900, .counters_per_slack = n}); },
        "spare bit");
  }
}

// -- memory --------------------------------------------------------------------------------------

TEST(tally_filter, is_unchanged_if_memory_is_out) {
  tally_filter f({.items = 20, .error = 0.1});
  ASSERT_EQ(f.add("y", 3), outcome::added);
  support::expect_no_change_without_memory(f, [&] { f.add("x", 1000); });
  EXPECT_EQ(f.count("x").value, 1000U);
  const tally_filter other = f;
  support::expect_no_change_without_memory(f, [&] { f.merge(other); });
}

TEST(dynamic_count_filter, is_unchanged_if_memory_is_out) {
  dynamic_count_filter f({.items = 20, .error = 0.1, .base_bits = 2});
  ASSERT_EQ(f.add("y", 3), outcome::added);
  support::expect_no_change_without_memory(f, [&] { f.add("x", 1000); });
  const dynamic_count_filter other = f;
  support::expect_no_change_without_memory(f, [&] { f.merge(other); });
  {
    support::allocations watch;
    watch.refuse_after(0);
    ASSERT_EQ(f.remove("x", 2000), outcome::added);  // becomes no narrower, and that is all
  }
  EXPECT_GT(f.overflow_bits(), 0U);
  EXPECT_EQ(f.count("y").value, 6U);
  ASSERT_EQ(f.remove("y", 6), outcome::added);
  EXPECT_EQ(f.overflow_bits(), 0U);
}

TEST(spectral_filter, is_unchanged_if_memory_is_out) {
  recurring_spectral_filter f({.items = 20, .error = 0.1, .k = 3});
  ASSERT_EQ(f.add(neighbour(f, 1000, 0), 3), outcome::added);
  ASSERT_EQ(f.add(neighbour(f, 1000, 1), 3), outcome::added);
  support::expect_no_change_without_memory(f, [&] { f.add(1000, most_amount / 4); });
  EXPECT_EQ(f.count(1000).value, most_amount / 4);
  const recurring_spectral_filter other = f;
  support::expect_no_change_without_memory(f, [&] { f.merge(other); });
}

// -- tally filters -------------------------------------------------------------------------------

class tally_cells : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(of_bits, tally_cells, ::testing::Values(4U, 8U));

// Up to three quarters of its codes a cell counts alone, and from there down to one half with help.
TEST_P(tally_cells, move_to_the_table_and_back_with_a_gap) {
  const unsigned bits = GetParam();
  const std::uint64_t quarter = 1U << (bits - 2);
  tally_filter f({.items = 5, .error = 0.1, .cell_bits = bits});
  const std::uint64_t empty = f.memory();
  for (std::uint64_t n = 1; n < 20 * quarter; ++n) {
    ASSERT_EQ(f.add("x"), outcome::added);
    ASSERT_EQ(f.count("x").value, n);
    ASSERT_EQ(f.large(), n < 3 * quarter ? 0 : f.k()) << n;
  }
  for (std::uint64_t n = 20 * quarter - 1; n-- > 0;) {
    ASSERT_EQ(f.remove("x"), outcome::added);
    ASSERT_EQ(f.count("x").value, n);
    ASSERT_EQ(f.large(), n < 2 * quarter ? 0 : f.k()) << n;
  }
  EXPECT_EQ(f.memory(), empty);
  EXPECT_EQ(f.remove("x"), outcome::refused);
}

TEST_P(tally_cells, stop_at_a_table_as_large_as_allowed) {
  tally_filter f({.items = 50, .error = 0.1, .cell_bits = GetParam(), .large_memory = 8 * 16});
  ASSERT_LE(f.k(), 6U);
  int taken = 0;
  std::vector<std::byte> before = f.serialize();
  while (f.add(taken, 1000) == outcome::added) {
    ++taken;
    before = f.serialize();
  }
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, 7);
  EXPECT_TRUE(f.serialize() == before);
  EXPECT_LE(f.memory(), f.lines() * 64 + 8 * 16);
  EXPECT_EQ(f.add(0, 5000), outcome::added);  // its cells are there already
  const tally_filter other = f;
  f.merge(other);
  ASSERT_EQ(f.remove(0, 12'000), outcome::added);
  EXPECT_EQ(f.add(taken, 1000), outcome::added);
  tally_filter none({.items = 50, .error = 0.1, .cell_bits = GetParam(), .large_memory = 127});
  EXPECT_EQ(none.add(1, 1000), outcome::full);
  EXPECT_EQ(none.add(1, 10), outcome::added);
}

TEST(tally_filter, chooses_its_cells_by_the_mean_count) {
  EXPECT_EQ(tally_filter({.items = 1000, .error = 0.1, .total = 1200}).cell_bits(), 4U);
  EXPECT_EQ(tally_filter({.items = 1000, .error = 0.1, .total = 1500}).cell_bits(), 8U);
  EXPECT_EQ(tally_filter({.items = 1000, .error = 1e-5, .total = 4000}).cell_bits(), 4U);
  EXPECT_EQ(tally_filter({.items = 1000, .error = 1e-5, .total = 7800}).cell_bits(), 8U);
  EXPECT_EQ(tally_filter({.items = 1000, .memory = 16'000, .total = 1000}).cell_bits(), 4U);
  EXPECT_EQ(tally_filter({.items = 1000, .memory = 16'000, .total = 5000}).cell_bits(), 8U);
  EXPECT_EQ(tally_filter({.memory = 16'000, .total = 5000}).cell_bits(), 8U);
  EXPECT_EQ(tally_filter({.items = 10, .error = 0.1}).cell_bits(), 8U);
  EXPECT_EQ(tally_filter({.items = 10, .error = 0.1, .total = 80, .cell_bits = 4}).cell_bits(), 4U);
  for (const unsigned bits : {0U, 5U, 16U}) {
    expect_error(
        errc::invalid_argument, [&] { tally_filter({.memory = 640, .cell_bits = bits}); },
        "4 or 8 bits");
  }
}

TEST(tally_filter, is_sized_by_memory_or_by_error) {
  const tally_filter f({.items = 100, .memory = 1000, .total = 100});
  EXPECT_EQ(f.lines(), 15U);
  EXPECT_EQ(f.memory(), 15U * 64);
  EXPECT_EQ(tally_filter({.memory = 64}).k(), 4U);
  EXPECT_EQ(tally_filter({.items = 100, .memory = 1000, .total = 1000}).lines(),
            math::tally_lines({.items = 100, .total = 1000, .memory = 1000}, 8).lines);
  EXPECT_NEAR(tally_filter({.items = 1000, .error = 0.02}).predicted_error(1000), 0.02, 0.002);
  expect_error(
      errc::invalid_argument, [] { tally_filter({.items = 1}); }, "neither");
  expect_error(
      errc::invalid_argument, [] { tally_filter({.items = 1, .error = 0.1, .memory = 64}); },
      "both");
  expect_error(
      errc::invalid_argument, [] { tally_filter({.memory = 63}); }, "64 to");
  expect_error(errc::too_large, [] { tally_filter({.memory = most_amount}); });
}

// Cells and table together. What is beyond it is refused, also by a merge, and nothing changes.
TEST_P(tally_cells, take_no_more_memory_than_they_may) {
  for (const std::uint64_t memory : {64U, 191U, 192U, 1000U, 5000U, 20'000U}) {
    for (const std::uint64_t items : {0U, 20U, 300U}) {
      tally_filter f({.items = items, .memory = memory, .total = 0, .cell_bits = GetParam()});
      std::uint64_t kept = 0;
      std::uint64_t refused = 0;
      for (std::uint64_t i = 0; i < 1000; ++i) {
        const std::vector<std::byte> before = f.serialize();
        const outcome o = f.add(i, 1000);
        ASSERT_LE(f.memory(), memory);
        (o == outcome::added ? kept : refused) += 1;
        if (o == outcome::added) continue;
        ASSERT_EQ(o, outcome::full);
        ASSERT_TRUE(f.serialize() == before);
      }
      EXPECT_EQ(f.total(), 1000 * kept);
      EXPECT_EQ(f.losses().full, refused);
      EXPECT_GT(refused, 0U);
      EXPECT_TRUE(kept > 0 || memory < 192 || items > 0);
      tally_filter other({.items = items, .memory = memory, .cell_bits = GetParam(), .seed = 0});
      for (std::uint64_t i = 1000; i < 2000; ++i) other.add(i, 1000);
      const auto before = f.serialize();
      try {
        f.merge(other);
      } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::too_large);
        EXPECT_TRUE(f.serialize() == before);
      }
      EXPECT_LE(f.memory(), memory);
    }
  }
}

TEST(tally_filter, limits_its_table_apart_from_its_cells) {
  const tally_filter f({.memory = 640, .large_memory = 256});
  EXPECT_EQ(f.lines(), 10U);
  tally_filter any({.items = 100, .memory = 640, .large_memory = tally_config::no_limit});
  EXPECT_EQ(any.lines(), 10U);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(any.add(i, 1000), outcome::added);
  EXPECT_GT(any.memory(), 2048U);
}

TEST(tally_filter, does_in_bulk_what_it_does_one_by_one) {
  tally_filter bulk({.items = 300, .error = 0.1, .seed = 5});
  tally_filter single({.items = 300, .error = 0.1, .seed = 5});
  std::vector<int> items;
  for (int i = 0; i < 5000; ++i) items.push_back(i * i % 307);
  std::vector<outcome> outcomes(items.size(), outcome::full);
  bulk.add_bulk(items, outcomes);
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(outcomes[i], single.add(items[i]));
  EXPECT_TRUE(bulk.serialize() == single.serialize());
  std::reverse(items.begin(), items.end());
  items.resize(4000);
  items.push_back(1000);
  outcomes.resize(items.size());
  bulk.remove_bulk(items, outcomes);
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(outcomes[i], single.remove(items[i]));
  EXPECT_TRUE(bulk.serialize() == single.serialize());
  std::vector<counted> answers(items.size());
  bulk.count_bulk(items, answers);
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(answers[i], single.count(items[i]));
  expect_error(
      errc::invalid_argument, [&] { bulk.count_bulk(std::vector<int>{1}, answers); }, "1 items");
}

}  // namespace tally_test
}  // namespace bloomtime
