#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <bloomtime/digest.hpp>
#include <bloomtime/math/posterior.hpp>

namespace bloomtime {

// What is known about the age of an item before a filter is asked: nothing, or the chance p that
// any one insertion is this item, or several such chances with weights. 0 means that the item is
// never inserted, and not that nothing is known: that is NaN. A value, cheap to copy.
class age_prior {
 public:
  static constexpr std::size_t most_classes = 8;

  age_prior() noexcept = default;  // unknown
  // NaN: unknown. Throws unless p is in [0, 1] otherwise.
  static age_prior share(double p);
  // The item belongs to those that are inserted with the chance `member`, and then has the share p.
  static age_prior inflated(double member, double p);
  // Weights are positive, up to 8 of them, and relative to their sum.
  struct rate {
    double weight;
    double share;
  };
  static age_prior mixture(std::span<const rate> rates);

  bool known() const noexcept { return count_ != 0; }
  std::span<const math::rate_class> classes() const noexcept { return {classes_.data(), count_}; }

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

// Where shares come from: whatever can be called with a digest and answers p, or NaN if it does not
// know. A lambda is one; recency/shares.hpp has others.
template <class Source>
concept share_source = requires(const Source& source, digest d) {
  { source(d) } -> std::convertible_to<double>;
};

template <share_source Source>
BLOOMTIME_PER_ISA age_prior prior_of(const Source& source, digest d) {
  return age_prior::share(source(d));
}

// Filters take an age_prior, a math::geometric, or any function P(age < t) of t.
namespace detail::inline BLOOMTIME_ISA {

template <class Prior>
bool is_known(const Prior&) noexcept {
  return true;
}
inline bool is_known(const age_prior& prior) noexcept { return prior.known(); }

template <class Prior>
math::masses prior_masses(const math::evidence& seen, double w, const Prior& prior) {
  return window_masses(seen, w, prior);  // found by its arguments, wherever it is declared
}
inline math::masses prior_masses(const math::evidence& seen, double w, const age_prior& prior) {
  return prior.window(seen, w);
}

}  // namespace detail::inline BLOOMTIME_ISA

}  // namespace bloomtime
