#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/dyadic.hpp>
#include <bloomtime/detail/flat_filter.hpp>
#include <bloomtime/detail/hyperloglog.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// Level h, from 0, holds which items were seen in which 2^h ticks; one of 0 bits is left out.
struct level_config {
  std::uint64_t ticks = 0;                     // of the span; 0: it grows with time
  std::vector<math::filter_size> levels = {};  // of every height; one for all if it grows
  unsigned most_levels = 32;                   // to grow to
  bool doubts = true;                          // asks finer levels whether a yes is one
  bool learns = false;                         // counts the keys of every level, for the next one
  std::chrono::microseconds resolution = std::chrono::seconds(1);
  instant origin = {};
  std::uint64_t seed = 0;
};

// Was x seen between s and e? The second persistent Bloom filter (Peng et al. 2018, section 4): one
// filter per height of the tree of dyadic intervals. An interval is the union of at most two nodes
// of each height, and x was seen in it if it was seen in one of them. "No" is certain. Corrected as
// docs/architecture.md says: both children are visited, and growth comes before the first tick
// beyond the root, not one doubling later. Const members may run concurrently.
class level_history {
 public:
  explicit level_history(const level_config& config);

  // added; dropped_late before the origin, future beyond the span or what it may grow to. Throws
  // only if memory is out, with the state unchanged.
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
  // The same, and how many filters were asked.
  template <item T>
  sighting seen(const T& x, interval asked, std::uint64_t& probes) const noexcept {
    return ask(detail::as_digest(x, seed_), asked, probes);
  }

  unsigned heights() const noexcept { return static_cast<unsigned>(levels_.size()); }
  math::filter_size level(unsigned height) const noexcept { return levels_[height].size(); }
  double level_error(unsigned height) const noexcept { return levels_[height].error(); }
  std::span<const std::byte> level_bits(unsigned height) const noexcept {
    return levels_[height].storage().bytes();
  }
  // How many different keys the level was given, by its sketch; none unless it learns.
  std::optional<double> keys(unsigned height) const noexcept;
  std::uint64_t ticks() const noexcept { return ticks_; }  // of the span so far
  std::uint64_t records() const noexcept { return records_; }
  std::uint64_t memory() const noexcept;  // bytes of bits and of sketches
  std::uint64_t seed() const noexcept { return seed_; }
  const bloomtime::clock& clock() const noexcept { return clock_; }

 private:
  // A question on its way through the levels.
  struct question {
    digest item;
    std::uint64_t probes = 0;
  };

  outcome add_at(digest d, tick t);
  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  bool holds(question& q, detail::dyadic_node node) const noexcept;
  bool holds_below(question& q, detail::dyadic_node node, unsigned below) const noexcept;
  bool says_no_above(question& q, detail::dyadic_node node) const noexcept;
  bool probe(question& q, detail::dyadic_node node) const noexcept;
  std::optional<unsigned> active_below(unsigned height) const noexcept;
  void grow_to(std::uint64_t position);
  unsigned top() const noexcept { return heights() - 1; }

  std::vector<detail::flat_filter> levels_;  // by height
  std::vector<detail::hyperloglog> sketches_;
  std::uint64_t ticks_ = 0;
  unsigned most_levels_ = 0;  // 0: it does not grow
  bool doubts_ = true;
  bloomtime::clock clock_;
  std::uint64_t seed_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace bloomtime
