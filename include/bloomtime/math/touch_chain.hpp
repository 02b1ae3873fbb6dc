#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include <bloomtime/math/posterior.hpp>

namespace bloomtime::math {

// What the cells of an item in a generalized filter show: of r0 cells that its insertion clears c0
// are 0, and of r1 others that it sets c1 are 1.
struct touch_pattern {
  unsigned r0;
  unsigned c0;
  unsigned r1;
  unsigned c1;
};

// How old an item of a generalized Bloom filter is
// (docs/math.md, Touch chain of a generalized filter). Every later insertion touches each of its
// cells with a known probability, and a touched cell is 0 or 1 with known probabilities. The
// published sum (equation 34) has terms of alternating sign and is wrong by 100 % from k = 16 on
// for frequent items. Here ages are followed by the number of cells touched so far, in positive
// terms only: to about 1e-13, for k0 and k1 up to 64.
class touch_chain {
 public:
  static constexpr unsigned most_k = 64;
  static constexpr double endless = std::numeric_limits<double>::infinity();

  // Of `cells` bits, at least 2, of which an insertion clears k0 and sets k1 others.
  touch_chain(std::uint64_t cells, unsigned k0, unsigned k1);

  // The posterior of "age < w". Of fractional w the next whole one counts, as ages are whole. After
  // `insertions` insertions ages are below that number, and an item older than that was never
  // inserted: its cells show the initial bits, half of them set at random, where no insertion has
  // touched them.
  masses window(const touch_pattern& seen, double w, std::span<const rate_class> mixture,
                double insertions = endless) const noexcept;
  masses window(const touch_pattern& seen, double w, const geometric& prior,
                double insertions = endless) const noexcept;
  // Of an item that was inserted. NaN if there are no insertions. Infinite if p = 0 and the
  // insertions are endless. Shares below 1e-100 count as that.
  double mean(const touch_pattern& seen, const geometric& prior,
              double insertions = endless) const noexcept;

  // The chance that all cells match, by age: that of a right "yes" below the window, and of a wrong
  // one beyond. Any age, also infinite.
  double matches(const touch_pattern& of, double age) const noexcept;

  double zeros() const noexcept { return zeros_; }  // the share of cells that are 0 in the long run

 private:
  struct summary;
  summary summarize(const touch_pattern& seen, double w, double rate,
                    double insertions) const noexcept;
  summary of_all_ages(const touch_pattern& seen, double w, double rate) const noexcept;
  summary of_first_ages(const touch_pattern& seen, double w, double rate,
                        double insertions) const noexcept;
  double log_never(const touch_pattern& seen, double insertions) const noexcept;

  double touch_;  // -ln of the chance that an insertion leaves a given cell alone
  double zeros_;
};

}  // namespace bloomtime::math
