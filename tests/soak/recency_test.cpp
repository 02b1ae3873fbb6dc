#include <gtest/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>
#include <bloomtime/recency/recency_filter.hpp>
#include <bloomtime/recency/recency_table.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "support/soaking.hpp"

// What was inserted within the window is never denied: 10^9 operations with a question each in
// tables of many shapes, and as many over the other engines, if BLOOMTIME_SOAK is set, else 10^7.
namespace bloomtime {
namespace recency_soak {

using namespace published;

// Of each engine, and of the table.
std::uint64_t recency_operations() {
  return support::soak_operations(1'000'000'000 / 2, 10'000'000 / 3);
}
std::uint64_t table_operations() { return support::soak_operations(1'000'000'000, 10'000'000 / 3); }

constexpr std::uint64_t fewest_lives = 40;
constexpr std::uint64_t recent_items = 512;

// The exact twin: when items were last recorded.
class last_seen {
 public:
  explicit last_seen(std::uint64_t items = recent_items) : last_(items) {}

  void record(std::uint64_t item, std::int64_t at) {
    auto& last = last_[item];
    last = last ? std::max(*last, at) : at;
  }
  bool within(std::uint64_t item, std::int64_t now, std::uint64_t window) const {
    return last_[item] && static_cast<std::uint64_t>(now - *last_[item]) <= window;
  }

 private:
  std::vector<std::optional<std::int64_t>> last_;
};

// What comes: so many different items, and so many times 50 of them in a window.
struct crowd {
  std::uint64_t items = recent_items;
  std::uint64_t pace = 1;
};

// Mostly small steps, sometimes longer than a window, and now and then for years.
std::int64_t time_step(math::random_source& random, std::uint64_t window, std::uint64_t pace) {
  const std::uint64_t kind = random.below(1000 * pace);
  if (kind < 900 * pace) return static_cast<std::int64_t>(random.below(1 + window / 64 / pace));
  if (kind < 998 * pace) return static_cast<std::int64_t>(random.below(1 + window / 4 / pace));
  if (kind < 999 * pace) return static_cast<std::int64_t>(random.below(1 + 5 * window / pace));
  const std::uint64_t rare = random.below(2 * pace);
  if (rare == 0) return static_cast<std::int64_t>(random.below(1 + 5 * window));
  return rare == 1 ? static_cast<std::int64_t>(random.below(std::uint64_t{1} << 50)) : 0;
}

recency_config any_recency(math::random_source& random) {
  const std::uint64_t window = 1 + random.below(std::uint64_t{1} << random.below(30));
  recency_config c{.items = 1 + random.below(200),
                   .memory = 16 + random.below(600),
                   .ticks = static_cast<std::uint32_t>(1 + random.below(40)),
                   .refresh = random.below(2) == 0,
                   .seed = random.below(9)};
  if (random.below(4) == 0) {
    c.last = 1 + window % 5000;
  } else {
    c.window = std::chrono::microseconds(window);
  }
  if (*c.memory >= 64 && random.below(2) == 0) c.layout = layout::line;
  return c;
}

// Some with too little memory: what is `full` was not recorded.
recency_table_config any_table(math::random_source& random) {
  const std::uint64_t window = 1 + random.below(std::uint64_t{1} << random.below(30));
  recency_table_config c{
      .items = 1 + random.below(200),
      .error = random.below(2) == 0 ? 0.01 : 1e-5,
      .reserve = random.below(3) == 0,
      .ticks = static_cast<std::uint32_t>(1 + random.below(std::uint64_t{1} << random.below(11))),
      .refresh = random.below(2) == 0,
      .seed = random.below(9)};
  if (!c.reserve && random.below(5) == 0) c.memory = 64 + random.below(4096);
  if (random.below(4) == 0) {
    c.last = 1 + window % 5000;
  } else {
    c.window = std::chrono::microseconds(window);
  }
  return c;
}

// Merges a table that has seen some items lately, unless there is no room for it.
void merge_another(recency_table& f, const recency_table_config& c, std::int64_t now,
                   const crowd& of, const support::soak_items& keys, math::random_source& random,
                   last_seen& exact) {
  recency_table other(c);
  std::vector<std::uint64_t> added;
  for (std::uint64_t i = random.below(100 * of.pace); i > 0; --i) {
    const std::uint64_t item = random.below(of.items);
    if (other.add(keys(item), instant(now)) == outcome::added) added.push_back(item);
  }
  try {
    f.merge(other);
  } catch (const error&) {
    return;
  }
  for (const std::uint64_t item : added) exact.record(item, now);
}

template <class Filter, class Config>
void expect_never_denied(Config (*any)(math::random_source&), std::uint64_t operations,
                         const std::vector<crowd>& crowds) {
  std::uint64_t denied = 0;
  std::uint64_t asked_within = 0;
  const std::uint64_t lives = support::soak_lives(operations, fewest_lives);
  for (std::uint64_t life = 0; life < lives; ++life) {
    math::random_source random(support::soak_seed(life));
    const Config config = any(random);
    const crowd of = crowds[life % crowds.size()];
    const support::soak_items keys(config.seed, life);
    Filter f(config);
    last_seen exact(of.items);
    std::int64_t now = f.timed() ? -1000 : 0;
    // Windows in insertions: an item is as old as the insertions after it.
    const std::uint64_t within = f.timed() ? f.window() : f.window() - 1;
    for (std::uint64_t i = 0; i < operations / lives; ++i) {
      if (f.timed()) now += time_step(random, f.window(), of.pace);
      const std::uint64_t item = random.below(random.below(2) == 0 ? of.items : 16);
      const std::int64_t late =
          random.below(8) == 0 ? static_cast<std::int64_t>(random.below(f.window() + 2)) : 0;
      const instant when(f.timed() ? now - late : 0);
      const auto position = [&] {
        return f.timed() ? f.newest().value_or(instant(now)).micros
                         : static_cast<std::int64_t>(f.insertions());
      };
      const bool known = exact.within(item, position(), within);
      bool recorded = false;
      if (random.below(2) == 0) {
        const outcome became = f.add(keys(item), when);
        recorded = became == outcome::added || became == outcome::late;
      } else {
        const std::uint64_t before = f.insertions();
        const auto [fresh, became] = f.add_if_new(keys(item), when);
        recorded = f.insertions() != before;
        // Time may pass before the question is answered.
        denied += fresh && known && exact.within(item, position(), within);
      }
      if (recorded) exact.record(item, f.timed() ? when.micros : now++);
      const std::uint64_t other = random.below(of.items);
      const std::int64_t at = f.timed() ? position() : now - 1;
      if (exact.within(other, at, within)) {
        ++asked_within;
        denied += !f.seen(keys(other));
      }
      if (i % 65536 == 65535) f = Filter::load(f.serialize());
      if constexpr (std::is_same_v<Filter, recency_table>) {
        if (f.timed() && random.below(20'000) == 0) {
          now = std::max(now, position());
          merge_another(f, config, now, of, keys, random, exact);
        }
      }
    }
    ASSERT_EQ(denied, 0u) << life;
  }
  EXPECT_GT(asked_within, operations / 10);
}

TEST(recency_soak, recency_filter_never_denies) {
  expect_never_denied<recency_filter>(any_recency, recency_operations(), {crowd{}});
}

// Few items, and so many that tables grow and shrink.
TEST(recency_soak, recency_table_never_denies) {
  expect_never_denied<recency_table>(any_table, table_operations(),
                                     {crowd{}, {4096, 32}, {30'000, 256}});
}

// 1000 tables of 10^6 items if BLOOMTIME_SOAK is set, else 10 of 10^5.
TEST(recency_soak, a_reserved_table_needs_no_stash) {
  const std::uint64_t tables = support::soaking() ? 1000 : 10;
  const std::uint64_t items = support::soaking() ? 1'000'000 : 100'000;
  std::uint64_t with_stash = 0;
  for (std::uint64_t seed = 0; seed < tables; ++seed) {
    recency_table f({.window = std::chrono::seconds(60),
                     .items = items,
                     .error = 1e-3,
                     .reserve = true,
                     .ticks = 14,
                     .seed = seed});
    const std::uint64_t slots = f.slots();
    bool stashed = false;
    for (std::uint64_t i = 0; i < slots * 95 / 100; ++i) {
      f.add(i, instant(0));
      stashed |= f.stashed() != 0;
    }
    EXPECT_EQ(f.slots(), slots);
    with_stash += stashed;
  }
  EXPECT_EQ(with_stash, 0u);
}

TEST(recency_soak, timing_filter_never_denies) {
  std::uint64_t denied = 0;
  std::uint64_t asked_within = 0;
  for (std::uint64_t life = 0; life < fewest_lives; ++life) {
    math::random_source random(life);
    const std::uint64_t window = 1 + random.below(2000);
    const auto k = static_cast<unsigned>(1 + random.below(6));
    // A generous sweep, so that every number of bits works.
    timing_filter f({.window = window,
                     .memory = 2 + random.below(600),
                     .k = k,
                     .bits = static_cast<unsigned>(2 + random.below(8)),
                     .sweep = 5000});
    last_seen exact;
    for (std::uint64_t i = 0; i < recency_operations() / fewest_lives; ++i) {
      const std::uint64_t item = random.below(random.below(2) == 0 ? recent_items : 16);
      f.add(item);
      exact.record(item, static_cast<std::int64_t>(i));
      const std::uint64_t other = random.below(recent_items);
      if (exact.within(other, static_cast<std::int64_t>(i), window - 1)) {
        ++asked_within;
        denied += !f.seen(other);
      }
      if (i % 65536 == 65535) f = timing_filter::load(f.serialize());
    }
  }
  EXPECT_EQ(denied, 0u);
  EXPECT_GT(asked_within, recency_operations() / 10);
}

}  // namespace recency_soak
}  // namespace bloomtime
