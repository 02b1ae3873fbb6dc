#include <bloomtime/recency/detail/recent_window.hpp>

#include <cmath>
#include <string>
#include <utility>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/timing.hpp>

#include "math/whole.hpp"

namespace bloomtime::detail {

recent_window::recent_window(std::uint64_t window, std::uint64_t tick, bool timed,
                             std::optional<std::uint64_t> ahead)
    : clock_(std::chrono::microseconds(static_cast<std::int64_t>(tick))),
      window_(window),
      oldest_(static_cast<std::uint32_t>(math::ratio_up(window, tick))),
      timed_(timed),
      ahead_(ahead),
      cut_(static_cast<std::int64_t>(window - (oldest_ - 1) * tick)) {
  if (timed_) arrivals_ = arrival_counts(oldest_);
  clear();
}

void recent_window::clear() noexcept {
  arrivals_.clear();
  insertions_ = 0;
  started_ = false;
  now_ = before_time;
  tick_ = 0;
  begins_ = instant(before_time + 1);
  ends_ = instant(before_time);
  if (timed_) return;
  now_ = 0;
  set_tick(0);
}

// -- storage -----------------------------------------------------------------------------------

std::vector<std::byte> recent_window::arrival_bytes() const {
  byte_writer out;
  for (const std::uint64_t before : arrivals_.values()) out.u64(before);
  return std::move(out).written();
}

std::optional<recent_window> recent_window::read(std::uint64_t window, std::uint64_t tick,
                                                 bool timed, std::optional<std::uint64_t> ahead,
                                                 const state& stored,
                                                 std::span<const std::byte> arrivals) {
  const auto [started, now, insertions] = stored;
  const bool sound = insertions <= most_insertions &&
                     (started || (timed && insertions == 0 && now == 0)) &&
                     (timed || (now >= 0 && static_cast<std::uint64_t>(now) <= insertions));
  if (!sound) return std::nullopt;
  std::vector<std::uint64_t> before(arrivals.size() / sizeof(std::uint64_t));
  byte_reader in(arrivals);
  std::uint64_t later = insertions;
  for (std::uint64_t& value : before) {
    value = in.u64();
    if (value > later) {
      throw error(errc::corrupt, "there were " + std::to_string(value) +
                                     " insertions before a tick, and " + std::to_string(later) +
                                     " before the next one");
    }
    later = value;
  }
  recent_window made(window, tick, timed, ahead);
  made.insertions_ = insertions;
  if (timed) made.arrivals_ = arrival_counts(before, insertions);
  if (started) {
    made.now_ = now;
    made.set_tick(made.clock_.tick_of(instant(now)).number);
  }
  return made;
}

// -- time --------------------------------------------------------------------------------------

void recent_window::set_tick(std::int64_t tick) noexcept {
  started_ = true;
  tick_ = tick;
  begins_ = clock_.start_of({tick});
  ends_ = clock_.end_of({tick});
}

std::uint64_t recent_window::go_to(std::int64_t tick) noexcept {
  const std::uint64_t passed = math::distance(tick_, tick);
  if (timed_) arrivals_.advance(passed);
  set_tick(tick);
  return passed;
}

std::uint64_t recent_window::advance(instant now) noexcept {
  if (!timed_ || (started_ && now.micros <= now_)) return 0;
  const std::int64_t tick = clock_.tick_of(now).number;
  std::uint64_t passed = 0;
  if (started_) {
    passed = go_to(tick);
  } else {
    set_tick(tick);
  }
  now_ = now.micros;
  return passed;
}

recent_window::arrival recent_window::arrive_elsewhen(instant when) noexcept {
  if (started_ && when.micros < now_) {
    if (math::distance(when.micros, now_) > window_) {
      return {outcome::dropped_late, 0, 0, when.micros};
    }
    const std::uint64_t back = math::distance(clock_.tick_of(when).number, tick_);
    return {outcome::late, static_cast<std::uint32_t>(back), 0, when.micros};
  }
  if (started_ && ahead_ && math::distance(now_, when.micros) > *ahead_) {
    return {outcome::future, 0, 0, when.micros};
  }
  return {outcome::added, 0, advance(when), when.micros};
}

// Of a time after the present tick.
recent_window::moment recent_window::later(std::int64_t at) const noexcept {
  if (!started_) return {at, 0, 0, oldest_};
  const tick then = clock_.tick_of(instant(at));
  const std::int64_t offset = at - clock_.start_of(then).micros;
  return {at, offset, math::distance(tick_, then.number), oldest_at(offset)};
}

recent_window::shift recent_window::merge(const recent_window& other) noexcept {
  insertions_ += other.insertions_;
  if (!timed_) {
    // Of two counts of insertions into the present tick the smaller one forgets nothing too early.
    now_ -=
        std::max<std::int64_t>(0, (now_ - begins_.micros) - (other.now_ - other.begins_.micros));
    return {0, 0};
  }
  const std::uint64_t passed = advance(other.latest());
  const std::uint64_t behind = math::distance(other.tick_, tick_);
  arrivals_.add(other.arrivals_, behind);
  return {passed, behind};
}

// -- ages --------------------------------------------------------------------------------------

age_bracket recent_window::bracket(std::uint64_t age, const moment& asked) const noexcept {
  const tick of{tick_ - static_cast<std::int64_t>(age)};
  // An insertion is older by one than the number it left behind.
  const std::int64_t now = timed_ ? asked.at : asked.at - 1;
  const auto since = [&](std::int64_t then) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - then));
  };
  return {since(clock_.end_of(of).micros), since(clock_.start_of(of).micros)};
}

math::evidence recent_window::ages_of(std::uint32_t age, const moment& asked, bool in_time,
                                      double g) const noexcept {
  if (timed_ && !in_time) {
    const auto after = static_cast<double>(arrivals_.after(age));
    return {after, after + std::max(1., static_cast<double>(arrivals_.during(age))), g};
  }
  const auto length = static_cast<double>(clock_.resolution().count());
  // In ages of whole microseconds the present one has begun, an insertion has not.
  const double since = static_cast<double>(asked.offset) + (timed_ ? 1 : 0);
  const double ticks = static_cast<double>(age) + static_cast<double>(asked.behind);
  const double end = std::max(1., ticks * length + since);
  return {std::max(0., end - length), end, g};
}

recent_window::view recent_window::unseen(const moment& asked, bool in_time) const noexcept {
  const auto length = static_cast<double>(clock_.resolution().count());
  if (!timed_ || in_time) {
    const double since = static_cast<double>(asked.offset) + (timed_ ? 1 : 0);
    const double window = static_cast<double>(window_) + (timed_ ? 1 : 0);
    return {math::older_than(asked.oldest * length + since), std::min(window, watched(asked))};
  }
  if (asked.behind > asked.oldest) return {math::older_than(0), 0};
  const auto age = static_cast<std::uint32_t>(asked.oldest - asked.behind);
  const auto after = static_cast<double>(arrivals_.after(age));
  const auto during = static_cast<double>(arrivals_.during(age));
  const double inside = (static_cast<double>(window_) - static_cast<double>(asked.offset) -
                         (asked.oldest - 1.) * length) /
                        length;
  return {math::older_than(after + during), after + inside * during};
}

// How long ago the first insertion can have been, on the axis of time if there is one. Only matters
// while that is less than a window; before that all insertions are known by their ticks.
double recent_window::watched(const moment& asked) const noexcept {
  if (!timed_) return static_cast<double>(insertions_);
  if (insertions_ == 0) return 0;
  const std::uint32_t first = arrivals_.reaching(insertions_);
  if (arrivals_.before(first) != 0) return std::numeric_limits<double>::infinity();
  return ages_of(first, asked, true, 1).e;
}

recent_window::view recent_window::view_of(std::optional<std::uint32_t> age, double g,
                                           const moment& asked, bool in_time) const noexcept {
  view all = unseen(asked, in_time);
  if (age) all.evidence = ages_of(*age, asked, in_time, g);
  return all;
}

double recent_window::insertions_since(std::uint32_t age) const noexcept {
  if (timed_) return static_cast<double>(arrivals_.since(age));
  const auto length = static_cast<double>(clock_.resolution().count());
  return static_cast<double>(now_ - begins_.micros) + age * length;
}

}  // namespace bloomtime::detail
