#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/audit.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime {
namespace audit_test {

using support::expect_error;

constexpr math::penalties equal_costs{1, 1};

digest item_of(std::uint64_t x) { return digest_of(x, 7); }

opinions standard_only(bool answer) {
  opinions o;
  o.standard = answer;
  return o;
}

// -- calibration -------------------------------------------------------------------------------

TEST(calibration, compares_posteriors_with_what_was_true) {
  calibration c;
  EXPECT_EQ(c.error(), 0);
  EXPECT_EQ(c.posterior_error(), 0);
  for (int i = 0; i < 10; ++i) c.add(0.31, i < 5);  // half of them were true
  for (int i = 0; i < 30; ++i) c.add(0.34, i < 9);
  for (int i = 0; i < 60; ++i) c.add(1, true);
  EXPECT_EQ(c.samples(), 100);
  EXPECT_NEAR(c.error(), std::abs(14 - (3.1 + 10.2)) / 100, 1e-12);
  EXPECT_NEAR(c.posterior_error(), (std::abs(14 - 0.325 * 40) + 60 * 0.025) / 100, 1e-12);
}

TEST(calibration, sharp_and_right_is_a_fortieth_by_equation_35) {
  calibration c;
  for (int i = 0; i < 100; ++i) c.add(i % 2, i % 2 == 1);
  EXPECT_EQ(c.error(), 0);
  EXPECT_NEAR(c.posterior_error(), 0.025, 1e-12);
}

TEST(calibration, forgets) {
  calibration c;
  for (int i = 0; i < 40000; ++i) c.add(0.9, false);
  EXPECT_LE(c.samples(), 32768);
  for (int i = 0; i < 300000; ++i) c.add(0.9, i % 10 != 0);
  EXPECT_LT(c.error(), 0.01);
}

// -- learned ages ------------------------------------------------------------------------------

TEST(learned_ages, are_silent_before_256_samples) {
  learned_ages ages(1000);
  for (int i = 0; i < 255; ++i) ages.add(5);
  EXPECT_FALSE(ages.ready());
  EXPECT_EQ(ages(1000), 0);
  ages.add(5);
  EXPECT_TRUE(ages.ready());
}

TEST(learned_ages, have_bins_of_a_quarter_octave_with_straight_lines) {
  learned_ages ages(4096);
  for (int i = 0; i < 256 * 64; ++i) {
    ages.add(i % 4 == 0   ? std::optional<std::uint64_t>(3)
             : i % 4 == 1 ? std::optional<std::uint64_t>(1100)
             : i % 4 == 2 ? std::optional<std::uint64_t>(1300)
                          : std::nullopt);
  }
  // One sample in 16384 is spread over the 45 bins, which the tolerance covers.
  constexpr double near = 1e-4;
  EXPECT_EQ(ages(0), 0);
  EXPECT_EQ(ages(-1), 0);
  EXPECT_NEAR(ages(3), 0, near);
  EXPECT_NEAR(ages(3.5), 0.125, near);
  EXPECT_NEAR(ages(4), 0.25, near);
  EXPECT_NEAR(ages(1024), 0.25, near);
  EXPECT_NEAR(ages(1024 + 64), 0.25 + 0.0625, near);  // the bin is [1024, 1280)
  EXPECT_NEAR(ages(1280), 0.5, near);
  EXPECT_NEAR(ages(1280 + 128), 0.625, near);  // and [1280, 1536)
  EXPECT_NEAR(ages(4096), 0.75, near);
  EXPECT_NEAR(ages(1e300), 0.75, near);
  EXPECT_LT(ages(1e300), 0.75 + near);
}

// No age is impossible, or evidence for it would be silenced.
TEST(learned_ages, never_exclude_an_age) {
  learned_ages ages(100);
  for (int i = 0; i < 256; ++i) ages.add(50);
  for (int t = 0; t < 100; ++t) EXPECT_GT(ages(t + 1), ages(t)) << t;
  EXPECT_LT(ages(100), 1);
}

TEST(learned_ages, change_every_256_samples_and_forget_by_halves) {
  learned_ages ages(100);
  for (int i = 0; i < 256; ++i) ages.add(5);
  EXPECT_GT(ages(10), 0.99);
  for (int i = 0; i < 255; ++i) ages.add(50);
  EXPECT_GT(ages(10), 0.99);
  ages.add(50);
  EXPECT_NEAR(ages(10), 0.5, 0.01);
  for (int i = 0; i < 40000; ++i) ages.add(5);
  EXPECT_LE(ages.samples(), 32768U);
  for (int i = 0; i < 32768; ++i) ages.add(50);
  EXPECT_LT(ages(10), 0.45);
}

TEST(learned_ages, reach_to_the_ends_of_their_range) {
  learned_ages shortest(1);
  learned_ages longest(std::uint64_t{1} << 62);
  for (int i = 0; i < 256; ++i) {
    shortest.add(0);
    longest.add((std::uint64_t{1} << 62) - 1);
  }
  EXPECT_NEAR(shortest(1), 1, 0.01);
  EXPECT_NEAR(longest(0x1p62), 1, 0.01);
  EXPECT_NEAR(longest(0x1p61), 0, 0.01);
  expect_error(errc::invalid_argument, [] { learned_ages ages(0); });
  expect_error(errc::invalid_argument, [] { learned_ages ages((std::uint64_t{1} << 62) + 1); });
}

// -- the sample --------------------------------------------------------------------------------

// What the audit should know: of the items in its sample, the last position.
TEST(audit, knows_exact_ages_of_its_sample) {
  audit a({.window = 500, .entries = 64});
  std::map<std::uint64_t, std::int64_t> last;
  math::random_source random(1);
  unsigned halvings = 0;
  for (std::int64_t n = 1; n <= 40000; ++n) {
    const std::uint64_t x = random.below(400);
    a.insertion(item_of(x), n);
    last[x] = n;
    ASSERT_LE(a.entries(), 64U);
    ASSERT_GE(a.shift(), halvings);
    halvings = a.shift();
    if (n % 97 != 0) continue;
    for (std::uint64_t y = 0; y < 420; ++y) {
      if (!a.samples(item_of(y))) continue;
      const bool known = last.count(y) != 0 && n - last[y] < 2000;
      const auto age = a.age(item_of(y), n);
      ASSERT_EQ(age.has_value(), known) << y;
      if (known) {
        ASSERT_EQ(*age, static_cast<std::uint64_t>(n - last[y]));
      }
    }
  }
  EXPECT_GE(a.entries(), 16U);
  EXPECT_GE(a.shift(), 3U);  // 400 items in 64 entries
  EXPECT_LE(a.shift(), 4U);
}

// A sample of one in 2^s, by hash.
TEST(audit, halves_its_sample_evenly) {
  audit a({.window = 1000000, .entries = 1000});
  for (std::int64_t n = 0; n < 100000; ++n) a.insertion(item_of(static_cast<std::uint64_t>(n)), n);
  std::uint64_t inside = 0;
  for (std::uint64_t x = 0; x < 100000; ++x) inside += a.samples(item_of(x));
  EXPECT_EQ(a.entries(), inside);
  EXPECT_GE(inside, 375U);
  EXPECT_LE(inside, 1000U);
}

TEST(audit, what_left_four_windows_ago_makes_room) {
  audit a({.window = 10, .entries = 64});
  for (std::int64_t n = 0; n < 10000; ++n) a.insertion(item_of(static_cast<std::uint64_t>(n)), n);
  EXPECT_EQ(a.shift(), 0U);  // never more than 40 at a time
  EXPECT_FALSE(a.age(item_of(9959), 9999));
  EXPECT_EQ(a.age(item_of(9960), 9999), 39U);
}

TEST(audit, positions_may_be_any_and_go_back) {
  constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  audit a({.window = std::uint64_t{1} << 60});
  a.insertion(item_of(1), first);
  a.insertion(item_of(2), last);
  EXPECT_FALSE(a.age(item_of(1), last));
  EXPECT_EQ(a.age(item_of(2), first), 0U);
  a.insertion(item_of(2), 5);  // late: what is known stays
  EXPECT_EQ(a.age(item_of(2), last), 0U);
  a.question(item_of(2), last, standard_only(true), equal_costs);
  EXPECT_EQ(a.questions(), 1);
}

TEST(audit, learns_nothing_in_the_first_window) {
  audit a({.window = 100});
  for (std::int64_t n = 1000; n < 1300; ++n) {
    const auto d = item_of(static_cast<std::uint64_t>(n));
    a.question(d, n, standard_only(false), equal_costs);
    a.insertion(d, n);
    EXPECT_EQ(a.questions(), std::max<double>(0, static_cast<double>(n) - 1099)) << n;
  }
}

// -- learning ----------------------------------------------------------------------------------

// A stream in which every other question is about an item inside the window, posed by hand.
class posed {
 public:
  explicit posed(audit_config config = {.window = 10}) : audit_(config) { pass(100); }

  // Asks `count` times with these opinions, by turns about an item that is inside and one that is
  // not.
  template <class Opinions>
  void ask(int count, Opinions&& said, math::penalties costs = equal_costs) {
    for (int i = 0; i < count; ++i) {
      pass(1);
      const bool inside = i % 2 == 0;
      audit_.question(inside ? item_of(newest_) : item_of(~newest_), position_, said(inside, i),
                      costs);
    }
  }
  const audit& result() const { return audit_; }
  audit& result() { return audit_; }

 private:
  void pass(int steps) {
    for (int i = 0; i < steps; ++i) audit_.insertion(item_of(++newest_), ++position_);
  }

  audit audit_;
  std::uint64_t newest_ = 0;
  std::int64_t position_ = 0;
};

math::masses sure(double p) { return {p, 1 - p}; }

TEST(audit, chooses_a_better_arm_once_it_can_be_trusted) {
  posed p;
  // The standard answer is always yes; the posterior knows better, and says so honestly.
  const auto said = [](bool inside, int) {
    opinions o = standard_only(true);
    o[arm::empirical_census] = sure(inside ? 0.98 : 0.02);
    return o;
  };
  p.ask(480, said);
  EXPECT_EQ(p.result().choice(), arm::standard);  // 500 samples are asked for
  p.ask(64, said);
  EXPECT_EQ(p.result().choice(), arm::empirical_census);
  EXPECT_EQ(p.result().cost_of(arm::standard), 272);
  EXPECT_EQ(p.result().cost_of(arm::empirical_census), 0);
  opinions o = said(false, 0);
  EXPECT_FALSE(p.result().decide(o, equal_costs));
  o = said(true, 0);
  EXPECT_TRUE(p.result().decide(o, equal_costs));
}

TEST(audit, strict_is_always_standard) {
  posed p({.window = 10, .strict = true});
  p.ask(3000, [](bool inside, int) {
    opinions o = standard_only(true);
    o[arm::empirical_census] = sure(inside ? 1 : 0);
    return o;
  });
  EXPECT_EQ(p.result().choice(), arm::standard);
  opinions o = standard_only(true);
  o[arm::empirical_census] = sure(0);
  EXPECT_TRUE(p.result().decide(o, equal_costs));
}

// A posterior that is mostly right but far too sure of itself costs less than the standard answer
// here, and is out all the same.
TEST(audit, badly_calibrated_arms_are_out) {
  posed p;
  p.ask(3000, [](bool inside, int i) {
    opinions o = standard_only(true);
    o[arm::empirical_census] = sure(inside == (i % 10 != 0) ? 1 : 0);
    return o;
  });
  EXPECT_LT(p.result().cost_of(arm::empirical_census), p.result().cost_of(arm::standard));
  EXPECT_GT(p.result().calibration_of(arm::empirical_census).error(), 0.05);
  EXPECT_EQ(p.result().choice(), arm::standard);
}

// At 1024 errors half is forgotten: of 2000 in a row (1024 + 512 + 464), 512 + 464 are left.
TEST(audit, remembers_1024_errors_at_most) {
  posed p;
  p.ask(4000, [](bool, int) { return standard_only(true); });
  EXPECT_EQ(p.result().errors(), 976);
  EXPECT_EQ(p.result().cost_of(arm::standard), 976);
}

// By realised penalties, as soon as memory allows.
TEST(audit, a_posterior_that_turns_bad_is_dropped) {
  posed p;
  const auto says = [](double right) {
    return [=](bool inside, int) {
      opinions o = standard_only(true);
      o[arm::empirical_census] = sure(inside ? right : 1 - right);
      return o;
    };
  };
  p.ask(4000, says(0.98));
  EXPECT_EQ(p.result().choice(), arm::empirical_census);
  p.ask(1100, says(0.02));
  EXPECT_EQ(p.result().choice(), arm::standard);
}

TEST(audit, a_bad_prior_never_answers) {
  posed p;
  p.ask(8000, [&](bool inside, int i) {
    opinions o = standard_only(inside || i % 20 == 1);
    o[arm::empirical_census] = sure(o.standard ? 10. / 11 : 0);
    o[arm::geometric_census] = sure(inside && i % 8 == 0 ? 1 : 0.02);  // denies most of them
    EXPECT_NE(p.result().choice(), arm::geometric_census);
    return o;
  });
  EXPECT_EQ(p.result().choice(), arm::standard);
}

// 2 % are not enough to change the arm.
TEST(audit, hysteresis) {
  const auto said = [](int better_by) {
    return [=](bool inside, int i) {
      // Of 200 questions the standard answer errs in 100, this arm in 100 - better_by.
      opinions o = standard_only(true);
      const bool knows = !inside && i % 200 < 2 * better_by;
      o[arm::empirical_census] = sure(knows ? 0.02 : 0.5);
      return o;
    };
  };
  posed little;
  little.ask(20000, said(1));
  EXPECT_EQ(little.result().choice(), arm::standard);
  posed more;
  more.ask(20000, said(4));
  EXPECT_EQ(more.result().choice(), arm::empirical_census);
}

// The learned posterior expects less than there is: nothing but realised penalties counts then.
TEST(audit, unexpected_penalties_end_the_advance) {
  posed p;
  p.ask(2000, [](bool inside, int i) {
    opinions o = standard_only(inside || i % 40 == 1);  // errs in 2.5 % of questions
    const bool misled = i % 26 == 0;                    // and this one in 3.8 %, unawares
    o[arm::empirical_census] = sure(inside && !misled ? 1 : 0);
    return o;
  });
  EXPECT_LT(p.result().calibration_of(arm::empirical_census).error(), 0.05);
  EXPECT_EQ(p.result().choice(), arm::standard);
}

// Equal weight for equal parts of the stream.
TEST(audit, what_was_learned_counts_half_when_the_sample_is_halved) {
  audit a({.window = 100, .entries = 1000});
  std::uint64_t samples = 0;
  unsigned shift = 0;
  for (std::int64_t n = 0; n < 100000 && shift == 0; ++n) {
    const auto d = item_of(static_cast<std::uint64_t>(n < 5000 ? n % 300 : n));
    samples = a.ages() ? a.ages()->samples() : 0;
    a.insertion(d, n < 5000 ? n : 5000);
    shift = a.shift();
    if (shift == 0) a.question(d, n, standard_only(true), equal_costs);
  }
  EXPECT_EQ(shift, 1U);
  EXPECT_GT(samples, 4000U);
  EXPECT_NEAR(static_cast<double>(a.ages()->samples()), static_cast<double>(samples) / 2, 20);
}

TEST(audit, arms_without_posterior_answer_like_the_next_one) {
  opinions o = standard_only(true);
  EXPECT_EQ(o.resolved(arm::geometric_census), arm::standard);
  EXPECT_TRUE(o.answer(arm::geometric_analytic, equal_costs));
  o[arm::empirical_census] = sure(0.1);
  EXPECT_EQ(o.resolved(arm::geometric_census), arm::empirical_census);
  EXPECT_EQ(o.resolved(arm::geometric_analytic), arm::standard);
  EXPECT_FALSE(o.answer(arm::geometric_census, equal_costs));
  EXPECT_TRUE(o.answer(arm::geometric_census, {1, 10}));
  o[arm::geometric_census] = sure(0.8);
  EXPECT_TRUE(o.answer(arm::geometric_census, equal_costs));
  for (std::size_t i = 0; i < arm_count; ++i) {
    EXPECT_NE(name_of(static_cast<arm>(i)), "unknown");
  }
}

TEST(audit, extreme_penalties_stay_numbers) {
  posed p;
  const auto said = [](bool, int) {
    opinions o = standard_only(true);
    o[arm::empirical_census] = sure(0.5);
    return o;
  };
  p.ask(1000, said, {1e308, 1e308});
  p.ask(1000, said, {0, 0});
  p.ask(1000, said, {1e-308, 0});
  EXPECT_TRUE(std::isfinite(p.result().cost_of(arm::standard)));
  EXPECT_NO_THROW(audit::decode(p.result().encode()));
}

// -- several streams, storage ------------------------------------------------------------------

audit taught(std::uint64_t seed, int questions, std::uint32_t entries = 256) {
  audit a({.window = 300, .entries = entries});
  math::random_source random(seed);
  for (std::int64_t n = 0; n < questions; ++n) {
    const digest d = item_of(random.below(2000));
    opinions o = standard_only(random.below(3) != 0);
    if (const learned_ages* ages = a.ages()) {
      o[arm::empirical_census] = math::window_masses({0, 100, random.unit()}, 300, *ages);
    }
    a.question(d, n, o, {1 + random.unit(), 2});
    a.insertion(d, n);
  }
  return a;
}

TEST(audit, is_stored_and_continues_as_if_nothing_had_been) {
  for (const int questions : {0, 1, 500, 1000, 30000}) {
    const audit a = taught(3, questions);
    const std::vector<std::byte> bytes = a.encode();
    const audit b = audit::decode(bytes);
    EXPECT_TRUE(b.encode() == bytes);
    EXPECT_EQ(b.choice(), a.choice());
    EXPECT_EQ(b.memory(), a.memory());
    audit go_on = a;
    audit read = b;
    for (audit* each : {&go_on, &read}) {
      for (std::int64_t n = questions; n < questions + 3000; ++n) {
        each->question(item_of(static_cast<std::uint64_t>(n % 177)), n, standard_only(true),
                       equal_costs);
        each->insertion(item_of(static_cast<std::uint64_t>(n % 177)), n);
      }
    }
    EXPECT_TRUE(go_on.encode() == read.encode());
    for (double t = 0; t < 1300; t += 13) {
      ASSERT_EQ(go_on.ages() ? (*go_on.ages())(t) : -1, read.ages() ? (*read.ages())(t) : -1);
    }
  }
}

TEST(audit, hostile_bytes_are_refused_or_harmless) {
  const std::vector<std::byte> good = taught(5, 3000, 64).encode();
  for (std::size_t length = 0; length < good.size(); length += length < 64 ? 1 : 37) {
    EXPECT_THROW(audit::decode(std::span(good).first(length)), error) << length;
  }
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  EXPECT_THROW(audit::decode(longer), error);
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      std::vector<std::byte> bad = good;
      bad[at] ^= static_cast<std::byte>(flip);
      try {
        audit a = audit::decode(bad);
        EXPECT_TRUE(a.encode() == bad) << at;
        for (std::int64_t n = 0; n < 40; ++n) {
          a.question(item_of(9), n, standard_only(true), equal_costs);
          a.insertion(item_of(static_cast<std::uint64_t>(n)), 4000 + n);
        }
      } catch (const error& e) {
        EXPECT_TRUE(e.code() == errc::corrupt || e.code() == errc::truncated) << e.what();
      }
    }
  }
}

TEST(audit, merges_streams_over_the_same_time) {
  audit both({.window = 500, .entries = 512});
  audit one({.window = 500, .entries = 512});
  audit two({.window = 500, .entries = 512});
  std::map<std::uint64_t, std::int64_t> last;
  math::random_source random(4);
  for (std::int64_t n = 0; n < 5000; ++n) {
    const std::uint64_t x = random.below(1500);
    last[x] = n;
    audit& half = random.below(3) == 0 ? one : two;
    half.question(item_of(x), n, standard_only(true), equal_costs);
    half.insertion(item_of(x), n);
  }
  const double questions = one.questions() + two.questions();
  both.merge(one);
  both.merge(two);
  EXPECT_EQ(both.shift() >= std::max(one.shift(), two.shift()), true);
  for (std::uint64_t x = 0; x < 1500; ++x) {
    if (!both.samples(item_of(x))) continue;
    const bool known = last.count(x) != 0 && 5000 - last[x] < 2000;
    const auto age = both.age(item_of(x), 5000);
    ASSERT_EQ(age.has_value(), known) << x;
    if (known) {
      ASSERT_EQ(*age, static_cast<std::uint64_t>(5000 - last[x]));
    }
  }
  EXPECT_GT(both.questions(), 0);
  EXPECT_LE(both.questions(), questions);
  audit self = one;
  self.merge(one);
  EXPECT_EQ(self.entries(), one.entries());
  expect_error(
      errc::incompatible, [&] { self.merge(audit({.window = 501})); }, "501");
}

TEST(audit, restarts) {
  audit a = taught(6, 20000);
  a.restart(20000);
  EXPECT_EQ(a.entries(), 0U);
  EXPECT_EQ(a.choice(), arm::standard);
  EXPECT_EQ(a.ages(), nullptr);
  a.question(item_of(1), 20299, standard_only(true), equal_costs);
  EXPECT_EQ(a.questions(), 0);
  a.question(item_of(1), 20300, standard_only(true), equal_costs);
  EXPECT_EQ(a.questions(), 1);
}

TEST(audit, refuses_what_makes_no_sense) {
  expect_error(errc::invalid_argument, [] { audit a({.window = 0}); });
  expect_error(errc::invalid_argument, [] { audit a({.window = support::most}); });
  expect_error(errc::invalid_argument, [] { audit a({.window = 10, .entries = 63}); });
  expect_error(errc::invalid_argument, [] { audit a({.window = 10, .entries = 65537}); });
}

TEST(audit, memory_is_fixed) {
  audit a({.window = 1000, .entries = 3072});
  const std::uint64_t before = a.memory();
  EXPECT_LT(before, 72000U);
  for (std::int64_t n = 0; n < 20000; ++n) a.insertion(item_of(static_cast<std::uint64_t>(n)), n);
  EXPECT_EQ(a.memory(), before);
}

}  // namespace audit_test
}  // namespace bloomtime
