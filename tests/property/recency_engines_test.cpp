#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/any_recency.hpp>
#include <bloomtime/recency/recency_engine.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>

// Every engine of the family, with a window of insertions, next to the exact number of the last
// insertion of every item.
namespace bloomtime {
namespace recency_engines_test {

template <recency_engine Engine>
struct made;

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

using engines = ::testing::Types<recency_filter, age_partitioned_filter, published::timing_filter,
                                 published::generalized_filter, published::recent_buffer>;
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

}  // namespace recency_engines_test
}  // namespace bloomtime
