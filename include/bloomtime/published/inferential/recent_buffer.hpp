#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/packed_cells.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/detail/side_table.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/published/inferential/detail/insertion_window.hpp>
#include <bloomtime/published/inferential/distinct_items.hpp>
#include <bloomtime/recency/age_prior.hpp>
#include <bloomtime/recency/answers.hpp>

namespace bloomtime::published {

struct recent_config {
  std::uint64_t window = 0;  // insertions; a query may name another window
  std::uint64_t memory = 0;  // bytes of fingerprints
  unsigned bits = 16;        // of a fingerprint, 1 to 32
  hash_seed seed = 0;
};

// Is x among the last w insertions? The simple buffer (Dautrich & Ravishankar 2019): the
// fingerprints of the last insertions, as many as fit into the memory and at most w. A "no" is
// certain if there are w of them. A baseline that needs more bits than others for few errors, and
// fewer for very few. An index of the fingerprints makes it fast: 21 to 43 bytes for each of them,
// or for each of the 2^bits that there can be if those are fewer. It follows from the fingerprints
// and is not stored; print_memory() is without it, as in the paper. The age
// of x is the number of insertions after its last one. Two buffers cannot be merged: they do not
// say which insertions came first. Const members may run concurrently. A buffer that was moved from
// is safe to query and empty; it cannot be stored.
class recent_buffer : public detail::stored<recent_buffer>,
                      public detail::insertion_window<recent_buffer> {
 public:
  static constexpr std::string_view name = "recent_buffer";
  static constexpr detail::stored_kind kind{family::recency, {3}, "a recent buffer"};

  explicit recent_buffer(const recent_config& config);
  BLOOMTIME_VALUE(recent_buffer);

  // Added: there is no clock to be late for. Full after 2^63 insertions; then nothing changes. A
  // buffer that was moved from refuses.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x) noexcept {
    if (prints_.bytes().empty()) return losses_.count(outcome::refused);
    if (insertions_ >= most_insertions) return losses_.count(outcome::full);
    push(fingerprint(detail::as_digest(x, seed_)));
    return outcome::added;
  }

  // The standard answer.
  template <item T>
  BLOOMTIME_PER_ISA bool seen(const T& x) const noexcept {
    return present(detail::as_digest(x, seed_));
  }

  // From 0 to the age of the oldest fingerprint that is kept. None if seen() is false.
  template <item T>
  BLOOMTIME_PER_ISA std::optional<age_bracket> age(const T& x) const noexcept {
    if (!seen(x)) return std::nullopt;
    return age_bracket{0, kept() - 1};
  }

  // The probability that the fingerprint of x is found although its last insertion is no longer in
  // the buffer: from the number of different fingerprints now, or from the expected number.
  struct census {};
  template <item T>
  BLOOMTIME_PER_ISA math::evidence evidence(const T& x, census = {}) const noexcept {
    return evidence_with(detail::as_digest(x, seed_), current_error());
  }
  template <item T>
  BLOOMTIME_PER_ISA math::evidence evidence(const T& x,
                                            const distinct_items& distinct) const noexcept {
    return evidence_with(detail::as_digest(x, seed_),
                         found_among(distinct(static_cast<double>(kept()))));
  }

  // The probability that the age of x is below `window`, which may be any, or the buffer's own. The
  // prior is an age_prior, a math::geometric, or any function P(age < t) of t. NaN if it is
  // unknown.
  template <item T, class Prior, class Likelihood = census>
  BLOOMTIME_PER_ISA double posterior(const T& x, const Prior& prior,
                                     std::optional<double> window = {},
                                     const Likelihood& likelihood = {}) const {
    if (!detail::is_known(prior)) return std::numeric_limits<double>::quiet_NaN();
    return detail::prior_masses(evidence(x, likelihood), asked(window), prior).probability();
  }

  // The answer that costs least on average: true for "within the window". The standard answer if
  // the prior is unknown.
  template <item T, class Prior, class Likelihood = census>
  BLOOMTIME_PER_ISA bool decide(const T& x, const Prior& prior, const math::penalties& costs,
                                std::optional<double> window = {},
                                const Likelihood& likelihood = {}) const {
    math::check(costs);
    if (!detail::is_known(prior)) return seen(x);
    return math::positive(detail::prior_masses(evidence(x, likelihood), asked(window), prior),
                          costs, seen(x));
  }

  std::uint64_t window() const noexcept { return window_; }
  std::uint64_t slots() const noexcept { return prints_.size(); }
  unsigned bits() const noexcept { return prints_.width(); }
  std::uint64_t different() const noexcept { return index_.size(); }  // fingerprints in it
  double alive_items() const noexcept;  // different items in it, from that
  // Of an item that is not in it: with so many different items, and now.
  double predicted_error(std::uint64_t items) const noexcept;
  double current_error() const noexcept;
  void clear() noexcept;  // to the state after construction
  const hash_seed& seed() const noexcept { return seed_; }
  std::uint64_t insertions() const noexcept { return insertions_; }
  std::uint64_t print_memory() const noexcept { return prints_.bytes().size(); }
  std::uint64_t memory() const noexcept { return print_memory() + index_.bytes(); }

 private:
  friend detail::stored<recent_buffer>;
  void write(detail::container_writer& out) const;
  static recent_buffer read(const detail::container_view& view);

  static constexpr std::uint64_t most_insertions = std::uint64_t{1} << 63;

  recent_buffer(std::uint64_t window, detail::packed_cells<> prints, const hash_seed& seed);

  std::uint32_t fingerprint(digest d) const noexcept {
    return static_cast<std::uint32_t>(detail::probe(d, 0) >> (64 - bits()));
  }
  BLOOMTIME_PER_ISA bool present(digest d) const noexcept {
    return index_.find(fingerprint(d)) != nullptr;
  }
  std::uint64_t kept() const noexcept { return std::min(insertions_, slots()); }
  double asked(std::optional<double> window) const noexcept;
  double found_among(double items) const noexcept;
  math::evidence evidence_with(digest d, double g) const noexcept;
  void push(std::uint32_t print) noexcept;
  void count(std::uint32_t print) noexcept;

  detail::packed_cells<> prints_;  // a ring: the newest is number insertions_ - 1
  detail::side_table index_;       // from a fingerprint to the number of its copies
  std::uint64_t window_;
  hash_seed seed_;
  std::uint64_t insertions_ = 0;
};

}  // namespace bloomtime::published
