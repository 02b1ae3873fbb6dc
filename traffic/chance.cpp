#include "traffic/chance.hpp"

#include <bloomtime/digest.hpp>

namespace bloomtime::traffic {

// 1 / (r + 10) is Zipf's law with exponent 1 without its first ten ranks.
item_law::item_law(std::uint64_t items, std::optional<double> exponent)
    : skipped_(exponent ? 0 : 10), law_(items + skipped_, exponent.value_or(1)) {}

item_number item_law::operator()(math::random_source& random) const noexcept {
  std::uint64_t rank = law_(random);
  while (rank <= skipped_) rank = law_(random);
  return static_cast<item_number>(rank - skipped_ - 1);
}

// By comparisons only (von Neumann 1951): the first number x of a falling run of uniform numbers is
// accepted if the run has odd length, which has probability exp(-x). Every rejection adds one.
std::uint64_t exponential(std::uint64_t mean, math::random_source& random) noexcept {
  for (std::uint64_t whole = 0;; ++whole) {
    const std::uint64_t first = random();
    bool odd = true;
    std::uint64_t last = first;
    for (std::uint64_t next = random(); next < last; next = random()) {
      last = next;
      odd = !odd;
    }
    if (odd) return whole * mean + detail::multiply(first, mean).high;
  }
}

std::uint64_t rounded_by_chance(wide numerator, std::uint64_t denominator,
                                math::random_source& random) noexcept {
  return static_cast<std::uint64_t>((numerator + random.below(denominator)) / denominator);
}

}  // namespace bloomtime::traffic
