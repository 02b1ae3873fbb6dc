#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <bloomtime/math/posterior.hpp>

namespace bloomtime::math {

// A geometric prior that many items have in common: its powers come from tables, one for each of
// the lower digits of a whole age below 2^24, which is several times faster. The numbers differ
// from geometric's by rounding only, for products and sums have positive terms.
class shared_geometric {
 public:
  explicit shared_geometric(const geometric& prior) : prior_(prior) {
    double unit = 1;
    for (auto& digit : digits_) {
      for (std::size_t i = 0; i < size; ++i) {
        const double t = unit * static_cast<double>(i);
        digit[i] = {prior.before(t), prior.beyond(t)};
      }
      unit *= size;
    }
  }

  double rate() const noexcept { return prior_.rate(); }
  double before(double t) const noexcept { return at(t).before; }
  double beyond(double t) const noexcept { return at(t).beyond; }

 private:
  static constexpr std::size_t size = 256;

  struct power {
    double before;
    double beyond;
  };

  power at(double t) const noexcept {
    if (!(t >= 0 && t < 0x1p24)) return {prior_.before(t), prior_.beyond(t)};
    const auto age = static_cast<std::uint32_t>(t);
    if (static_cast<double>(age) != t) return {prior_.before(t), prior_.beyond(t)};
    const power& low = digits_[0][age % size];
    const power& middle = digits_[1][age / size % size];
    const power& high = digits_[2][age / size / size];
    const double beyond = middle.beyond * high.beyond;
    return {high.before + high.beyond * (middle.before + middle.beyond * low.before),
            beyond * low.beyond};
  }

  geometric prior_;
  std::array<std::array<power, size>, 3> digits_;
};

inline masses window_masses(const evidence& seen, double w,
                            const shared_geometric& prior) noexcept {
  return masses_by_powers(seen, w, prior);
}

}  // namespace bloomtime::math
