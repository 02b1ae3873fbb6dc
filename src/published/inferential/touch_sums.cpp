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

// Number l: the probability that this many insertions are of other items and touch none of cells -
// l given cells.
touch_sums::row touch_sums::untouched(number ages) const noexcept {
  row probabilities{};
  const number stay = std::exp(-ages * touch_);
  probabilities[cells_] = std::exp(-ages * rate_);
  for (unsigned l = cells_; l > 0; --l) probabilities[l - 1] = probabilities[l] * stay;
  return probabilities;
}

void touch_sums::add_one_age() noexcept {
  const auto age = static_cast<number>(ages_);
  const number touched = scale_;
  rescale(reach(ages_ + 1));
  const row probabilities = untouched(age);
  number power = 1;
  for (unsigned l = 0; l <= cells_; ++l, power *= touched / scale_) {
    const number term = power * probabilities[l];
    sums_[l] += term;
    aged_[l] += age * term;
  }
  ++ages_;
}

// After `by` more insertions the l touched cells are l - j that were touched before and j that the
// insertions touched, out of those l: in l! / (j! (l - j)!) ways.
touch_sums touch_sums::moved(std::uint64_t by, number scale) const noexcept {
  const auto age = static_cast<number>(by);
  const number new_share = reach(by) / scale;
  const number old_share = scale_ / scale;
  row news{};  // by j, over j!
  row olds{};  // by l - j, over (l - j)!
  row ages{};  // times the age
  number new_power = 1;
  number old_power = 1;
  for (unsigned l = 0; l <= cells_; ++l) {
    news[l] = new_power;
    olds[l] = old_power * sums_[l];
    ages[l] = old_power * aged_[l] + age * olds[l];
    new_power *= new_share / static_cast<number>(l + 1);
    old_power *= old_share / static_cast<number>(l + 1);
  }
  const row probabilities = untouched(age);
  touch_sums out(*this);
  number ways = 1;  // l!
  for (unsigned l = 0; l <= cells_; ++l, ways *= static_cast<number>(l)) {
    number sum = 0;
    number aged = 0;
    for (unsigned j = 0; j <= l; ++j) {
      sum += news[j] * olds[l - j];
      aged += news[j] * ages[l - j];
    }
    out.sums_[l] = probabilities[l] * ways * sum;
    out.aged_[l] = probabilities[l] * ways * aged;
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
