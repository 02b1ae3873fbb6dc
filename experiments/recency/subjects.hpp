#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <bloomtime/published/inferential/generalized_filter.hpp>
#include <bloomtime/published/inferential/recent_buffer.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>
#include <bloomtime/recency/audit.hpp>

#include "trial.hpp"

// The filters under trial. One of them answers in several ways at once: what it stores is the same.
namespace experiments {

// Geometric priors of all items, from the shares that the paper takes as known.
std::vector<bloomtime::math::geometric> known_priors(const stream& s);

// The block timing filter: as it is; by the paper's likelihood and by the census, both with the
// known prior; with what an audit learned; and as the audit chooses, which knows nothing before.
class timing_subject {
 public:
  static constexpr std::array<std::string_view, 5> names{"standard", "inferential", "census",
                                                         "learned", "auto"};

  timing_subject(const stream& s, std::span<const bloomtime::math::geometric> priors,
                 const bloomtime::published::timing_size& size,
                 std::uint32_t audit_entries = bloomtime::audit_config{}.entries);

  void ask(std::uint32_t item, bool truth, const bloomtime::math::penalties& costs);
  void insert(std::uint32_t item);

  const bloomtime::published::timing_size& size() const { return filter_.size(); }
  const bloomtime::audit& audited() const { return audit_; }
  const score& of(std::size_t way) const { return scores_[way]; }

 private:
  std::span<const bloomtime::math::geometric> priors_;
  bloomtime::published::timing_filter filter_;
  bloomtime::published::timing_filter::analytic likelihood_;
  bloomtime::audit audit_;
  std::int64_t inserted_ = 0;
  std::array<score, names.size()> scores_;
};

// The same where the audit has to live in the memory of the filter: an eighth of it.
class charged_subject {
 public:
  static constexpr std::array<std::string_view, 2> names{"charged standard", "charged auto"};

  // Throws bloomtime::error if that is too little.
  charged_subject(const stream& s, std::span<const bloomtime::math::geometric> priors,
                  std::uint64_t window, std::uint64_t bits, unsigned k);

  void ask(std::uint32_t item, bool truth, const bloomtime::math::penalties& costs) {
    timing_.ask(item, truth, costs);
  }
  void insert(std::uint32_t item) { timing_.insert(item); }
  const bloomtime::audit& audited() const { return timing_.audited(); }
  const score& of(std::size_t way) const {
    return timing_.of(way == 0 ? 0 : timing_subject::names.size() - 1);
  }

 private:
  timing_subject timing_;
};

// Posteriors of a generalized filter, which take up to 0.3 ms each, computed once per pattern,
// prior and number of insertions. That number is rounded down to a 64th of its logarithm, by 1.1 %
// at the most: it matters only to items that were never inserted.
class known_posteriors {
 public:
  known_posteriors(std::uint64_t bits, unsigned k, std::uint64_t window)
      : chain_(bits, k, k), window_(static_cast<double>(window)) {}

  double of(const bloomtime::published::touch_pattern& seen, const bloomtime::age_prior& prior,
            std::uint64_t insertions);

 private:
  bloomtime::published::touch_chain chain_;
  double window_;
  std::map<std::array<std::uint64_t, 3>, double> known_;
};

// The generalized filter with k0 = k1 = k.
class generalized_subject {
 public:
  static constexpr std::array<std::string_view, 2> names{"generalized", "generalized inferential"};

  generalized_subject(std::span<const bloomtime::age_prior> priors, std::uint64_t window,
                      std::uint64_t bits, unsigned k)
      : priors_(priors),
        filter_({.window = window, .memory = bits / 8, .k0 = k, .k1 = k}),
        posteriors_(filter_.bits(), k, window) {}

  void ask(std::uint32_t item, bool truth, const bloomtime::math::penalties& costs) {
    const bool standard = filter_.seen(item);
    scores_[0].count(standard, truth, costs);
    const double posterior =
        posteriors_.of(filter_.evidence(item), priors_[item], filter_.insertions());
    scores_[1].count(bloomtime::math::masses{posterior, 1 - posterior}, standard, truth, costs);
  }
  void insert(std::uint32_t item) { filter_.add(item); }
  const score& of(std::size_t way) const { return scores_[way]; }

 private:
  std::span<const bloomtime::age_prior> priors_;
  bloomtime::published::generalized_filter filter_;
  known_posteriors posteriors_;
  std::array<score, names.size()> scores_;
};

// The age-partitioned filter, which chooses its own k and generations for the memory.
class age_partitioned_subject {
 public:
  static constexpr std::array<std::string_view, 2> names{"age-partitioned",
                                                         "age-partitioned inferential"};

  age_partitioned_subject(std::span<const bloomtime::math::geometric> priors, std::uint64_t window,
                          std::uint64_t bits)
      : priors_(priors), filter_({.last = window, .memory = bits / 8}) {}

  void ask(std::uint32_t item, bool truth, const bloomtime::math::penalties& costs) {
    const bool standard = filter_.seen(item);
    scores_[0].count(standard, truth, costs);
    const auto& prior = priors_[item];
    const auto younger_than = [&](double age) { return prior.before(age); };
    scores_[1].count(*filter_.masses(item, {}, younger_than), standard, truth, costs);
  }
  void insert(std::uint32_t item) { filter_.add(item); }
  unsigned k() const { return filter_.k(); }
  const score& of(std::size_t way) const { return scores_[way]; }

 private:
  std::span<const bloomtime::math::geometric> priors_;
  bloomtime::age_partitioned_filter filter_;
  std::array<score, names.size()> scores_;
};

// The simple buffer with fingerprints of so many bits.
class buffer_subject {
 public:
  static constexpr std::array<std::string_view, 2> names{"buffer", "buffer inferential"};

  buffer_subject(const stream& s, std::span<const bloomtime::math::geometric> priors,
                 std::uint64_t window, std::uint64_t bits, unsigned print_bits)
      : priors_(priors),
        distinct_(s.distinct),
        buffer_({.window = window, .memory = bits / 8, .bits = print_bits}) {}

  void ask(std::uint32_t item, bool truth, const bloomtime::math::penalties& costs) {
    const bool standard = buffer_.seen(item);
    scores_[0].count(standard, truth, costs);
    const auto window = static_cast<double>(buffer_.window());
    scores_[1].count(
        bloomtime::math::window_masses(buffer_.evidence(item, distinct_), window, priors_[item]),
        standard, truth, costs);
  }
  void insert(std::uint32_t item) { buffer_.add(item); }
  const score& of(std::size_t way) const { return scores_[way]; }

 private:
  std::span<const bloomtime::math::geometric> priors_;
  const bloomtime::published::distinct_items& distinct_;
  bloomtime::published::recent_buffer buffer_;
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
    score_.count(bloomtime::math::masses{prior.before(window_), prior.beyond(window_)}, false,
                 truth, costs);
  }
  void insert(std::uint32_t) {}
  const score& of(std::size_t) const { return score_; }

 private:
  std::span<const bloomtime::math::geometric> priors_;
  double window_;
  score score_;
};

}  // namespace experiments
