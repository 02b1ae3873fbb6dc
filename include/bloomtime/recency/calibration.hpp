#pragma once

#include <array>
#include <cstddef>

#include <bloomtime/detail/bytes.hpp>

namespace bloomtime {

// Measures whether posteriors are calibrated: in each of 20 bins of posteriors, it compares the
// mean posterior with the share of answers that were true. It halves its counts at 2^15 answers,
// unless another number is given, so that it follows a stream that changes.
class calibration {
 public:
  static constexpr double usual_samples = 32768;

  calibration() noexcept = default;
  explicit calibration(double most_samples) noexcept : most_samples_(most_samples) {}

  void add(double posterior, bool truth) noexcept;
  void halve() noexcept;  // halves all counts
  void merge(const calibration& other) noexcept;

  double samples() const noexcept;
  // The mean distance between the share that was true and the mean posterior of its bin.
  double error() const noexcept;
  // Equation 35 of Dautrich & Ravishankar 2019: with the middle of the bin in place of the mean,
  // which makes it 0.025 for posteriors that are always 0 or 1 and right.
  double posterior_error() const noexcept;

  void write(detail::byte_writer& out) const;
  static calibration read(detail::byte_reader& in);

 private:
  static constexpr std::size_t bins = 20;

  struct bin {
    double samples = 0;
    double posterior = 0;  // the sum of all
    double truths = 0;
  };

  double most_samples_ = usual_samples;
  std::array<bin, bins> bins_{};
};

}  // namespace bloomtime
