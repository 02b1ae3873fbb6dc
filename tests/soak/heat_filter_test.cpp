#include <gtest/gtest.h>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/math/zipf.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/files.hpp"
#include "support/soaking.hpp"

// 10^9 events against exact decayed counts if BLOOMTIME_SOAK is set, else 10^6: months of traffic
// with late events, weights and quiet times, saved and loaded on the way.
namespace bloomtime {
namespace heat_filter_soak {

using namespace std::chrono_literals;
using support::soaking;

// One number per item, brought up to date when it is touched. Its own rounding stays below 1e-9.
class exact_heat {
 public:
  exact_heat(std::uint64_t items, double half_life) : counts_(items), half_life_(half_life) {}

  void add(std::uint64_t item, std::int64_t second, std::uint64_t weight) {
    count& c = counts_[item];
    if (second >= c.second) {
      c = {at(item, second) + static_cast<double>(weight), second};
    } else {
      c.value += static_cast<double>(weight) * left_after(c.second - second);
    }
  }

  double at(std::uint64_t item, std::int64_t second) const {
    const count& c = counts_[item];
    return c.value * left_after(second - c.second);
  }

 private:
  struct count {
    double value = 0;
    std::int64_t second = 0;
  };

  double left_after(std::int64_t seconds) const {
    return std::exp2(-static_cast<double>(seconds) / half_life_);
  }

  std::vector<count> counts_;
  double half_life_;
};

class heat_soak : public ::testing::TestWithParam<unsigned> {};

INSTANTIATE_TEST_SUITE_P(cells, heat_soak, ::testing::Values(16U, 32U),
                         [](const auto& test) { return std::to_string(test.param) + "_bits"; });

TEST_P(heat_soak, never_undercounts_for_months) {
  const std::uint64_t events = soaking() ? 500'000'000 : 500'000;  // with either width
  constexpr std::uint64_t items = 100'000;
  constexpr std::uint64_t rounds = 20;
  heat_filter f({.items = items,
                 .error = 0.01,
                 .half_life = 1h,
                 .ahead = 24h * 365,
                 .cell_bits = GetParam()});
  exact_heat exact(items, 3600);
  math::random_source random(GetParam());
  const math::zipf law(items, 1.0);
  std::int64_t now = 1'400'000'000;
  const support::temporary_directory directory;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::uint64_t surprises = 0;
    for (std::uint64_t i = 0; i < events / rounds; ++i) {
      if (random.below(100) == 0) now += static_cast<std::int64_t>(random.below(3));
      const std::int64_t late =
          random.below(50) == 0 ? static_cast<std::int64_t>(random.below(40'000)) : 0;
      const std::uint64_t weight = random.below(1000) == 0 ? random.below(100'000) : 1;
      const std::uint64_t item = law(random) - 1;
      const outcome was = f.add(item, instant::from_seconds(now - late), weight);
      surprises += was != outcome::added && was != outcome::late;
      exact.add(item, now - late, weight);
      if (random.below(20) == 0) {
        const std::uint64_t other = random.below(items);
        const double truth = exact.at(other, now);
        surprises += f.at(other, instant::from_seconds(now)).upper < truth * (1 - 1e-9);
      }
    }
    ASSERT_EQ(surprises, 0U) << "round " << round;
    now += static_cast<std::int64_t>(random.below(200'000));  // quiet, sometimes for days
    f.save(directory / "filter");
    f = heat_filter::load(directory / "filter");
  }
}

}  // namespace heat_filter_soak
}  // namespace bloomtime
