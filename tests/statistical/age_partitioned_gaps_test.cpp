#include <gtest/gtest.h>

#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/statistics.hpp"

// Windows of time next to the exact last sighting of every item, under pauses, bursts and sparse
// streams: nothing within the window is missed, and one tick after it an item is "seen" no more
// often than asked for, however the items of a window are spread over it.
namespace bloomtime::age_partitioned_gaps_test {

constexpr std::int64_t ticks = 600;  // of a window
constexpr std::int64_t long_ago = std::numeric_limits<std::int64_t>::min() / 2;

class exact_twin {
 public:
  exact_twin(std::uint64_t items, double error, bool refresh, std::uint64_t keys)
      : filter_({.window = std::chrono::seconds(ticks),
                 .items = items,
                 .error = error,
                 .refresh = refresh}),
        refresh_(refresh),
        last_(keys, long_ago) {}

  void sight(std::uint64_t key, std::int64_t second) {
    const bool expired = second - last_[key] > ticks;
    const novelty said = filter_.add_if_new(key, instant(second * 1'000'000));
    fresh_ += expired;
    wrong_ += expired && !said.fresh;
    missed_ += !expired && said.fresh;
    overloads_ += said.became == outcome::saturated;
    if (said.fresh || refresh_) last_[key] = second;
  }

  const age_partitioned_filter& filter() const { return filter_; }
  std::uint64_t fresh() const { return fresh_; }
  std::uint64_t wrong() const { return wrong_; }

  void expect_errors_below(double error, const std::string& stream) const {
    EXPECT_EQ(missed_, 0U) << stream;
    EXPECT_EQ(overloads_, 0U) << stream;
    EXPECT_GT(fresh_, 0U) << stream;
    EXPECT_TRUE(wrong_ == 0 || math::binomial_upper_tail(fresh_, wrong_, error) > support::tail)
        << stream << ": " << wrong_ << " of " << fresh_ << " for " << error;
  }

 private:
  age_partitioned_filter filter_;
  bool refresh_;
  std::vector<std::int64_t> last_;  // second, by key
  std::uint64_t fresh_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t missed_ = 0;
  std::uint64_t overloads_ = 0;
};

constexpr double errors[] = {1e-2, 1e-4, 1e-6};
constexpr double loads[] = {0.1, 0.5, 1};
constexpr std::uint64_t items = 3000;

std::string named(const char* stream, double error, double load, std::int64_t phase) {
  return std::string(stream) + ", error " + std::to_string(error) + ", load " +
         std::to_string(load) + ", phase " + std::to_string(phase);
}

// The same keys in bursts of one second, from just past the window to a year apart.
TEST(age_partitioned_gaps, the_same_keys_in_bursts_pass_every_time) {
  for (const double error : errors) {
    for (const double load : loads) {
      const auto keys = static_cast<std::uint64_t>(load * items);
      for (const std::int64_t phase : {1, 2, 3, 10, 30, 300, 3000, 31'000'000}) {
        exact_twin twin(items, error, phase % 2 == 0, keys);
        for (std::int64_t burst = 0; burst < 5; ++burst) {
          for (std::uint64_t x = 0; x < keys; ++x) twin.sight(x, burst * (ticks + phase));
        }
        EXPECT_EQ(twin.fresh(), 5 * keys);
        twin.expect_errors_below(error, named("bursts", error, load, phase));
      }
    }
  }
}

// Two sets of keys in turn, the second at every phase of the first one's window: when the first
// comes again it shares the filter with the second.
TEST(age_partitioned_gaps, old_keys_stay_away_whenever_others_come) {
  for (const double error : errors) {
    for (const double load : loads) {
      const auto half = static_cast<std::uint64_t>(load * items / 2);
      for (const std::int64_t phase : {1, 6, 60, 300, 570, 590, 598, 599, 600}) {
        exact_twin twin(items, error, true, 2 * half);
        for (std::int64_t round = 0; round < 5; ++round) {
          const std::int64_t first = round * (ticks + 1);
          for (std::uint64_t x = 0; x < half; ++x) twin.sight(x, first);
          for (std::uint64_t x = half; x < 2 * half; ++x) twin.sight(x, first + phase);
        }
        EXPECT_EQ(twin.fresh(), 10 * half);
        twin.expect_errors_below(error, named("two bursts", error, load, phase));
      }
    }
  }
}

// A few keys now and then, most of them close to the end of the window.
TEST(age_partitioned_gaps, sparse_streams_have_a_sharp_end) {
  for (const double error : errors) {
    for (const double load : loads) {
      math::random_source random(5);
      constexpr std::uint64_t keys = 12;
      exact_twin twin(items, error, false, keys * 2000);
      std::int64_t now = 0;
      for (int step = 0; step < 10'000; ++step) {
        now += 1 + static_cast<std::int64_t>(random.below(100));
        const std::uint64_t group = random.below(2000);
        const auto size = static_cast<std::uint64_t>(load * keys) + 1;
        for (std::uint64_t i = 0; i < size; ++i) {
          twin.sight((static_cast<std::uint64_t>(step) / 12 + group % 2) % 2000 * keys + i, now);
        }
      }
      twin.expect_errors_below(error, named("sparse", error, load, 0));
    }
  }
}

// What is late has the same window and error, also if all of it belongs to one tick.
TEST(age_partitioned_gaps, what_is_late_finds_room) {
  for (const double error : errors) {
    age_partitioned_filter f(
        {.window = std::chrono::seconds(ticks), .items = items, .error = error});
    const auto at = [](std::int64_t second) { return instant(second * 1'000'000); };
    for (std::uint64_t x = 0; x < 600; ++x) {
      f.add(x, at(static_cast<std::int64_t>(x)));
    }
    for (std::uint64_t x = 1000; x < 1000 + items - 600; ++x) {
      ASSERT_EQ(f.add(x, at(300)), outcome::late);
    }
    EXPECT_FALSE(f.overloaded());
    EXPECT_LE(f.current_error(), f.predicted_error(f.items()));
    for (std::uint64_t x = 1000; x < 1000 + items - 600; ++x) {
      const auto age = f.age(x, at(899));
      ASSERT_TRUE(age);
      ASSERT_LE(age->youngest, 599'000'000U);
      ASSERT_GE(age->oldest, 599'000'000U);
    }
    std::uint64_t wrong = 0;
    constexpr std::uint64_t asked = 20'000;
    for (std::uint64_t x = 0; x < asked; ++x) wrong += f.seen(1'000'000 + x, at(899));
    EXPECT_TRUE(wrong == 0 || math::binomial_upper_tail(asked, wrong, error) > support::tail);
  }
}

// The prediction is up to an eighth too high, as in age_partitioned_filter_test.cpp; six standard
// errors of a Poisson number are allowed.
TEST(age_partitioned_gaps, errors_are_predicted_under_bursts) {
  for (const std::int64_t apart : {700, 300, 60, 1}) {
    age_partitioned_filter f(
        {.window = std::chrono::seconds(ticks), .items = 20'000, .error = 0.05});
    const std::uint64_t burst = 20'000 * static_cast<std::uint64_t>(std::min(apart, ticks)) / ticks;
    std::uint64_t next = 0;
    double predicted = 0;
    std::uint64_t wrong = 0;
    constexpr std::uint64_t asked = 2000;
    std::uint64_t questions = 0;
    for (std::int64_t now = 0; now < 40 * apart + 2 * ticks; now += apart) {
      const instant when(now * 1'000'000);
      for (std::uint64_t i = 0; i < burst; ++i) f.add(next++, when);
      if (now < ticks + apart || now / apart % (1 + 60 / apart) != 0) continue;
      predicted += asked * f.current_error();
      for (std::uint64_t i = 0; i < asked; ++i) wrong += f.seen((1ULL << 60) + questions++, when);
    }
    const double deviation = 6 * std::sqrt(predicted) + 0.01 * predicted;
    EXPECT_FALSE(f.overloaded());
    EXPECT_LE(predicted, 0.05 * static_cast<double>(questions)) << apart;
    EXPECT_LT(static_cast<double>(wrong), predicted + deviation) << apart;
    EXPECT_GT(static_cast<double>(wrong), 0.875 * predicted - deviation) << apart;
  }
}

}  // namespace bloomtime::age_partitioned_gaps_test
