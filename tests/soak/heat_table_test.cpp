#include <gtest/gtest.h>

#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/heat_stream.hpp"
#include "support/soaking.hpp"

// No upper bound is below the truth: 10^9 operations with a question each, over tables of many
// shapes, if BLOOMTIME_SOAK is set, else 10^6.
namespace bloomtime::heat_table_soak {

std::uint64_t operations() { return support::soak_operations(1'000'000'000, 1'000'000); }

struct setting {
  heat_table_config config;
  double half_life = 0;       // in ticks of a microsecond
  std::uint64_t items = 0;    // different ones that come
  std::uint64_t heavy = 0;    // one in so many events has a large weight
  std::uint64_t longest = 0;  // of the usual steps of time
};

setting any_setting(math::random_source& random) {
  const std::uint64_t half_life = 1 + random.below(std::uint64_t{1} << random.below(30));
  setting s{.config = {.items = 1 + random.below(2000),
                       .error = random.below(2) == 0 ? 0.05 : 1e-4,
                       .reserve = random.below(3) == 0,
                       .half_life = std::chrono::microseconds(half_life),
                       .tick = std::chrono::microseconds(1),
                       .ahead = std::chrono::hours(24 * 365 * 100),
                       .seed = random.below(9)},
            .half_life = static_cast<double>(half_life),
            .items = 1 + random.below(std::uint64_t{1} << (3 + random.below(11))),
            .heavy = 1 + random.below(std::uint64_t{1} << random.below(12)),
            .longest = 1 + random.below(1 + 2 * half_life / (1 + random.below(1000)))};
  if (!s.config.reserve && random.below(2) == 0) s.config.memory = 64 + random.below(8192);
  return s;
}

// The exact twin: the heat of an item at the time of its newest event.
class oracle {
 public:
  oracle(std::uint64_t items, double half_life) : of_(items), half_life_(half_life) {}

  void add(std::uint64_t item, std::int64_t at, std::uint64_t weight) {
    heat& h = of_[item];
    if (at > h.since) h = {at_time(h, at), at};
    h.count += static_cast<long double>(weight) * left(h.since - at);
  }
  long double at(std::uint64_t item, std::int64_t now) const { return at_time(of_[item], now); }
  void merge(const oracle& other) {
    for (std::size_t i = 0; i < of_.size(); ++i) {
      const std::int64_t since = std::max(of_[i].since, other.of_[i].since);
      of_[i] = {at_time(of_[i], since) + at_time(other.of_[i], since), since};
    }
  }

 private:
  struct heat {
    long double count = 0;
    std::int64_t since = 0;
  };
  long double left(std::int64_t age) const {
    return std::exp2(-static_cast<long double>(age) / half_life_);
  }
  long double at_time(const heat& h, std::int64_t now) const {
    return h.count == 0 ? 0 : h.count * left(now - h.since);
  }

  std::vector<heat> of_;
  long double half_life_;
};

// Mostly small steps, sometimes many half-lives, and now and then years.
std::int64_t time_step(math::random_source& random, const setting& s) {
  const std::uint64_t kind = random.below(2000);
  if (kind < 1990) return static_cast<std::int64_t>(random.below(s.longest));
  const auto half_life = static_cast<std::uint64_t>(s.half_life);
  if (kind < 1999) return static_cast<std::int64_t>(random.below(20 * half_life));
  return static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(50)));
}

struct counted {
  std::uint64_t too_low = 0;
  std::uint64_t lower_too_high = 0;
  std::uint64_t questions = 0;
  double expected = 0;  // questions whose lower bound is allowed to fail
};

// One table and its twin from `now` on. Returns the time of the last event.
std::int64_t live(heat_table& t, oracle& exact, const setting& s, const support::soak_items& keys,
                  math::random_source& random, std::int64_t now, std::uint64_t events,
                  counted& all) {
  for (std::uint64_t i = 0; i < events; ++i) {
    now += time_step(random, s);
    const std::uint64_t item = random.below(random.below(2) == 0 ? s.items : 1 + s.items / 8);
    const std::uint64_t weight =
        random.below(s.heavy) == 0 ? random.below(std::uint64_t{1} << random.below(40)) : 1;
    const std::int64_t late =
        random.below(8) == 0 ? static_cast<std::int64_t>(
                                   random.below(1 + 3 * static_cast<std::uint64_t>(s.half_life)))
                             : 0;
    const outcome became = t.add(keys(item), instant(now - late), weight);
    if (became == outcome::added || became == outcome::late) exact.add(item, now - late, weight);
    const std::uint64_t other = random.below(s.items);
    const std::int64_t asked =
        std::max(now, t.newest() ? t.newest()->micros : now) +
        (random.below(4) == 0 ? static_cast<std::int64_t>(random.below(s.longest)) : 0);
    const estimate e = t.at(keys(other), instant(asked));
    const long double truth = exact.at(other, asked);
    ++all.questions;
    all.too_low += !support::covers(e.upper + 1e-300, truth * (1 - 1e-10L));
    if (!keys.aimed()) {  // who knows the seed can make items share a print
      all.lower_too_high += !support::is_covered(e.lower, truth * (1 + 1e-10L));
      all.expected += 1 - t.confidence();
    }
    if (i % 4096 == 4095) t = heat_table::load(t.serialize());
  }
  return now;
}

TEST(heat_table_soak, upper_bounds_are_never_too_low) {
  counted all;
  const std::uint64_t lives = support::soak_lives(operations(), 200);
  for (std::uint64_t life = 0; life < lives; ++life) {
    math::random_source random(support::soak_seed(life));
    const setting s = any_setting(random);
    const support::soak_items keys(s.config.seed, life);
    heat_table t(s.config);
    oracle exact(s.items, s.half_life);
    const std::uint64_t events = operations() / lives / 2;
    const std::int64_t now = live(t, exact, s, keys, random, -1000, events, all);
    // A table that went on alone is merged in, and both go on as one.
    heat_table part(s.config);
    oracle twin(s.items, s.half_life);
    const std::int64_t later = live(part, twin, s, keys, random, now, events / 2, all);
    try {
      t.merge(part);
      exact.merge(twin);
    } catch (const error&) {  // the memory limit leaves no room for both, and nothing changed
    }
    live(t, exact, s, keys, random, later, events / 2, all);
    ASSERT_EQ(all.too_low, 0U) << life;
  }
  EXPECT_EQ(all.too_low, 0U);
  EXPECT_GT(all.questions, operations() * 99 / 100);
  RecordProperty("lower_too_high", std::to_string(all.lower_too_high));
  EXPECT_LT(static_cast<double>(all.lower_too_high), 2 * all.expected);
}

// 1000 tables of 10^6 items if BLOOMTIME_SOAK is set, else 10 of 10^5.
TEST(heat_table_soak, a_reserved_table_needs_no_stash) {
  const std::uint64_t tables = support::soaking() ? 1000 : 10;
  const std::uint64_t items = support::soaking() ? 1'000'000 : 100'000;
  std::uint64_t with_stash = 0;
  for (std::uint64_t seed = 0; seed < tables; ++seed) {
    heat_table t({.items = items * 9 / 10,
                  .reserve = true,
                  .half_life = std::chrono::hours(1),
                  .seed = seed});
    const std::uint64_t slots = t.slots();
    bool stashed = false;
    for (std::uint64_t i = 0; i < slots * 92 / 100; ++i) {
      t.add(i, instant(0));
      stashed |= t.stashed() != 0;
    }
    EXPECT_EQ(t.slots(), slots);
    with_stash += stashed;
  }
  EXPECT_EQ(with_stash, 0U);
}

}  // namespace bloomtime::heat_table_soak
