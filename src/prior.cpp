#include <bloomtime/prior.hpp>

#include "math/expect.hpp"

namespace bloomtime {

prior prior::membership(double probability) {
  math::expect(probability >= 0 && probability <= 1,
               "the probability of membership must lie in [0, 1]", probability);
  return {false, probability};
}

prior prior::share(double p) {
  math::expect(p >= 0 && p <= 1, "the share of an item must lie in [0, 1]", p);
  return {true, p};
}

math::masses prior::of(std::uint64_t insertions, double g) const noexcept {
  if (!per_insertion_) return {p_, (1 - p_) * g};
  return math::membership_masses(static_cast<double>(insertions), g, math::geometric(p_));
}

}  // namespace bloomtime
