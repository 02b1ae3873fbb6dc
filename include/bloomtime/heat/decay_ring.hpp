#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/estimate.hpp>
#include <bloomtime/heat/detail/moved_to_zero.hpp>
#include <bloomtime/heat/detail/ring_ages.hpp>
#include <bloomtime/heat/detail/ring_cells.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// By accuracy: `items` that are remembered at the same time, and `error`, the chance that an answer
// about one of them is more than exact. By memory: `memory`, with `items` if known. And how heat
// fades, by one of three:
//   window      an event counts 1 for that long and then 0. The window is cut into `slots`; events
//               up to one slot older than it may count.
//   polynomial  alpha: an event counts (1 + a)^-alpha at the age of a epochs. Slots for older
//   events
//               are longer, `per_octave` each time the age doubles: answers exceed the truth by a
//               factor of at most (1 + 1 / per_octave)^alpha up to ages of `reach`.
//   weights     an event counts weights[a] at the age of a epochs, and 0 beyond; or `g`, which is
//               asked once for each of the ages 0 to slots - 1. They begin with 1 and never rise.
struct decay_ring_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes of cells
  std::optional<std::chrono::microseconds> window = {};
  std::optional<double> polynomial = {};
  std::vector<double> weights = {};
  std::function<double(unsigned)> g = {};
  unsigned slots = 60;  // of a window or of g
  unsigned per_octave = 4;
  std::chrono::microseconds reach = std::chrono::hours(24);
  std::chrono::microseconds epoch = std::chrono::minutes(1);  // a window has window / slots
  std::chrono::microseconds ahead = std::chrono::hours(24);   // further ahead is an error
  std::uint64_t seed = 0;
};

// How hot is this item now, if heat fades in another way than by halves? For example: how many hits
// in the last hour? A ring of filters, one for each slot of time, asked together: every slot's
// smallest cell counts with the weight of the youngest event that the slot may hold. The answer is
// never too low. What a cell has in all slots stands together in memory. Ages are counted in epochs
// of the clock; those of a window in time. Const members may run concurrently.
class decay_ring : public detail::stored<decay_ring> {
 public:
  static constexpr detail::stored_kind kind{family::heat, {5}, "a decay ring"};
  enum class curve : std::uint8_t { window = 1, weights = 2, polynomial = 3 };

  explicit decay_ring(const decay_ring_config& config);
  BLOOMTIME_VALUE(decay_ring);

  // added or late; dropped_late if the event is too old to count; future if `when` is too far
  // ahead, full if all counts together would exceed 64 bits, and then nothing has changed. Throws
  // only if memory is out, with the state unchanged.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when, std::uint64_t weight = 1) {
    return add_digest(detail::as_digest(x, seed_), when, weight);
  }

  // The decayed count at `when`, or at the newest event if that is later. upper holds always, lower
  // with at least the chance confidence(), as in heat_filter; the value is the upper bound.
  template <item T>
  BLOOMTIME_PER_ISA estimate at(const T& x, instant when) const noexcept {
    return at_digest(detail::as_digest(x, seed_), when);
  }

  // Events per second: the count over what one event per second would have. Not a number for
  // polynomial decay, of which no one can say how long it remembers.
  template <item T>
  BLOOMTIME_PER_ISA estimate rate(const T& x, instant when) const noexcept {
    return rate_of(at(x, when));
  }

  // Lets time pass without an event; never back.
  void advance(instant now) noexcept;

  double mass(instant when) const noexcept;  // the heat of all events together, rounded up
  double confidence() const noexcept;        // 1 - e^-k

  // The ring of both streams. Both need the same decay, cells, k, seed and clock.
  void merge(const decay_ring& other);

  curve decay() const noexcept { return curve_; }
  double alpha() const noexcept { return alpha_; }  // of polynomial decay
  unsigned slots() const noexcept { return ages_.slots(); }
  std::uint64_t cells() const noexcept { return k_ * row_; }
  unsigned k() const noexcept { return k_; }
  std::uint64_t memory() const noexcept { return cells_.memory(); }
  std::uint64_t seed() const noexcept { return seed_; }
  const tick_clock& clock() const noexcept { return clock_; }
  std::uint64_t events() const noexcept { return events_; }
  std::optional<instant> newest() const noexcept;  // the start of the epoch of the newest event

 private:
  static constexpr unsigned most_k = 4;
  using counts = std::array<std::uint64_t, detail::ring_ages::most_slots>;

  decay_ring() = default;

  outcome add_digest(digest d, instant when, std::uint64_t weight);
  estimate at_digest(digest d, instant when) const noexcept;
  estimate rate_of(const estimate& count) const noexcept;
  std::uint64_t passed(std::int64_t epoch) const noexcept;
  void look_up(std::uint64_t cell, std::int64_t now, counts& values) const noexcept;
  double weight_above(unsigned slot, std::int64_t now) const noexcept;
  double weight_below(unsigned slot, std::int64_t now) const noexcept;
  double weighted_above(const counts& values, std::int64_t now) const noexcept;
  double weighted_below(const counts& values, std::int64_t now) const noexcept;
  counts totals_at(std::int64_t now) const noexcept;
  void go_to(std::int64_t epoch) noexcept;
  void add_cells(const decay_ring& other);
  friend detail::stored<decay_ring>;
  void write(detail::container_writer& out) const;
  static decay_ring read(const detail::container_view& view);
  void read_parameters(const detail::container_view& view);

  curve curve_ = curve::window;
  detail::ring_ages ages_ = detail::ring_ages::single(1);
  double alpha_ = 0;
  std::vector<double> weights_;  // by age in epochs; none if polynomial
  detail::moved_to_zero<unsigned> k_;
  std::uint64_t row_ = 0;  // cells of one row
  std::uint64_t seed_ = 0;
  tick_clock clock_;
  std::uint64_t ahead_ = 0;                      // epochs
  detail::moved_to_zero<std::uint64_t> events_;  // 0 until the clock has been set by the first one
  std::int64_t start_ = 0;                       // the epoch from which stamps of cells count
  std::int64_t epoch_ = 0;                       // of the newest event
  std::vector<std::uint64_t> totals_;            // of all events, by slot
  detail::ring_cells cells_;
};

}  // namespace bloomtime
