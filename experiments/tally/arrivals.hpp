#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>
#include <bloomtime/published/dynamic_count/spectral_filter.hpp>
#include <bloomtime/tally/tally_filter.hpp>

// The data of Aguilar-Saborit et al. and their filters: three cells per item, 5 % false positives.
namespace experiments {

inline constexpr double usual_error = 0.05;
inline constexpr unsigned usual_k = 3;
inline constexpr std::uint64_t usual_items = 1000;
inline constexpr std::uint64_t usual_each = 100;  // M / n

// M arrivals of n items by Zipf's law; theta = 0 is uniform.
struct population {
  std::uint64_t items = usual_items;
  std::uint64_t total = usual_each * usual_items;
  double theta = 0;
  std::uint64_t seed = 1;
};

// One after the other, the same ones again if made again. All orders of independent draws are
// equally likely, so that who leaves in the order of arrival leaves at random.
class arrivals {
 public:
  explicit arrivals(const population& p)
      : items_(p.items), uniform_(p.theta == 0), law_(p.items, p.theta), random_(p.seed) {}

  std::uint64_t operator()() noexcept {
    return uniform_ ? random_.below(items_) : law_(random_) - 1;
  }

 private:
  std::uint64_t items_;
  bool uniform_;
  bloomtime::math::zipf law_;
  bloomtime::math::random_source random_;
};

// How many of each item there are in the end, without drawing them one by one.
inline std::vector<std::uint64_t> counts_of(const population& p) {
  const bloomtime::math::zipf law(p.items, p.theta);
  bloomtime::math::random_source random(p.seed);
  std::vector<std::uint64_t> counts(p.items);
  for (std::uint64_t i = 0; i < p.items; ++i) {
    const double mean = static_cast<double>(p.total) * law.probability(i + 1);
    counts[i] = std::poisson_distribution<std::uint64_t>(mean)(random);
  }
  return counts;
}

inline bloomtime::published::dynamic_count_filter dynamic_of(const population& p) {
  return bloomtime::published::dynamic_count_filter(
      {.items = p.items, .error = usual_error, .k = usual_k, .total = p.total, .seed = p.seed});
}

inline constexpr unsigned usual_slack = bloomtime::published::spectral_config{}.counters_per_slack;

inline bloomtime::published::spectral_filter spectral_of(const population& p,
                                                         unsigned slack = usual_slack) {
  return bloomtime::published::spectral_filter({.items = p.items,
                                                .error = usual_error,
                                                .k = usual_k,
                                                .counters_per_slack = slack,
                                                .seed = p.seed});
}

inline bloomtime::tally_filter tally_of(const population& p) {
  return bloomtime::tally_filter(
      {.items = p.items, .error = usual_error, .total = p.total, .seed = p.seed});
}

inline std::uint64_t rebuilds_of(const bloomtime::published::dynamic_count_filter& f) {
  return f.growths() + f.shrinks();
}

}  // namespace experiments
