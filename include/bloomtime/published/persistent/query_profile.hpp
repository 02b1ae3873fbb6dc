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
  explicit query_profile(std::uint64_t ticks);  // for a level_history of this span
  // For a tree_history. Counts every node separately, at most 2^20 of them.
  query_profile(std::uint64_t ticks, std::uint64_t granularity);
  BLOOMTIME_VALUE(query_profile);

  // Counts a query about these ticks, as far as they lie in the span, which begins at `first`. For
  // a tree, `pair_ticks` is the result of tree_history::pair_ticks().
  void observe(interval asked, std::uint64_t first = 0, std::uint64_t pair_ticks = 0) noexcept;
  // Halves all counts, at the end of a partition.
  void fade() noexcept;

  std::uint64_t ticks() const noexcept { return ticks_; }
  std::uint64_t granularity() const noexcept { return std::uint64_t{1} << leaf_height_; }
  double queries() const noexcept { return queries_; }
  unsigned heights() const noexcept { return static_cast<unsigned>(counts_.size()); }
  double count(unsigned height) const noexcept { return counts_[height]; }
  bool counts_nodes() const noexcept { return !nodes_.empty(); }
  double count(unsigned height, std::uint64_t bucket) const noexcept {
    return nodes_[height][bucket];
  }
  double pair_ticks() const noexcept { return pair_ticks_; }

  // The number of nodes of each height per query. The share `smoothing` of it assumes queries of
  // all lengths, with equally many for every power of two, so that a level that was not queried so
  // far still gets bits. 0 is as published.
  std::vector<double> frequencies(double smoothing = 0.02) const;

  // The same for every node. There are many nodes and few queries, so each count is averaged with
  // the mean of its height (docs/math.md, Learning of keys and probes).
  std::vector<std::vector<double>> node_frequencies(double smoothing = 0.02) const;
  // pair_ticks() per query, if a leaf is assumed to be positive with this probability.
  double pair_frequency(double leaf_positive, double smoothing = 0.02) const;

 private:
  void add(detail::dyadic_node node) noexcept;
  double blend(double counted, double assumed, double smoothing) const;
  std::vector<double> assumed() const;

  std::uint64_t ticks_;
  unsigned leaf_height_ = 0;
  std::vector<double> counts_;              // by height above the leaves
  std::vector<std::vector<double>> nodes_;  // by height and bucket, or none
  double pair_ticks_ = 0;
  double queries_ = 0;
};

}  // namespace bloomtime::published
