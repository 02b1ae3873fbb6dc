#include <gtest/gtest.h>

#include <bloomtime/math/posterior.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"

namespace bloomtime {
namespace age_partitioned_filter_test {

using std::chrono::microseconds;
using std::chrono::seconds;
using support::expect_error;

constexpr double rarely = 1e-12;  // errors that no test here meets

instant at_second(double s) { return instant(static_cast<std::int64_t>(s * 1e6)); }

age_partitioned_filter of_time(std::uint64_t items = 1000, double error = rarely) {
  return age_partitioned_filter({.window = seconds(600), .items = items, .error = error});
}

TEST(age_partitioned, a_window_of_insertions_ends_with_a_generation) {
  age_partitioned_filter f({.last = 1000, .error = rarely});
  EXPECT_FALSE(f.seen(0));
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(f.add(i), outcome::added);
    ASSERT_TRUE(f.seen(i < 999 ? 0 : i - 999)) << i;
    const std::uint64_t age = (f.generations() + 1) * f.quota();
    ASSERT_FALSE(i >= age && f.seen(i - age)) << i;
  }
}

TEST(age_partitioned, a_window_of_time_is_exact_on_whole_seconds) {
  age_partitioned_filter f = of_time();
  ASSERT_EQ(f.clock().resolution(), seconds(1));
  ASSERT_EQ(f.add("x", at_second(100)), outcome::added);
  EXPECT_TRUE(f.seen("x", at_second(700)));
  EXPECT_FALSE(f.seen("x", at_second(701)));
  EXPECT_TRUE(f.seen("x", at_second(50)));   // the newest insertion counts if that is later
  EXPECT_TRUE(f.seen("x", at_second(700)));  // asking changed nothing
  ASSERT_EQ(f.add("y", at_second(701)), outcome::added);
  EXPECT_FALSE(f.seen("x", at_second(0)));
  EXPECT_TRUE(f.seen("y", at_second(0)));
}

TEST(age_partitioned, all_of_a_window_may_come_at_once) {
  age_partitioned_filter f = of_time(50'000, 1e-4);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < 50'000; ++i) wrong += !f.add_if_new(i, at_second(7)).fresh;
  EXPECT_LT(wrong, 20U);  // 5 expected if all were asked of the full filter
  EXPECT_FALSE(f.overloaded());
  EXPECT_LE(f.current_error(), 1e-4);
  for (std::uint64_t i = 0; i < 50'000; ++i) ASSERT_TRUE(f.seen(i, at_second(607)));
  EXPECT_FALSE(f.seen(1, at_second(608)));
}

TEST(age_partitioned, too_much_makes_more_errors_and_misses_nothing) {
  age_partitioned_filter f({.window = seconds(60), .items = 100, .error = 1e-3});
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const outcome became = f.add(i, at_second(static_cast<double>(i) / 100));
    ASSERT_TRUE(became == outcome::added || became == outcome::saturated);
    ASSERT_TRUE(became != outcome::saturated || f.overloaded()) << i;
    ASSERT_TRUE(f.seen(i < 5000 ? 0 : i - 5000)) << i;
  }
  EXPECT_GT(f.current_error(), 0.5);
  EXPECT_TRUE(f.overloaded());
  EXPECT_TRUE(age_partitioned_filter::load(f.serialize()).overloaded());
  age_partitioned_filter twice = of_time(10'000, 1e-4);
  double worst = 0;
  int wide = 0;
  for (std::uint64_t i = 0; i < 80'000; ++i) {
    twice.add(i, at_second(static_cast<double>(i) * 600 / 20'000));
    const std::uint64_t back = std::min<std::uint64_t>(i, i % 20'000);
    const auto age = twice.age(i - back);
    ASSERT_TRUE(age) << i;
    wide += age->youngest <= back * 30'000 && back * 30'000 <= age->oldest + 1'000'000;
    if (i % 1000 == 0) worst = std::max(worst, twice.current_error());
  }
  EXPECT_LT(worst, 0.5);
  EXPECT_GT(wide, 79'000);  // but for those that others make look younger
  for (std::uint64_t i = 0; i < 300; ++i) f.add(i, at_second(300 + static_cast<double>(i)));
  EXPECT_LE(f.current_error(), 1e-3);  // it recovers
  EXPECT_FALSE(f.overloaded());
}

TEST(age_partitioned, what_is_late_is_remembered_from_its_own_time) {
  age_partitioned_filter f = of_time();
  for (int s = 0; s < 1000; ++s) f.add(s, at_second(s));
  EXPECT_EQ(f.add("late", at_second(700)), outcome::late);
  EXPECT_EQ(f.add("older", at_second(399)), outcome::late);
  EXPECT_EQ(f.add("too late", at_second(398)), outcome::dropped_late);
  EXPECT_FALSE(f.seen("too late"));
  EXPECT_TRUE(f.seen("late", at_second(1300)));
  EXPECT_FALSE(f.seen("late", at_second(1301)));
  EXPECT_TRUE(f.seen("older", at_second(999)));
  EXPECT_FALSE(f.seen("older", at_second(1000)));
  f.advance(at_second(1100));
  EXPECT_EQ(f.add("between", at_second(1050)), outcome::late);
  EXPECT_TRUE(f.seen("between", at_second(1650)));
}

TEST(age_partitioned, clocks_may_jump) {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
  age_partitioned_filter f = of_time();
  EXPECT_EQ(f.newest(), std::nullopt);
  f.advance(instant(last));  // of nothing
  EXPECT_EQ(f.add("x", instant(first)), outcome::added);
  EXPECT_TRUE(f.seen("x", instant(first)));
  EXPECT_EQ(f.add("y", instant{}), outcome::added);
  EXPECT_FALSE(f.seen("x"));
  EXPECT_EQ(f.add("z", instant(last)), outcome::added);
  EXPECT_FALSE(f.seen("y"));
  EXPECT_EQ(f.add("y", instant(first)), outcome::dropped_late);
  EXPECT_TRUE(f.seen("z", instant(first)));
  f.advance(instant(first));
  EXPECT_TRUE(f.seen("z"));
}

TEST(age_partitioned, brackets_the_age) {
  age_partitioned_filter counted({.last = 500, .error = rarely});
  for (std::uint64_t i = 0; i < 3000; ++i) counted.add(i);
  std::uint64_t width = 0;
  for (std::uint64_t age = 0; age < 500; ++age) {
    const auto told = counted.age(2999 - age);
    ASSERT_TRUE(told);
    ASSERT_LE(told->youngest, age);
    ASSERT_GE(told->oldest, age);
    width += told->oldest - told->youngest + 1;
  }
  EXPECT_LE(width, 500 * counted.quota());
  EXPECT_FALSE(counted.age("never"));

  age_partitioned_filter timed = of_time();
  for (int s = 0; s < 1000; ++s) timed.add(s, at_second(s));
  for (int s = 400; s < 1000; ++s) {
    const auto told = timed.age(s, at_second(999.5));
    ASSERT_TRUE(told);
    const auto age = static_cast<std::uint64_t>(999'500'000 - s * 1'000'000);
    ASSERT_LE(told->youngest, age);
    ASSERT_GE(told->oldest, age);
    ASSERT_TRUE(s == 400 || told->oldest - told->youngest <= 2'000'000);
  }
}

TEST(age_partitioned, refreshing_begins_the_window_anew) {
  for (const bool refresh : {false, true}) {
    age_partitioned_filter f = of_time();
    f.set_refresh(refresh);
    EXPECT_TRUE(f.add_if_new("x", at_second(0)).fresh);
    EXPECT_FALSE(f.add_if_new("x", at_second(400)).fresh);
    EXPECT_NE(f.add_if_new("x", at_second(700)).fresh, refresh);
  }
}

TEST(age_partitioned, a_repeated_item_takes_its_tick_once) {
  age_partitioned_filter f = of_time();
  for (int i = 0; i < 1000; ++i) (void)f.add_if_new("x", at_second(1));
  EXPECT_EQ(f.insertions(), 1U);
  // Also if it is in an earlier generation of its tick.
  for (int i = 0; i < 1000; ++i) f.add(i, at_second(1));
  const std::uint64_t before = f.insertions();
  EXPECT_FALSE(f.add_if_new("x", at_second(1)).fresh);
  EXPECT_EQ(f.insertions(), before);
  age_partitioned_filter counted({.last = 10, .error = rarely});
  for (int i = 0; i < 1000; ++i) (void)counted.add_if_new("x");
  EXPECT_EQ(counted.insertions(), 1000U);
}

TEST(age_partitioned, many_at_once_are_as_one_by_one) {
  for (const bool refresh : {false, true}) {
    age_partitioned_filter one = of_time(300, 0.05);
    one.set_refresh(refresh);
    age_partitioned_filter many = one;
    std::vector<std::uint64_t> items;
    std::vector<instant> times;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      items.push_back(i * i % 701);
      times.push_back(at_second(static_cast<double>(i + i * 7 % 13)));
    }
    std::vector<novelty> answers(items.size());
    many.add_if_new_bulk(items, times, answers);
    for (std::size_t i = 0; i < items.size(); ++i) {
      ASSERT_EQ(one.add_if_new(items[i], times[i]), answers[i]) << i;
    }
    EXPECT_EQ(one.serialize(), many.serialize());
    expect_error(errc::invalid_argument, [&] { of_time().add_if_new_bulk(items, answers); });
    expect_error(errc::invalid_argument,
                 [&] { many.add_if_new_bulk(items, std::span(times).first(9), answers); });
  }
}

TEST(age_partitioned, posteriors_weigh_the_evidence) {
  age_partitioned_filter f({.last = 200, .memory = 400});
  EXPECT_EQ(f.posterior("x", [](double) { return 0.5; }), 0);  // before any insertion
  for (std::uint64_t i = 0; i < 1000; ++i) f.add(i);
  int between = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto chance = [](double p) {
      return [prior = math::geometric(p)](double t) { return prior.before(t); };
    };
    const double often = f.posterior(i, chance(0.01));
    const double seldom = f.posterior(i, chance(1e-6));
    ASSERT_TRUE(0 <= seldom && seldom <= often && often <= 1);
    // What is kept for a little longer than the window is certainly not within it.
    const auto age = f.age(i);
    ASSERT_EQ(often > 0, age && age->youngest < 200) << i;
    between += seldom < 0.5 && often > 0.5;
    const bool cheap_no = f.decide(i, chance(1e-6), {.false_positive = 1e9, .false_negative = 1});
    const bool cheap_yes = f.decide(i, chance(0.01), {.false_positive = 1, .false_negative = 1e9});
    ASSERT_FALSE(cheap_no && seldom < 0.999999);
    ASSERT_EQ(cheap_yes, often > 0);
  }
  EXPECT_GT(between, 50);
  expect_error(errc::invalid_argument, [&] {
    (void)f.decide(1, [](double) { return 0.5; }, {.false_positive = -1, .false_negative = 1});
  });
}

TEST(age_partitioned, refuses_what_it_cannot_be) {
  const auto refused = [](const age_partitioned_config& c, const std::string& says) {
    expect_error(
        errc::invalid_argument, [&] { age_partitioned_filter f(c); }, says);
  };
  refused({.error = 0.1}, "neither");
  refused({.last = 1, .window = seconds(1), .items = 1, .error = 0.1}, "both");
  refused({.last = 1}, "neither");
  refused({.last = 1, .error = 0.1, .memory = 1000}, "both");
  refused({.last = 0, .error = 0.1}, "got 0");
  refused({.window = seconds(1), .error = 0.1}, "got 0");
  refused({.window = seconds(0), .items = 1, .error = 0.1}, "at least one microsecond, got 0");
  refused({.window = seconds(-1), .items = 1, .error = 0.1}, "got -1000000");
  refused({.window = seconds(1), .tick = seconds(2), .items = 1, .error = 0.1}, "2000000");
  refused({.window = seconds(1), .tick = microseconds(0), .items = 1, .error = 0.1}, "got 0");
  refused({.window = seconds(1), .tick = microseconds(1), .items = 1, .error = 0.1}, "8192");
  for (const double e : {0., 1., -1., 2., std::numeric_limits<double>::quiet_NaN()}) {
    refused({.last = 10, .error = e}, "between 0 and 1");
  }
  refused({.last = 1000, .memory = 64}, "bytes");
  expect_error(errc::too_large, [] { age_partitioned_filter f({.last = 10, .error = 1e-300}); });
  expect_error(errc::too_large,
               [] { age_partitioned_filter f({.last = 1ull << 48, .error = 1e-6}); });
}

TEST(age_partitioned, continues_where_it_was_stored) {
  age_partitioned_filter whole = of_time(200, 0.01);
  age_partitioned_filter stored = whole;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const instant when = at_second(static_cast<double>(i * 7 % 50 + i));
    ASSERT_EQ(whole.add_if_new(i % 333, when), stored.add_if_new(i % 333, when));
    if (i % 100 == 0) stored = age_partitioned_filter::load(stored.serialize());
  }
  EXPECT_EQ(whole.serialize(), stored.serialize());
}

// Every parameter, changed and sealed again, is refused or gives a filter that can be used.
TEST(age_partitioned, survives_any_parameter) {
  for (const bool timed : {false, true}) {
    age_partitioned_filter f =
        timed ? of_time(50, 0.1) : age_partitioned_filter({.last = 50, .error = 0.1});
    for (int i = 0; i < 500; ++i) f.add(i, at_second(i));
    const auto good = f.serialize();
    const std::size_t parameters = detail::container_view::parse(good).parameters().remaining() / 8;
    ASSERT_EQ(parameters, 14U);
    int refusals = 0;
    for (std::size_t p = 0; p < parameters; ++p) {
      for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{600},
                                        std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
        auto bytes = good;
        support::put(bytes, support::parameter(p) + support::field::entry, value);
        support::seal(bytes);
        try {
          auto changed = age_partitioned_filter::load(bytes);
          changed.add("x", at_second(1000));
          (void)changed.seen("x", at_second(1000));
          (void)changed.current_error();
        } catch (const error& e) {
          ++refusals;
          EXPECT_EQ(e.code(), errc::corrupt) << e.what();
        }
      }
    }
    EXPECT_GT(refusals, 40);
  }
}

}  // namespace age_partitioned_filter_test
}  // namespace bloomtime
