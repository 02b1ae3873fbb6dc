#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/any.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/shard.hpp>

#include "support/expect_error.hpp"

// A filter and its shards: every item has the answer of the whole filter in its own shard.
namespace bloomtime::shards_test {

using namespace std::chrono_literals;
using support::expect_error;

constexpr std::uint64_t items = 4000;
constexpr std::uint64_t strangers = 4000;
constexpr instant start{1'700'000'000'000'000};

instant after(std::uint64_t seconds) {
  return instant(start.micros + static_cast<std::int64_t>(seconds * 1'000'000));
}

template <class Handle>
std::vector<Handle> shards_of(const Handle& whole, std::uint32_t count) {
  std::vector<Handle> shards;
  for (std::uint32_t i = 0; i < count; ++i) shards.push_back(whole.part({i, count}));
  return shards;
}

// check(whole, part, digest) for known items and strangers, with the shard that each belongs to;
// the same with the shards that were stored and loaded, and with all of them merged.
template <class Handle, class Check>
void expect_same_answers(const Handle& whole, Check&& check) {
  for (const std::uint32_t count : {1U, 2U, 16U, shard::most}) {
    std::vector<Handle> shards = shards_of(whole, count);
    std::uint64_t smallest = ~std::uint64_t{0};
    for (Handle& s : shards) {
      s = Handle::load(s.serialize());
      smallest = std::min(smallest, s.memory());
    }
    EXPECT_TRUE(count <= 2 || smallest < whole.memory()) << count;
    Handle joined = shards.front();
    for (std::uint32_t i = 1; i < count; ++i) joined.merge(shards[i]);
    for (std::uint64_t x = 0; x < items + strangers; ++x) {
      const digest d = whole.digest_of(std::to_string(x));
      const std::uint32_t number = whole.shard_of(d, count);
      ASSERT_LT(number, count);
      EXPECT_EQ(shards[number].shard_of(d, count), number);
      check(whole, shards[number], d);
      check(whole, joined, d);
      if (testing::Test::HasFailure()) FAIL() << "item " << x << " in " << count << " shards";
    }
  }
}

TEST(shards, of_a_tally_table_have_its_counts) {
  for (const double error : {1e-2, 1e-6}) {  // many prints are equal with the first
    any_tally whole = any_tally::make({.error = error, .seed = 7});
    math::random_source random(1);
    for (std::uint64_t x = 0; x < items; ++x) {
      (void)whole.add(whole.digest_of(std::to_string(x)), 1 + random.below(1 << random.below(30)));
    }
    std::uint64_t total = 0;
    for (const any_tally& s : shards_of(whole, 16)) total += s.total();
    EXPECT_EQ(total, whole.total());
    expect_same_answers(whole, [](const any_tally& a, const any_tally& b, digest d) {
      EXPECT_EQ(a.count(d).value, b.count(d).value);
    });
  }
}

TEST(shards, of_a_recency_table_have_its_answers) {
  for (const double error : {1e-2, 1e-6}) {
    any_recency whole = any_recency::make({.window = 600s, .error = error, .seed = 7});
    for (std::uint64_t x = 0; x < items; ++x) {
      (void)whole.add(whole.digest_of(std::to_string(x)), after(x / 4));
    }
    expect_same_answers(whole, [&](const any_recency& a, const any_recency& b, digest d) {
      for (const std::uint64_t at : {items / 4, items / 4 + 100, items / 4 + 1000}) {
        const auto was = a.age(d, after(at));
        const auto is = b.age(d, after(at));
        EXPECT_EQ(was, is);
        EXPECT_EQ(a.seen(d, after(at)), b.seen(d, after(at)));
      }
    });
  }
}

TEST(shards, of_a_heat_table_have_its_counts_and_wider_bounds) {
  for (const std::optional<std::uint64_t> memory : {std::optional<std::uint64_t>(), {12'000}}) {
    any_heat whole = any_heat::make({.memory = memory, .half_life = 600s, .seed = 7});
    math::random_source random(1);
    for (std::uint64_t i = 0; i < 5 * items; ++i) {
      const std::uint64_t x = random.below(1 + random.below(items));
      (void)whole.add(whole.digest_of(std::to_string(x)), after(i / 8), 1 + random.below(40));
    }
    expect_same_answers(whole, [&](const any_heat& a, const any_heat& b, digest d) {
      for (const std::uint64_t at : {5 * items / 8, 5 * items / 8 + 3000}) {
        const estimate was = a.at(d, after(at));
        const estimate is = b.at(d, after(at));
        EXPECT_TRUE(memory || was.value == is.value);  // with a limit, floors count as well
        EXPECT_LE(is.lower, was.lower);
        EXPECT_GE(is.upper, was.upper);
      }
    });
  }
}

TEST(shards, of_a_window_table_have_its_counts) {
  any_heat whole = any_heat::make({.window = 600s, .slots = 60, .seed = 7}, "window_table");
  math::random_source random(1);
  for (std::uint64_t i = 0; i < 5 * items; ++i) {
    (void)whole.add(whole.digest_of(std::to_string(random.below(items))), after(i / 8), 1);
  }
  expect_same_answers(whole, [&](const any_heat& a, const any_heat& b, digest d) {
    for (const std::uint64_t at : {5 * items / 8, 5 * items / 8 + 300}) {
      EXPECT_EQ(a.at(d, after(at)).value, b.at(d, after(at)).value);
    }
  });
}

TEST(shards, of_a_history_have_its_intervals) {
  for (const bool sealed : {false, true}) {
    for (const char* engine : {"history", "timeline_history"}) {
      const bool of_one = std::string(engine) == "timeline_history";
      any_history_config config{.origin = start, .error = 1e-2, .seed = 7};
      if (of_one) config.ticks = 20'000;
      if (!of_one) config.partition = 1000s;
      any_history whole = any_history::make(config, engine);
      math::random_source random(1);
      for (std::uint64_t i = 0; i < 4 * items; ++i) {
        (void)whole.add(whole.digest_of(std::to_string(random.below(items))), after(i / 2));
      }
      if (sealed) {
        whole = std::visit(
            [](auto e) {
              if constexpr (requires { e.seal(); }) e.seal();
              return any_history(std::move(e));
            },
            whole.get());
      }
      expect_same_answers(whole, [&](const any_history& a, const any_history& b, digest d) {
        EXPECT_EQ(a.when(d, {tick{0}, tick{20'000}}), b.when(d, {tick{0}, tick{20'000}}));
        EXPECT_EQ(a.seen(d, after(2000), after(3000)), b.seen(d, after(2000), after(3000)));
      });
    }
  }
}

TEST(shards, keep_growing) {
  any_tally whole = any_tally::make({.seed = 7});
  std::vector<any_tally> shards = shards_of(whole, shard::most);
  for (std::uint64_t x = 0; x < 100'000; ++x) {
    const digest d = whole.digest_of(std::to_string(x));
    ASSERT_EQ(whole.add(d, 1), outcome::added);
    ASSERT_EQ(shards[whole.shard_of(d, shard::most)].add(d, 1), outcome::added);
  }
  std::uint64_t bytes = 0;
  for (const any_tally& s : shards) bytes += s.memory();
  EXPECT_LT(bytes, 3 * whole.memory());
}

TEST(shards, are_refused_where_there_can_be_none) {
  const any_tally table = any_tally::make({});
  for (const shard s : {shard{0, 0}, shard{0, 3}, shard{2, 2}, shard{0, 2 * shard::most}}) {
    expect_error(
        errc::invalid_argument, [&] { (void)table.part(s); }, "power of two");
  }
  expect_error(
      errc::invalid_argument, [&] { (void)table.shard_of({}, 3); }, "power of two");
  const any_tally cells = any_tally::make({.items = 100, .error = 0.01}, "tally_filter");
  expect_error(
      errc::unsupported,
      [&] {
        (void)cells.part({0, 2});
      },
      "cannot be divided");
  expect_error(
      errc::unsupported, [&] { (void)cells.shard_of({}, 2); }, "cannot be divided");
  const any_recency last = any_recency::make({.last = 1000});
  expect_error(
      errc::unsupported,
      [&] {
        (void)last.part({0, 2});
      },
      "window of insertions");
}

}  // namespace bloomtime::shards_test
