#pragma once

#include <array>
#include <cstddef>

#include <bloomtime/detail/bytes.hpp>

namespace bloomtime {

// Do posteriors mean what they say? Of all answers with about the same posterior, compares that
// with the share that was true, in 20 bins. Halves what it knows at 2^16 answers, so that it
// follows a stream that changes.
class calibration {
 public:
  void add(double posterior, bool truth) noexcept;
  void halve() noexcept;  // forgets half of it
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
  static constexpr double most_samples = 32768;

  struct bin {
    double samples = 0;
    double posterior = 0;  // the sum of all
    double truths = 0;
  };

  std::array<bin, bins> bins_{};
};

}  // namespace bloomtime
