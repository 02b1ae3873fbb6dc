#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/any_recency.hpp>
#include <bloomtime/recency/recency_engine.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

// Every engine of the family, with a window of insertions, next to the exact number of the last
// insertion of every item; and those that can have a window of time, next to the exact last
// instant.
namespace bloomtime {
namespace recency_engines_test {

template <recency_engine Engine>
struct made;

template <>
struct made<recency_table> {
  static recency_table of(std::uint64_t last, std::uint64_t memory, std::uint64_t seed) {
    return recency_table({.last = last,
                          .items = memory % 3 == 0 ? 0 : last,
                          .error = memory % 5 == 0 ? 1e-6 : 0.02,
                          .reserve = memory % 2 == 0,
                          .ticks = static_cast<std::uint32_t>(1 + memory % 70),
                          .seed = seed});
  }
};
template <>
struct made<recency_filter> {
  static recency_filter of(std::uint64_t last, std::uint64_t memory, std::uint64_t seed) {
    return recency_filter({.last = last, .items = last, .memory = memory, .seed = seed});
  }
};
template <>
struct made<age_partitioned_filter> {
  static age_partitioned_filter of(std::uint64_t last, std::uint64_t memory, std::uint64_t seed) {
    return age_partitioned_filter({.last = last, .memory = 2000 + memory, .seed = seed});
  }
};
template <>
struct made<published::timing_filter> {
  static published::timing_filter of(std::uint64_t last, std::uint64_t memory, std::uint64_t seed) {
    return published::timing_filter(
        published::timing_config{.window = last, .memory = memory, .seed = seed});
  }
};
template <>
struct made<published::generalized_filter> {
  static published::generalized_filter of(std::uint64_t last, std::uint64_t memory,
                                          std::uint64_t seed) {
    return published::generalized_filter({.window = last, .memory = memory, .seed = seed});
  }
};
template <>
struct made<published::recent_buffer> {
  // Room for the whole window: only then a "no" is certain.
  static published::recent_buffer of(std::uint64_t last, std::uint64_t memory, std::uint64_t seed) {
    return published::recent_buffer({.window = last, .memory = 2 * last + memory, .seed = seed});
  }
};

template <class Engine>
class recency_engines : public ::testing::Test {};

using engines = ::testing::Types<recency_table, recency_filter, age_partitioned_filter,
                                 published::timing_filter, published::generalized_filter,
                                 published::recent_buffer>;
TYPED_TEST_SUITE(recency_engines, engines);

// A generalized filter may miss anything but what came last.
template <class Engine>
bool promises(std::uint64_t age, std::uint64_t window) {
  return age < (std::is_same_v<Engine, published::generalized_filter> ? 1 : window);
}

template <class Engine>
void check(const Engine& f, std::uint64_t item, std::optional<std::uint64_t> age) {
  const bool seen = f.seen(item);
  if (age && promises<Engine>(*age, f.window())) RC_ASSERT(seen);
  const auto bracket = f.age(item);
  RC_ASSERT(bracket.has_value() == seen);
  if (bracket) {
    RC_ASSERT(bracket->youngest <= bracket->oldest);
    if (age && promises<Engine>(*age, f.window())) RC_ASSERT(bracket->youngest <= *age);
  }
  const double p = f.posterior(item, age_prior::share(0.01));
  RC_ASSERT(p >= 0 && p <= 1);
  RC_ASSERT(std::isnan(f.posterior(item, age_prior())));
  RC_ASSERT(f.decide(item, age_prior(), {1, 1}) == seen);
  // What costs nothing is never avoided.
  if (p > 0) RC_ASSERT(f.decide(item, age_prior::share(0.01), {0, 1}));
}

TYPED_TEST(recency_engines, agree_with_an_exact_twin) {
  EXPECT_TRUE(rc::check([] {
    const auto last = *rc::gen::inRange<std::uint64_t>(1, 120);
    const auto memory = *rc::gen::inRange<std::uint64_t>(256, 1000);
    TypeParam f = made<TypeParam>::of(last, memory, *rc::gen::inRange<std::uint64_t>(0, 5));
    const TypeParam fresh = f;
    math::random_source random(*rc::gen::arbitrary<std::uint64_t>());
    std::map<std::uint64_t, std::uint64_t> at;  // of the last insertion
    std::uint64_t now = 0;
    for (int n = 0; n < 400; ++n) {
      const std::uint64_t item = random() % 200;
      if (random() % 2 == 0) {
        RC_ASSERT(f.add(item) == outcome::added);
      } else {
        const auto known = at.find(item);
        const novelty said = f.add_if_new(item);
        RC_ASSERT(said.became == outcome::added);
        if (known != at.end() && promises<TypeParam>(now - 1 - known->second, last)) {
          RC_ASSERT(!said.fresh);
        }
      }
      at[item] = now++;
      RC_ASSERT(f.insertions() == now);
      const std::uint64_t asked = random() % 200;
      const auto found = at.find(asked);
      check(f, asked, found == at.end() ? std::nullopt : std::optional(now - 1 - found->second));
      if (random() % 100 == 0) f = TypeParam::load(f.serialize());
      if (random() % 300 == 0) {
        f.clear();
        RC_ASSERT(f.serialize() == fresh.serialize());
        at.clear();
        now = 0;
      }
    }
    RC_ASSERT(f.losses() == losses{});
    RC_ASSERT(f.current_error() >= 0 && f.current_error() <= 1.000001);
  }));
}

// -- windows of time -----------------------------------------------------------------------------

struct time_window {
  std::chrono::microseconds length;
  std::uint32_t ticks;
  std::optional<double> error;  // so small that ages are exact; or
  std::optional<std::uint64_t> memory;
};

time_window any_time_window(bool exact) {
  const auto ticks = *rc::gen::inRange<std::uint32_t>(1, 40);
  // Below 8 microseconds time stands still between gaps, and more arrives than a size allows for.
  const auto tick = *rc::gen::inRange<std::int64_t>(exact ? 8 : 1, 1'000'000);
  const auto cut = *rc::gen::inRange<std::int64_t>(0, 5);
  time_window w{std::chrono::microseconds(std::max(tick, ticks * tick - cut)), ticks, {}, {}};
  if (exact) {
    w.error = 1e-10;
  } else {
    w.memory = *rc::gen::inRange<std::uint64_t>(2000, 20'000);
  }
  return w;
}

template <timed_recency_engine Engine>
Engine timed(const time_window& w, std::uint64_t items);

template <>
recency_table timed(const time_window& w, std::uint64_t items) {
  return recency_table({.window = w.length,
                        .items = items,
                        .error = w.error.value_or(0.02),
                        .reserve = items % 2 == 0,
                        .ticks = w.ticks});
}
template <>
recency_filter timed(const time_window& w, std::uint64_t items) {
  return recency_filter(
      {.window = w.length, .items = items, .error = w.error, .memory = w.memory, .ticks = w.ticks});
}
template <>
age_partitioned_filter timed(const time_window& w, std::uint64_t items) {
  return age_partitioned_filter(
      {.window = w.length,
       .tick = std::chrono::microseconds((w.length.count() - 1) / w.ticks + 1),
       .items = items,
       .error = w.error,
       .memory = w.memory});
}

// Two streams with gaps, bursts, late events and clocks that differ, merged from time to time.
// Nothing within the window is missed, and ages include the truth, also of items outside the window
// that are still remembered.
template <timed_recency_engine Engine>
class timed_streams {
 public:
  timed_streams(const time_window& w, std::uint64_t items, std::uint64_t seed)
      : window_(w.length.count()),
        exact_(w.error.has_value()),
        random_(seed),
        streams_{stream(timed<Engine>(w, items)), stream(timed<Engine>(w, items))} {
    streams_[1].now = below(4 * window_) - 2 * window_;
  }

  void step() {
    const std::size_t which = random_() % 2;
    stream& s = streams_[which];
    if (random_() % 60 == 0) s.now += below(3 * window_);  // a gap
    const bool burst = random_() % 20 == 0;
    for (int n = burst ? 40 : 1; n > 0; --n) add(s, random_() % 300);
    if (random_() % 3 == 0) s.now += below(window_ / 8 + 1);
    if (random_() % 40 == 0) s.filter.advance(instant(s.now));
    if (random_() % 50 == 0) merge(s, streams_[1 - which]);
    if (random_() % 80 == 0) s.filter = Engine::load(s.filter.serialize());
    if (random_() % 10 == 0) check(s);
  }

  int merged() const { return merged_; }

 private:
  struct stream {
    explicit stream(Engine made) : filter(std::move(made)) {}

    Engine filter;
    std::map<std::uint64_t, std::int64_t> last = {};  // exact instants
    std::int64_t now = 0;
  };

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }

  bool within(const stream& s, std::uint64_t x, std::int64_t when) const {
    const auto found = s.last.find(x);
    return found != s.last.end() && when - found->second <= window_;
  }

  static void note(stream& s, std::uint64_t x, std::int64_t at) {
    const auto entry = s.last.emplace(x, at).first;
    entry->second = std::max(entry->second, at);
  }

  void add(stream& s, std::uint64_t x) {
    const std::int64_t at = s.now - (random_() % 10 == 0 ? below(3 * window_ / 2 + 1) : 0);
    outcome became = outcome::added;
    if (random_() % 2 == 0) {
      became = s.filter.add(x, instant(at));
    } else {
      const bool known = within(s, x, s.now);
      const novelty said = s.filter.add_if_new(x, instant(at));
      if (known) RC_ASSERT(!said.fresh);
      became = said.became;
    }
    if (became == outcome::dropped_late) {
      RC_ASSERT(at < s.now - window_);
    } else {
      note(s, x, at);
    }
  }

  void merge(stream& into, const stream& from) {
    const auto before = into.filter.serialize();
    try {
      into.filter.merge(from.filter);
    } catch (const error& e) {
      RC_ASSERT(e.code() == errc::incompatible);
      RC_ASSERT(into.filter.serialize() == before);
      return;
    }
    ++merged_;
    for (const auto& [x, at] : from.last) note(into, x, at);
    into.now = std::max(into.now, from.now);
    check(into);
  }

  void check(const stream& s) const {
    for (const auto& [x, at] : s.last) {
      for (const std::int64_t when : {s.now, s.now + window_ / 3}) check(s.filter, x, at, when);
    }
  }

  void check(const Engine& f, std::uint64_t x, std::int64_t at, std::int64_t when) const {
    const auto truth = static_cast<std::uint64_t>(std::max<std::int64_t>(0, when - at));
    const bool inside = when - at <= window_;
    const auto age = f.age(x, instant(when));
    RC_ASSERT(age.has_value() == f.seen(x, instant(when)));
    if (inside) RC_ASSERT(age.has_value());
    if (!age) return;
    RC_ASSERT(age->youngest <= age->oldest);
    if (inside || exact_) RC_ASSERT(age->youngest <= truth);
    if (exact_) RC_ASSERT(truth <= age->oldest);
    if (x % 50 != 0) return;
    const double p = f.posterior(x, instant(when), event_rate{0.01});
    RC_ASSERT(p >= 0 && p <= 1);
    if (inside) RC_ASSERT(p > 0);
    RC_ASSERT(f.decide(x, instant(when), event_rate{std::nan("")}, {1, 1}));
  }

  std::int64_t window_;
  bool exact_;
  math::random_source random_;
  std::array<stream, 2> streams_;
  int merged_ = 0;
};

template <class Engine>
class timed_recency_engines : public ::testing::Test {};

using timed_engines = ::testing::Types<recency_table, recency_filter, age_partitioned_filter>;
TYPED_TEST_SUITE(timed_recency_engines, timed_engines);

template <class Engine>
void run_streams(bool exact, std::uint64_t items, int steps) {
  timed_streams<Engine> streams(any_time_window(exact), items,
                                *rc::gen::arbitrary<std::uint64_t>());
  for (int n = 0; n < steps; ++n) streams.step();
  RC_CLASSIFY(streams.merged() > 0, "merged");
}

TYPED_TEST(timed_recency_engines, miss_nothing_within_the_window) {
  EXPECT_TRUE(rc::check(
      [] { run_streams<TypeParam>(false, *rc::gen::inRange<std::uint64_t>(1, 300), 200); }));
}

// Sized for what arrives, or for less of it, so that generations are kept for longer.
TYPED_TEST(timed_recency_engines, ages_include_the_truth) {
  EXPECT_TRUE(rc::check(
      [] { run_streams<TypeParam>(true, *rc::gen::inRange<std::uint64_t>(300, 1000), 200); }));
}

TYPED_TEST(timed_recency_engines, bulk_is_one_by_one) {
  EXPECT_TRUE(rc::check([] {
    TypeParam one = timed<TypeParam>(any_time_window(false), 100);
    TypeParam many = one;
    math::random_source random(*rc::gen::arbitrary<std::uint64_t>());
    const auto window = static_cast<std::int64_t>(one.window());
    std::int64_t now = 0;
    for (int round = 0; round < 4; ++round) {
      std::vector<std::uint64_t> items(random() % 200);
      std::vector<instant> times;
      for (std::uint64_t& x : items) {
        x = random() % 150;
        now += static_cast<std::int64_t>(random() % 3) * window / 40;
        times.emplace_back(now - (random() % 8 == 0 ? window : 0));
      }
      std::vector<outcome> outcomes(items.size());
      std::vector<novelty> answers(items.size());
      if (round % 2 == 0) {
        many.add_bulk(items, times, outcomes);
      } else {
        many.add_if_new_bulk(items, times, answers);
      }
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (round % 2 == 0) {
          RC_ASSERT(one.add(items[i], times[i]) == outcomes[i]);
        } else {
          RC_ASSERT(one.add_if_new(items[i], times[i]) == answers[i]);
        }
      }
      RC_ASSERT(one.serialize() == many.serialize());
      RC_ASSERT(one.losses() == many.losses());
      RC_ASSERT(one.newest() == many.newest());
    }
  }));
}

}  // namespace recency_engines_test
}  // namespace bloomtime
