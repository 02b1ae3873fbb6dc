#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/detail/probes.hpp>
#include <bloomtime/digest.hpp>

namespace bench {

// A count-min sketch of four rows of 32 bits (Cormode & Muthukrishnan 2005), for so many items that
// an answer is too high with the probability `error`: (1 - e^(-items / row))^4.
class count_min {
 public:
  count_min(std::uint64_t items, double error)
      : probes_{static_cast<std::uint64_t>(static_cast<double>(items) /
                                           -std::log1p(-std::pow(error, 1. / rows))) +
                    1,
                rows},
        counters_(rows * probes_.row) {}

  void add(bloomtime::digest d) noexcept {
    for (unsigned r = 0; r < rows; ++r) ++counters_[probes_.position(d, r)];
  }
  std::uint32_t count(bloomtime::digest d) const noexcept {
    std::uint32_t least = ~std::uint32_t{};
    for (unsigned r = 0; r < rows; ++r) least = std::min(least, counters_[probes_.position(d, r)]);
    return least;
  }
  std::uint64_t memory() const noexcept { return counters_.size() * sizeof(std::uint32_t); }

 private:
  static constexpr unsigned rows = 4;

  bloomtime::detail::row_probes probes_;
  std::vector<std::uint32_t> counters_;
};

}  // namespace bench
