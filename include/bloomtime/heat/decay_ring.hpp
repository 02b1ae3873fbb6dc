#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/detail/stored.hpp>
#include <bloomtime/heat/detail/heat_face.hpp>
#include <bloomtime/heat/detail/ring_ages.hpp>
#include <bloomtime/heat/detail/ring_cells.hpp>

namespace bloomtime {

// Size: `items` and `error`, the probability that an answer is too high while `items` different
// items are remembered; or `memory`, with `items` if known. Decay, by one of three:
//   window      An event counts 1 for that long and then 0. The window is cut into `slots`; events
//               up to one slot older than it may count.
//   polynomial  alpha: an event counts (1 + a)^-alpha at the age of a ticks. Slots for older events
//               are longer, `per_octave` each time the age doubles: answers exceed the truth by a
//               factor of at most (1 + 1 / per_octave)^alpha up to ages of `reach`.
//   weights     An event counts weights[a] at the age of a ticks, and 0 beyond. They begin with 1
//               and never rise.
struct decay_ring_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes of cells
  std::optional<std::chrono::microseconds> window = {};
  std::optional<double> polynomial = {};
  std::vector<double> weights = {};
  unsigned slots = 60;  // of a window
  unsigned per_octave = 4;
  std::chrono::microseconds reach = std::chrono::hours(24);
  std::chrono::microseconds tick = std::chrono::minutes(1);  // a window has window / slots
  std::chrono::microseconds ahead = std::chrono::hours(24);  // events further ahead are refused
  hash_seed seed = 0;
};

// How hot is an item now, if heat does not fade by halves? For example: how many hits did it have
// in the last hour? A ring of filters, one for each slot of time. The smallest cell of every slot
// counts with the weight of the youngest event that the slot may hold.
//
// Promise: `upper` is never below the truth, and `value` is `upper`. Outcomes of add: added, late,
// future, dropped_late if the event is too old to count, and full if all counts together would
// exceed 64 bits.
//
// Cost: an add or a query reads k cells, at most four, of 8 bytes and 2 for each slot. memory()
// counts them and the table of counts above 65534. Ages are in ticks of the clock; those of a
// window in time. rate() is NaN for polynomial decay. Const members may run concurrently.
class decay_ring : public detail::heat_face<decay_ring>, public detail::stored<decay_ring> {
 public:
  static constexpr std::string_view name = "decay_ring";
  static constexpr detail::stored_kind kind{family::heat, {5}, "a decay ring"};
  enum class curve : std::uint8_t { window = 1, weights = 2, polynomial = 3 };

  explicit decay_ring(const decay_ring_config& config);
  BLOOMTIME_VALUE(decay_ring);

  void advance(instant now) noexcept;  // lets time pass without an event, never back
  void clear() noexcept;               // forgets all events; parameters stay

  // Adds the events of another ring, each counting `weight` times, a whole number up to 2^32: cells
  // are whole, and the file has no room for what rounding would add. Both need equal decay, cells,
  // k, seed and clock.
  void merge(const decay_ring& other, double weight = 1);

  double mass(instant when) const noexcept;  // the heat of all events together, rounded up
  curve decay() const noexcept { return curve_; }
  unsigned slots() const noexcept { return ages_.slots(); }
  std::uint64_t memory() const noexcept { return cells_.memory(); }

 private:
  static constexpr unsigned most_k = 4;
  using counts = std::array<std::uint64_t, detail::ring_ages::most_slots>;

  decay_ring() = default;

  friend detail::heat_face<decay_ring>;
  outcome add_digest(digest d, instant when, std::uint64_t weight);
  estimate at_digest(digest d, instant when) const noexcept;
  estimate rate_of(const estimate& count) const noexcept;
  std::uint64_t warm_cells() const noexcept;

  std::uint64_t passed(std::int64_t tick) const noexcept { return ticks_between(start_, tick); }
  void look_up(std::uint64_t cell, std::int64_t now, counts& values) const noexcept;
  double weight_above(unsigned slot, std::int64_t now) const noexcept;
  double weight_below(unsigned slot, std::int64_t now) const noexcept;
  double weighted_above(const counts& values, std::int64_t now) const noexcept;
  double weighted_below(const counts& values, std::int64_t now) const noexcept;
  counts totals_at(std::int64_t now) const noexcept;
  void go_to(std::int64_t tick) noexcept;
  void add_ring(const decay_ring& other, const forward::merge_weight& by);

  friend detail::stored<decay_ring>;
  void write(detail::container_writer& out) const;
  static decay_ring read(const detail::container_view& view);
  void read_parameters(const detail::container_view& view);

  curve curve_ = curve::window;
  detail::ring_ages ages_ = detail::ring_ages::single(1);
  double alpha_ = 0;
  std::vector<double> weights_;        // by age in ticks; none if polynomial
  std::int64_t start_ = 0;             // the tick from which stamps of cells count
  std::vector<std::uint64_t> totals_;  // of all events, by slot
  detail::ring_cells cells_;
};

}  // namespace bloomtime
