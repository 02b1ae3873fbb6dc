#pragma once

#include <chrono>
#include <cstdint>

namespace bloomtime {

// Exponential decay in integers: an event of age a ticks has the weight lambda^a = 2^(-a L), where
// L = log2(1 / lambda) is a multiple of 2^-118, computed once and stored. All weights follow from L
// by integer arithmetic, so they are the same on every machine. L is rounded down, so nothing fades
// faster than configured; half-lives are kept within one part in 2^54.
//
// Filters use forward decay: stored counts do not shrink as time passes; new events grow instead.
// An event in tick e counts 2^(e L) units of tick 0. That power is kept as a number of halvings and
// a factor below 2, so cells are halved once per half-life and not otherwise.
class decay {
 public:
  __extension__ using wide = __int128;
  __extension__ using unsigned_wide = unsigned __int128;

  static constexpr unsigned fraction_bits = 118;
  static constexpr unsigned factor_bits = 62;  // factors are multiples of 2^-62 in [1, 2]

  // lambda per tick, from 0 (only the current tick counts) to 1 (nothing fades). Values between 0
  // and 2^-1023 are treated as about 2^-1023.
  static decay by_factor(double lambda);
  // lambda = 2^(-tick / half_life). The half-life must be at least one tick.
  static decay by_half_life(std::chrono::microseconds half_life, std::chrono::microseconds tick);
  // From what rate() gave.
  static decay by_rate(unsigned_wide rate);
  static decay by_rate(std::uint64_t coarse, std::uint64_t fine) {
    return by_rate(static_cast<unsigned_wide>(coarse) << 64 | fine);
  }

  // L in units of 2^-118. (2^64 - 1) 2^64 stands for lambda = 0, and no rate is larger.
  unsigned_wide rate() const noexcept { return rate_; }
  // Its upper half, L in units of 2^-54, and its lower half, which is 0 in files of older engines.
  std::uint64_t coarse_rate() const noexcept { return static_cast<std::uint64_t>(rate_ >> 64); }
  std::uint64_t fine_rate() const noexcept { return static_cast<std::uint64_t>(rate_); }
  bool fades() const noexcept { return rate_ != 0; }
  bool forgets_at_once() const noexcept { return rate_ == immediate; }
  double factor() const noexcept;     // lambda, for people and for formulas
  double loss() const noexcept;       // 1 - lambda, without cancellation
  double half_life() const noexcept;  // in ticks; infinite if nothing fades
  // What a steady stream of one event per tick has gathered after so many: (1 - lambda^n) over
  // (1 - lambda).
  double sum_over(double ticks) const noexcept;

  // 2^(tick * L) = 2^halvings * factor, with lower <= factor <= upper. Where decay forgets at once
  // every tick is 64 halvings, which leave nothing of any cell.
  struct power {
    wide halvings;
    std::uint64_t lower;
    std::uint64_t upper;
  };
  power at(std::int64_t tick) const noexcept;

  friend bool operator==(const decay&, const decay&) = default;

 private:
  static constexpr unsigned_wide immediate = static_cast<unsigned_wide>(~std::uint64_t{0}) << 64;

  explicit decay(unsigned_wide rate) noexcept : rate_(rate) {}
  double halvings_per_tick() const noexcept;

  unsigned_wide rate_;
};

}  // namespace bloomtime
