#include "published/inferential/touch_sums.hpp"

#include <bit>
#include <cmath>

namespace bloomtime::published {

touch_sums::touch_sums(unsigned cells, double rate, double touch, std::uint64_t ages) noexcept
    : cells_(cells), rate_(rate), touch_(touch), scale_(-std::expm1(-touch_)) {
  // From the highest binary digit of `ages` down.
  for (auto digit = static_cast<int>(std::bit_width(ages)) - 2; digit >= 0; --digit) {
    add_ages_of(*this);
    if ((ages >> digit & 1) != 0) add_one_age();
  }
}

touch_sums::number touch_sums::reach(std::uint64_t ages) const noexcept {
  return -std::expm1(-touch_ * static_cast<number>(ages));
}

void touch_sums::rescale(number scale) noexcept {
  const number factor = scale_ / scale;
  number power = 1;
  for (unsigned l = 0; l <= cells_; ++l, power *= factor) {
    sums_[l] *= power;
    aged_[l] *= power;
  }
  scale_ = scale;
}

void touch_sums::add_one_age() noexcept {
  const auto age = static_cast<number>(ages_);
  const number touched = scale_;
  rescale(reach(ages_ + 1));
  number power = 1;
  for (unsigned l = 0; l <= cells_; ++l, power *= touched / scale_) {
    const number term = power * std::exp(-age * (rate_ + touch_ * static_cast<number>(cells_ - l)));
    sums_[l] += term;
    aged_[l] += age * term;
  }
  ++ages_;
}

// After `by` more insertions the l touched cells are l - j that were touched before and j that the
// insertions touched, out of those l.
touch_sums touch_sums::moved(std::uint64_t by, number scale) const noexcept {
  const auto age = static_cast<number>(by);
  const number new_share = reach(by) / scale;
  const number old_share = scale_ / scale;
  touch_sums out(*this);
  number old_power = 1;
  row olds{};
  row ages{};
  for (unsigned l = 0; l <= cells_; ++l, old_power *= old_share) {
    olds[l] = old_power * sums_[l];
    ages[l] = old_power * aged_[l];
  }
  for (unsigned l = 0; l <= cells_; ++l) {
    number weight = std::exp(-age * (rate_ + touch_ * static_cast<number>(cells_ - l)));
    number sum = 0;
    number aged = 0;
    for (unsigned j = 0; j <= l; ++j) {
      sum += weight * olds[l - j];
      aged += weight * (ages[l - j] + age * olds[l - j]);
      weight *= new_share * static_cast<number>(l - j) / static_cast<number>(j + 1);
    }
    out.sums_[l] = sum;
    out.aged_[l] = aged;
  }
  out.scale_ = scale;
  return out;
}

void touch_sums::add_ages_of(const touch_sums& later) noexcept {
  const std::uint64_t both = ages_ + later.ages_;
  const touch_sums more = later.moved(ages_, reach(both));
  rescale(more.scale_);
  for (unsigned l = 0; l <= cells_; ++l) {
    sums_[l] += more.sums_[l];
    aged_[l] += more.aged_[l];
  }
  ages_ = both;
}

touch_sums touch_sums::shifted(std::uint64_t by) const noexcept {
  return moved(by, reach(ages_ + by));
}

double touch_sums::log_sum(unsigned l) const noexcept {
  return static_cast<double>(std::log(sums_[l]) + static_cast<number>(l) * std::log(scale_));
}

double touch_sums::mean_age(unsigned l) const noexcept {
  return static_cast<double>(aged_[l] / sums_[l]);
}

}  // namespace bloomtime::published
