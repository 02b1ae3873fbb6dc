#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <bloomtime/detail/stored.hpp>
#include <bloomtime/heat/detail/forward_state.hpp>
#include <bloomtime/heat/detail/heat_face.hpp>
#include <bloomtime/published/time_decaying/decaying_config.hpp>
#include <bloomtime/published/time_decaying/detail/counter_cells.hpp>

namespace bloomtime::published {

// The time-decaying Bloom filters of Cheng et al. (2005): whole counters, all multiplied by lambda
// when an epoch ends. Kept for comparison; heat_filter answers the same question with less error
// and without sweeping all counters. An epoch is a tick of the clock, and ages are in epochs.
//
// Where the papers contradict themselves: counts are not normalised (rate() is), each counter
// carries by itself, and none ever wraps. Kinds of Cells differ in memory and in when a counter
// overflows, and in no answer otherwise.
//
// Promise: `upper` is never below the truth; if counters round at random, with probability at least
// 1 - 1e-9. It equals `value` if they round up. If a counter of the item has overflowed, `lower` is
// 0; if all have, `value` is a guess and `upper` the heat of all events. Outcomes of add: added,
// late, future, and saturated if a counter of the item overflowed. Late events count what is left
// of them, rounded up.
//
// Cost: an add touches k counters; the first of an epoch sweeps all. Const members may run
// concurrently.
template <class Cells>
class basic_decaying_filter
    : public detail::heat_face<basic_decaying_filter<Cells>, detail::forward_state>,
      public detail::stored<basic_decaying_filter<Cells>> {
 public:
  static constexpr std::string_view name = Cells::name;
  static constexpr detail::stored_kind kind = Cells::kind;

  explicit basic_decaying_filter(const decaying_config& config);
  BLOOMTIME_VALUE(basic_decaying_filter);

  // Lets time pass without an event; never back. One factor for all epochs that passed, so several
  // steps round more often than one.
  void advance(instant now) noexcept;
  void clear();  // forgets all events; parameters stay

  // Adds the events of another filter, each counting `weight` times (0 to 2^32), rounded up. Both
  // need equal cells, k, seed, decay and clock, and must round up: what is missing in two filters
  // that do not would add up.
  void merge(const basic_decaying_filter& other, double weight = 1);

  const Cells& counters() const noexcept { return cells_; }
  std::uint64_t memory() const noexcept { return cells_.memory(); }           // bytes
  std::uint64_t saturated() const noexcept { return cells_.pinned_cells(); }  // overflowed counters
  bloomtime::published::rounding rounding() const noexcept { return rounding_; }
  bloomtime::published::increase increase() const noexcept { return increase_; }

 private:
  using face = detail::heat_face<basic_decaying_filter, detail::forward_state>;
  using typename face::unsigned_wide;
  static constexpr unsigned most_k = 16;
  static constexpr unsigned usual_k = 4;  // if items are not known, as in heat_filter

  struct raises {
    std::array<detail::raise, most_k> list;
    unsigned count = 0;
    bool all_pinned = true;

    std::span<const detail::raise> span() const noexcept { return {list.data(), count}; }
  };

  basic_decaying_filter() noexcept = default;

  friend face;
  outcome add_digest(digest d, instant when, std::uint64_t weight);
  estimate at_digest(digest d, instant when) const noexcept;
  std::uint64_t warm_cells() const noexcept;

  raises plan(digest d, const detail::fade& passing, std::uint64_t units) const noexcept;
  detail::fade fade_to(std::int64_t epoch) const noexcept;
  double rounded_off() const noexcept;
  double lower_of(std::uint64_t least, double mass, double late) const noexcept;
  void go_to(std::int64_t epoch, const bloomtime::decay::power& next) noexcept;
  void add_cells(const basic_decaying_filter& other, const forward::merge_weight& by);

  friend detail::stored<basic_decaying_filter>;
  void write(detail::container_writer& out) const;
  static basic_decaying_filter read(const detail::container_view& view);

  using face::ahead_, face::clock_, face::decay_, face::events_, face::k_, face::mass_,
      face::power_, face::row_, face::seed_, face::tick_;

  Cells cells_;
  bloomtime::published::rounding rounding_ = bloomtime::published::rounding::up;
  bloomtime::published::increase increase_ = bloomtime::published::increase::plain;
  unsigned_wide late_ = 0;  // each late event as one: what rounding it up added is less
};

extern template class basic_decaying_filter<detail::counter_cells>;

// The basic filter: counters of 16 bits, as in the papers' experiments, or of 32.
using decaying_filter = basic_decaying_filter<detail::counter_cells>;

}  // namespace bloomtime::published
