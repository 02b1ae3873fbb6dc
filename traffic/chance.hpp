#pragma once

#include <cstdint>
#include <optional>

#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>

#include "traffic/event.hpp"

namespace bloomtime::traffic {

// Draws items: rank r of 1.. has the weight 1 / (r + 10), in which no item is as dominant as the
// first ones of Zipf's law, or r^-exponent if one is given. Item r - 1 has rank r.
class item_law {
 public:
  explicit item_law(std::uint64_t items, std::optional<double> exponent = std::nullopt);

  item_number operator()(math::random_source& random) const noexcept;

 private:
  std::uint64_t skipped_;
  math::zipf law_;
};

// True with probability 1 / n.
inline bool one_in(std::uint64_t n, math::random_source& random) noexcept {
  return random.below(n) == 0;
}

// Exponentially distributed with this mean, rounded down. Computed without logarithms, so that the
// result is the same on all machines.
std::uint64_t exponential(std::uint64_t mean, math::random_source& random) noexcept;

// numerator / denominator, randomly rounded down or up so that the mean is exact.
__extension__ using wide = unsigned __int128;
std::uint64_t rounded_by_chance(wide numerator, std::uint64_t denominator,
                                math::random_source& random) noexcept;

}  // namespace bloomtime::traffic
