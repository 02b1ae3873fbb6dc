#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/recency_filter.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/numbers.hpp"
#include "support/sanitized.hpp"
#include "support/without_memory.hpp"

namespace bloomtime {
namespace recency_filter_test {

using namespace std::chrono_literals;
using support::expect_error;
using novelty = novelty;

constexpr instant moment(std::int64_t seconds) { return instant::from_seconds(seconds); }

// Ten ticks of a minute, room enough that nothing is wrong by chance.
recency_filter ten_minutes(recency_config c = {}) {
  c.window = 10min;
  c.items = 1000;
  c.error = 1e-9;
  return recency_filter(c);
}

recency_filter last_hundred(recency_config c = {}) {
  c.last = 100;
  c.items = 1000;
  c.error = 1e-9;
  return recency_filter(c);
}

TEST(recency_filter, remembers_for_a_window_and_up_to_a_tick_longer) {
  for (const std::int64_t start : {0, 59, -30, 1'700'000'000}) {
    recency_filter f = ten_minutes();
    EXPECT_EQ(f.add("x", moment(start)), outcome::added);
    EXPECT_TRUE(f.seen("x", moment(start)));
    EXPECT_TRUE(f.seen("x", moment(start + 600)));
    EXPECT_FALSE(f.seen("x", moment(start + 661)));
    EXPECT_FALSE(f.seen("y", moment(start)));
    // Asking has changed nothing.
    EXPECT_TRUE(f.seen("x", moment(start)));
  }
}

TEST(recency_filter, window_that_ticks_do_not_divide) {
  recency_filter f({.window = 7s, .items = 100, .error = 1e-9, .ticks = 3});
  EXPECT_EQ(f.ticks(), 3u);
  EXPECT_EQ(f.clock().resolution(), 2'333'334us);
  for (std::int64_t t = 0; t < 40; ++t) {
    ASSERT_EQ(f.add(t, moment(t)), outcome::added);
    for (std::int64_t x = 0; x <= t; ++x) {
      if (t - x <= 7) {
        ASSERT_TRUE(f.seen(x, moment(t)));
      }
      if (t - x >= 10) {
        ASSERT_FALSE(f.seen(x, moment(t)));
      }
    }
  }
}

TEST(recency_filter, refresh_renews_what_no_refresh_lets_pass) {
  recency_filter renewed = ten_minutes();
  recency_filter passed = ten_minutes({.refresh = false});
  const novelty first{true, outcome::added};
  const novelty again{false, outcome::added};
  EXPECT_EQ(renewed.add_if_new("x", moment(0)), first);
  EXPECT_EQ(passed.add_if_new("x", moment(0)), first);
  for (std::int64_t t = 60; t <= 600; t += 60) {
    EXPECT_EQ(renewed.add_if_new("x", moment(t)), again);
    EXPECT_EQ(passed.add_if_new("x", moment(t)), again);
  }
  EXPECT_EQ(renewed.add_if_new("x", moment(700)), again);
  EXPECT_EQ(passed.add_if_new("x", moment(700)), first);
  EXPECT_EQ(renewed.insertions(), 12u);
  EXPECT_EQ(passed.insertions(), 2u);
}

TEST(recency_filter, late_sightings_stay_where_they_belong) {
  recency_filter f = ten_minutes();
  EXPECT_EQ(f.add("x", moment(1000)), outcome::added);
  EXPECT_EQ(f.add("late", moment(500)), outcome::late);
  EXPECT_EQ(f.add("x", moment(500)), outcome::late);  // must not make x older
  EXPECT_EQ(f.add("edge", moment(400)), outcome::late);
  EXPECT_EQ(f.add("old", moment(399)), outcome::dropped_late);
  EXPECT_EQ(f.add_if_new("old", moment(399)), (novelty{true, outcome::dropped_late}));
  EXPECT_EQ(f.add_if_new("late", moment(300)), (novelty{false, outcome::dropped_late}));
  EXPECT_FALSE(f.seen("old", moment(1000)));
  EXPECT_TRUE(f.seen("edge", moment(1000)));
  EXPECT_TRUE(f.seen("late", moment(1100)));
  EXPECT_FALSE(f.seen("late", moment(1200)));
  EXPECT_TRUE(f.seen("x", moment(1600)));
  EXPECT_EQ(f.insertions(), 4u);
  // A clock that went back is one that stands still.
  EXPECT_TRUE(f.seen("x", moment(-5000)));
  EXPECT_EQ(f.newest(), moment(1000));
  f.advance(moment(3));
  EXPECT_EQ(f.newest(), moment(1000));
}

TEST(recency_filter, far_future_is_refused_or_believed) {
  recency_filter bounded = ten_minutes({.ahead = 1h});
  recency_filter open = ten_minutes();
  for (recency_filter* f : {&bounded, &open}) {
    EXPECT_EQ(f->add("x", moment(0)), outcome::added);
    EXPECT_EQ(f->add("y", moment(3600)), outcome::added);
  }
  const auto before = bounded.serialize();
  EXPECT_EQ(bounded.add("z", moment(7201)), outcome::future);
  EXPECT_EQ(bounded.add_if_new("z", moment(1LL << 40)), (novelty{true, outcome::future}));
  EXPECT_TRUE(bounded.serialize() == before);
  for (const std::int64_t far : {10'000LL, 1LL << 32, 1LL << 40}) {
    EXPECT_EQ(open.add("z", moment(far)), outcome::added);
    EXPECT_FALSE(open.seen("y", moment(far)));
    EXPECT_TRUE(open.seen("z", moment(far)));
  }
}

TEST(recency_filter, works_at_the_ends_of_time) {
  constexpr instant first(std::numeric_limits<std::int64_t>::min());
  constexpr instant last(std::numeric_limits<std::int64_t>::max());
  recency_filter f = ten_minutes();
  EXPECT_FALSE(f.seen("x", first));
  EXPECT_FALSE(f.seen("x", last));
  EXPECT_FALSE(f.age("x", first).has_value());
  EXPECT_EQ(f.posterior("x", first, age_prior::share(0.1)), 0);
  EXPECT_EQ(f.add("x", first), outcome::added);
  EXPECT_TRUE(f.seen("x", first));
  EXPECT_FALSE(f.seen("x", last));
  EXPECT_EQ(f.posterior("x", last, event_rate{1}), 0);
  EXPECT_EQ(f.add("y", last), outcome::added);
  EXPECT_TRUE(f.seen("y", last));
  EXPECT_FALSE(f.seen("x", last));
  EXPECT_TRUE(f.age("y", last).has_value());
  EXPECT_EQ(f.add("z", first), outcome::dropped_late);
  EXPECT_TRUE(recency_filter::load(f.serialize()).seen("y", last));
}

TEST(recency_filter, counts_insertions_where_the_window_does) {
  recency_filter f = last_hundred();
  EXPECT_FALSE(f.timed());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(f.add(i), outcome::added);
    EXPECT_TRUE(f.seen(i, moment(1LL << 40)));  // time means nothing
    if (i >= 99) {
      EXPECT_TRUE(f.seen(i - 99));
    }
    if (i >= 110) {
      EXPECT_FALSE(f.seen(i - 110));
    }
  }
  EXPECT_EQ(f.add_if_new(999), (novelty{false, outcome::added}));
  EXPECT_EQ(f.insertions(), 1001u);
}

TEST(recency_filter, brackets_the_age) {
  recency_filter f = ten_minutes();
  f.add("x", moment(150));
  using bracket = age_bracket;
  // Seen between 2:00 and 2:59.999999.
  EXPECT_EQ(f.age("x", moment(150)), (bracket{0, 30'000'000}));
  EXPECT_EQ(f.age("x", moment(200)), (bracket{20'000'001, 80'000'000}));
  EXPECT_EQ(f.age("x", moment(750)), (bracket{570'000'001, 630'000'000}));
  EXPECT_EQ(f.age("x", moment(800)), std::nullopt);
  EXPECT_EQ(f.age("y", moment(150)), std::nullopt);
  recency_filter counted = last_hundred();
  for (int i = 0; i < 25; ++i) counted.add(i);
  EXPECT_EQ(counted.age(24, {}), (bracket{0, 4}));
  EXPECT_EQ(counted.age(12, {}), (bracket{5, 14}));
  EXPECT_EQ(counted.age(0, {}), (bracket{15, 24}));
}

TEST(recency_filter, evidence_on_both_axes) {
  recency_filter f = ten_minutes();
  for (int i = 0; i < 5; ++i) f.add(i, moment(10));    // tick 0
  for (int i = 5; i < 8; ++i) f.add(i, moment(70));    // tick 1
  for (int i = 8; i < 10; ++i) f.add(i, moment(190));  // tick 3
  const auto ages = [&](int x, std::int64_t t, bool in_time) {
    const auto [e, w] = f.evidence(x, moment(t), in_time);
    return std::array{e.a, e.e, w};
  };
  EXPECT_EQ(ages(9, 200, false), (std::array{0., 2., 10.}));
  EXPECT_EQ(ages(6, 200, false), (std::array{2., 5., 10.}));
  EXPECT_EQ(ages(0, 200, false), (std::array{5., 10., 10.}));
  // The window begins with the tick of the first event, if that is later.
  EXPECT_EQ(ages(9, 200, true), (std::array{0., 20e6 + 1, 200e6 + 1}));
  EXPECT_EQ(ages(6, 200, true), (std::array{80e6 + 1, 140e6 + 1, 200e6 + 1}));
  // At 10:50 the window begins at 0:50, with a sixth of the first tick.
  EXPECT_EQ(ages(0, 650, false)[2], 5 + 5 / 6.);
  EXPECT_EQ(ages(0, 650, true), (std::array{590e6 + 1, 650e6 + 1, 600e6 + 1}));
  // One that was not seen is older than all ticks that the window touches.
  EXPECT_EQ(ages(99, 650, false), (std::array{10., 10., 5 + 5 / 6.}));
  EXPECT_EQ(ages(99, 650, true), (std::array{650e6 + 1, 650e6 + 1, 600e6 + 1}));
  EXPECT_EQ(ages(99, 100'000, false)[2], 0);
}

// The chance of each age of an insertion, by shares and by rates, summed up one by one.
TEST(recency_filter, posteriors_equal_bayes) {
  recency_filter f({.window = 7s, .items = 20, .memory = 24, .ticks = 4, .seed = 3});
  math::random_source random(4);
  for (int i = 0; i < 60; ++i) {
    f.add(random.below(30), instant(static_cast<std::int64_t>(i) * 300'000));
  }
  const double p = 0.03;
  int seen = 0;
  for (int x = 0; x < 60; ++x) {
    const instant when(static_cast<std::int64_t>(60 * 300'000 + x * 30'000));
    const auto [e, w] = f.evidence(x, when);
    double in = 0;
    double all = 0;
    for (int age = 0; age < 4000; ++age) {
      const double likelihood = age < e.a ? 0 : age < e.e ? 1 : e.g;
      const double mass = likelihood * p * std::pow(1 - p, age);
      all += mass;
      // A window that ends within an insertion: powers in between.
      const double part = (1 - std::pow(1 - p, std::clamp(w - age, 0., 1.))) / p;
      in += mass * part;
    }
    const double expected = f.seen(x, when) ? in / all : 0;
    ASSERT_NEAR(f.posterior(x, when, age_prior::share(p)), expected, 1e-9);
    seen += f.seen(x, when);
    const auto [in_time, window] = f.evidence(x, when, true);
    const math::geometric rate = math::geometric::of_rate(0.2e-6);
    ASSERT_EQ(f.posterior(x, when, event_rate{0.2}),
              math::window_masses(in_time, window, rate).probability());
    ASSERT_NEAR(f.posterior(x, when, event_rate{0.2}),
                f.posterior(x, when, [&](double t) { return rate.before(t); }), 1e-9);
  }
  EXPECT_GT(seen, 10);
  EXPECT_TRUE(std::isnan(f.posterior(1, moment(0), age_prior())));
  EXPECT_TRUE(std::isnan(f.posterior(1, moment(0), event_rate{support::nan})));
  EXPECT_TRUE(std::isnan(f.posterior(1, moment(0))));  // nothing learned
  expect_error(errc::invalid_argument, [&] { (void)f.posterior(1, moment(0), event_rate{-1}); });
  EXPECT_TRUE(std::isnan(last_hundred().posterior(1, moment(0), event_rate{1})));
}

// Ages of n insertions one by one, and "never" with the likelihood of an old age.
TEST(recency_filter, posteriors_know_how_few_insertions_there_were) {
  recency_filter f({.last = 100, .items = 60, .memory = 40, .ticks = 10, .seed = 3});
  int unsure = 0;
  for (int n = 1; n < 160; ++n) {
    f.add(n);
    for (int x = 0; x < 200; x += 3) {
      const auto [e, w] = f.evidence(x, {});
      ASSERT_EQ(w, std::min(n, 100));
      for (const double p : {0.001, 0.02}) {
        long double in = 0;
        long double all = 0;
        long double others = 1;
        for (int age = 0; age < n; ++age) {
          const long double mass = others * p * (age < e.a ? 0 : age < e.e ? 1 : e.g);
          in += age < 100 ? mass : 0;
          all += mass;
          others *= 1 - static_cast<long double>(p);
        }
        all += others * e.g;
        const auto truth = static_cast<double>(in / all);
        ASSERT_NEAR(f.posterior(x, {}, age_prior::share(p)), truth, 1e-12) << n << ' ' << x;
        ASSERT_EQ(f.decide(x, {}, age_prior::share(p), {1, 1}), truth >= 0.5);
        unsure += truth > 0.01 && truth < 0.99;
      }
    }
  }
  EXPECT_GT(unsure, 500);
}

// Twenty items again and again: a tick has its different items, not its insertions, to write stamps
// with. The likelihood follows from the number of those and, in lines, from their sharing a line.
TEST(recency_filter, analytic_likelihood_counts_different_items) {
  using likelihood = recency_filter::likelihood;
  for (const auto kind : {layout::flat, layout::line}) {
    for (const bool timed : {false, true}) {
      recency_config config{.items = 40, .memory = 256, .ticks = 10, .layout = kind};
      if (timed) {
        config.window = 10s;
      } else {
        config.last = 10'000;
      }
      recency_filter f(config);
      for (int i = 0; i < 10'000; ++i) f.add(i % 20, instant(i * 1000));
      int seen = 0;
      for (int x = 0; x < 20; ++x) {
        const auto analytic =
            f.evidence(x, instant(9'999'000), false, likelihood::analytic).evidence;
        detail::stamp_cells::places at;
        f.cells().find(digest_of(x, 0), at);
        const auto sight = f.cells().look(at);
        const double expected = math::all_touched(f.size(), 20, sight.count);
        // The number of items is an estimate from the fill.
        EXPECT_NEAR(analytic.g, expected, 0.25 * expected) << static_cast<int>(kind) << timed;
        EXPECT_LT(analytic.g, 0.9);
        ++seen;
      }
      EXPECT_EQ(seen, 20);
    }
  }
}

TEST(recency_filter, decides_by_what_errors_cost) {
  recency_filter f({.window = 10s, .items = 500, .memory = 64, .ticks = 5});
  for (int i = 0; i < 500; ++i) f.add(i, instant(i * 10'000));
  const instant now = *f.newest();
  int doubtful = 0;
  for (int x = 1000; x < 1100; ++x) {
    if (!f.seen(x, now)) continue;
    ++doubtful;
    EXPECT_FALSE(f.decide(x, now, age_prior::share(1e-9), {1, 1}));
    EXPECT_TRUE(f.decide(x, now, age_prior::share(1e-9), {1e-12, 1}));
    EXPECT_TRUE(f.decide(x, now, age_prior(), {1, 1}));  // unknown: standard
    EXPECT_TRUE(f.decide(x, now, {1, 1}));               // no audit: standard
    EXPECT_TRUE(f.observe(x, now, {}, {1, 1}));
  }
  EXPECT_GT(doubtful, 10);
  EXPECT_FALSE(f.decide(1, moment(1'000'000), age_prior::share(1), {1, 1000}));
  expect_error(errc::invalid_argument, [&] { (void)f.decide(1, now, {support::nan, 1}); });
  expect_error(errc::invalid_argument, [&] { (void)f.add_if_new(1, now, {-1, 1}); });
}

TEST(recency_filter, audit_learns_from_questions_alone) {
  recency_config c{.window = 10s, .items = 500, .memory = 256, .audit = audit_config{}};
  recency_filter f(c);
  math::random_source random(7);
  for (int i = 0; i < 3000; ++i) f.add(random.below(600), instant(i * 20'000));
  EXPECT_EQ(f.audit()->questions(), 0);
  const auto before = f.serialize();
  for (int x = 0; x < 100; ++x) (void)f.decide(x, *f.newest(), {1, 1});
  EXPECT_TRUE(f.serialize() == before);
  EXPECT_TRUE(std::isnan(f.posterior(1, *f.newest())));
  for (int i = 0; i < 3000; ++i) {
    (void)f.add_if_new(random.below(600), instant(60'000'000 + i * 20'000), {3, 1});
  }
  EXPECT_GT(f.audit()->questions(), 500);
  EXPECT_FALSE(std::isnan(f.posterior(1, *f.newest())));
  const auto questions = f.audit()->questions();
  (void)f.observe(1, *f.newest(), {}, {3, 1});
  EXPECT_NE(f.audit()->questions(), questions);
  recency_filter again = recency_filter::load(f.serialize());
  EXPECT_TRUE(again.serialize() == f.serialize());
  EXPECT_EQ(again.posterior(1, *f.newest()), f.posterior(1, *f.newest()));
  EXPECT_GT(f.memory(),
            recency_filter(recency_config{.window = 10s, .items = 500, .memory = 256}).memory());
  again.merge(f);
  EXPECT_TRUE(again.audit().has_value());
}

TEST(recency_filter, bulk_is_one_by_one) {
  for (const bool counted : {false, true}) {
    for (const layout kind : {layout::flat, layout::line}) {
      recency_config c{.items = 300, .memory = 640, .layout = kind, .refresh = false};
      if (counted) {
        c.last = 200;
      } else {
        c.window = 1s;
      }
      recency_filter one(c);
      recency_filter bulk(c);
      math::random_source random(5);
      std::vector<std::uint64_t> items(1000);
      std::vector<instant> times;
      for (std::uint64_t& x : items) {
        x = random.below(400);
        times.emplace_back(static_cast<std::int64_t>(times.size()) * 3000 -
                           static_cast<std::int64_t>(random.below(200'000)));
      }
      std::vector<outcome> outcomes(items.size());
      bulk.add_bulk(items, times, outcomes);
      for (std::size_t i = 0; i < items.size(); ++i) {
        ASSERT_EQ(one.add(items[i], times[i]), outcomes[i]);
      }
      std::vector<novelty> fresh(items.size());
      bulk.add_if_new_bulk(items, {}, fresh);
      for (std::size_t i = 0; i < items.size(); ++i) {
        ASSERT_EQ(one.add_if_new(items[i]), fresh[i]);
      }
      EXPECT_TRUE(one.serialize() == bulk.serialize());
      std::array<bool, 1000> answers{};
      const instant later(one.newest().value_or(instant()).micros + 300'000);
      bulk.seen_bulk(items, later, answers);
      for (std::size_t i = 0; i < items.size(); ++i) {
        ASSERT_EQ(one.seen(items[i], later), answers[i]);
      }
      expect_error(errc::invalid_argument,
                   [&] { bulk.seen_bulk(items, later, std::span(answers).first(9)); });
      expect_error(errc::invalid_argument,
                   [&] { bulk.add_bulk(items, std::span(times).first(9), outcomes); });
      bulk.add_bulk(std::vector<std::string>(), {}, {});
    }
  }
}

TEST(recency_filter, merged_covers_both_streams) {
  recency_filter a = ten_minutes();
  recency_filter b = ten_minutes();
  a.add("a", moment(0));
  a.add("both", moment(10));
  b.add("b", moment(500));
  b.add("both", moment(550));
  recency_filter ab = a;
  ab.merge(b);
  recency_filter ba = b;
  ba.merge(a);
  recency_filter late = ten_minutes();
  late.merge(b);
  late.merge(ten_minutes());
  for (const recency_filter* f : {&ab, &ba}) {
    EXPECT_EQ(f->newest(), moment(550));
    EXPECT_EQ(f->insertions(), 4u);
    EXPECT_TRUE(f->seen("a", moment(550)));
    EXPECT_FALSE(f->seen("a", moment(700)));
    EXPECT_TRUE(f->seen("b", moment(1050)));
    EXPECT_TRUE(f->seen("both", moment(1100)));
    EXPECT_EQ(f->evidence("a", moment(550)).window, 4);
    EXPECT_EQ(f->evidence("a", moment(550)).evidence.a, 2);
  }
  EXPECT_EQ(late.newest(), moment(550));
  EXPECT_EQ(late.insertions(), 2u);
  EXPECT_TRUE(late.seen("b", moment(1100)));
  ab.merge(ab);
  EXPECT_EQ(ab.insertions(), 8u);
  for (const recency_config& other : {recency_config{.seed = 1}, recency_config{.ticks = 11},
                                      recency_config{.layout = layout::line}}) {
    expect_error(errc::incompatible, [&] { a.merge(ten_minutes(other)); });
  }
  expect_error(errc::incompatible, [&] { a.merge(last_hundred()); });
  support::expect_no_change_without_memory(a, [&] { a.merge(b); });
}

// A sanitizer needs no rare case.
TEST(recency_filter, merged_counts_forget_nothing_too_early) {
  for (int more = 0; more < 40; more += support::sanitized() ? 8 : 1) {
    recency_filter a = last_hundred({.ticks = 7});
    recency_filter b = last_hundred({.ticks = 7});
    for (int i = 0; i < 200; ++i) a.add(i);
    for (int i = 1000; i < 1150 + more; ++i) b.add(i);
    for (const bool turned : {false, true}) {
      recency_filter f = turned ? b : a;
      f.merge(turned ? a : b);
      for (int later = 0; later < 60; ++later) {
        for (int i = 199; i > 99 + later; --i) ASSERT_TRUE(f.seen(i)) << more << ' ' << later;
        for (int i = 1149 + more; i > 1049 + more + later; --i) ASSERT_TRUE(f.seen(i));
        f.add("later");
      }
    }
  }
}

TEST(recency_filter, is_sized_as_asked) {
  const recency_filter coarse(
      {.window = 1h, .items = 10'000, .error = 0.05, .layout = layout::line});
  EXPECT_EQ(coarse.layout(), layout::line);
  EXPECT_LE(coarse.predicted_error(10'000), 0.05);
  const recency_filter fine({.window = 1h, .items = 10'000, .error = 1e-6});
  EXPECT_EQ(fine.layout(), layout::flat);
  EXPECT_EQ(fine.size().bits, 4u);
  const recency_filter given({.window = 1h, .items = 10'000, .memory = 100'000});
  EXPECT_LE(given.cells().codes().size(), 100'000u);
  EXPECT_GT(given.cells().codes().size(), 99'900u);
  // One microsecond, one insertion: the shortest windows there are.
  const recency_filter shortest({.window = 1us, .items = 1, .error = 0.1});
  EXPECT_EQ(shortest.ticks(), 1u);
  recency_filter single({.last = 1, .items = 1, .error = 1e-6});
  single.add("x");
  EXPECT_TRUE(single.seen("x"));
  single.add("y");
  single.add("z");
  EXPECT_FALSE(single.seen("x"));
}

TEST(recency_filter, error_can_be_read_back) {
  recency_filter f({.window = 100s, .items = 2000, .error = 0.02});
  EXPECT_EQ(f.current_error(), 0);
  // One window in its first tick, and another one as soon as the first has left.
  for (int i = 0; i < 4000; ++i) f.add(i, instant(i < 2000 ? 1 : 100'000'002));
  EXPECT_NEAR(f.alive_items(), 4000, 220);
  EXPECT_NEAR(f.current_error(), f.predicted_error(2000), 0.004);
  EXPECT_GT(f.fill(), 0.2);
  f.advance(moment(100'000));
  EXPECT_EQ(f.fill(), 0);
}

TEST(recency_filter, refuses_what_makes_no_sense) {
  const auto bad = [](const recency_config& c, std::string_view mention = "") {
    expect_error(
        errc::invalid_argument, [&] { recency_filter f(c); }, mention);
  };
  bad({.items = 1, .error = 0.1}, "neither");
  bad({.window = 1s, .last = 5, .items = 1, .error = 0.1}, "both");
  bad({.window = 0s, .items = 1, .error = 0.1}, "1 microsecond or more");
  bad({.window = -1s, .items = 1, .error = 0.1}, "-1000000");
  bad({.last = 0, .items = 1, .error = 0.1}, "window");
  bad({.last = support::most, .items = 1, .error = 0.1});
  bad({.window = 1s, .items = 1}, "none of them");
  bad({.window = 1s, .items = 1, .error = 0.1, .memory = 8}, "two of them");
  bad({.window = 1s, .items = 0, .error = 0.1}, "items");
  bad({.window = 1s, .items = 1, .error = 0.1, .ticks = 0}, "tick");
  bad({.window = 1s, .items = 1, .error = 0.1, .layout = layout::rows}, "rows");
  bad({.window = 1s, .items = 1, .error = 0.1, .ahead = -1us});
  bad({.window = 1s, .items = 1, .error = 0.1, .audit = audit_config{.entries = 1}});
  expect_error(errc::too_large, [] {
    recency_filter f({.window = 1s, .items = std::uint64_t{1} << 40, .error = 1e-9});
  });
}

TEST(recency_filter, continues_after_loading_as_if_nothing_had_been) {
  const support::temporary_directory directory;
  for (recency_config c : {recency_config{.window = 10s, .ticks = 7},
                           recency_config{.window = 10s, .layout = layout::line},
                           recency_config{.last = 77, .refresh = false}}) {
    c.items = 100;
    c.memory = 500;
    recency_filter f(c);
    recency_filter twin(c);
    math::random_source random(9);
    std::int64_t t = -20'000'000;
    for (int i = 0; i < 2000; ++i) {
      t += static_cast<std::int64_t>(random.below(i % 100 == 0 ? 30'000'000 : 200'000));
      const std::uint64_t item = random.below(150);
      const instant when(t - static_cast<std::int64_t>(random.below(1'000'000)));
      ASSERT_EQ(f.add_if_new(item, when), twin.add_if_new(item, when));
      if (i % 97 == 0) twin = recency_filter::load(twin.serialize());
    }
    EXPECT_TRUE(f.serialize() == twin.serialize());
    f.save(directory / "f");
    EXPECT_TRUE(std::get<recency_filter>(load_any(directory / "f")).serialize() == f.serialize());
    support::expect_no_change_without_memory(f, [&] { f = recency_filter(twin); });
  }
}

TEST(recency_filter, tells_about_itself) {
  const auto names = [](const recency_filter& f) {
    std::string all;
    for (const fact& x : describe(any_filter(f))) all += x.name + " ";
    return all;
  };
  EXPECT_EQ(names(ten_minutes()),
            "family engine layout memory timers timer_bits k seed window_seconds tick_seconds "
            "refresh items_per_window insertions error_at_items items_alive fill error_now ");
  EXPECT_NE(names(last_hundred()).find("window_insertions tick_insertions"), std::string::npos);
  EXPECT_NE(names(ten_minutes({.audit = audit_config{}})).find("audit_choice"), std::string::npos);
}

}  // namespace recency_filter_test
}  // namespace bloomtime
