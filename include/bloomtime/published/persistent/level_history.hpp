#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/hyperloglog.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/history/detail/history_base.hpp>
#include <bloomtime/published/persistent/detail/dyadic.hpp>
#include <bloomtime/published/persistent/detail/flat_filter.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::published {

// Level h, from 0, holds which items were seen in which 2^h ticks. A level of 0 bits is omitted.
struct level_config {
  std::uint64_t ticks = 0;               // of the span; 0: it grows with time
  std::uint64_t first = 0;               // of them, a multiple of `ticks`; see joined()
  std::vector<filter_size> levels = {};  // of every height; one for all if it grows
  unsigned most_levels = 32;             // to grow to
  bool doubts = true;                    // checks a "maybe" with finer levels
  bool learns = false;                   // counts the keys of every level, for learned()
  std::chrono::microseconds tick = std::chrono::seconds(1);
  instant origin = {};
  hash_seed seed = 0;
};

// Was x seen between s and e? The second persistent Bloom filter (Peng et al. 2018, section 4.2):
// one filter per height of the tree of dyadic intervals. An interval is the union of at most two
// nodes of each height, and x was seen in it if it was seen in one of them. "No" is certain.
// Corrected: both children are visited, and the tree grows before the first tick beyond the root,
// not one doubling later (docs/math.md, Corrections of the persistent Bloom filters). Const members
// may run concurrently.
class level_history : public detail::history_calls<level_history>,
                      public detail::stored<level_history> {
 public:
  static constexpr std::string_view name = "level_history";
  static constexpr detail::stored_kind kind{family::history, {3}, "a level history", true};

  explicit level_history(const level_config& config);
  BLOOMTIME_VALUE(level_history);

  // The history of both streams. Both need the same span, levels, seed, clock and `learns`. If both
  // grow, the result has the longer span.
  void merge(const level_history& other);
  // Forgets everything, and keeps its size.
  void clear() noexcept;

  // The history of two neighbouring spans of the same length, a power of two; the left one begins
  // at a multiple of twice that length. Levels are folded to a common size. A level that either
  // side omits, and the level of the old roots, is omitted. level_error() returns the resulting
  // error.
  static level_history joined(const level_history& left, const level_history& right);

  // Forgets what is finer than 2^height ticks: from now on answers are about whole such buckets.
  void coarsen(unsigned height);

  unsigned heights() const noexcept { return static_cast<unsigned>(levels_.size()); }
  filter_size level(unsigned height) const noexcept { return levels_[height].size(); }
  double level_error(unsigned height) const noexcept { return levels_[height].error(); }
  std::span<const std::byte> level_bits(unsigned height) const noexcept {
    return levels_[height].storage().bytes();
  }
  // The number of different keys of the level: from its sketch if it learns, otherwise from its
  // bits (infinite if all are set). None if it has neither.
  std::optional<double> keys(unsigned height) const noexcept;
  bool learns() const noexcept { return !sketches_.empty(); }
  bool doubts() const noexcept { return doubts_; }
  bool grows() const noexcept { return most_levels_ != 0; }
  std::uint64_t memory() const noexcept;  // bytes of all filters and sketches

 private:
  friend detail::history_calls<level_history>;
  friend detail::stored<level_history>;

  // A query and the number of its probes so far.
  struct query {
    digest item;
    std::uint64_t probes = 0;
  };

  level_history() = default;

  outcome add_at(digest d, tick t);
  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  bool holds(query& q, detail::dyadic_node node) const noexcept;
  bool holds_below(query& q, detail::dyadic_node node, unsigned below) const noexcept;
  bool says_no_above(query& q, detail::dyadic_node node) const noexcept;
  bool probe(query& q, detail::dyadic_node node) const noexcept;
  std::optional<unsigned> active_below(unsigned height) const noexcept;
  unsigned finest() const noexcept;
  digest key_of(digest d, detail::dyadic_node node) const noexcept;
  void grow_to(std::uint64_t position);
  unsigned top() const noexcept { return heights() - 1; }
  bool grown_alike() const noexcept;
  void write(detail::container_writer& out) const;
  static level_history read(const detail::container_view& view);
  void expect_sound() const;

  detail::flat_filters levels_;  // by height
  std::vector<detail::hyperloglog, detail::hooked<detail::hyperloglog>> sketches_;
  unsigned most_levels_ = 0;  // 0: it does not grow
  bool doubts_ = true;
};

}  // namespace bloomtime::published
