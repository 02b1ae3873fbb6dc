#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/hooked.hpp>

namespace bloomtime {

// The distribution of the ages of items when they are queried, learned from the true ages of a
// sample: an age prior for math::window_masses that needs no knowledge of the item
// (docs/math.md, Priors learned by an audit). Ages are whole numbers of insertions or microseconds;
// four bins per octave, linear inside a bin. Items
// older than the horizon, and those never inserted, count as "older", which the distribution lacks
// to 1. It is rebuilt every 256 samples and halves its counts at 32768, so that it follows the
// stream.
class learned_ages {
 public:
  explicit learned_ages(std::uint64_t horizon);  // 1 to 2^62
  BLOOMTIME_VALUE(learned_ages);

  void add(std::optional<std::uint64_t> age) noexcept;  // none: never, or not known to be younger
  void halve() noexcept;                                // halves all counts
  void merge(const learned_ages& other);                // of the same horizon

  void clear() noexcept;

  bool ready() const noexcept { return ready_; }  // after the first 256
  double operator()(double t) const noexcept;     // P(age < t); 0 unless ready
  std::uint64_t samples() const noexcept { return total_; }
  std::uint64_t horizon() const noexcept { return horizon_; }
  std::uint64_t memory() const noexcept;

  void write(detail::byte_writer& out) const;
  static learned_ages read(detail::byte_reader& in);

 private:
  static constexpr std::uint64_t most_samples = 32768;
  static constexpr std::uint64_t rebuild_each = 256;

  void rebuild() noexcept;
  double edge(std::size_t bin) const noexcept;

  std::uint64_t horizon_;
  std::vector<std::uint32_t, detail::hooked<std::uint32_t>> counts_;  // by bin; the last is "older"
  std::vector<std::uint32_t, detail::hooked<std::uint32_t>>
      used_;  // as they were when the distribution was made
  std::vector<double, detail::hooked<double>> cumulative_;  // P(age < edge of bin)
  bool ready_ = false;
  std::uint64_t total_ = 0;
  std::uint32_t fresh_ = 0;  // samples since then
};

}  // namespace bloomtime
