#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/published/inferential/generalized_filter.hpp>
#include <bloomtime/published/inferential/recent_buffer.hpp>
#include <bloomtime/recency/audit.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "support/numbers.hpp"
#include "support/statistics.hpp"

namespace bloomtime {
namespace inference_test {

using namespace published;

// Shares of yes, over many filters: those of one are not independent. Five standard errors.
TEST(generalized_filter_error, is_what_the_touch_chain_says) {
  const generalized_config config{.window = 64, .memory = 512, .k0 = 3, .k1 = 3};
  const auto after = [&](int age) {
    return support::over_seeds(200, [&](std::uint64_t seed) {
      generalized_config own = config;
      own.seed = seed;
      generalized_filter f(own);
      for (int i = 0; i < 3000; ++i) f.add(i);
      int yes = 0;
      for (int i = 0; i < 20; ++i) yes += f.seen(age < 0 ? 10000 + i : 2999 - age - i);
      return yes / 20.;
    });
  };
  const generalized_filter f(config);
  const auto expected = [&](int age) {
    double sum = 0;
    for (int i = 0; i < 20; ++i) sum += f.says_yes(age + i) / 20;
    return sum;
  };
  for (const int age : {0, 100, 400}) {
    const auto measured = after(age);
    EXPECT_NEAR(measured.mean, expected(age), 5 * measured.error) << age;
  }
  const auto never = after(-1);
  EXPECT_NEAR(never.mean, f.says_yes(support::infinite), 5 * never.error);
}

// A stream in which every item is first asked for and then inserted, and the truth about it.
class asked_stream {
 public:
  explicit asked_stream(std::uint64_t window) : window_(window) {}

  bool inside(std::uint64_t x) const {
    const auto last = last_.find(x);
    return last != last_.end() && position_ - last->second < window_;
  }
  void insert(std::uint64_t x) { last_[x] = ++position_; }
  std::int64_t position() const { return static_cast<std::int64_t>(position_); }

 private:
  std::uint64_t window_;
  std::uint64_t position_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> last_;
};

constexpr std::uint64_t stream_items = 1024;

std::uint64_t uniform_item(math::random_source& random) { return random.below(stream_items); }

// 70 % of the items repeat one of the last 50.
class bursty_items {
 public:
  std::uint64_t operator()(math::random_source& random) {
    const bool repeats = count_ >= last_.size() && random.unit() < 0.7;
    const std::uint64_t x = repeats ? last_[random.below(last_.size())] : uniform_item(random);
    last_[count_++ % last_.size()] = x;
    return x;
  }

 private:
  std::vector<std::uint64_t> last_ = std::vector<std::uint64_t>(50);
  std::uint64_t count_ = 0;
};

struct auto_costs {
  double standard = 0;
  double oracle = 0;  // the geometric prior of the true share, which ignores bursts
  double automatic = 0;
  double automatic_with_oracle = 0;
  calibration calibrated;  // of the learned prior
};

template <class Items>
auto_costs serve(Items&& next, std::uint64_t window, unsigned bits, std::uint64_t seed) {
  auto_costs costs;
  math::random_source random(seed);
  asked_stream truth(window);
  recent_buffer filter({.window = window, .memory = window, .bits = bits, .seed = seed});
  audit alone({.window = window, .entries = 512});
  audit told({.window = window, .entries = 512});
  const math::geometric share(1. / stream_items);
  for (int n = 0; n < 60000; ++n) {
    const std::uint64_t x = next(random);
    const digest d = digest_of(x, seed);
    const math::penalties price{1 + 9 * random.unit(), 1 + 9 * random.unit()};
    const auto asked = static_cast<double>(window);
    const auto learned = [&](const audit& a) {
      opinions o;
      o.standard = filter.seen(d);
      if (a.ages()) {
        o[arm::empirical_census] = math::window_masses(filter.evidence(d), asked, *a.ages());
      }
      return o;
    };
    const opinions own = learned(alone);
    opinions with_share = learned(told);
    with_share[arm::geometric_census] = math::window_masses(filter.evidence(d), asked, share);
    const bool inside = truth.inside(x);
    const auto pay = [&](bool yes) {
      return yes == inside ? 0 : yes ? price.false_positive : price.false_negative;
    };
    costs.standard += pay(own.standard);
    costs.oracle += pay(with_share.answer(arm::geometric_census, price));
    costs.automatic += pay(alone.decide(own, price));
    costs.automatic_with_oracle += pay(told.decide(with_share, price));
    if (n > 20000) {
      costs.calibrated.add(own[arm::empirical_census]->probability(), inside);
    }
    alone.question(d, truth.position(), own, price);
    told.question(d, truth.position(), with_share, price);
    filter.add(d);
    truth.insert(x);
    alone.insertion(d, truth.position());
    told.insertion(d, truth.position());
  }
  return costs;
}

// docs/math.md, Tolerances of statistical tests: never more than 2 % above the cost of the standard
// answer, and 15 % below it where the oracle saves 20 %.
TEST(audit_auto, saves_what_an_oracle_would_on_a_stationary_stream) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto_costs c = serve(uniform_item, 512, 8, seed);
    EXPECT_LT(c.oracle, 0.8 * c.standard);
    EXPECT_LT(c.automatic, 0.85 * c.standard) << seed;
    EXPECT_LT(c.automatic_with_oracle, 0.85 * c.standard) << seed;
    // 40000 questions in 20 bins: chance alone makes about 0.004.
    EXPECT_LT(c.calibrated.error(), 0.03) << seed;
  }
}

TEST(audit_auto, is_not_misled_by_a_prior_that_ignores_bursts) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto_costs c = serve(bursty_items(), 64, 4, seed);
    EXPECT_GT(c.oracle, 1.2 * c.standard) << seed;
    EXPECT_LT(c.automatic, 1.02 * c.standard) << seed;
    EXPECT_LT(c.automatic_with_oracle, 1.02 * c.standard) << seed;
  }
}

// What is learned is the distribution of ages: 1 - (1 - 1/U)^t for a uniform stream. A key is
// sampled with all its questions, which are nearly independent; five standard deviations.
TEST(audit_ages, are_those_of_the_stream) {
  audit a({.window = 2048, .entries = 3072});
  math::random_source random(9);
  for (std::int64_t n = 0; n < 30000; ++n) {
    const digest d = digest_of(uniform_item(random), 1);
    a.question(d, n, {}, {1, 1});
    a.insertion(d, n + 1);
  }
  const double samples = static_cast<double>(a.ages()->samples());
  EXPECT_GT(samples, 15000);
  for (const double t : {16., 128., 512., 1024., 2048., 4096.}) {
    const double chance = 1 - std::pow(1 - 1. / stream_items, t);
    EXPECT_NEAR((*a.ages())(t), chance,
                5 * std::sqrt(chance * (1 - chance) / samples) + 256 / samples)
        << t;
  }
}

}  // namespace inference_test
}  // namespace bloomtime
