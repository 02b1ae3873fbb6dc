#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/growth.hpp"
#include "support/without_memory.hpp"

namespace bloomtime::tally_table_test {

using support::expect_error;

constexpr std::uint64_t most_amount = ~std::uint64_t{0};

using truth = std::unordered_map<std::uint64_t, std::uint64_t>;

// No answer is too low. Returns how many are too high.
std::uint64_t expect_never_too_low(const tally_table& f, const truth& exact) {
  std::uint64_t high = 0;
  for (const auto& [x, count] : exact) {
    const counted answer = f.count(x);
    EXPECT_GE(answer.value, count) << x;
    EXPECT_EQ(answer.upper, answer.value);
    high += answer.value != count;
  }
  return high;
}

TEST(tally_table, counts_exactly_up_to_64_bits) {
  tally_table f({.items = 1000, .error = 1e-6});
  for (const unsigned bits : {0U, 1U, 3U, 4U, 5U, 12U, 16U, 17U, 31U, 33U, 48U, 62U}) {
    const std::uint64_t around = std::uint64_t{1} << bits;
    for (std::uint64_t count = around - std::min<std::uint64_t>(around - 1, 2); count < around + 3;
         ++count) {
      ASSERT_EQ(f.add("x", count), outcome::added);
      EXPECT_EQ(f.count("x").value, count);
      ASSERT_EQ(f.add("x"), outcome::added);
      EXPECT_EQ(f.count("x").value, count + 1);
      ASSERT_EQ(f.remove("x", count), outcome::added);
      EXPECT_EQ(f.count("x").value, 1U);
      ASSERT_EQ(f.remove("x"), outcome::added);
      EXPECT_EQ(f.prints(), 0U);
      EXPECT_EQ(f.used_slots(), 0U);
    }
  }
  ASSERT_EQ(f.add("x", most_amount), outcome::added);
  EXPECT_EQ(f.count("x").value, most_amount);
  EXPECT_EQ(f.add("y"), outcome::full);
}

// Up and down by one across every length that a count can have in a small print.
TEST(tally_table, counts_by_ones) {
  tally_table f({.items = 100, .error = 0.2, .reserve = true});
  for (std::uint64_t n = 1; n <= 70'000; ++n) {
    ASSERT_EQ(f.add(1), outcome::added);
    ASSERT_EQ(f.count(1).value, n);
    ASSERT_EQ(f.used_slots() > 1, n >= 15) << n;
  }
  EXPECT_GT(f.used_slots(), 2U);
  for (std::uint64_t n = 70'000; n-- > 0;) {
    ASSERT_EQ(f.remove(1), outcome::added);
    ASSERT_EQ(f.count(1).value, n);
  }
  EXPECT_EQ(f.remove(1), outcome::refused);
}

// Items of a skewed stream, so that counts of all lengths and new items alternate.
std::vector<std::uint64_t> skewed_items(std::size_t arrivals) {
  const math::zipf law(20'000, 1.0);
  math::random_source random(11);
  std::vector<std::uint64_t> items(arrivals);
  for (std::uint64_t& x : items) x = law(random);
  return items;
}

TEST(tally_table, bulk_calls_give_the_same_bytes) {
  const std::vector<std::uint64_t> items = skewed_items(100'000);
  for (const tally_table_config& c :
       {tally_table_config{.items = 20'000, .reserve = true}, tally_table_config{.items = 20'000},
        tally_table_config{.items = 20'000, .memory = 20'000},
        tally_table_config{.items = 20'000, .memory = 3 * 64}}) {
    tally_table single(c);
    tally_table bulk(c);
    std::size_t length = 1;
    for (std::size_t first = 0; first < items.size(); first += length, length = length % 97 + 1) {
      const std::span part =
          std::span(items).subspan(first).first(std::min(length, items.size() - first));
      std::vector<outcome> outcomes(part.size());
      bulk.add_bulk(part, outcomes);
      for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(outcomes[i], single.add(part[i]));
    }
    EXPECT_EQ(bulk.losses(), single.losses());
    EXPECT_EQ(bulk.serialize(), single.serialize());
    std::vector<counted> counts(items.size());
    bulk.count_bulk(items, counts);
    for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(counts[i], single.count(items[i]));
  }
}

// Items that share both blocks: most are in the stash, in another order after a load.
TEST(tally_table, merges_do_not_depend_on_the_order_of_a_stash) {
  tally_table crowded({.error = 1e-6});
  for (std::uint64_t i = 100; i != 0; --i) {
    ASSERT_EQ(crowded.add(digest{std::uint64_t{1} << 56 | i, 0}), outcome::added);
  }
  ASSERT_GT(crowded.stashed(), 40U);
  const tally_table loaded = tally_table::load(crowded.serialize());
  tally_table large({.error = 1e-6});
  for (std::uint64_t x = 0; x < 20'000; ++x) ASSERT_EQ(large.add(x), outcome::added);
  tally_table same(large);
  large.merge(crowded);
  same.merge(loaded);
  EXPECT_EQ(large.serialize(), same.serialize());
}

TEST(tally_table, bulk_calls_stop_at_the_largest_total) {
  for (const bool reserve : {true, false}) {
    tally_table f({.items = 10'000, .error = 1e-6, .reserve = reserve});
    for (std::uint64_t x = 0; x < 5000; ++x) ASSERT_EQ(f.add(x), outcome::added);
    ASSERT_EQ(f.add("most", most_amount - 5000 - 20), outcome::added);
    std::vector<std::uint64_t> items(100);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = 7 * i;
    std::vector<outcome> outcomes(items.size());
    f.add_bulk(items, outcomes);
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_EQ(outcomes[i], i < 20 ? outcome::added : outcome::full);
      EXPECT_EQ(f.count(items[i]).value, i < 20 ? 2U : 1U);
    }
    EXPECT_EQ(f.total(), most_amount);
    EXPECT_EQ(f.losses().full, 80U);
  }
}

TEST(tally_table, starts_small_and_grows_with_its_items) {
  tally_table f({});
  EXPECT_LE(f.memory(), 6000U);
  truth exact;
  for (std::uint64_t x = 0; x < 100'000; ++x) {
    const std::uint64_t amount = x % 17 == 0 ? 1000 + x : 1 + x % 3;
    ASSERT_EQ(f.add(x, amount), outcome::added);
    exact[x] = amount;
  }
  EXPECT_EQ(expect_never_too_low(f, exact), 0U);  // prints are long
  EXPECT_EQ(f.prints(), exact.size());
  EXPECT_EQ(f.stashed(), 0U);
  EXPECT_LT(f.memory(), 100'000 * 8U);
  EXPECT_GT(static_cast<double>(f.used_slots()), 0.8 * static_cast<double>(f.slots()));
}

// At every fill, every item that was added is there.
TEST(tally_table, is_right_at_every_fill) {
  for (const std::uint64_t hint : {std::uint64_t{10}, std::uint64_t{3000}, std::uint64_t{0}}) {
    tally_table f({.items = hint, .error = 1e-4, .seed = hint});
    truth exact;
    for (std::uint64_t x = 0; x < 3000; ++x) {
      exact[x] = 1 + x % 40;
      ASSERT_EQ(f.add(x, exact[x]), outcome::added);
      for (std::uint64_t y = x % 7; y <= x; y += 97) ASSERT_GE(f.count(y).value, exact[y]);
    }
    EXPECT_LT(static_cast<double>(expect_never_too_low(f, exact)) / 3000, 1e-3 + f.current_error());
    EXPECT_EQ(tally_table::load(f.serialize()).serialize(), f.serialize());
  }
}

TEST(tally_table, shrinks_when_items_leave) {
  tally_table f({.items = 1000, .error = 1e-3});
  const std::uint64_t empty = f.memory();
  for (std::uint64_t x = 0; x < 50'000; ++x) ASSERT_EQ(f.add(x, 1 + x % 50), outcome::added);
  const std::uint64_t most = f.memory();
  EXPECT_GT(most, 20 * empty);
  for (std::uint64_t x = 0; x < 50'000; ++x) {
    ASSERT_EQ(f.remove(x, 1 + x % 50), outcome::added);
    ASSERT_LE(f.memory(), x < 40'000 ? most : most - 1);
  }
  EXPECT_EQ(f.prints(), 0U);
  EXPECT_EQ(f.total(), 0U);
  EXPECT_EQ(f.memory(), empty);
}

// A few large counts take as many blocks as many small ones.
TEST(tally_table, shrinks_when_large_counts_leave) {
  constexpr std::uint64_t count = std::uint64_t{1} << 45;
  tally_table f({.error = 1e-6});
  const std::uint64_t empty = f.memory();
  for (std::uint64_t x = 0; x < 500; ++x) ASSERT_EQ(f.add(x, count), outcome::added);
  for (std::uint64_t x = 0; x < 500; ++x) ASSERT_EQ(f.remove(x, count), outcome::added);
  EXPECT_EQ(f.memory(), empty);
}

TEST(tally_table, works_in_small_steps) {
  tally_table f({.error = 1e-3});
  for (std::uint64_t x = 0; x < 60'000; ++x) {
    const std::uint64_t before = f.work();
    ASSERT_EQ(f.add(x, 1 + (x % 10) * 10), outcome::added);
    ASSERT_LE(f.work() - before, 3 * detail::print_table<detail::print_counts>::most_probes);
  }
}

TEST(tally_table, error_is_predicted_and_read_back) {
  for (const double error : {0.05, 1e-2, 1e-3}) {
    for (const bool reserve : {false, true}) {
      tally_table f({.items = 20'000, .error = error, .reserve = reserve, .total = 20'000});
      EXPECT_LE(f.predicted_error(20'000), error);
      for (std::uint64_t x = 0; x < 20'000; ++x) ASSERT_EQ(f.add(x), outcome::added);
      EXPECT_LE(f.current_error(), f.predicted_error(20'000));
      EXPECT_GT(f.current_error(), 0.9 * f.predicted_error(20'000) * (1 - error));
      EXPECT_EQ(f.confidence(), 1 - f.current_error());
    }
  }
}

// Ten times more items than hinted: it grows, and says how the error has grown.
TEST(tally_table, takes_ten_times_more_items_than_hinted) {
  for (const bool reserve : {false, true}) {
    tally_table f({.items = 3000, .error = 1e-3, .reserve = reserve});
    const double planned = f.predicted_error(3000);
    truth exact;
    for (std::uint64_t x = 0; x < 30'000; ++x) {
      exact[x] = 1 + x % 20;
      ASSERT_EQ(f.add(x, exact[x]), outcome::added);
    }
    const auto high = static_cast<double>(expect_never_too_low(f, exact));
    EXPECT_NEAR(f.current_error(), 10 * planned, planned);
    EXPECT_LT(high / 30'000, 1.3 * f.current_error());
  }
}

TEST(tally_table, says_when_it_is_full) {
  tally_table f({.items = 1000, .error = 1e-3, .memory = 8192});
  truth exact;
  std::uint64_t x = 0;
  for (; f.losses().full == 0; ++x) {
    const auto before = f.serialize();
    const std::uint64_t amount = 1 + x % 20;
    const outcome o = f.add(x, amount);
    if (o == outcome::added) exact[x] = amount;
  }
  EXPECT_GT(x, 1200U);
  EXPECT_LE(f.memory(), 8192U + 8192U);  // with the stash and the list of chunks
  EXPECT_GT(f.stashed(), 0U);
  // Items that are there count on, and nothing is lost.
  for (std::uint64_t y = 0; y < 500; ++y) {
    if (f.add(y, 1) == outcome::added) ++exact[y];
    if (f.add(y, 100'000) == outcome::added) exact[y] += 100'000;
  }
  for (std::uint64_t y = x; y < x + 1000; ++y) {
    const counted before = f.count(y);
    if (f.add(y) == outcome::added) {
      ++exact[y];
    } else {
      EXPECT_EQ(f.count(y), before);
    }
  }
  EXPECT_GT(f.losses().full, 500U);
  expect_never_too_low(f, exact);
  // What leaves makes room, and the stash empties.
  for (auto& [y, count] : exact) {
    if (y % 2 == 0 || count == 0) continue;
    EXPECT_EQ(f.remove(y, count), outcome::added);
    count = 0;
  }
  for (std::uint64_t y = 0; y < 500; y += 2) {
    ASSERT_EQ(f.add(y), outcome::added);
    ++exact[y];
  }
  EXPECT_EQ(f.stashed(), 0U);
  expect_never_too_low(f, exact);
}

// Someone who knows the seed chooses items with the same block. Two blocks and the stash fill up;
// then such items are refused, in bounded time, and others count on.
TEST(tally_table, bounds_what_crafted_items_cost) {
  tally_table f({.items = 50'000, .error = 1e-7, .reserve = true, .total = 50'000});
  truth exact;
  for (std::uint64_t x = 0; x < 47'000; ++x) {
    exact[x] = 1;
    ASSERT_EQ(f.add(x), outcome::added);
  }
  const std::uint64_t memory = f.memory();
  math::random_source random(5);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    // The same block and tag, so the same pair; the rest differs.
    const digest crafted{0x55ULL << 56 | (random() >> 8), std::uint64_t{7} << 40};
    const std::uint64_t before = f.work();
    const outcome o = f.add(crafted, 20);
    EXPECT_TRUE(o == outcome::added || o == outcome::full);
    // Its own moves, two splits, and sometimes those of 16 entries of the stash.
    ASSERT_LE(f.work() - before, 20 * detail::print_table<detail::print_counts>::most_probes);
  }
  EXPECT_GT(f.losses().full, 0U);
  EXPECT_LT(f.memory(), memory + (64 + f.slots() / 32) * 48);
  EXPECT_LT(expect_never_too_low(f, exact), 100U);  // some share the pair
  for (std::uint64_t x = 0; x < 47'000; x += 10) {
    ASSERT_EQ(f.add(x), outcome::added);
    ++exact[x];
  }
  expect_never_too_low(f, exact);
}

// Equal prints in both blocks of a pair: items are never too low, whatever moves and goes.
TEST(tally_table, equal_prints_in_both_blocks_lose_nothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    tally_table f({.items = 40, .error = 0.5, .reserve = true, .total = 400, .seed = seed});
    math::random_source random(seed);
    truth exact;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t x = random.below(600);
      if (random.below(5) < 3) {
        const std::uint64_t amount = 1 + random.below(30);
        if (f.add(x, amount) == outcome::added) exact[x] += amount;
      } else if (exact[x] != 0) {
        const std::uint64_t amount = 1 + random.below(exact[x]);
        ASSERT_EQ(f.remove(x, amount), outcome::added);
        exact[x] -= amount;
      }
    }
    expect_never_too_low(f, exact);
    EXPECT_EQ(tally_table::load(f.serialize()).serialize(), f.serialize());
  }
}

// The same with items that all share their prints, under a limit: counts become longer while their
// equals are in the other block, which is full.
TEST(tally_table, equal_prints_stay_apart_while_room_is_made) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    tally_table f({.items = 40, .error = 0.5, .memory = 512, .seed = seed});
    std::unordered_map<std::uint64_t, std::uint64_t> with_print;
    std::vector<std::uint64_t> items;
    for (std::uint64_t x = 0; items.size() < 200; ++x) {
      const auto [first, fresh] = with_print.try_emplace(f.print_of(x), x);
      if (!fresh) items.insert(items.end(), {first->second, x});
    }
    math::random_source random(seed);
    truth exact;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t x = items[random.below(items.size())];
      if (random.below(5) < 3) {
        const std::uint64_t amount = 1 + random.below(std::uint64_t{1} << random.below(40));
        if (f.add(x, amount) == outcome::added) exact[x] += amount;
      } else if (exact[x] != 0) {
        const std::uint64_t amount = 1 + random.below(exact[x]);
        ASSERT_EQ(f.remove(x, amount), outcome::added) << seed;
        exact[x] -= amount;
      }
    }
    expect_never_too_low(f, exact);
  }
}

// Equal prints that were counted twice in merges have counts of the most there is, and more of them
// do not start again at 0.
TEST(tally_table, counts_stay_at_the_most) {
  const tally_table_config c{.items = 40, .error = 0.5, .memory = 256};
  tally_table f(c);
  std::unordered_map<std::uint64_t, std::uint64_t> with_print;
  int twins = 0;
  for (std::uint64_t x = 0; twins < 20; ++x) {
    const auto [first, fresh] = with_print.try_emplace(f.print_of(x), x);
    if (fresh) continue;
    ++twins;
    tally_table a(c);
    tally_table b(c);
    const std::uint64_t quarter = std::uint64_t{1} << 62;
    ASSERT_EQ(a.add(x, quarter), outcome::added);
    ASSERT_EQ(a.add(first->second, quarter), outcome::added);
    ASSERT_EQ(b.add(x, quarter), outcome::added);
    ASSERT_EQ(b.add(first->second, quarter - 100), outcome::added);
    a.merge(b);
    for (int i = 0; i < 99; ++i) {
      ASSERT_EQ(a.add(x), outcome::added);
      ASSERT_GE(a.count(x).value, 2 * quarter + 1 + static_cast<std::uint64_t>(i));
      ASSERT_GE(a.count(first->second).value, 2 * quarter - 100);
    }
    EXPECT_EQ(tally_table::load(a.serialize()).serialize(), a.serialize());
  }
}

// A print may be its own other print. It is merged once.
TEST(tally_table, prints_that_are_their_own_others_merge_once) {
  const tally_table_config c{.items = 10, .error = 0.5, .memory = 64};
  std::uint64_t high = 0;
  for (std::uint64_t x = 0; x < 300; ++x) {
    tally_table a(c);
    tally_table b(c);
    ASSERT_EQ(a.add(x, 5), outcome::added);
    ASSERT_EQ(b.add(x, 3), outcome::added);
    a.merge(b);
    ASSERT_GE(a.count(x).value, 8U);
    high += a.count(x).value != 8;
  }
  EXPECT_EQ(high, 0U);
}

TEST(tally_table, refuses_absent_items_but_for_the_error) {
  tally_table f({.items = 20'000, .error = 1e-3});
  for (std::uint64_t x = 0; x < 20'000; ++x) ASSERT_EQ(f.add(x, 5), outcome::added);
  std::uint64_t accepted = 0;
  for (std::uint64_t x = 20'000; x < 60'000; ++x) accepted += f.remove(x) == outcome::added;
  EXPECT_LT(accepted, 80U);  // 40 expected at most
  EXPECT_EQ(f.losses().refused, 40'000 - accepted);
  EXPECT_EQ(f.total(), 100'000 - accepted);
}

TEST(tally_table, enumerates_what_it_holds) {
  tally_table f({.items = 500, .error = 1e-6, .memory = 8192, .seed = 3});
  std::map<std::uint64_t, std::uint64_t> expected;
  for (std::uint64_t x = 0; x < 500; ++x) {
    const std::uint64_t amount = x * x * x + 1;
    ASSERT_EQ(f.add(x, amount), outcome::added);
    expected[f.print_of(x)] = amount;
  }
  ASSERT_EQ(expected.size(), 500U);
  std::map<std::uint64_t, std::uint64_t> found;
  f.for_each([&](std::uint64_t print, std::uint64_t count) { found[print] += count; });
  EXPECT_EQ(found, expected);
  EXPECT_EQ(f.statistics().largest, 499ULL * 499 * 499 + 1);
}

TEST(tally_table, merged_counts_both_streams) {
  for (const bool reserve : {false, true}) {
    const tally_table_config c{.items = 8000, .error = 1e-3, .reserve = reserve, .seed = 9};
    tally_table a(c);
    tally_table b(c);
    truth exact;
    for (std::uint64_t x = 0; x < 8000; ++x) {
      exact[x] = 1 + x % 30 + (x % 3 == 0 ? 2 + x % 70'000 : 0);
      ASSERT_EQ(a.add(x, 1 + x % 30), outcome::added);
      ASSERT_EQ(b.add(x, x % 3 == 0 ? 2 + x % 70'000 : 0), outcome::added);
    }
    for (std::uint64_t x = 8000; x < 16'000; ++x) {
      exact[x] = x;
      ASSERT_EQ(b.add(x, x), outcome::added);
    }
    tally_table sum = a;
    sum.merge(b);
    EXPECT_EQ(sum.total(), a.total() + b.total());
    const auto high = static_cast<double>(expect_never_too_low(sum, exact));
    EXPECT_LT(high / 16'000, 3 * sum.current_error());
    EXPECT_EQ(tally_table::load(sum.serialize()).serialize(), sum.serialize());
    b.merge(a);
    EXPECT_EQ(b.total(), sum.total());
    expect_never_too_low(b, exact);
  }
}

// Small tables and large ones, either way.
TEST(tally_table, merges_tables_of_any_fill) {
  for (const std::uint64_t few : {std::uint64_t{0}, std::uint64_t{700}, std::uint64_t{3000}}) {
    for (const std::uint64_t many : {std::uint64_t{3000}, std::uint64_t{20'000}}) {
      tally_table a({.error = 1e-4, .seed = few});
      tally_table b({.error = 1e-4, .seed = few});
      truth exact;
      for (std::uint64_t x = 0; x < few + many; ++x) {
        exact[x] = 1 + x % 3;
        ASSERT_EQ((x < few ? a : b).add(x, exact[x]), outcome::added);
      }
      tally_table sum = a;
      sum.merge(b);
      EXPECT_EQ(expect_never_too_low(sum, exact), 0U);
      b.merge(a);
      EXPECT_EQ(expect_never_too_low(b, exact), 0U);
      EXPECT_LT(b.memory(), 3 * (few + many) * 8 + 8192);
    }
  }
}

TEST(tally_table, merges_without_room_change_nothing) {
  const tally_table_config small{.items = 1000, .error = 1e-3, .memory = 8192};
  tally_table a(small);
  tally_table b(small);
  for (std::uint64_t x = 0; x < 500; ++x) {
    ASSERT_EQ(a.add(x, 20), outcome::added);
    ASSERT_EQ(b.add(x + 1500, 20), outcome::added);
  }
  const auto before = a.serialize();
  expect_error(
      errc::incompatible, [&] { a.merge(b); }, "no room for both tables");
  EXPECT_EQ(a.serialize(), before);
}

TEST(tally_table, empties_its_stash_at_load_95) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    tally_table f({.items = 100'000, .error = 1e-3, .reserve = true, .total = 1, .seed = seed});
    const std::uint64_t slots = f.slots();
    for (std::uint64_t x = 0; f.used_slots() < slots / 100 * 95; ++x) {
      ASSERT_EQ(f.add(x, x % 16 == 0 ? 100 : 1), outcome::added);
    }
    EXPECT_EQ(f.stashed(), 0U) << seed;
    EXPECT_EQ(f.slots(), slots);
  }
}

// A count that becomes longer in full blocks finds room as a new item does.
TEST(tally_table, counts_that_become_large_in_full_blocks) {
  tally_table f({.items = 20'000, .error = 1e-3, .reserve = true, .total = 40'000, .seed = 2});
  truth exact;
  for (std::uint64_t x = 0; x < 18'000; ++x) {
    exact[x] = 14;
    ASSERT_EQ(f.add(x, 14), outcome::added);
  }
  for (std::uint64_t x = 0; x < 18'000; ++x) {
    ++exact[x];
    ASSERT_EQ(f.add(x), outcome::added);
  }
  for (std::uint64_t x = 0; x < 18'000; ++x) {
    exact[x] += 70'000;
    ASSERT_EQ(f.add(x, 70'000), outcome::added);
  }
  EXPECT_LT(expect_never_too_low(f, exact), 60U);
  for (std::uint64_t x = 0; x < 18'000; ++x) {
    ASSERT_EQ(f.remove(x, 70'014), outcome::added);
    exact[x] = 1;
  }
  expect_never_too_low(f, exact);
}

// Zipf's law with exponent 1, a tenth of the size that bench measures.
TEST(tally_table, takes_few_bits_for_skewed_counts) {
  const math::zipf law(100'000, 1);
  math::random_source random(1);
  truth exact;
  for (int i = 0; i < 1'000'000; ++i) ++exact[law(random)];
  tally_table f({.items = exact.size(), .reserve = true, .total = 1'000'000});
  for (const auto& [x, count] : exact) ASSERT_EQ(f.add(x, count), outcome::added);
  EXPECT_LT(8 * static_cast<double>(f.memory()) / static_cast<double>(exact.size()), 22.8);
  EXPECT_LT(expect_never_too_low(f, exact), exact.size() / 1000);
  EXPECT_EQ(f.stashed(), 0U);
}

TEST(tally_table, refuses_what_makes_no_sense) {
  const auto refused = [](const tally_table_config& c, const char* says) {
    expect_error(
        errc::invalid_argument, [&] { tally_table made(c); }, says);
  };
  refused({.reserve = true}, "`reserve` needs `items`");
  refused({.memory = 63}, "at least 64 bytes; got 63");
  refused({.items = 100'000, .reserve = true, .memory = 4096}, "`memory` allows 4096");
  for (const double error : {0., 1., -0.5}) refused({.items = 10, .error = error}, "error");
  expect_error(
      errc::too_large, [] { tally_table made({.error = 1e-30}); }, "long enough");
}

// Counts of three slots fill 9 of the 11 of a block.
TEST(tally_table, grows_with_large_counts) {
  for (const unsigned bits : {20U, 30U, 40U, 45U, 48U}) {
    for (const double error : {1e-2, 1e-4, 1e-6}) {
      tally_table f({.error = error});
      truth exact;
      for (std::uint64_t x = 0; x < 5000; ++x) {
        exact[x] = std::uint64_t{1} << bits;
        ASSERT_EQ(f.add(x, exact[x]), outcome::added) << bits << " " << error << " " << x;
      }
      expect_never_too_low(f, exact);
    }
  }
}

TEST(tally_table, stash_gives_its_memory_back) {
  tally_table f({.items = 1000, .error = 1e-3, .memory = 64});
  const std::uint64_t empty = f.memory();
  std::uint64_t added = 0;
  while (f.add(added) == outcome::added) ++added;
  EXPECT_GT(f.stashed(), 30U);
  for (std::uint64_t x = 0; x < added; ++x) ASSERT_EQ(f.remove(x), outcome::added);
  EXPECT_EQ(f.memory(), empty);
}

TEST(tally_table, memory_is_what_it_takes) {
  const support::allocations hook;
  tally_table f({.items = 1000, .error = 1e-3});
  for (std::uint64_t x = 0; x < 5000; ++x) ASSERT_EQ(f.add(x, 1 + x % 20), outcome::added);
  support::expect_counted(f.memory(), hook);
  support::expect_no_change_without_memory(f, [&] { const tally_table copy(f); });
  const tally_table other = f;
  support::expect_no_change_without_memory(f, [&] { f.merge(other); });
}

TEST(tally_table, growth_without_memory_is_told) {
  tally_table f({.items = 100'000, .error = 1e-3});
  truth exact;
  {
    support::allocations watch;
    watch.refuse_after(0);
    for (std::uint64_t x = 0; f.losses().full < 10; ++x) {
      if (f.add(x, 1 + x % 20) == outcome::added) exact[x] = 1 + x % 20;
    }
  }
  expect_never_too_low(f, exact);
  std::uint64_t refused = 0;  // until it has grown far enough
  for (std::uint64_t x = 50'000; x < 52'000; ++x) refused += f.add(x) == outcome::full;
  EXPECT_LT(refused, 50U);
  for (std::uint64_t x = 52'000; x < 54'000; ++x) EXPECT_EQ(f.add(x), outcome::added);
  expect_never_too_low(f, exact);
}

}  // namespace bloomtime::tally_table_test
