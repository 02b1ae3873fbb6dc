#include <gtest/gtest.h>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

// Bounds hold for the half-life and the factor that were asked for, not only for what they were
// rounded to. The twin computes with 237 bits.
namespace bloomtime::half_life_test {

using namespace published;
using namespace std::chrono_literals;
using std::chrono::microseconds;
using exact = boost::multiprecision::cpp_bin_float_oct;

constexpr auto year = std::chrono::hours(24 * 365) + 6h;
constexpr std::array<microseconds, 7> epochs{1us, 7us, 1ms, 1s, 1min, 1h, 24h};
constexpr std::array<std::int64_t, 3> starts{0, 1'388'534'400'000'000, -(std::int64_t{1} << 61)};
constexpr std::uint64_t weight = 60'013;

std::vector<microseconds> half_lives(microseconds epoch) {
  std::vector<microseconds> all{epoch, epoch + 1us, 3 * epoch - 1us};
  for (const microseconds life :
       {microseconds(1s), microseconds(1h), microseconds(24h * 30), microseconds(year),
        microseconds(37 * year), microseconds(100 * year), microseconds(1'142 * year),
        microseconds(1'143 * year), microseconds(10'000 * year)}) {
    if (life >= epoch) all.push_back(life);
  }
  return all;
}

// Ages in epochs: around multiples and parts of the half-life, as far as instants go.
std::vector<std::int64_t> ages(microseconds epoch, double half_life_in_epochs) {
  std::vector<std::int64_t> all{0, 1, 2};
  const double most = 0x1p61 / static_cast<double>(epoch.count());
  for (const double part : {0.01, 0.5, 1., 2.7, 9., 33., 55.}) {
    const double age = part * half_life_in_epochs;
    if (age < most) all.push_back(static_cast<std::int64_t>(age));
  }
  return all;
}

// Both bounds must hold: there are no other items to raise a lower bound by chance.
template <class Filter>
void expect_bounds(Filter f, microseconds epoch, const exact& log_per_epoch) {
  const double in_epochs = static_cast<double>(1 / log_per_epoch);
  for (const std::int64_t start : starts) {
    Filter alone(f);
    const std::int64_t first = alone.clock().tick_of(instant(start)).number;
    ASSERT_EQ(alone.add("x", alone.clock().start_of({first}), weight), outcome::added);
    for (const std::int64_t age : ages(epoch, in_epochs)) {
      const instant when = alone.clock().start_of({first + age});
      const exact truth = weight * exp2(exact(-log_per_epoch * age));
      const estimate e = alone.at("x", when);
      ASSERT_GE(exact(e.upper), truth)
          << epoch.count() << " us, half-life " << in_epochs << " epochs, age " << age;
      ASSERT_LE(exact(e.lower), truth)
          << epoch.count() << " us, half-life " << in_epochs << " epochs, age " << age;
      ASSERT_GE(exact(alone.mass(when)), truth) << in_epochs << ", age " << age;
    }
  }
}

template <class Filter>
Filter fading(std::optional<microseconds> half_life, std::optional<double> lambda,
              microseconds epoch) {
  if constexpr (std::is_same_v<Filter, hot_list>) {
    return hot_list({.half_life = half_life, .lambda = lambda, .tick = epoch});
  } else if constexpr (std::is_same_v<Filter, heat_filter>) {
    return heat_filter({.memory = 1024, .half_life = half_life, .lambda = lambda, .tick = epoch});
  } else {
    return Filter({.memory = 1024, .half_life = half_life, .lambda = lambda, .epoch = epoch});
  }
}

template <class Filter>
void expect_the_half_life_asked_for() {
  for (const microseconds epoch : epochs) {
    for (const microseconds life : half_lives(epoch)) {
      const exact log = exact(epoch.count()) / life.count();
      expect_bounds(fading<Filter>(life, {}, epoch), epoch, log);
    }
  }
}

template <class Filter>
void expect_the_factor_asked_for() {
  for (const double lambda : {0x1p-300, 0.1, 0.8, 0.9, 0.999, 1 - 0x1p-40, 1 - 0x1p-53}) {
    expect_bounds(fading<Filter>({}, lambda, 1us), 1us, -log2(exact(lambda)));
  }
}

template <class Filter>
class asked : public ::testing::Test {};
using engines = ::testing::Types<heat_filter, hot_list, decaying_filter, pooled_decaying_filter>;
TYPED_TEST_SUITE(asked, engines);

TYPED_TEST(asked, half_life_is_covered) { expect_the_half_life_asked_for<TypeParam>(); }
TYPED_TEST(asked, factor_is_covered) { expect_the_factor_asked_for<TypeParam>(); }

TEST(decay, keeps_any_half_life_within_a_millionth_of_a_billionth) {
  for (const microseconds epoch : epochs) {
    for (const microseconds life : half_lives(epoch)) {
      const decay d = decay::by_half_life(life, epoch);
      const exact resolved = ldexp(exact(1), static_cast<int>(decay::fraction_bits)) / d.rate();
      const exact wanted = exact(life.count()) / epoch.count();
      EXPECT_GE(resolved, wanted);
      EXPECT_LE(resolved, wanted * (1 + ldexp(exact(1), -50))) << life.count();
    }
  }
}

}  // namespace bloomtime::half_life_test
