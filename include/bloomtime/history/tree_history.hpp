#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/dyadic.hpp>
#include <bloomtime/detail/flat_filter.hpp>
#include <bloomtime/detail/tick_span.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// The filters of a tree over a span: nodes[h][c] is about `granularity` * 2^h ticks from
// c * granularity * 2^h on, `pairs` about single ticks. One of 0 bits is left out.
struct tree_sizes {
  std::vector<std::vector<math::filter_size>> nodes;
  math::filter_size pairs;
};

struct tree_config {
  std::uint64_t ticks = 0;        // of the span; 0: it grows with time
  std::uint64_t granularity = 4;  // ticks of a leaf, a power of two
  tree_sizes sizes = {};          // if it grows, one node, the size of all, and pairs
  std::uint64_t most_memory = std::uint64_t{1} << 30;  // bytes to grow to
  std::chrono::microseconds resolution = std::chrono::seconds(1);
  instant origin = {};
  std::uint64_t seed = 0;
};

// Was x seen between s and e? The first persistent Bloom filter (Peng et al. 2018, section 3): a
// filter for every interval of a dyadic tree whose leaves have `granularity` ticks, and one of
// pairs (item, tick) for what is left of an interval at its ends. "No" is certain. Corrected as
// docs/architecture.md says: both children are visited, the leaf is asked before the pairs, and the
// tree grows before the first tick beyond its root. Const members may run concurrently.
class tree_history {
 public:
  explicit tree_history(const tree_config& config);

  // Leaves of a span, nodes of every height and all of them, from the leaves up.
  static std::vector<std::uint64_t> nodes_for(std::uint64_t ticks, std::uint64_t granularity);

  // added; dropped_late before the origin, future beyond the span, full if growing would take more
  // memory than it may. Throws only if memory is out, with the answers unchanged.
  template <item T>
  outcome add(const T& x, instant when) {
    return add_at(detail::as_digest(x, seed_), clock_.tick_of(when));
  }

  // In any tick that from..to touches; no if there is none.
  template <item T>
  sighting seen(const T& x, instant from, instant to) const noexcept {
    std::uint64_t probes = 0;
    return ask(detail::as_digest(x, seed_), clock_.covering(from, to), probes);
  }
  // The same, and how many filters were asked, the one of pairs as often as it was.
  template <item T>
  sighting seen(const T& x, interval asked, std::uint64_t& probes) const noexcept {
    return ask(detail::as_digest(x, seed_), asked, probes);
  }

  unsigned heights() const noexcept { return static_cast<unsigned>(levels_.size()); }
  std::uint64_t granularity() const noexcept { return std::uint64_t{1} << leaf_height_; }
  const detail::flat_filter& node(unsigned height, std::uint64_t bucket) const noexcept {
    return levels_[height][bucket];
  }
  const detail::flat_filter& pairs() const noexcept { return pairs_; }
  std::uint64_t ticks() const noexcept { return ticks_; }  // of the span so far
  std::uint64_t records() const noexcept { return records_; }
  std::uint64_t memory() const noexcept { return memory_; }  // bytes of bits and, grown, of nodes
  std::uint64_t seed() const noexcept { return seed_; }
  const bloomtime::clock& clock() const noexcept { return clock_; }

 private:
  struct question {
    digest item;
    std::uint64_t probes = 0;
  };

  outcome add_at(digest d, tick t);
  bool grow_to(std::uint64_t position);
  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  bool holds_leaves(question& q, detail::tick_range leaves) const noexcept;
  bool holds(question& q, detail::dyadic_node node) const noexcept;
  bool holds_part(question& q, detail::tick_range part) const noexcept;
  bool holds_pairs(question& q, detail::tick_range part) const noexcept;

  std::vector<std::vector<detail::flat_filter>> levels_;  // by height above the leaves, and bucket
  detail::flat_filter pairs_;
  unsigned leaf_height_ = 0;  // log2 of the granularity
  std::uint64_t ticks_ = 0;
  std::uint64_t memory_ = 0;
  std::uint64_t most_memory_ = 0;
  std::optional<math::filter_size> grows_by_;  // the size of nodes to come
  bloomtime::clock clock_;
  std::uint64_t seed_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace bloomtime
