#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/flat_filter.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// By accuracy: `pairs` of different items and ticks, and `error`, the chance that a question about
// `length` ticks in which the item was not seen is answered "maybe". Or by memory, in bytes.
struct single_config {
  std::uint64_t pairs = 0;
  std::optional<double> error = {};
  std::uint64_t length = 1;
  std::optional<std::uint64_t> memory = {};
  std::optional<unsigned> k = {};  // other than the best, with memory
  std::uint64_t ticks = 0;         // of the span
  std::chrono::microseconds resolution = std::chrono::seconds(1);
  instant origin = {};
  std::uint64_t seed = 0;
};

// Was x seen between s and e? One Bloom filter of all pairs (item, tick): the baseline of Peng et
// al. 2018. A question asks about every tick, so it takes and errs in proportion to its length.
// "No" is certain. Const members may run concurrently.
class single_history {
 public:
  explicit single_history(const single_config& config);

  // added; dropped_late before the origin, future beyond the span.
  template <item T>
  outcome add(const T& x, instant when) noexcept {
    return add_at(detail::as_digest(x, seed_), clock_.tick_of(when));
  }

  // In any tick that from..to touches; no if there is none.
  template <item T>
  sighting seen(const T& x, instant from, instant to) const noexcept {
    std::uint64_t probes = 0;
    return ask(detail::as_digest(x, seed_), clock_.covering(from, to), probes);
  }
  // The same, and how many times the filter was asked.
  template <item T>
  sighting seen(const T& x, interval asked, std::uint64_t& probes) const noexcept {
    return ask(detail::as_digest(x, seed_), asked, probes);
  }

  math::filter_size size() const noexcept { return filter_.size(); }
  double error(std::uint64_t length) const;  // as full as it is
  std::uint64_t ticks() const noexcept { return ticks_; }
  std::uint64_t records() const noexcept { return records_; }
  std::uint64_t memory() const noexcept { return filter_.storage().size(); }
  std::uint64_t seed() const noexcept { return seed_; }
  const bloomtime::clock& clock() const noexcept { return clock_; }

 private:
  outcome add_at(digest d, tick t) noexcept;
  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;

  detail::flat_filter filter_;
  std::uint64_t ticks_ = 0;
  bloomtime::clock clock_;
  std::uint64_t seed_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace bloomtime
