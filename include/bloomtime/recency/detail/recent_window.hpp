#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/answers.hpp>
#include <bloomtime/recency/detail/arrival_counts.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::detail {

// A window of time, or of the latest insertions, divided into ticks; its clock; and how many
// insertions each tick had. What is seen in a tick is inside the window until the whole tick has
// left it (docs/math.md, Windows of time). The engine that owns a window keeps a stamp per item,
// the tick of its last sighting, and counts ages in ticks before the present one.
class recent_window {
 public:
  static constexpr std::uint64_t most_insertions = std::uint64_t{1} << 62;

  // An event: what becomes of it, how many ticks before the present one it belongs to, and how many
  // ticks have passed because of it.
  struct arrival {
    outcome became;
    std::uint32_t back;
    std::uint64_t passed;
    std::int64_t at;

    bool recorded() const noexcept { return became == outcome::added || became == outcome::late; }
  };

  // The time of a query: how far into its tick, how many ticks after the newest event, and the
  // oldest age, from then, that a stamp in the window can have.
  struct moment {
    std::int64_t at;
    std::int64_t offset;
    std::uint64_t behind;
    std::uint32_t oldest;
  };

  // What a stamp says about an age, and the window on the same axis.
  struct view {
    math::evidence evidence;
    double window;
  };

  recent_window() noexcept = default;
  // In microseconds if `timed`, otherwise in insertions.
  recent_window(std::uint64_t window, std::uint64_t tick, bool timed,
                std::optional<std::uint64_t> ahead);

  bool timed() const noexcept { return timed_; }
  std::uint64_t window() const noexcept { return window_; }
  const tick_clock& clock() const noexcept { return clock_; }
  std::uint32_t ticks() const noexcept { return oldest_; }
  std::optional<std::uint64_t> ahead() const noexcept { return ahead_; }
  bool started() const noexcept { return started_; }
  std::int64_t now() const noexcept { return now_; }
  std::uint64_t insertions() const noexcept { return insertions_; }
  const arrival_counts& arrivals() const noexcept { return arrivals_; }
  std::uint64_t memory() const noexcept { return arrivals_.memory(); }

  bool has_time() const noexcept { return started_ || !timed_; }
  instant latest() const noexcept { return instant(now_); }  // or the number of insertions
  std::optional<instant> newest() const noexcept {
    return timed_ && started_ ? std::optional(instant(now_)) : std::nullopt;
  }

  BLOOMTIME_INLINE arrival arrive(instant when) noexcept {
    if (insertions_ >= most_insertions) [[unlikely]]
      return {outcome::full, 0, 0, now_};
    if (!timed_) return {outcome::added, 0, 0, now_ + 1};
    if (begins_ <= when && when <= ends_) [[likely]] {
      now_ = std::max(now_, when.micros);
      return {outcome::added, 0, 0, when.micros};
    }
    return arrive_elsewhen(when);
  }
  // Whether an event is recorded in the present tick, and no tick passes because of it.
  BLOOMTIME_INLINE bool is_present(instant when) const noexcept {
    return insertions_ < most_insertions && (!timed_ || (begins_ <= when && when <= ends_));
  }
  // arrive() of such an event.
  BLOOMTIME_INLINE void pass_to(instant when) noexcept {
    if (timed_) now_ = std::max(now_, when.micros);
  }
  // The oldest age in the window at the latest time, if that is in the present tick.
  BLOOMTIME_INLINE std::uint32_t oldest_now() const noexcept {
    return oldest_at(std::max<std::int64_t>(0, now_ - begins_.micros));
  }
  // Counts a recorded event of `back` ticks ago. Returns how many ticks have passed because of it.
  BLOOMTIME_INLINE std::uint64_t count(std::uint32_t back) noexcept {
    ++insertions_;
    if (timed_) {
      arrivals_.add(back);
      return 0;
    }
    return ++now_ > ends_.micros ? go_to(tick_ + 1) : 0;
  }
  // Lets time pass, never back. Returns how many ticks have passed.
  std::uint64_t advance(instant now) noexcept;

  BLOOMTIME_INLINE moment moment_of(instant when) const noexcept {
    const std::int64_t at = timed_ ? std::max(when.micros, now_) : now_;
    if (at > ends_.micros) [[unlikely]]
      return later(at);
    const std::int64_t offset = std::max<std::int64_t>(0, at - begins_.micros);  // -1 before time
    return {at, offset, 0, oldest_at(offset)};
  }
  // Whether a stamp of this age is in the window then.
  static bool inside(std::uint64_t age, const moment& asked) noexcept {
    return asked.behind <= asked.oldest && age <= asked.oldest - asked.behind;
  }

  // How long ago the tick of this age was.
  age_bracket bracket(std::uint64_t age, const moment& asked) const noexcept;
  // Of a stamp of this age that another item may have left with the relative likelihood g; ages are
  // counted in insertions, or in microseconds if `in_time`. Without an age: of an item that was not
  // seen from the oldest tick on that the window touches.
  view view_of(std::optional<std::uint32_t> age, double g, const moment& asked,
               bool in_time) const noexcept;
  // Insertions in the tick of this age and in younger ones.
  double insertions_since(std::uint32_t age) const noexcept;

  // Of both streams. Returns how many ticks pass here, and how many ticks the other one is behind
  // then. Windows of insertions keep to the insertions of each.
  struct shift {
    std::uint64_t passed;
    std::uint64_t behind;
  };
  shift merge(const recent_window& other) noexcept;

  void clear() noexcept;

  // What is stored of it besides its parameters.
  struct state {
    bool started;
    std::int64_t now;
    std::uint64_t insertions;
  };
  std::vector<std::byte> arrival_bytes() const;  // windows of time
  // None if the parts contradict each other; `arrivals` has 8 bytes for each of ticks() + 1.
  static std::optional<recent_window> read(std::uint64_t window, std::uint64_t tick, bool timed,
                                           std::optional<std::uint64_t> ahead, const state& stored,
                                           std::span<const std::byte> arrivals);

 private:
  static constexpr std::int64_t before_time = std::numeric_limits<std::int64_t>::min();

  arrival arrive_elsewhen(instant when) noexcept;
  moment later(std::int64_t at) const noexcept;
  void set_tick(std::int64_t tick) noexcept;
  std::uint64_t go_to(std::int64_t tick) noexcept;
  math::evidence ages_of(std::uint32_t age, const moment& asked, bool in_time,
                         double g) const noexcept;
  view unseen(const moment& asked, bool in_time) const noexcept;
  double watched(const moment& asked) const noexcept;
  // ceil((window - offset) / tick)
  std::uint32_t oldest_at(std::int64_t offset) const noexcept {
    return oldest_ - (offset >= cut_ ? 1 : 0);
  }

  arrival_counts arrivals_;  // if timed
  tick_clock clock_;
  std::uint64_t window_ = 0;
  std::uint32_t oldest_ = 0;  // ticks of a window
  bool timed_ = true;
  bool started_ = false;  // timed: the first event sets the clock
  std::optional<std::uint64_t> ahead_;
  std::int64_t cut_ = 0;  // of a tick: from here on the window begins one tick later
  std::uint64_t insertions_ = 0;
  std::int64_t now_ = before_time;
  std::int64_t tick_ = 0;
  instant begins_{before_time + 1};  // of the present tick; none so far
  instant ends_{before_time};
};

}  // namespace bloomtime::detail
