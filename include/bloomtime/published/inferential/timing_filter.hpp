#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/published/inferential/age_posterior.hpp>
#include <bloomtime/published/inferential/detail/insertion_window.hpp>
#include <bloomtime/published/inferential/distinct_items.hpp>
#include <bloomtime/published/inferential/shared_geometric.hpp>
#include <bloomtime/published/inferential/timing_size.hpp>
#include <bloomtime/recency/age_prior.hpp>
#include <bloomtime/recency/answers.hpp>
#include <bloomtime/recency/detail/stamp_cells.hpp>

namespace bloomtime::published {

// By memory or by accuracy; what else is not given is chosen (timing_choice). `error` is the
// probability that an item not inserted lately is taken for one that was.
struct timing_config {
  std::uint64_t window = 0;  // insertions
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes of timers
  std::optional<unsigned> k = {};
  std::optional<unsigned> bits = {};        // of a timer
  std::optional<std::uint64_t> sweep = {};  // timers examined per insertion, at most
  hash_seed seed = 0;
};

// Is x among the last w insertions? The timing Bloom filter and its block variant (Dautrich &
// Ravishankar 2019): an item's timers hold the block of insertions in which it was last inserted.
// "No" is certain. A "yes" may be due to other items, or to the part of the oldest block that has
// left the window. The probability of that, and the age of x, follow from a prior and from a
// likelihood: the census of the stamps (docs/math.md, Census likelihood) or the analytic
// one of the paper.
// The age of x is the number of insertions after its last one. Const members may run concurrently.
// A filter that was moved from is safe to query and empty; it cannot be stored.
class timing_filter : public detail::stored<timing_filter>,
                      public detail::insertion_window<timing_filter> {
 public:
  static constexpr std::string_view name = "timing_filter";
  static constexpr detail::stored_kind kind{family::recency, {1}, "a timing filter"};

  explicit timing_filter(const timing_config& config);
  // With exactly these parameters, which must fit together, as those from plan_timing() do.
  explicit timing_filter(const timing_size& size, const hash_seed& seed = {});
  BLOOMTIME_VALUE(timing_filter);

  // Always added: there is no clock to be late for. Only a filter that was moved from refuses.
  template <item T>
  BLOOMTIME_INLINE outcome add(const T& x) noexcept {
    if (cells_.empty()) [[unlikely]]
      return losses_.count(outcome::refused);
    detail::stamp_cells::places at;
    cells_.find(detail::as_digest(x, seed_), at);
    cells_.stamp(at);
    insertions_ += insertions_ != UINT64_MAX;
    if (++filled_ == size_.block) {
      filled_ = 0;
      cells_.step();
    }
    cells_.sweep_some(size_.sweep);
    return outcome::added;
  }

  // The standard answer.
  template <item T>
  BLOOMTIME_INLINE bool seen(const T& x) const noexcept {
    detail::stamp_cells::places at;
    cells_.find(detail::as_digest(x, seed_), at);
    return !cells_.empty() && cells_.younger(at, oldest_alive());
  }

  // How many insertions ago x was last inserted. None where seen() says no.
  template <item T>
  BLOOMTIME_PER_ISA std::optional<age_bracket> age(const T& x) const noexcept {
    return bracket(look(x));
  }

  // The likelihood of the stamps of x if its last insertion was before the block of its oldest
  // stamp.
  struct census {};
  struct analytic {
    distinct_items distinct;
    double block;  // the probability that a whole block writes a timer
  };
  analytic analytic_with(const distinct_items& distinct) const;

  template <item T>
  BLOOMTIME_PER_ISA math::evidence evidence(const T& x, census = {}) const noexcept {
    return census_evidence(look(x));
  }
  template <item T>
  BLOOMTIME_PER_ISA math::evidence evidence(const T& x, const analytic& likelihood) const noexcept {
    return analytic_evidence(look(x), likelihood);
  }

  // The probability that the age of x is below `window`, which may be any, or the filter's own.
  // The prior is an age_prior, a math::geometric, a shared_geometric (the fastest) or any
  // function P(age < t) of t. NaN if it is unknown.
  template <item T, class Prior, class Likelihood = census>
  BLOOMTIME_PER_ISA double posterior(const T& x, const Prior& prior,
                                     std::optional<double> window = {},
                                     const Likelihood& likelihood = {}) const {
    if (!detail::is_known(prior)) return std::numeric_limits<double>::quiet_NaN();
    const double asked = window.value_or(static_cast<double>(size_.window));
    return detail::prior_masses(evidence(x, likelihood), among_insertions(asked), prior)
        .probability();
  }

  // The answer that costs least on average: true for "within the window". The standard answer if
  // the prior is unknown.
  template <item T, class Prior, class Likelihood = census>
  BLOOMTIME_PER_ISA bool decide(const T& x, const Prior& prior, const math::penalties& costs,
                                const Likelihood& likelihood = {}) const {
    math::check(costs);
    if (!detail::is_known(prior)) return seen(x);
    const math::evidence e = evidence(x, likelihood);
    const double window = among_insertions(static_cast<double>(size_.window));
    if (e.a >= window) return math::positive({0, 1}, costs, false);
    return math::positive(detail::prior_masses(e, window, prior), costs, true);
  }

  // Mean age, quantiles, the likelier of "in the block of its stamp" and "before".
  template <item T, class Likelihood = census>
  BLOOMTIME_PER_ISA age_posterior ages(const T& x, const math::geometric& prior,
                                       const Likelihood& likelihood = {}) const noexcept {
    return {evidence(x, likelihood), prior, static_cast<double>(insertions_)};
  }

  const timing_size& size() const noexcept { return size_; }
  std::uint64_t window() const noexcept { return size_.window; }
  const hash_seed& seed() const noexcept { return seed_; }
  std::uint64_t insertions() const noexcept { return insertions_; }
  std::uint64_t filled() const noexcept { return filled_; }             // of the present block
  std::uint64_t memory() const noexcept { return cells_.memory(); }     // timers and census
  const detail::stamp_cells& cells() const noexcept { return cells_; }  // for tests

  void clear() noexcept;  // to the state after construction

  double fill() const noexcept;         // the share of timers that are alive
  double alive_items() const noexcept;  // different ones, from that
  // Of an item that was not inserted lately: with so many different items per window, and now.
  double predicted_error(std::uint64_t items) const;
  double current_error() const;

 private:
  friend detail::stored<timing_filter>;
  void write(detail::container_writer& out) const;
  static timing_filter read(const detail::container_view& view);

  timing_filter() noexcept = default;

  // ceil((w - b) / B): Amax(b) of docs/math.md, Liveness of a stamp.
  std::uint32_t oldest_alive() const noexcept { return size_.oldest - (filled_ >= cut_ ? 1 : 0); }
  // Ages are limited to the number of insertions: an older item was never inserted.
  double among_insertions(double window) const noexcept {
    return std::min(window, static_cast<double>(insertions_));
  }
  void set_size(const timing_size& size);

  template <item T>
  BLOOMTIME_PER_ISA detail::stamp_cells::sight look(const T& x) const noexcept {
    if (cells_.empty()) return {detail::stamp_cells::expired, 0};
    detail::stamp_cells::places at;
    cells_.find(detail::as_digest(x, seed_), at);
    return cells_.look(at);
  }
  std::optional<age_bracket> bracket(detail::stamp_cells::sight seen) const noexcept;
  math::evidence census_evidence(detail::stamp_cells::sight seen) const noexcept;
  math::evidence analytic_evidence(detail::stamp_cells::sight seen,
                                   const analytic& likelihood) const noexcept;
  math::evidence expired_evidence() const noexcept;

  detail::stamp_cells cells_;
  timing_size size_;
  std::uint64_t cut_ = 0;  // insertions into a block until the oldest one has left the window
  hash_seed seed_;
  std::uint64_t insertions_ = 0;
  std::uint64_t filled_ = 0;
};

}  // namespace bloomtime::published
