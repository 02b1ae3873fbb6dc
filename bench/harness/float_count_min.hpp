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

// The reference of decayed counts: a count-min sketch of four rows (Cormode & Muthukrishnan 2005)
// of floats, each with the tick in which it was last written. A counter fades when it is touched.
// Powers of the decay factor are in a table, and 0 beyond its end.
class float_count_min {
 public:
  float_count_min(std::uint64_t bytes, double half_life_in_ticks)
      : probes_{bytes / (rows * sizeof(counter)), rows}, counters_(rows * probes_.row) {
    for (std::size_t i = 0; i < powers_.size(); ++i) {
      powers_[i] = static_cast<float>(std::exp2(-static_cast<double>(i) / half_life_in_ticks));
    }
  }

  void add(std::uint64_t key, std::uint32_t tick) noexcept {
    const bloomtime::digest d = bloomtime::digest_of(key);
    for (unsigned r = 0; r < rows; ++r) {
      counter& c = counters_[probes_.position(d, r)];
      c = {c.value * power(tick - c.tick) + 1, tick};
    }
  }
  float at(std::uint64_t key, std::uint32_t tick) const noexcept {
    const bloomtime::digest d = bloomtime::digest_of(key);
    float least = 0;
    for (unsigned r = 0; r < rows; ++r) {
      const counter& c = counters_[probes_.position(d, r)];
      const float now = c.value * power(tick - c.tick);
      least = r == 0 ? now : std::min(least, now);
    }
    return least;
  }
  std::uint64_t memory() const noexcept { return counters_.size() * sizeof(counter); }

 private:
  static constexpr unsigned rows = 4;

  struct counter {
    float value = 0;
    std::uint32_t tick = 0;
  };

  float power(std::uint32_t age) const noexcept { return age < powers_.size() ? powers_[age] : 0; }

  bloomtime::detail::row_probes probes_;
  std::vector<counter> counters_;
  std::vector<float> powers_ = std::vector<float>(1 << 16);
};

}  // namespace bench
