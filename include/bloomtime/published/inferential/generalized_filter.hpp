#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/flat_bits.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/published/inferential/detail/insertion_window.hpp>
#include <bloomtime/published/inferential/touch_chain.hpp>
#include <bloomtime/recency/age_prior.hpp>
#include <bloomtime/recency/answers.hpp>

namespace bloomtime::published {

struct generalized_config {
  std::uint64_t window = 0;  // insertions; a query may name another window
  std::uint64_t memory = 0;  // bytes of bits, at least 8
  unsigned k0 = 4;           // bits that an insertion clears, 1 to 64
  unsigned k1 = 4;           // and sets, 1 to 64
  hash_seed seed = 0;
};

// Is x among the last w insertions? The generalized Bloom filter (Laufer et al. 2005; posteriors
// after Dautrich & Ravishankar 2019): an insertion sets k1 bits and clears k0, and other insertions
// undo that as time goes by. It errs in both directions. It has no window of its own: each query
// names one. A baseline; timing_filter errs less with the same memory. The age of x is the number
// of insertions after its last one. Two filters cannot be merged: their bits do not say which
// insertion came first. Const members may run concurrently. A filter that was moved from is safe to
// query and empty; it cannot be stored.
class generalized_filter : public detail::stored<generalized_filter>,
                           public detail::insertion_window<generalized_filter> {
 public:
  static constexpr std::string_view name = "generalized_filter";
  static constexpr detail::stored_kind kind{family::recency, {2}, "a generalized filter"};

  // Half of the bits are set, at random, as they would be after many insertions.
  explicit generalized_filter(const generalized_config& config);
  BLOOMTIME_VALUE(generalized_filter);

  // Always added: there is no clock to be late for. Only a filter that was moved from refuses.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x) noexcept {
    if (bits_.size() == 0) return losses_.count(outcome::refused);
    insert_digest(detail::as_digest(x, seed_));
    return outcome::added;
  }

  // The standard answer: whether all its bits match.
  template <item T>
  BLOOMTIME_PER_ISA bool seen(const T& x) const noexcept {
    return matches(detail::as_digest(x, seed_));
  }

  // All ages so far, because the filter does not keep ages. None if seen() is false.
  template <item T>
  BLOOMTIME_PER_ISA std::optional<age_bracket> age(const T& x) const noexcept {
    if (insertions_ == 0 || !seen(x)) return std::nullopt;
    return age_bracket{0, insertions_ - 1};
  }

  // The probability that the age of x is below `window`, which may be any, or the filter's own. NaN
  // if the prior is unknown. Holds from the first insertion on: an item that was never inserted
  // shows the initial bits wherever no insertion has touched them.
  template <item T>
  BLOOMTIME_PER_ISA double posterior(const T& x, const age_prior& prior,
                                     std::optional<double> window = {}) const noexcept {
    if (!prior.known()) return std::numeric_limits<double>::quiet_NaN();
    return masses(detail::as_digest(x, seed_), prior, window).probability();
  }

  // The answer that costs least on average: true for "within the window". The standard answer if
  // the prior is unknown.
  template <item T>
  BLOOMTIME_PER_ISA bool decide(const T& x, const age_prior& prior, const math::penalties& costs,
                                std::optional<double> window = {}) const {
    math::check(costs);
    const digest d = detail::as_digest(x, seed_);
    if (!prior.known()) return matches(d);
    return math::positive(masses(d, prior, window), costs, matches(d));
  }

  // The mean age of x, if it was inserted. NaN before the first insertion.
  template <item T>
  BLOOMTIME_PER_ISA double mean_age(const T& x, const math::geometric& prior) const noexcept {
    return chain_.mean(pattern(detail::as_digest(x, seed_)), prior,
                       static_cast<double>(insertions_));
  }

  // The state of its bits, for callers that compute their own posteriors with touch_chain.
  template <item T>
  BLOOMTIME_PER_ISA touch_pattern evidence(const T& x) const noexcept {
    return pattern(detail::as_digest(x, seed_));
  }

  // The probability of "yes" for an item of this age: correct below the window, wrong beyond.
  double says_yes(double age) const noexcept { return chain_.matches({k0_, k0_, k1_, k1_}, age); }

  // "Yes" for an item that was never inserted, however many items there are.
  double predicted_error(std::uint64_t = 0) const noexcept { return current_error(); }
  double current_error() const noexcept {
    return bits_.size() == 0 ? 0 : says_yes(std::numeric_limits<double>::infinity());
  }

  void clear();  // to the state after construction

  std::uint64_t window() const noexcept { return window_; }
  std::uint64_t bits() const noexcept { return bits_.size() * 8; }
  unsigned k0() const noexcept { return k0_; }
  unsigned k1() const noexcept { return k1_; }
  const hash_seed& seed() const noexcept { return seed_; }
  std::uint64_t insertions() const noexcept { return insertions_; }
  std::uint64_t memory() const noexcept { return bits_.size(); }

 private:
  friend detail::stored<generalized_filter>;
  void write(detail::container_writer& out) const;
  static generalized_filter read(const detail::container_view& view);

  generalized_filter(const generalized_config& checked, detail::buffer bits) noexcept;

  detail::flat_probes probes() const noexcept { return {bits(), k0_ + k1_}; }
  bool is_set(std::uint64_t position) const noexcept {
    return (bits_.data()[position / 8] & detail::flat_bits::bit(position)) != std::byte{0};
  }
  bool clears(digest d, std::uint64_t position) const noexcept;
  void insert_digest(digest d) noexcept;
  bool matches(digest d) const noexcept;
  touch_pattern pattern(digest d) const noexcept;
  math::masses masses(digest d, const age_prior& prior,
                      std::optional<double> window) const noexcept;

  detail::buffer bits_;
  touch_chain chain_;
  std::uint64_t window_;
  unsigned k0_;
  unsigned k1_;
  hash_seed seed_;
  std::uint64_t insertions_ = 0;
};

}  // namespace bloomtime::published
