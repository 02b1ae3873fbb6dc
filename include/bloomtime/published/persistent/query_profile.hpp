#pragma once

#include <cstdint>
#include <vector>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/published/persistent/detail/dyadic.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::published {

// Counts how many nodes of every height cover the queries to a history of dyadic levels. It counts
// from the queries alone: if it mattered whether a level was probed or positive, a level with few
// bits would be counted less and get still fewer (docs/math.md, Learning of keys and probes). The
// caller owns it and calls observe(); histories do not learn by themselves.
class query_profile {
 public:
  explicit query_profile(std::uint64_t ticks);  // of the span of a level_history
  // Of a tree_history with such leaves, of which every node is counted for itself; 2^20 at most.
  query_profile(std::uint64_t ticks, std::uint64_t granularity);
  BLOOMTIME_VALUE(query_profile);

  // A question about these ticks; the part that lies in the span, which begins at `first`, counts.
  // Of a tree, also tree_history::pair_ticks().
  void observe(interval asked, std::uint64_t first = 0, std::uint64_t pair_ticks = 0) noexcept;
  // Forgets half of what it knows, at the end of a partition.
  void fade() noexcept;

  std::uint64_t ticks() const noexcept { return ticks_; }
  std::uint64_t granularity() const noexcept { return std::uint64_t{1} << leaf_height_; }
  double questions() const noexcept { return questions_; }
  unsigned heights() const noexcept { return static_cast<unsigned>(counts_.size()); }
  double count(unsigned height) const noexcept { return counts_[height]; }
  bool counts_nodes() const noexcept { return !nodes_.empty(); }
  double count(unsigned height, std::uint64_t bucket) const noexcept {
    return nodes_[height][bucket];
  }
  double pair_ticks() const noexcept { return pair_ticks_; }

  // Nodes of every height per question. `smoothing` of them are as if questions of all lengths had
  // been asked, every power of two alike, so that no level is left without bits because nobody has
  // asked for it so far; 0 is what was published.
  std::vector<double> frequencies(double smoothing = 0.02) const;

  // The same of every node. They are many and the questions few: half of what each one counted is
  // replaced by the mean of its height (docs/math.md, Learning of keys and probes).
  std::vector<std::vector<double>> node_frequencies(double smoothing = 0.02) const;
  // pair_ticks() per query, if a leaf is assumed to be positive with this probability.
  double pair_frequency(double leaf_says_yes, double smoothing = 0.02) const;

 private:
  void add(detail::dyadic_node node) noexcept;
  double blend(double counted, double assumed, double smoothing) const;
  std::vector<double> assumed() const;

  std::uint64_t ticks_;
  unsigned leaf_height_ = 0;
  std::vector<double> counts_;              // by height above the leaves
  std::vector<std::vector<double>> nodes_;  // by height and bucket, or none
  double pair_ticks_ = 0;
  double questions_ = 0;
};

}  // namespace bloomtime::published
