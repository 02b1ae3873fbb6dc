#include <bloomtime/recency/calibration.hpp>

#include <algorithm>
#include <cmath>

namespace bloomtime {

void calibration::add(double posterior, bool truth) noexcept {
  if (samples() >= most_samples) halve();
  const auto at = static_cast<std::size_t>(std::clamp(posterior, 0., 1.) * bins);
  bin& b = bins_[std::min(at, bins - 1)];
  b.samples += 1;
  b.posterior += posterior;
  b.truths += truth ? 1 : 0;
}

void calibration::halve() noexcept {
  for (bin& b : bins_) b = {b.samples / 2, b.posterior / 2, b.truths / 2};
}

void calibration::merge(const calibration& other) noexcept {
  for (std::size_t i = 0; i < bins; ++i) {
    bins_[i].samples += other.bins_[i].samples;
    bins_[i].posterior += other.bins_[i].posterior;
    bins_[i].truths += other.bins_[i].truths;
  }
  while (samples() > most_samples) halve();
}

double calibration::samples() const noexcept {
  double sum = 0;
  for (const bin& b : bins_) sum += b.samples;
  return sum;
}

double calibration::error() const noexcept {
  double sum = 0;
  for (const bin& b : bins_) sum += std::abs(b.truths - b.posterior);
  return sum > 0 ? sum / samples() : 0;
}

double calibration::posterior_error() const noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    const double middle = (static_cast<double>(i) + 0.5) / bins;
    sum += std::abs(bins_[i].truths - middle * bins_[i].samples);
  }
  return sum > 0 ? sum / samples() : 0;
}

void calibration::write(detail::byte_writer& out) const {
  for (const bin& b : bins_) {
    out.f64(b.samples);
    out.f64(b.posterior);
    out.f64(b.truths);
  }
}

calibration calibration::read(detail::byte_reader& in) {
  calibration c;
  for (bin& b : c.bins_) {
    b.samples = in.f64();
    b.posterior = in.f64();
    b.truths = in.f64();
    const bool possible = b.samples >= 0 && b.samples <= most_samples && b.posterior >= 0 &&
                          b.posterior <= b.samples && b.truths >= 0 && b.truths <= b.samples;
    if (!possible)
      throw bloomtime::error(errc::corrupt, "a calibration counts more truths than answers");
  }
  if (c.samples() > most_samples)
    throw bloomtime::error(errc::corrupt, "a calibration has too many answers");
  return c;
}

}  // namespace bloomtime
