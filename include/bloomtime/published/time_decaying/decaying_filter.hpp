#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/estimate.hpp>
#include <bloomtime/heat/decay.hpp>
#include <bloomtime/heat/detail/moved_to_zero.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/published/time_decaying/decaying_config.hpp>
#include <bloomtime/published/time_decaying/detail/counter_cells.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::published {

// The time-decaying Bloom filters of Cheng et al. (2005): whole counters, all of them multiplied by
// lambda when an epoch ends. Kept for comparison; heat_filter answers the same question with less
// error and without going through all counters. Ages are in epochs of the clock (aligned, not from
// the event on). Where the papers contradict themselves, this is what holds: counts are not
// normalised (rate() is), each counter carries by itself, and none ever wraps. Kinds of Cells
// differ in memory and in when a counter is too small, and in no answer else. Const members may run
// concurrently.
template <class Cells>
class basic_decaying_filter : public bloomtime::detail::stored<basic_decaying_filter<Cells>> {
 public:
  static constexpr bloomtime::detail::stored_kind kind = Cells::kind;

  explicit basic_decaying_filter(const decaying_config& config);
  BLOOMTIME_VALUE(basic_decaying_filter);

  // added or late. saturated if a counter has become too small, or if all of the item's are: see
  // `at`. future if `when` is too far ahead, and then nothing has changed. Late events count what
  // is left of them, rounded up. Throws only if memory is out, with the state unchanged.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when, std::uint64_t weight = 1) {
    return add_digest(detail::as_digest(x, seed_), when, weight);
  }

  // The decayed count at `when`, or at the newest event if that is later, as if time had been let
  // pass until then. upper >= truth, always; if counters round at random, with a chance of at least
  // 1 - 1e-9. It is `value` if they round up. If any counter of the item is too small, lower is 0;
  // if all are, value is only a guess and upper the heat of all events. lower holds with at least
  // the chance confidence() for any item at any time fixed beforehand (Cormode & Muthukrishnan
  // 2005).
  template <item T>
  BLOOMTIME_PER_ISA estimate at(const T& x, instant when) const noexcept {
    return at_digest(detail::as_digest(x, seed_), when);
  }

  // Events per second: (1 - lambda) / epoch times the count. Not a number if nothing fades.
  template <item T>
  BLOOMTIME_PER_ISA estimate rate(const T& x, instant when) const noexcept {
    return rate_of(at(x, when));
  }

  // Lets time pass without an event; never back. One factor for all the epochs that passed, so
  // several steps round more often than one.
  void advance(instant now) noexcept;

  double mass(instant when) const noexcept;  // the heat of all events together, rounded up
  double confidence() const noexcept;        // 1 - e^-k

  // The filter of both streams. Both need the same cells, k, seed, decay and clock, and must round
  // up: what is missing in two that do not would add up.
  void merge(const basic_decaying_filter& other);

  const Cells& counters() const noexcept { return cells_; }
  std::uint64_t cells() const noexcept { return k_ * row_; }
  unsigned k() const noexcept { return k_; }
  std::uint64_t memory() const noexcept { return cells_.memory(); }           // bytes
  std::uint64_t saturated() const noexcept { return cells_.pinned_cells(); }  // counters too small
  std::uint64_t seed() const noexcept { return seed_; }
  bloomtime::published::rounding rounding() const noexcept { return rounding_; }
  bloomtime::published::increase increase() const noexcept { return increase_; }
  const bloomtime::decay& decay() const noexcept { return decay_; }
  const tick_clock& clock() const noexcept { return clock_; }
  std::uint64_t events() const noexcept { return events_; }
  std::optional<instant> newest() const noexcept;  // the start of the epoch of the newest event

 private:
  __extension__ using unsigned_wide = unsigned __int128;
  static constexpr unsigned most_k = 16;
  static constexpr unsigned usual_k = 4;  // if items are not known, as heat_filter has

  struct raises {
    std::array<detail::raise, most_k> list;
    unsigned count = 0;
    bool all_pinned = true;

    std::span<const detail::raise> span() const noexcept { return {list.data(), count}; }
  };

  basic_decaying_filter() noexcept = default;

  outcome add_digest(digest d, instant when, std::uint64_t weight);
  estimate at_digest(digest d, instant when) const noexcept;
  estimate rate_of(const estimate& count) const noexcept;
  raises plan(digest d, const detail::fade& passing, std::uint64_t units) const noexcept;
  detail::fade fade_to(std::int64_t epoch) const noexcept;
  std::int64_t epoch_of(instant when) const noexcept;
  void set_epoch(std::int64_t epoch, const bloomtime::decay::power& p) noexcept;
  bloomtime::decay::power power_at(std::int64_t epoch) const noexcept;
  double rounded_off() const noexcept;
  double lower_of(std::uint64_t least, double mass, double late) const noexcept;
  void go_to(std::int64_t epoch, const bloomtime::decay::power& next) noexcept;
  void expect_same_kind(const basic_decaying_filter& other) const;
  friend bloomtime::detail::stored<basic_decaying_filter>;
  void write(bloomtime::detail::container_writer& out) const;
  static basic_decaying_filter read(const bloomtime::detail::container_view& view);

  Cells cells_;
  detail::moved_to_zero<unsigned> k_;
  std::uint64_t row_ = 0;  // cells of one row
  std::uint64_t seed_ = 0;
  bloomtime::published::rounding rounding_ = bloomtime::published::rounding::up;
  bloomtime::published::increase increase_ = bloomtime::published::increase::plain;
  bloomtime::decay decay_ = bloomtime::decay::by_rate(0);
  tick_clock clock_;
  std::uint64_t ahead_ = 0;                      // epochs
  detail::moved_to_zero<std::uint64_t> events_;  // 0 until the clock has been set by the first one
  std::int64_t epoch_ = 0;                       // of the newest event
  instant epoch_begins_;                         // and ends, both included
  instant epoch_ends_;
  bloomtime::decay::power power_{};  // at that epoch
  unsigned_wide mass_ = 0;
  unsigned_wide late_ = 0;  // each late event as one: what rounding it up added is less
};

extern template class basic_decaying_filter<detail::counter_cells>;

// The basic filter: counters of 16 bits, as in the papers' experiments, or of 32.
using decaying_filter = basic_decaying_filter<detail::counter_cells>;

}  // namespace bloomtime::published
