#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/estimate.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::forward {
class merge_weight;
}

namespace bloomtime::detail {

// The state that all engines share: seed, clock, newest tick and losses.
class heat_time {
 public:
  const hash_seed& seed() const noexcept { return seed_; }
  const tick_clock& clock() const noexcept { return clock_; }
  std::uint64_t events() const noexcept { return events_; }
  std::optional<instant> newest() const noexcept;  // the start of the tick of the newest event
  // Events that were not counted as requested, since the engine was made or loaded.
  const bloomtime::losses& losses() const noexcept { return losses_; }

 protected:
  bool too_far_ahead(std::int64_t tick) const noexcept {
    return events_ != 0 && tick > tick_ && ticks_between(tick_, tick) > ahead_;
  }
  static std::uint64_t ticks_between(std::int64_t from, std::int64_t to) noexcept {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  }
  void add_events(std::uint64_t more) noexcept {
    events_ = more > ~events_ ? ~std::uint64_t{0} : events_ + more;
  }

  hash_seed seed_;
  tick_clock clock_;
  std::uint64_t ahead_ = 0;                // ticks
  zero_when_moved<std::uint64_t> events_;  // 0 until the first event has set the clock
  std::int64_t tick_ = 0;                  // of the newest event
  bloomtime::losses losses_;
};

// That of engines with k rows of cells: also their size.
class heat_state : public heat_time {
 public:
  std::uint64_t cells() const noexcept { return k_ * row_; }
  unsigned k() const noexcept { return k_; }

  double confidence() const noexcept;  // of lower bounds: 1 - e^-k
  // The probability that an answer is too high while `items` different items are warm.
  double predicted_error(std::uint64_t items) const;

 protected:
  bool usable() const noexcept { return k_ != 0; }
  // From the number of cells that are not zero.
  double error_of(std::uint64_t warm_cells) const;
  double items_of(std::uint64_t warm_cells) const;

  bool same_shape(const heat_state& other) const noexcept;
  std::string shape_text() const;  // for messages about merges
  void write_head(container_writer& out) const;
  // Takes over seed, clock and k; false if they are not those of an engine with up to most_k rows.
  bool read_head(const container_view& view, std::uint64_t k, unsigned most_k);

  zero_when_moved<unsigned> k_;
  std::uint64_t row_ = 0;  // cells of one row
};

// The calls that all these engines share. An Engine has
//   outcome add_digest(digest, instant, std::uint64_t weight);
//   estimate at_digest(digest, instant) const noexcept;
//   estimate rate_of(const estimate& count) const noexcept;
//   bool usable() const noexcept;                // false if it was moved from
//   std::uint64_t warm_cells() const noexcept;   // cells that are not zero at the newest event
//   double error_of(std::uint64_t warm_cells) const;
//   double items_of(std::uint64_t warm_cells) const;
// and add_span() and at_span() of its own if it prefetches. An engine that was moved from answers 0
// to everything and throws error(invalid_argument) when events are added or when it is stored.
template <class Engine, class State = heat_state>
class heat_face : public State {
 public:
  // Counts an event: added, or late if it is older than the newest event. future if it is further
  // ahead than the configuration allows; nothing changes then. Throws only if memory runs out, with
  // the state unchanged. Engines list their other outcomes.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when, std::uint64_t weight = 1) {
    return losses_.count(self().add_digest(as_digest(x, seed_), when, weight));
  }

  // Many events in their order, each with its time and outcome: the same as one by one. If memory
  // runs out, the events before have been added.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<const instant> when,
                                  std::span<outcome> outcomes) {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    expect_as_many(all.size(), when.size(), "times");
    expect_as_many(all.size(), outcomes.size(), "outcomes");
    self().add_span(all, when, outcomes);
  }

  // The decayed count at `when`, or at the newest event if that is later. `upper` always holds;
  // `lower` holds with probability confidence() for an item and a time fixed beforehand: all k rows
  // exceed e times their mean share of the other items' heat with probability e^-k (Cormode &
  // Muthukrishnan 2005).
  template <item T>
  BLOOMTIME_PER_ISA estimate at(const T& x, instant when) const noexcept {
    return self().at_digest(as_digest(x, seed_), when);
  }

  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void at_bulk(const Items& items, instant when,
                                 std::span<estimate> answers) const {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    expect_as_many(all.size(), answers.size());
    self().at_span(all, when, answers);
  }

  // Events per second: the count divided by what one event per second adds up to. NaN if events
  // never fade, or fade so slowly that this sum has no limit.
  template <item T>
  BLOOMTIME_PER_ISA estimate rate(const T& x, instant when) const noexcept {
    return self().rate_of(at(x, when));
  }

  // These two read every cell.
  double current_error() const { return self().error_of(self().warm_cells()); }
  double distinct() const { return self().items_of(self().warm_cells()); }  // warm items, estimated

 protected:
  using State::losses_;
  using State::seed_;

  template <item T>
  BLOOMTIME_PER_ISA void add_span(std::span<const T> items, std::span<const instant> when,
                                  std::span<outcome> outcomes) {
    for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = add(items[i], when[i]);
  }
  template <item T>
  BLOOMTIME_PER_ISA void at_span(std::span<const T> items, instant when,
                                 std::span<estimate> answers) const noexcept {
    for (std::size_t i = 0; i < items.size(); ++i) answers[i] = at(items[i], when);
  }

  void expect_cells() const {
    if (!self().usable()) refuse_moved_from(Engine::kind.called);
  }

 private:
  Engine& self() noexcept { return static_cast<Engine&>(*this); }
  const Engine& self() const noexcept { return static_cast<const Engine&>(*this); }
};

}  // namespace bloomtime::detail
