#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <bloomtime/digest.hpp>
#include <bloomtime/math/posterior.hpp>

namespace bloomtime {

// What is known about the age of an item before the filter is queried: nothing, the probability p
// that any one insertion is this item, or several such probabilities with weights. p = 0 means that
// the item is never inserted; NaN means that nothing is known. A value, cheap to copy.
class age_prior {
 public:
  static constexpr std::size_t most_classes = 8;

  age_prior() noexcept = default;  // unknown
  // NaN: unknown. Throws unless p is in [0, 1] otherwise.
  static age_prior share(double p);
  // With probability `member` the item is inserted at all, and then has the share p.
  static age_prior inflated(double member, double p);
  // Weights are positive, up to 8 of them, and relative to their sum.
  struct rate {
    double weight;
    double share;
  };
  static age_prior mixture(std::span<const rate> rates);

  bool known() const noexcept { return count_ != 0; }
  std::span<const math::rate_class> classes() const noexcept { return {classes_.data(), count_}; }

  // P(age < t), t in insertions. Only if known.
  double operator()(double t) const noexcept;

  // Only if known. The posterior of "age < w" given what a filter saw.
  BLOOMTIME_PER_ISA math::masses window(const math::evidence& seen, double w) const noexcept {
    if (count_ == 1) return math::window_masses(seen, w, classes_[0].prior);
    return math::window_masses(seen, w, classes());
  }
  // Without a filter: the answer from the prior alone, which every filter has to beat.
  math::masses window(double w) const noexcept { return window({0, 0, 1}, w); }

 private:
  void add(double weight, double share);

  std::array<math::rate_class, most_classes> classes_{};
  std::size_t count_ = 0;
};

// Sightings of an item per second, for a prior over time. NaN if unknown. The posterior is that of
// a sighting within the window, or within `within` microseconds if that is less, which an
// age_partitioned_filter does not know.
struct event_rate {
  double per_second;
  double within = std::numeric_limits<double>::infinity();
};

// The priors that a query accepts: an age_prior (shares of insertions), an event_rate (windows of
// time), or any function P(age < t), t in microseconds or, if the window is, in insertions.
template <class Prior>
concept recency_prior = std::same_as<Prior, age_prior> || std::same_as<Prior, event_rate> ||
    requires(const Prior& prior, double t) {
  { prior(t) } -> std::convertible_to<double>;
};

}  // namespace bloomtime
