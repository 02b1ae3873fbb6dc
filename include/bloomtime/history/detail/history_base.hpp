#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

// What all engines of one span of time have in common.
namespace bloomtime::detail {

// The span of a history and what came into it.
class history_base {
 public:
  history_base(const history_base&) = default;
  history_base& operator=(const history_base&) = default;
  history_base(history_base&& other) noexcept : history_base(std::as_const(other)) {
    other.ticks_ = 0;
  }
  history_base& operator=(history_base&& other) noexcept {
    *this = std::as_const(other);
    if (this != &other) other.ticks_ = 0;
    return *this;
  }
  ~history_base() = default;

  std::uint64_t first() const noexcept { return first_; }  // tick of the clock
  std::uint64_t ticks() const noexcept { return ticks_; }  // from then on, so far
  std::uint64_t records() const noexcept { return records_; }
  std::uint64_t seed() const noexcept { return seed_; }
  const tick_clock& clock() const noexcept { return clock_; }
  // Events outside of the span, and those for which there was no room.
  const bloomtime::losses& losses() const noexcept { return losses_; }

 protected:
  history_base() = default;
  history_base(tick_clock clock, std::uint64_t first, std::uint64_t ticks,
               std::uint64_t seed) noexcept
      : first_(first), ticks_(ticks), seed_(seed), clock_(clock) {}

  std::uint64_t position_of(tick t) const noexcept {
    return static_cast<std::uint64_t>(t.number) - first_;
  }
  void count(std::uint64_t more) noexcept {
    records_ = records_ > UINT64_MAX - more ? UINT64_MAX : records_ + more;
  }

  void forget_records() noexcept {
    records_ = 0;
    losses_ = {};
  }

  // Refuse others: of another span, of another clock or seed, not right after this one.
  void expect_same_span(const history_base& other) const;
  void expect_same_keys(const history_base& other) const;
  void expect_next(const history_base& other) const;

  // Span and records, at the front of the parameters. The engine's own follow.
  void write_span(container_writer& out, std::uint8_t layout) const;
  // Both of them; returns the rest of the parameters.
  byte_reader read_span(const container_view& view, std::uint8_t layout, std::string_view name);

  // Throws if the history was moved from.
  void expect_ticks() const {
    if (ticks_ == 0) refuse_moved_from("a history");
  }

  std::uint64_t first_ = 0;
  std::uint64_t ticks_ = 0;  // 0 if it was moved from
  std::uint64_t records_ = 0;
  std::uint64_t seed_ = 0;
  tick_clock clock_;
  bloomtime::losses losses_;
};

[[noreturn]] void refuse_parameters(std::string_view name);

// How all engines, which have add_at() and ask(), are talked to. One that was moved from answers
// "maybe" to everything; adding to it and storing it throws error(invalid_argument).
template <class Engine>
class history_calls : public history_base {
 public:
  // added; dropped_late before its first tick, future beyond the span. Throws only if memory is
  // out, with the answers unchanged.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when) {
    expect_ticks();
    return losses_.count(self().add_at(as_digest(x, seed_), clock_.tick_of(when)));
  }

  // In any tick that from..to touches; no if there is none.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, instant from, instant to) const noexcept {
    std::uint64_t probes = 0;
    return seen(x, clock_.covering(from, to), probes);
  }
  // The same; sets `probes` to the number of structures read.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, interval asked,
                                  std::uint64_t& probes) const noexcept {
    probes = 0;  // an engine may add to it
    if (ticks_ == 0) return sighting::maybe;
    return self().ask(as_digest(x, seed_), asked, probes);
  }

 protected:
  using history_base::history_base;

  Engine& self() noexcept { return static_cast<Engine&>(*this); }
  const Engine& self() const noexcept { return static_cast<const Engine&>(*this); }
};

}  // namespace bloomtime::detail
