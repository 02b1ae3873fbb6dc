#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <bloomtime/recency/audit.hpp>
#include <bloomtime/recency/timing_filter.hpp>

#include "trial.hpp"

// The filters under trial. One of them answers in several ways at once: what it stores is the same.
namespace experiments {

// Geometric priors of all items, from the shares that the paper takes as known.
std::vector<bloomtime::math::geometric> known_priors(const stream& s);

// The block timing filter: as it is; by the paper's likelihood and by the census, both with the
// known prior; with what an audit learned; and as the audit chooses, which knows nothing before.
class timing_subject {
 public:
  static constexpr std::array<std::string_view, 5> names{
      "standard", "inferential", "census", "learned", "auto"};

  timing_subject(const stream& s, std::span<const bloomtime::math::geometric> priors,
                 const bloomtime::math::timing_size& size);

  void ask(std::uint32_t item, bool truth, const bloomtime::math::penalties& costs);
  void insert(std::uint32_t item);

  const bloomtime::math::timing_size& size() const { return filter_.size(); }
  const bloomtime::audit& audited() const { return audit_; }
  const score& of(std::size_t way) const { return scores_[way]; }

 private:
  std::span<const bloomtime::math::geometric> priors_;
  bloomtime::timing_filter filter_;
  bloomtime::timing_filter::analytic likelihood_;
  bloomtime::audit audit_;
  std::int64_t inserted_ = 0;
  std::array<score, names.size()> scores_;
};

// The prior alone, which needs no memory.
class prior_subject {
 public:
  static constexpr std::array<std::string_view, 1> names{"prior only"};

  prior_subject(std::span<const bloomtime::math::geometric> priors, std::uint64_t window)
      : priors_(priors), window_(static_cast<double>(window)) {}

  void ask(std::uint32_t item, bool truth, const bloomtime::math::penalties& costs) {
    const auto& prior = priors_[item];
    score_.count(bloomtime::math::masses{prior.before(window_), prior.beyond(window_)}, false, truth,
                 costs);
  }
  void insert(std::uint32_t) {}
  const score& of(std::size_t) const { return score_; }

 private:
  std::span<const bloomtime::math::geometric> priors_;
  double window_;
  score score_;
};

}  // namespace experiments
