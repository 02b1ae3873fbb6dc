#pragma once

#include <cstdint>
#include <optional>

#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>

#include "traffic/event.hpp"

namespace bloomtime::traffic {

// Which item comes: rank r of 1.. has a weight of 1 / (r + 10), which leaves no item as dominant as
// Zipf's first ones, or of r^-exponent if one is given. Item r - 1 has rank r.
class item_law {
 public:
  explicit item_law(std::uint64_t items, std::optional<double> exponent = std::nullopt);

  item_number operator()(math::random_source& random) const noexcept;

 private:
  std::uint64_t skipped_;
  math::zipf law_;
};

// True with chance 1 / n.
inline bool one_in(std::uint64_t n, math::random_source& random) noexcept {
  return random.below(n) == 0;
}

// Exponentially distributed with this mean, rounded down. No logarithm decides, so that all
// machines agree.
std::uint64_t exponential(std::uint64_t mean, math::random_source& random) noexcept;

// The whole number below or above numerator / denominator, above with the chance that makes it
// right on average.
__extension__ using wide = unsigned __int128;
std::uint64_t rounded_by_chance(wide numerator, std::uint64_t denominator,
                                math::random_source& random) noexcept;

}  // namespace bloomtime::traffic
