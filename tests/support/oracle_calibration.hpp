#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <bloomtime/math/binomial.hpp>

namespace bloomtime::oracle {

// Predicted probabilities against what came true, in bins of equal width.
class calibration {
 public:
  void add(double predicted, bool came_true) {
    bin& b = bins_[std::min(bins_.size() - 1, static_cast<std::size_t>(predicted * 20))];
    ++b.count;
    b.predicted += predicted;
    b.came_true += came_true;
  }

  void add(const calibration& more) {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      bins_[i].count += more.bins_[i].count;
      bins_[i].predicted += more.bins_[i].predicted;
      bins_[i].came_true += more.bins_[i].came_true;
    }
  }

  std::uint64_t count() const {
    std::uint64_t all = 0;
    for (const bin& b : bins_) all += b.count;
    return all;
  }

  // Mean distance of frequency and mean prediction (not the middle) of a bin, by queries.
  double expected_error() const {
    double distance = 0;
    for (const bin& b : bins_) distance += std::abs(static_cast<double>(b.came_true) - b.predicted);
    return distance / static_cast<double>(count());
  }

  // The sum of independent events of different chances lies no further out than a binomial of the
  // same mean (Hoeffding 1956, Theorem 5), so that binomial tails are on the safe side.
  void expect_plausible_bins(double tail) const {
    for (const bin& b : bins_) {
      if (b.count == 0) continue;
      const double mean = std::min(1.0, b.predicted / static_cast<double>(b.count));
      const math::count_range range = math::binomial_range(b.count, mean, tail);
      EXPECT_TRUE(range.contains(b.came_true))
          << b.came_true << " of " << b.count << " predicted with " << mean
          << " came true, expected " << range.low << " to " << range.high;
    }
  }

 private:
  struct bin {
    std::uint64_t count = 0;
    double predicted = 0;
    std::uint64_t came_true = 0;
  };

  std::array<bin, 20> bins_{};
};

}  // namespace bloomtime::oracle
