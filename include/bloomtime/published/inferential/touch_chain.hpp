#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include <bloomtime/math/posterior.hpp>

namespace bloomtime::published {

// The state of the cells of an item in a generalized filter: c0 of the r0 cells that its insertion
// clears are 0, and c1 of the r1 others that it sets are 1.
struct touch_pattern {
  unsigned r0;
  unsigned c0;
  unsigned r1;
  unsigned c1;
};

// The age of an item of a generalized Bloom filter
// (docs/math.md, Touch chain of a generalized filter). Every later insertion touches each of its
// cells with a known probability, and a touched cell is 0 or 1 with known probabilities. The
// published sum (equation 34) has terms of alternating sign and is wrong by 100 % from k = 16 on
// for frequent items. Here ages are followed by the number of cells touched so far, in positive
// terms only: to about 1e-13, for k0 and k1 up to 64.
class touch_chain {
 public:
  static constexpr unsigned most_k = 64;
  static constexpr double endless = std::numeric_limits<double>::infinity();

  // For `cells` bits, at least 2; an insertion clears k0 of them and sets k1 others.
  touch_chain(std::uint64_t cells, unsigned k0, unsigned k1);

  // The posterior of "age < w". A fractional w is rounded up, because ages are whole. After
  // `insertions` insertions ages are below that number, and an older item was never inserted: its
  // cells show the initial bits, half of them set at random, where no insertion has touched them.
  math::masses window(const touch_pattern& seen, double w,
                      std::span<const math::rate_class> mixture,
                      double insertions = endless) const noexcept;
  math::masses window(const touch_pattern& seen, double w, const math::geometric& prior,
                      double insertions = endless) const noexcept;
  // The mean age, given that the item was inserted. NaN if there are no insertions. Infinite if
  // p = 0 and the insertions are endless. Smaller shares count as 1e-100.
  double mean(const touch_pattern& seen, const math::geometric& prior,
              double insertions = endless) const noexcept;

  // The probability that all cells match at a given age, which may be infinite: that of a correct
  // "yes" inside the window, and of a wrong one beyond.
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

  double touch_;  // -ln of the probability that an insertion does not touch a given cell
  double zeros_;
};

}  // namespace bloomtime::published
