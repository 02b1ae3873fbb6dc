#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

// What the engines of the family have in common.
namespace bloomtime::detail {

// The clock of a history, its seed, and what came so far.
class history_events {
 public:
  const hash_seed& seed() const noexcept { return seed_; }
  const tick_clock& clock() const noexcept { return clock_; }
  // The start of the tick of the newest event. It is not stored: none after loading, until an event
  // is added.
  std::optional<instant> newest() const noexcept {
    return newest_ ? std::optional(clock_.start_of(*newest_)) : std::nullopt;
  }
  // Events that were refused: outside of the span, too late or too early, or without room. Since
  // the history was made or loaded.
  const bloomtime::losses& losses() const noexcept { return losses_; }

 protected:
  history_events() = default;
  history_events(tick_clock clock, const hash_seed& seed) noexcept : seed_(seed), clock_(clock) {}

  bool is_usable() const noexcept { return true; }
  void count_newest(const std::optional<tick>& t) noexcept { newest_ = std::max(newest_, t); }
  // Throws error(incompatible) if the other one has another seed or clock.
  void expect_same_keys(const history_events& other) const;

  hash_seed seed_;
  tick_clock clock_;
  std::optional<tick> newest_;
  bloomtime::losses losses_;
};

// The span of a history, and how many events came into it.
class history_base : public history_events {
 public:
  history_base(const history_base&) = default;
  history_base& operator=(const history_base&) = default;
  history_base(history_base&&) noexcept = default;
  history_base& operator=(history_base&&) noexcept = default;
  ~history_base() = default;

  std::uint64_t first() const noexcept { return first_; }  // tick of the clock
  std::uint64_t ticks() const noexcept { return ticks_; }  // from then on, so far
  std::uint64_t records() const noexcept { return records_; }

 protected:
  history_base() = default;
  history_base(tick_clock clock, std::uint64_t first, std::uint64_t ticks,
               const hash_seed& seed) noexcept
      : history_events(clock, seed), first_(first), ticks_(ticks) {}

  std::uint64_t position_of(tick t) const noexcept {
    return static_cast<std::uint64_t>(t.number) - first_;
  }
  void count(std::uint64_t more) noexcept {
    records_ = records_ > UINT64_MAX - more ? UINT64_MAX : records_ + more;
  }
  // What came into the other one came into this one.
  void count_all(const history_base& other) noexcept {
    count(other.records_);
    count_newest(other.newest_);
  }
  void forget_events() noexcept {
    records_ = 0;
    newest_.reset();
    losses_ = {};
  }

  // Throw error(incompatible) if the other one has another seed or clock, and if it has another
  // span, or does not begin where this one ends.
  void expect_same_keys(const history_base& other) const;
  void expect_same_span(const history_base& other) const;
  void expect_next(const history_base& other) const;

  // Span and records, at the front of the parameters. The engine's own follow.
  void write_span(container_writer& out, std::uint8_t layout) const;
  // Both of them; returns the rest of the parameters.
  byte_reader read_span(const container_view& view, std::uint8_t layout, std::string_view name);

  bool is_usable() const noexcept { return ticks_ != 0; }
  // Throws if the history was moved from.
  void expect_ticks() const {
    if (!is_usable()) refuse_moved_from("a history");
  }

  std::uint64_t first_ = 0;
  zero_when_moved<std::uint64_t> ticks_;  // 0 if it was moved from
  std::uint64_t records_ = 0;
};

// How all engines, which have add_at() and ask(), are called. A history of one span that was moved
// from answers "maybe" to everything; adding to it and storing it throws error(invalid_argument).
template <class Engine, class Base = history_base>
class history_calls : public Base {
 public:
  // Records that x was seen at `when`: added; dropped_late before the first tick, future beyond the
  // last one. Throws only if memory runs out, with the answers unchanged.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when) {
    if (!Base::is_usable()) refuse_moved_from("a history");
    const tick t = Base::clock_.tick_of(when);
    const outcome became = self().add_at(as_digest(x, Base::seed_), t);
    if (became == outcome::added) Base::count_newest(t);
    return Base::losses_.count(became);
  }

  // Many events in their order, each with its time and outcome: the same as one by one. If memory
  // runs out, the events before have been added.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<const instant> when,
                                  std::span<outcome> outcomes) {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    expect_as_many(all.size(), when.size(), "times");
    expect_as_many(all.size(), outcomes.size(), "outcomes");
    for (std::size_t i = 0; i < all.size(); ++i) outcomes[i] = add(all[i], when[i]);
  }

  // Was x seen in any tick that from..to touches? `no` if it touches none.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, instant from, instant to) const noexcept {
    std::uint64_t probes = 0;
    return seen(x, Base::clock_.covering(from, to), probes);
  }
  // The same; sets `probes` to the number of structures read.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, interval asked,
                                  std::uint64_t& probes) const noexcept {
    probes = 0;  // an engine may add to it
    if (!Base::is_usable()) return sighting::maybe;
    return self().ask(as_digest(x, Base::seed_), asked, probes);
  }

  // seen() of many items, each with its ticks, or all with the same: the same answers, faster if
  // the history exceeds the cache.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void seen_bulk(const Items& items, std::span<const interval> asked,
                                   std::span<sighting> answers) const {
    expect_as_many(std::ranges::size(items), asked.size(), "intervals");
    ask_blocks(std::span<const std::ranges::range_value_t<Items>>(items), answers,
               [&](std::size_t first, std::size_t count) { return asked.subspan(first, count); });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void seen_bulk(const Items& items, const interval& asked,
                                   std::span<sighting> answers) const {
    std::array<interval, bulk_block> all;
    all.fill(asked);
    ask_blocks(std::span<const std::ranges::range_value_t<Items>>(items), answers,
               [&](std::size_t, std::size_t count) {
                 return std::span<const interval>(all).first(count);
               });
  }

 protected:
  using Base::Base;

  // Of engines without a faster way. Answers are `no` before.
  void ask_block(const digest_block& items, std::span<const interval> asked,
                 std::span<sighting> answers) const noexcept {
    for (std::size_t i = 0; i < items.count; ++i) {
      std::uint64_t probes = 0;
      answers[i] = self().ask(items[i], asked[i], probes);
    }
  }

  Engine& self() noexcept { return static_cast<Engine&>(*this); }
  const Engine& self() const noexcept { return static_cast<const Engine&>(*this); }

 private:
  template <class T, class Asked>
  BLOOMTIME_PER_ISA void ask_blocks(std::span<const T> items, std::span<sighting> answers,
                                    Asked&& asked) const {
    expect_as_many(items.size(), answers.size());
    std::fill(answers.begin(), answers.end(), Base::is_usable() ? sighting::no : sighting::maybe);
    if (!Base::is_usable()) return;
    digest_block block;
    for (std::size_t first = 0; first < items.size(); first += bulk_block) {
      const std::size_t count = std::min(bulk_block, items.size() - first);
      fill(block, items.subspan(first, count), Base::seed_);
      self().ask_block(block, asked(first, count), answers.subspan(first, count));
    }
  }
};

}  // namespace bloomtime::detail
