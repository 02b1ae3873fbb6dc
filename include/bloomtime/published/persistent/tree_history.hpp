#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <bloomtime/detail/stored.hpp>
#include <bloomtime/history/detail/history_base.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/published/persistent/detail/dyadic.hpp>
#include <bloomtime/published/persistent/detail/flat_filter.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::published {

// The filters of a tree over a span: nodes[h][c] covers `granularity` * 2^h ticks from
// c * granularity * 2^h on, `pairs` covers single ticks. A filter of 0 bits is omitted.
struct tree_sizes {
  std::vector<std::vector<filter_size>> nodes;
  filter_size pairs;
};

struct tree_config {
  std::uint64_t ticks = 0;        // of the span; 0: it grows with time
  std::uint64_t first = 0;        // of them; 0 if it grows
  std::uint64_t granularity = 4;  // ticks of a leaf, a power of two
  tree_sizes sizes = {};          // if it grows, one node, whose size all nodes have, and pairs
  std::uint64_t most_memory = std::uint64_t{1} << 30;  // bytes to grow to
  std::chrono::microseconds tick = std::chrono::seconds(1);
  instant origin = {};
  hash_seed seed = 0;
};

// Was x seen between s and e? The first persistent Bloom filter (Peng et al. 2018, section 4.1): a
// filter for every interval of a dyadic tree whose leaves have `granularity` ticks, and one of
// pairs (item, tick) for what is left of an interval at its ends. "No" is certain. Corrected:
// both children are visited, the leaf is queried before the pairs, and the tree grows before the
// first tick beyond its root (docs/math.md, Corrections of the persistent Bloom filters). add()
// returns full if growing would exceed the memory limit. Const members may run concurrently.
class tree_history : public detail::history_calls<tree_history>,
                     public detail::stored<tree_history> {
 public:
  static constexpr std::string_view name = "tree_history";
  static constexpr detail::stored_kind kind{family::history, {2}, "a tree history", true};

  explicit tree_history(const tree_config& config);
  BLOOMTIME_VALUE(tree_history);

  // The number of nodes of each height in a tree over a span, from the leaves up.
  static std::vector<std::uint64_t> nodes_for(std::uint64_t ticks, std::uint64_t granularity);

  // The history of both streams. Both need the same span, sizes, granularity, seed and clock. If
  // both grow, the result has the longer span.
  void merge(const tree_history& other);
  // Forgets everything, and keeps its size.
  void clear() noexcept;

  // The history of two neighbouring spans with the same number of leaves, a power of two: the nodes
  // of both and a new root. The root and the pairs are folded to a common size.
  static tree_history joined(const tree_history& left, const tree_history& right);

  // Forgets what is finer than 2^height ticks: pairs, and leaves that are shorter.
  void coarsen(unsigned height);

  // The number of queried ticks that lie in partly queried leaves that may hold the item: an upper
  // bound of the probes of the pairs. query_profile::observe() needs it.
  template <item T>
  BLOOMTIME_PER_ISA std::uint64_t pair_ticks(const T& x, interval asked) const noexcept {
    return pair_ticks_of(detail::as_digest(x, seed_), asked);
  }

  unsigned heights() const noexcept { return static_cast<unsigned>(levels_.size()); }
  std::uint64_t granularity() const noexcept { return std::uint64_t{1} << leaf_height_; }
  std::uint64_t nodes(unsigned height) const noexcept { return levels_[height].size(); }
  const detail::flat_filter& node(unsigned height, std::uint64_t bucket) const noexcept {
    return levels_[height][bucket];
  }
  const detail::flat_filter& pairs() const noexcept { return pairs_; }
  bool grows() const noexcept { return grows_by_.bits != 0; }
  std::uint64_t memory() const noexcept;  // bytes of all filters and of the lists of nodes

 private:
  friend detail::history_calls<tree_history>;
  friend detail::stored<tree_history>;

  struct query {
    digest item;
    std::uint64_t probes = 0;
  };

  tree_history() = default;

  outcome add_at(digest d, tick t);
  void add_root();
  bool grow_to(std::uint64_t position);
  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  bool holds_leaves(query& q, detail::tick_range leaves) const noexcept;
  bool holds(query& q, detail::dyadic_node node) const noexcept;
  bool holds_part(query& q, detail::tick_range part) const noexcept;
  bool leaf_holds(query& q, std::uint64_t leaf) const noexcept;
  std::uint64_t pair_ticks_of(digest d, interval asked) const noexcept;
  bool holds_pairs(query& q, detail::tick_range part) const noexcept;
  void count_filter_bytes() noexcept;
  bool sized_as(const tree_history& other) const noexcept;
  void merge_grown(tree_history other);
  bool grown_alike() const noexcept;
  void write(detail::container_writer& out) const;
  static tree_history read(const detail::container_view& view);
  void expect_sound() const;
  template <class Use>
  void each_filter(Use&& use) const {
    for (const auto& level : levels_) {
      for (const detail::flat_filter& node : level) use(node);
    }
    use(pairs_);
  }

  // By height above the leaves, and bucket.
  std::vector<detail::flat_filters, detail::hooked<detail::flat_filters>> levels_;
  detail::flat_filter pairs_;
  unsigned leaf_height_ = 0;  // log2 of the granularity
  detail::zero_when_moved<std::uint64_t> filter_bytes_;
  std::uint64_t most_memory_ = 0;
  filter_size grows_by_;  // the size of new nodes; 0 bits if it does not grow
};

}  // namespace bloomtime::published
