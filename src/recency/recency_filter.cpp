#include <bloomtime/recency/recency_filter.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"
#include "math/whole.hpp"

namespace bloomtime {
namespace {

using std::to_string;

std::uint64_t window_of(const recency_config& c) {
  if (c.window.has_value() == c.last.has_value()) {
    detail::refuse(std::string("a recency filter has a window in time or in insertions, and got ") +
                   (c.window ? "both" : "neither"));
  }
  if (c.window && c.window->count() <= 0) {
    detail::refuse("a window has 1 microsecond or more, got " + std::to_string(c.window->count()));
  }
  const std::uint64_t window = c.window ? static_cast<std::uint64_t>(c.window->count()) : *c.last;
  if (window == 0 || window > math::most_recent_window) {
    detail::refuse("a window has 1 to 2^60 microseconds or insertions, got " + to_string(window));
  }
  return window;
}

std::uint64_t tick_of(const recency_config& c) {
  constexpr std::uint32_t most_ticks = std::uint32_t{1} << 24;
  if (c.ticks == 0) detail::refuse("a window has one tick or more, got 0");
  const std::uint64_t tick = math::ratio_up(window_of(c), c.ticks);
  if (c.window && math::ratio_up(window_of(c), tick) > most_ticks) {
    detail::refuse("a window of time has at most 2^24 ticks, got " + to_string(c.ticks));
  }
  return tick;
}

}  // namespace

recency_filter::recency_filter(const recency_config& config) {
  timed_ = config.window.has_value();
  set_window(window_of(config), tick_of(config));
  size_ = size_for(config);
  items_ = config.items;
  seed_ = config.seed;
  refresh_ = config.refresh;
  if (config.ahead) {
    if (config.ahead->count() < 0) {
      detail::refuse("`ahead` must not be negative; got " + std::to_string(config.ahead->count()));
    }
    ahead_ = static_cast<std::uint64_t>(config.ahead->count());
  }
  sweep_ = 4 * std::uint64_t{size_.k};
  cells_ = detail::stamp_cells(shape());
  if (timed_) arrivals_ = detail::arrival_counts(size_.oldest);
  if (config.audit) {
    audit_config own = *config.audit;
    own.window = window_ + (timed_ ? 1 : 0);  // an age of just the window is within it
    audit_.emplace(own);
  }
}

// The tick that a window of time cuts can have all the items of a window, in a burst before it; one
// of insertions has no more than its insertions.
math::stamp_load recency_filter::load_of(std::uint64_t items, bool evenly) const noexcept {
  items = std::min(items, most_insertions);
  std::uint64_t cut = items;
  if (!timed_) cut = std::min(cut, static_cast<std::uint64_t>(clock_.resolution().count()));
  if (evenly) cut = std::min(cut, math::ratio_up(items, size_.oldest));
  return {items, cut, size_.oldest};
}

math::stamp_size recency_filter::size_for(const recency_config& c) const {
  const int given = (c.error ? 1 : 0) + (c.memory ? 1 : 0) + (c.size ? 1 : 0);
  if (given != 1) {
    detail::refuse(
        std::string("a recency filter is sized by error, by memory or by the size of another "
                    "filter, and got ") +
        (given == 0   ? "none of them"
         : given == 2 ? "two of them"
                      : "all of them"));
  }
  const auto wanted = c.size ? std::optional(c.size->layout) : c.layout;
  if (wanted && *wanted != layout::flat && *wanted != layout::line) {
    detail::refuse("the layout of a recency filter is flat or line; got " +
                   std::string(name_of(*wanted)));
  }
  const math::stamp_load load = load_of(c.items, c.evenly);
  if (c.error) return math::stamps_for_error(load, *c.error, c.layout);
  if (c.memory) return math::stamps_for_memory(load, *c.memory, c.layout);
  if (c.size->oldest != size_.oldest || (c.layout && c.layout != c.size->layout)) {
    detail::refuse("a window of " + to_string(size_.oldest) +
                   " ticks does not go with a size for " + to_string(c.size->oldest) +
                   " ticks, nor one layout with another");
  }
  return *c.size;
}

detail::stamp_shape recency_filter::shape() const noexcept {
  return {size_.layout, size_.bits, size_.k, size_.cells, size_.oldest};
}

void recency_filter::set_window(std::uint64_t window, std::uint64_t tick) {
  window_ = window;
  clock_ = tick_clock(std::chrono::microseconds(static_cast<std::int64_t>(tick)));
  size_.oldest = static_cast<std::uint32_t>(math::ratio_up(window, tick));
  cut_ = static_cast<std::int64_t>(window - (size_.oldest - 1) * tick);
  if (timed_) return;
  now_ = 0;
  set_tick(0);
}

void recency_filter::clear() {
  detail::expect_not_moved_from(!cells_.empty(), "recency filter");
  cells_.clear();
  arrivals_.clear();
  if (audit_) audit_.emplace(audit_->config());
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

std::uint64_t recency_filter::memory() const noexcept {
  return cells_.memory() + arrivals_.memory() + (audit_ ? audit_->memory() : 0);
}

// -- time --------------------------------------------------------------------------------------

void recency_filter::set_tick(std::int64_t tick) noexcept {
  started_ = true;
  tick_ = tick;
  begins_ = clock_.start_of({tick});
  ends_ = clock_.end_of({tick});
}

void recency_filter::go_to(std::int64_t tick) noexcept {
  const std::uint64_t passed = math::distance(tick_, tick);
  cells_.advance(passed);
  if (timed_) arrivals_.advance(passed);
  set_tick(tick);
}

void recency_filter::advance(instant now) noexcept {
  if (!timed_ || (started_ && now.micros <= now_) || cells_.empty()) return;
  const std::int64_t tick = clock_.tick_of(now).number;
  if (started_) {
    go_to(tick);
  } else {
    set_tick(tick);
  }
  now_ = now.micros;
}

recency_filter::arrival recency_filter::arrive_elsewhen(instant when) noexcept {
  if (started_ && when.micros < now_) {
    if (math::distance(when.micros, now_) > window_) return {outcome::dropped_late, 0, when.micros};
    const std::uint64_t back = math::distance(clock_.tick_of(when).number, tick_);
    return {outcome::late, static_cast<std::uint32_t>(back), when.micros};
  }
  if (started_ && ahead_ && math::distance(now_, when.micros) > *ahead_) {
    return {outcome::future, 0, when.micros};
  }
  advance(when);
  return {outcome::added, 0, when.micros};
}

// Of a time after the present tick.
recency_filter::moment recency_filter::later(std::int64_t at) const noexcept {
  if (!started_) return {at, 0, 0, size_.oldest};
  const tick then = clock_.tick_of(instant(at));
  const std::int64_t offset = at - clock_.start_of(then).micros;
  return {at, offset, math::distance(tick_, then.number), oldest_at(offset)};
}

novelty recency_filter::test_and_set(digest d, const places& at, instant when,
                                     const math::penalties* costs) noexcept {
  const arrival event = arrive(when);
  const moment asked = moment_of(event.became == outcome::future ? when : latest());
  bool duplicate = seen_at(at, asked);
  if (audit_ && event.recorded() && (costs != nullptr || audit_->samples(d))) {
    const math::penalties each = costs != nullptr ? *costs : math::penalties{1, 1};
    const opinions said = opinions_of(cells_.look(at), asked, {});
    if (costs != nullptr) duplicate = chosen(said, each);
    audit_->question(d, asked.at, said, each);
  }
  if (event.recorded() && (!duplicate || refresh_)) record(d, at, event);
  return {!duplicate, losses_.count(event.became)};
}

void recency_filter::learn(digest d, instant when, const opinions& said,
                           const math::penalties& costs) noexcept {
  if (audit_ && !cells_.empty()) audit_->question(d, moment_of(when).at, said, costs);
}

void recency_filter::check_bulk(std::size_t items, std::size_t times, std::size_t answers,
                                bool has_time) const {
  detail::expect_not_moved_from(!cells_.empty(), "recency filter");
  detail::expect_as_many(items, answers);
  if (times != 0) return detail::expect_as_many(items, times, "times");
  if (items != 0 && !has_time) {
    detail::refuse("the first event of a window of time needs a time; got none");
  }
}

// -- ages --------------------------------------------------------------------------------------

std::optional<age_bracket> recency_filter::bracket(const sight& seen,
                                                   const moment& asked) const noexcept {
  if (!alive(seen, asked)) return std::nullopt;
  const tick of{tick_ - seen.age};
  const std::int64_t last = clock_.end_of(of).micros;
  // An insertion is older by one than the number it left behind.
  const std::int64_t now = timed_ ? asked.at : asked.at - 1;
  const auto since = [&](std::int64_t then) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - then));
  };
  return age_bracket{since(last), since(clock_.start_of(of).micros)};
}

// The ages, as evidence() counts them, that stamps of this age speak of.
math::evidence recency_filter::ages_of(std::uint32_t age, const moment& asked, bool in_time,
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

// Nothing is known but that x was not seen from the oldest tick on that the window touches.
recency_filter::view recency_filter::unseen(const moment& asked, bool in_time) const noexcept {
  if (cells_.empty()) return {math::older_than(0), 0};
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
double recency_filter::watched(const moment& asked) const noexcept {
  if (!timed_) return static_cast<double>(insertions_);
  if (insertions_ == 0) return 0;
  const std::uint32_t first = arrivals_.reaching(insertions_);
  if (arrivals_.before(first) != 0) return std::numeric_limits<double>::infinity();
  return ages_of(first, asked, true, 1).e;
}

double recency_filter::insertions_since(std::uint32_t age) const noexcept {
  if (timed_) return static_cast<double>(arrivals_.since(age));
  const auto length = static_cast<double>(clock_.resolution().count());
  return static_cast<double>(now_ - begins_.micros) + age * length;
}

// Different items in the tick of this age. How many there are in the latest j insertions is known
// for every j at which a tick begins, from the timers written since; as many are expected in any j
// others.
double recency_filter::different_in(std::uint32_t age) const noexcept {
  const double during = insertions_since(age) - (age == 0 ? 0 : insertions_since(age - 1));
  if (during <= 1) return 1;
  const auto knot = [&](std::uint32_t tick) -> math::distinct_knot {
    const double j = insertions_since(tick);
    return {j, std::clamp(math::alive_items(size_, cells_.younger_than(tick + 1)), 1., j)};
  };
  const std::uint32_t above = timed_ ? arrivals_.reaching(static_cast<std::uint64_t>(during))
                              : insertions_since(0) >= during ? 0
                                                              : 1;
  const bool first = above == 0 || insertions_since(above - 1) < 1;
  return math::distinct_between(first ? math::distinct_knot{1, 1} : knot(above - 1), knot(above),
                                during);
}

double recency_filter::g_of(const sight& seen, likelihood by) const noexcept {
  if (by == likelihood::census) {
    return math::stamp_census(cells_.with_age(seen.age), cells_.at_least(seen.age), seen.count);
  }
  return math::all_touched(size_, different_in(seen.age), seen.count);
}

recency_filter::view recency_filter::view_of(const sight& seen, const moment& asked, bool in_time,
                                             likelihood by) const noexcept {
  view all = unseen(asked, in_time);
  if (alive(seen, asked)) all.evidence = ages_of(seen.age, asked, in_time, g_of(seen, by));
  return all;
}

std::optional<math::masses> recency_filter::masses(const sight& seen, const moment& asked,
                                                   const age_prior& prior) const noexcept {
  if (!prior.known()) return std::nullopt;
  const view v = view_of(seen, asked, false, likelihood::census);
  return prior.window(v.evidence, v.window);
}

std::optional<math::masses> recency_filter::masses(const sight& seen, const moment& asked,
                                                   const event_rate& prior) const {
  if (!timed_ || std::isnan(prior.per_second)) return std::nullopt;
  const view v = view_of(seen, asked, true, likelihood::census);
  return math::window_masses(v.evidence, v.window,
                             math::geometric::of_rate(prior.per_second * 1e-6));
}

opinions recency_filter::opinions_of(const sight& seen, const moment& asked,
                                     const age_prior& prior) const noexcept {
  opinions said;
  said.standard = alive(seen, asked);
  const learned_ages* const ages = learned();
  for (const likelihood by : {likelihood::census, likelihood::analytic}) {
    const bool census = by == likelihood::census;
    if (ages != nullptr) {
      const view v = view_of(seen, asked, true, by);
      said[census ? arm::empirical_census : arm::empirical_analytic] =
          math::window_masses(v.evidence, v.window, *ages);
    }
    if (prior.known()) {
      const view v = view_of(seen, asked, false, by);
      said[census ? arm::geometric_census : arm::geometric_analytic] =
          prior.window(v.evidence, v.window);
    }
  }
  return said;
}

// -- what it says of itself --------------------------------------------------------------------

std::uint64_t recency_filter::alive_timers() const noexcept {
  if (cells_.empty()) return 0;
  return cells_.younger_than(moment_of(latest()).oldest + 1);
}

double recency_filter::fill() const noexcept {
  return static_cast<double>(alive_timers()) / static_cast<double>(size_.cells);
}

double recency_filter::alive_items() const { return math::alive_items(size_, alive_timers()); }

double recency_filter::predicted_error(std::uint64_t items) const {
  return math::stamp_error(size_, math::alive_at_worst(load_of(items, false)));
}

double recency_filter::current_error() const { return math::alive_error(size_, alive_timers()); }

// -- merging -----------------------------------------------------------------------------------

void recency_filter::expect_mergeable(const recency_filter& other) const {
  detail::expect_not_moved_from(!cells_.empty() && !other.cells_.empty(), "recency filter");
  if (shape() != other.shape() || timed_ != other.timed_ || window_ != other.window_ ||
      clock_ != other.clock_ || seed_ != other.seed_) {
    const auto told = [](const recency_filter& f) {
      return to_string(f.size_.cells) + " timers of " + to_string(f.size_.bits) + " bits (" +
             std::string(name_of(f.size_.layout)) + "), " + to_string(f.size_.k) +
             " per item, a window of " + to_string(f.window_) +
             (f.timed_ ? " microseconds" : " insertions") + " in ticks of " +
             std::to_string(f.clock_.resolution().count()) + " and the seed " + to_string(f.seed_);
    };
    throw error(errc::incompatible,
                "recency filters merge if timers, window, ticks and seed are the same; here are " +
                    told(*this) + ", and " + told(other));
  }
}

void recency_filter::merge(const recency_filter& other) {
  expect_mergeable(other);
  if (!other.started_) return;
  if (other.insertions_ > most_insertions - insertions_) {
    throw error(errc::too_large, "both filters together have more than 2^62 insertions");
  }
  recency_filter sum(*this);
  if (!sum.timed_) {
    // Of two counts of insertions into the present tick the smaller one forgets nothing too early.
    sum.now_ -=
        std::max<std::int64_t>(0, (now_ - begins_.micros) - (other.now_ - other.begins_.micros));
    sum.cells_.unite(other.cells_, 0);
  } else {
    sum.advance(other.latest());
    const std::uint64_t behind = math::distance(other.tick_, sum.tick_);
    sum.cells_.unite(other.cells_, behind);
    sum.arrivals_.add(other.arrivals_, behind);
  }
  sum.insertions_ += other.insertions_;
  if (sum.audit_) {
    if (timed_ && other.audit_) {
      sum.audit_->merge(*other.audit_);
    } else if (other.insertions_ != 0) {
      sum.audit_->restart(sum.now_);
    }
  }
  *this = std::move(sum);
}

BLOOMTIME_VALUE_OF(recency_filter);

}  // namespace bloomtime
