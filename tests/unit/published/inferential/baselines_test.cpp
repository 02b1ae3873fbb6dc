#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/published/inferential/generalized_filter.hpp>
#include <bloomtime/published/inferential/recent_buffer.hpp>
#include <bloomtime/published/inferential/shares.hpp>
#include <bloomtime/recency/age_prior.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/numbers.hpp"
#include "support/without_memory.hpp"

// The filters of the paper that timing filters are compared with, and priors of any age.
namespace bloomtime {
namespace recency_baselines_test {

using namespace published;
using support::expect_error;

// -- priors ------------------------------------------------------------------------------------

// The posterior of "age < w" by the definition: the sum over ages of prior times likelihood.
double brute_force(const std::vector<age_prior::rate>& rates, const math::evidence& seen,
                   double w) {
  long double in = 0;
  long double all = 0;
  for (const auto& [weight, p] : rates) {
    long double others = weight;
    for (double age = 0; age < 4000; ++age) {
      const long double level = age < seen.a ? 0 : age < seen.e ? 1 : seen.g;
      in += age < w ? others * p * level : 0;
      all += others * p * level;
      others *= 1 - static_cast<long double>(p);
    }
    all += others * seen.g;  // never, or long ago
  }
  return static_cast<double>(in / all);
}

TEST(age_prior, is_unknown_unless_told) {
  EXPECT_FALSE(age_prior().known());
  EXPECT_FALSE(age_prior::share(support::nan).known());
  EXPECT_TRUE(age_prior::share(0).known());
  EXPECT_EQ(age_prior::share(0).window({0, 5, 0.1}, 10).probability(), 0);
  EXPECT_EQ(age_prior::share(0).window({0, 5, 0}, 10).out, 1);
  EXPECT_GT(age_prior::share(1).window({7, 9, 0.5}, 10).probability(), 0.99);
}

TEST(age_prior, share_is_the_geometric_prior) {
  for (const double p : {1e-9, 0.01, 0.7}) {
    for (const double w : {0., 5., 10., 100.}) {
      const math::evidence seen{4, 20, 0.03};
      EXPECT_DOUBLE_EQ(age_prior::share(p).window(seen, w).probability(),
                       math::window_masses(seen, w, math::geometric(p)).probability());
    }
  }
}

TEST(age_prior, without_a_filter_is_the_prior_itself) {
  EXPECT_NEAR(age_prior::share(0.01).window(10.).probability(), 1 - std::pow(0.99, 10), 1e-15);
  EXPECT_EQ(age_prior::share(0.01).window(0.).probability(), 0);
  EXPECT_NEAR(age_prior::inflated(0.3, 0.01).window(10.).probability(),
              0.3 * (1 - std::pow(0.99, 10)), 1e-15);
}

TEST(age_prior, inflated_and_mixed_are_bayes_rule) {
  const std::vector<age_prior::rate> rates{{0.2, 0.3}, {0.5, 0.02}, {0.3, 0.005}};
  for (const math::evidence seen : {math::evidence{0, 7, 0.2}, math::evidence{12, 30, 0.01}}) {
    for (const double w : {3., 20., 60.}) {
      EXPECT_NEAR(age_prior::mixture(rates).window(seen, w).probability(),
                  brute_force(rates, seen, w), 1e-12);
      EXPECT_NEAR(age_prior::inflated(0.4, 0.02).window(seen, w).probability(),
                  brute_force({{0.4, 0.02}, {0.6, 0}}, seen, w), 1e-12);
    }
  }
  // Far out each class alone would vanish; the slower one is what is left.
  const std::vector<age_prior::rate> fast_and_slow{{1, 0.5}, {1, 0.001}};
  EXPECT_NEAR(
      age_prior::mixture(fast_and_slow).window({1e6, 1e6 + 100, 0.1}, 1e6 + 50).probability(),
      age_prior::share(0.001).window({1e6, 1e6 + 100, 0.1}, 1e6 + 50).probability(), 1e-12);
}

TEST(age_prior, comes_from_whatever_answers_a_share) {
  const auto always = [](digest d) { return d.lo == 1 ? 0.25 : support::nan; };
  EXPECT_DOUBLE_EQ(published::prior_of(always, {1, 0}).window(1.).probability(), 0.25);
  EXPECT_FALSE(published::prior_of(always, {2, 0}).known());
}

TEST(age_prior, refuses_what_is_no_probability) {
  for (const double p : {-0.1, 1.1, support::infinite, -support::infinite}) {
    expect_error(
        errc::invalid_argument, [&] { age_prior::share(p); }, "[0, 1]");
    expect_error(errc::invalid_argument, [&] { age_prior::inflated(p, 0.1); });
    expect_error(errc::invalid_argument, [&] { age_prior::inflated(0.1, p); });
  }
  const auto mixed = [](std::vector<age_prior::rate> rates) {
    expect_error(errc::invalid_argument, [&] { age_prior::mixture(rates); });
  };
  mixed({});
  mixed(std::vector<age_prior::rate>(9, {1, 0.1}));
  mixed({{0, 0.1}});
  mixed({{support::nan, 0.1}});
  mixed({{support::infinite, 0.1}});
  mixed({{1, support::nan}});
}

// -- generalized filter ------------------------------------------------------------------------

constexpr generalized_config small_generalized{
    .window = 20, .memory = 64, .k0 = 3, .k1 = 4, .seed = 5};

TEST(generalized_filter, sets_and_clears_the_bits_of_an_item) {
  generalized_filter f(small_generalized);
  std::vector<bool> bits(512);
  const auto stored = f.serialize();
  const auto body = std::span(stored).subspan(stored.size() - 128, 64);
  for (std::size_t i = 0; i < 512; ++i) {
    bits[i] = (std::to_integer<unsigned>(body[i / 8]) >> (i % 8) & 1) != 0;
  }
  const detail::flat_probes probes{512, 7};
  math::random_source random(1);
  for (int n = 0; n < 300; ++n) {
    const digest d = digest_of(random.below(40), 5);
    f.add(d);
    for (unsigned i = 3; i < 7; ++i) bits[probes.position(d, i)] = true;
    for (unsigned i = 0; i < 3; ++i) bits[probes.position(d, i)] = false;
    ASSERT_TRUE(f.seen(d));
    const digest asked = digest_of(random.below(40), 5);
    std::set<std::uint64_t> cleared;
    bool matches = true;
    for (unsigned i = 0; i < 3; ++i) {
      cleared.insert(probes.position(asked, i));
      matches = matches && !bits[probes.position(asked, i)];
    }
    for (unsigned i = 3; i < 7; ++i) {
      const std::uint64_t p = probes.position(asked, i);
      matches = matches && (bits[p] || cleared.count(p) != 0);
    }
    ASSERT_EQ(f.seen(asked), matches);
  }
  EXPECT_EQ(f.insertions(), 300U);
}

TEST(generalized_filter, begins_half_full) {
  const generalized_filter f({.window = 10, .memory = 65536});
  std::uint64_t ones = 0;
  const auto stored = f.serialize();
  for (const std::byte b : std::span(stored).last(65536 + 64)) {
    ones += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(b)));
  }
  EXPECT_NEAR(static_cast<double>(ones), 262144, 6 * 362);  // six standard deviations
}

TEST(generalized_filter, posterior_follows_its_cells) {
  generalized_filter f({.window = 200, .memory = 512, .k0 = 4, .k1 = 4});
  EXPECT_EQ(f.posterior(1, age_prior::share(0.01)), 0);  // nothing was inserted
  for (int i = 0; i < 3000; ++i) f.add(i);
  const auto prior = age_prior::share(1e-3);
  EXPECT_GT(f.posterior(2999, prior), f.posterior(2700, prior));
  EXPECT_GT(f.posterior(2999, prior), 0.7);
  const published::touch_chain chain(4096, 4, 4);
  EXPECT_NEAR(f.posterior(2999, prior),
              chain.window({4, 4, 4, 4}, 200, prior.classes(), 3000).probability(), 1e-15);
  EXPECT_NEAR(f.posterior(2999, prior, 7.),
              chain.window({4, 4, 4, 4}, 7, prior.classes(), 3000).probability(), 1e-15);
  EXPECT_EQ(f.posterior(2999, prior, 0.), 0);
  EXPECT_LT(f.mean_age(2999, math::geometric(1e-3)), f.mean_age(1, math::geometric(1e-3)));
  EXPECT_TRUE(std::isnan(f.posterior(2999, age_prior())));
  EXPECT_TRUE(f.decide(2999, age_prior(), {1, 1}));
  EXPECT_TRUE(f.decide(2999, prior, {1, 1}));
  EXPECT_FALSE(f.decide(2999, prior, {1e6, 1}));
  EXPECT_FALSE(f.decide(2999, prior, {1, 1}, 0.));
  EXPECT_EQ(f.decide(2999, prior, {0, 0}), f.seen(2999));
  expect_error(errc::invalid_argument, [&] { (void)f.decide(1, prior, {-1, 1}); });
  expect_error(errc::invalid_argument, [&] { (void)f.decide(1, prior, {1, support::infinite}); });
  expect_error(errc::invalid_argument, [&] { (void)f.decide(1, prior, {support::nan, 1}); });
}

// A filter of 2^16 bits with ten insertions: nearly all bits are the initial ones, so that twenty
// matching bits are 2^-20 by chance, and an item inserted once in 3,000 was there all but
// certainly.
TEST(generalized_filter, posterior_holds_before_the_bits_have_been_touched) {
  generalized_filter f({.window = 1000, .memory = 8192, .k0 = 10, .k1 = 10, .seed = 3});
  const double p = 3.5e-4;
  EXPECT_EQ(f.posterior(0, age_prior::share(p)), 0);
  for (int i = 0; i < 10; ++i) f.add(i);
  const double untouched = std::pow(1 - 1. / static_cast<double>(f.bits()), 20);
  const double zeros = published::touch_chain(f.bits(), 10, 10).zeros();
  long double in = 0;
  for (int age = 0; age < 10; ++age) {
    const double u = std::pow(untouched, age);
    in += p * std::pow(1 - p, age) * std::pow(zeros + (1 - zeros) * u, 10) *
          std::pow(1 - zeros + zeros * u, 10);
  }
  const double u = std::pow(untouched, 10);
  const double zero = zeros * (1 - u) + u / 2;
  const long double never = std::pow(1 - p, 10) * std::pow(zero * (1 - zero), 10);
  const auto truth = static_cast<double>(in / (in + never));
  EXPECT_GT(truth, 0.999);
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(f.posterior(i, age_prior::share(p)), truth, 1e-9) << i;
    EXPECT_TRUE(f.decide(i, age_prior::share(p), {.false_positive = 100, .false_negative = 1}));
  }
  int likely = 0;
  for (int i = 1000; i < 2000; ++i) likely += f.posterior(i, age_prior::share(p)) > 0.5;
  EXPECT_EQ(likely, 0);
}

TEST(generalized_filter, refuses_what_makes_no_sense) {
  const auto bad = [](errc code, generalized_config c) {
    expect_error(code, [&] { generalized_filter f(c); });
  };
  bad(errc::invalid_argument, {.window = 0, .memory = 64});
  bad(errc::invalid_argument, {.window = 1, .memory = 7});
  bad(errc::too_large, {.window = 1, .memory = support::most});
  bad(errc::invalid_argument, {.window = 1, .memory = 64, .k0 = 0});
  bad(errc::invalid_argument, {.window = 1, .memory = 64, .k1 = 65});
  EXPECT_EQ(generalized_filter({.window = 1, .memory = 15}).bits(), 64U);
}

// -- recent buffer -----------------------------------------------------------------------------

TEST(recent_buffer, holds_the_last_fingerprints) {
  recent_buffer b({.window = 50, .memory = 40, .bits = 8, .seed = 3});  // 40 of them
  EXPECT_EQ(b.slots(), 40U);
  EXPECT_FALSE(b.seen(1));
  std::deque<std::uint64_t> last;
  math::random_source random(2);
  for (int n = 0; n < 1000; ++n) {
    const std::uint64_t x = random.below(70);
    b.add(x);
    last.push_back(detail::probe(digest_of(x, 3), 0) >> 56);
    if (last.size() > 40) last.pop_front();
    const std::set<std::uint64_t> present(last.begin(), last.end());
    ASSERT_EQ(b.different(), present.size());
    for (std::uint64_t y = 0; y < 70; ++y) {
      ASSERT_EQ(b.seen(y), present.count(detail::probe(digest_of(y, 3), 0) >> 56) != 0);
    }
  }
}

TEST(recent_buffer, with_a_whole_window_never_denies) {
  recent_buffer b({.window = 30, .memory = 1000, .bits = 1});
  EXPECT_EQ(b.slots(), 30U);
  for (int n = 0; n < 200; ++n) {
    b.add(n);
    for (int i = std::max(0, n - 29); i <= n; ++i) ASSERT_TRUE(b.seen(i));
  }
}

// Equation 36 as it should be: 1 - q^w / ((1 - q^d) / g + q^d). As printed, with the brace
// elsewhere, it is negative for these numbers.
TEST(recent_buffer, posterior_is_equation_36) {
  recent_buffer b({.window = 100, .memory = 60, .bits = 8});
  for (int n = 0; n < 500; ++n) b.add(n);
  const double p = 0.01;
  const double q = 1 - p;
  const double g = static_cast<double>(b.different()) / 256;
  const double hit = 1 - std::pow(q, 100) / ((1 - std::pow(q, 60)) / g + std::pow(q, 60));
  EXPECT_NEAR(b.posterior(499, age_prior::share(p)), hit, 1e-12);
  EXPECT_NEAR(b.posterior(499, math::geometric(p)), hit, 1e-12);
  int absent = 0;
  while (b.seen(absent)) ++absent;
  EXPECT_NEAR(b.posterior(absent, age_prior::share(p)), 1 - std::pow(q, 40), 1e-12);
  // Below what is kept a miss is certain.
  EXPECT_EQ(b.posterior(absent, age_prior::share(p), 60.), 0);
  EXPECT_GT(b.posterior(absent, age_prior::share(p), 61.), 0);
  const auto distinct = published::distinct_items::uniform(1000);
  const double analytic = 1 - std::pow(255. / 256, distinct(60));
  EXPECT_NEAR(b.evidence(499, distinct).g, analytic, 1e-12);
  EXPECT_NEAR(b.posterior(499, math::geometric(p), {}, distinct),
              1 - std::pow(q, 100) / ((1 - std::pow(q, 60)) / analytic + std::pow(q, 60)), 1e-12);
}

TEST(recent_buffer, knows_how_little_it_knows) {
  recent_buffer b({.window = 100, .memory = 60, .bits = 8});
  const auto prior = age_prior::share(0.1);
  EXPECT_EQ(b.posterior(1, prior), 0);  // nothing was inserted
  b.add(1);
  EXPECT_GT(b.posterior(1, prior), 0.9);
  EXPECT_EQ(b.posterior(2, prior), 0);  // one insertion, and not this
  EXPECT_TRUE(std::isnan(b.posterior(1, age_prior())));
  EXPECT_TRUE(b.decide(1, age_prior(), {1, 1}));
  EXPECT_TRUE(b.decide(1, prior, {1, 1}));
  EXPECT_FALSE(b.decide(1, prior, {1e9, 1}));
  expect_error(errc::invalid_argument, [&] { (void)b.decide(1, prior, {1, -1}); });
}

TEST(recent_buffer, refuses_what_makes_no_sense) {
  const auto bad = [](errc code, recent_config c) {
    expect_error(code, [&] { recent_buffer b(c); });
  };
  bad(errc::invalid_argument, {.window = 0, .memory = 64});
  bad(errc::invalid_argument, {.window = 1, .memory = 64, .bits = 0});
  bad(errc::invalid_argument, {.window = 1, .memory = 64, .bits = 33});
  bad(errc::invalid_argument, {.window = 1, .memory = 3, .bits = 25});
  bad(errc::invalid_argument, {.window = 1, .memory = 0, .bits = 1});
  bad(errc::too_large, {.window = 1, .memory = support::most});
  EXPECT_EQ(recent_buffer({.window = support::most, .memory = 8, .bits = 32}).slots(), 2U);
}

// -- storage -----------------------------------------------------------------------------------

template <class Filter>
void expect_round_trip(Filter f) {
  for (const int count : {0, 5, 37, 400}) {
    for (int i = 0; i < count; ++i) f.add(i % 91);
    const auto stored = f.serialize();
    Filter again = Filter::load(stored);
    EXPECT_TRUE(again.serialize() == stored);
    Filter go_on = f;
    for (int i = 0; i < 100; ++i) {
      again.add(i);
      go_on.add(i);
    }
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(again.posterior(i, age_prior::share(0.01)),
                go_on.posterior(i, age_prior::share(0.01)));
    }
    EXPECT_TRUE(again.serialize() == go_on.serialize());
  }
}

// Every byte of the parameters and bodies forged, with right checksums.
template <class Filter>
void expect_no_harm(Filter f) {
  for (int i = 0; i < 30; ++i) f.add(i);
  const auto good = f.serialize();
  for (std::size_t at = 8; at < good.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      auto bad = good;
      bad[at] ^= static_cast<std::byte>(flip);
      support::seal(bad);
      try {
        Filter g = Filter::load(bad);
        EXPECT_TRUE(g.serialize() == bad) << at;
        for (int i = 0; i < 60; ++i) g.add(i);
        EXPECT_TRUE(g.seen(59));
      } catch (const error&) {
      }
    }
  }
  for (std::size_t length = 0; length < good.size(); length += 7) {
    EXPECT_THROW(Filter::load(std::span(good).first(length)), error);
  }
}

TEST(recency_baselines, are_stored) {
  expect_round_trip(generalized_filter(small_generalized));
  expect_round_trip(recent_buffer({.window = 80, .memory = 77, .bits = 11, .seed = 9}));
  expect_round_trip(recent_buffer({.window = 80, .memory = 400, .bits = 32}));
}

TEST(recency_baselines, survive_hostile_bytes) {
  expect_no_harm(generalized_filter({.window = 9, .memory = 16, .k0 = 2, .k1 = 2}));
  expect_no_harm(recent_buffer({.window = 40, .memory = 33, .bits = 6}));
}

TEST(recency_baselines, slots_without_an_insertion_are_empty) {
  recent_buffer b({.window = 40, .memory = 40, .bits = 8});
  for (int i = 0; i < 30; ++i) b.add(i);
  auto bytes = b.serialize();
  const std::size_t body = bytes.size() - 64;
  for (const std::size_t slot : {30u, 39u}) {
    auto forged = bytes;
    forged[body + slot] = std::byte{7};
    support::seal(forged);
    expect_error(errc::corrupt, [&] { (void)recent_buffer::load(forged); });
  }
}

TEST(recency_baselines, are_recognised_and_described) {
  generalized_filter f(small_generalized);
  EXPECT_EQ(f.add("a"), outcome::added);
  const any_filter loaded = load_any(f.serialize());
  EXPECT_TRUE(std::get<generalized_filter>(loaded).serialize() == f.serialize());
  const auto facts = describe(loaded);
  EXPECT_EQ(std::get<std::string>(facts[0].value), "recency");
  EXPECT_EQ(std::get<std::string>(facts[1].value), "generalized_filter");
  recent_buffer b({.window = 80, .memory = 77, .bits = 11});
  EXPECT_EQ(b.add("a"), outcome::added);
  const auto others = describe(load_any(b.serialize()));
  EXPECT_EQ(std::get<std::string>(others[1].value), "recent_buffer");
  EXPECT_DOUBLE_EQ(std::get<double>(others.back().value), 1. / 2048);
  expect_error(errc::unknown_kind, [&] { (void)recent_buffer::load(f.serialize()); });
}

TEST(recency_baselines, assignments_without_memory_change_nothing) {
  generalized_filter f(small_generalized);
  const generalized_filter other({.window = 1, .memory = 128});
  support::expect_no_change_without_memory(f, [&] { f = other; });
}

// -- sources of shares -------------------------------------------------------------------------

TEST(share_table, knows_what_it_was_told) {
  published::share_table table(4);
  table.set("a", 0.25);
  table.set("b", 0);
  EXPECT_EQ(table(digest_of("a", 4)), 0.25);
  EXPECT_EQ(table(digest_of("b", 4)), 0);
  EXPECT_TRUE(std::isnan(table(digest_of("c", 4))));
  table.set("a", support::nan);
  EXPECT_TRUE(std::isnan(table(digest_of("a", 4))));
  EXPECT_EQ(table.size(), 1U);
  expect_error(errc::invalid_argument, [&] { table.set("a", -1e-9); });
  expect_error(errc::invalid_argument, [&] { table.set("a", 1.5); });
}

TEST(equal_share, is_one_over_the_different_items_of_a_window) {
  published::equal_share share(1000, 12);
  EXPECT_TRUE(std::isnan(share()));
  for (int i = 0; i < 1000; ++i) share.add(digest_of(i % 200, 0));
  EXPECT_NEAR(share() * 200, 1, 0.05);
  for (int i = 0; i < 999; ++i) share.add(digest_of(i % 50, 0));
  EXPECT_NEAR(share() * 200, 1, 0.05);  // of the last whole window
  share.add(digest_of(1, 0));
  EXPECT_NEAR(share() * 50, 1, 0.05);
  expect_error(errc::invalid_argument, [] { published::equal_share none(0); });
}

TEST(frequency_sketch, estimates_shares) {
  constexpr std::uint64_t items = 4096;
  const math::zipf law(items, 1);
  math::random_source random(3);
  published::frequency_sketch sketch({.window = 4096, .memory = 32768});
  EXPECT_TRUE(std::isnan(sketch(digest_of(1, 0))));
  for (int n = 0; n < 100000; ++n) sketch.add(digest_of(law(random), 0));
  for (const std::uint64_t rank : {1u, 2u, 5u, 20u}) {
    EXPECT_NEAR(sketch(digest_of(rank, 0)) / law.probability(rank), 1, 0.15) << rank;
  }
  // What is rare, or was never there, is not impossible, and not frequent.
  for (const std::uint64_t rank : {3000u, 4000u, 100000u}) {
    EXPECT_GT(sketch(digest_of(rank, 0)), 1e-6);
    EXPECT_LT(sketch(digest_of(rank, 0)), 1e-3);
  }
  // With a quarter of a byte per item, most of what their counters show belongs to others.
  published::frequency_sketch crowded({.window = 4096, .memory = 1024});
  for (int n = 0; n < 100000; ++n) crowded.add(digest_of(law(random), 0));
  double absent = 0;
  for (int i = 0; i < 1000; ++i) absent += crowded(digest_of(200'000 + i, 0)) / 1000;
  EXPECT_LT(absent, 0.0005);
  // And it forgets: a half-life is eight windows.
  for (int n = 0; n < 200000; ++n) sketch.add(digest_of(7'000'000 + n % 100, 0));
  EXPECT_LT(sketch(digest_of(1, 0)), 0.01);
  EXPECT_NEAR(sketch(digest_of(7'000'000, 0)), 0.01, 0.002);
  expect_error(errc::invalid_argument,
               [] { published::frequency_sketch s({.window = 0, .memory = 64}); });
  expect_error(errc::invalid_argument,
               [] { published::frequency_sketch s({.window = 5, .memory = 0}); });
}

}  // namespace recency_baselines_test
}  // namespace bloomtime
