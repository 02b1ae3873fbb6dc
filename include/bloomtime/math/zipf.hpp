#pragma once

#include <cstdint>

#include <bloomtime/math/random.hpp>

namespace bloomtime::math {

// 1 + 2^-z + ... + n^-z, with a relative error of about 1e-14, in time independent of n.
double harmonic(std::uint64_t n, double z);

// Zipf's law: rank i of 1..n has a probability proportional to i^-z, for n up to 2^53 and any
// finite z >= 0. Sampling takes constant time and memory. It uses log and exp, so the streams of
// two C libraries may differ where a last bit decides, about once in 1e14 samples.
class zipf {
 public:
  zipf(std::uint64_t n, double z);

  double probability(std::uint64_t rank) const noexcept;
  double cumulative(std::uint64_t rank) const;  // of all ranks up to this one
  std::uint64_t operator()(random_source& random) const noexcept;

 private:
  std::uint64_t n_;
  double z_;
  double total_;
  double first_;  // the area under the density is mapped to [first_, last_]
  double last_;
  double squeeze_;  // samples this close to their rank need no further test
};

}  // namespace bloomtime::math
