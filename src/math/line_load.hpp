#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace bloomtime::math {

// The probability that one item sets a given bit of its line.
double line_hit(unsigned k);

// The probability that all probes of a query find set cells, by the number of items in its line.
// Caches results, because sizing uses the same loads repeatedly.
class load_errors {
 public:
  static load_errors of_bits(unsigned k);
  static load_errors of_cells(unsigned cells_per_line, unsigned k);

  double at(std::uint64_t load);

  // The mean of at(load) when `items` fall on the lines at random.
  double mixed(std::uint64_t items, std::uint64_t lines);

 private:
  // `error_at` is called for loads 0, 1, 2, ... in turn. `log_miss`: the logarithm of the
  // probability that one item does not touch a given cell.
  load_errors(std::function<double(double)> error_at, double log_miss);

  double mixed_around(std::uint64_t mode, std::uint64_t items, std::uint64_t lines);
  double mixed_saturated(std::uint64_t items, std::uint64_t lines);

  std::function<double(double)> error_at_;
  std::uint64_t saturated_;  // from this load on the probability is 1 in double precision
  std::vector<double> known_;
};

// The probability that `count` given cells of one line are all hit by items that fall on the lines
// at random, where an item of this line hits each of them with probability `hit`, independently.
double line_touched(std::uint64_t items, std::uint64_t lines, double hit, unsigned count) noexcept;

}  // namespace bloomtime::math
