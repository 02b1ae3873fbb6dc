#include "profile/past.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include <bloomtime/history/detail/timelines.hpp>

namespace bloomtime::profile {
namespace {

using std::chrono::microseconds;

// What is older has no weight: 2^-64 of each event, which `upper` includes.
constexpr int half_lives = 64;
constexpr double rounding = 1e-9;  // more than all sums below can lose

constexpr interval all_ticks{tick{0}, tick{std::numeric_limits<std::int64_t>::max()}};

// 2^(-age / half-life), in whole ticks.
class weights {
 public:
  weights(const tick_clock& clock, microseconds half_life, instant when)
      : clock_(clock),
        now_(clock.tick_of(when)),
        per_tick_(static_cast<double>(clock.resolution().count()) /
                  static_cast<double>(half_life.count())) {}

  tick now() const { return now_; }
  double of(tick t) const { return std::exp2(-static_cast<double>(age(t)) * per_tick_); }
  // The sum over all ticks of an interval: a geometric series.
  double of(interval i) const {
    const double ticks = static_cast<double>(i.last.number - i.first.number) + 1;
    const double loss = per_tick_ * std::numbers::ln2;
    return of(i.last) * std::expm1(-ticks * loss) / std::expm1(-loss);
  }
  // The ticks that have any weight.
  interval reach() const {
    const double ticks = std::ceil(half_lives / per_tick_);
    constexpr double most = 0x1p62;
    const auto back = static_cast<std::int64_t>(std::min(ticks, most));
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    return {{now_.number < least + back ? least : now_.number - back}, now_};
  }
  const tick_clock& clock() const { return clock_; }

 private:
  std::int64_t age(tick t) const { return std::max<std::int64_t>(0, now_.number - t.number); }

  tick_clock clock_;
  tick now_;
  double per_tick_;
};

// The decayed number of events in all minutes up to any one, each with the weight of its end.
class weighted_minutes {
 public:
  weighted_minutes(const store::minute_totals& events, const weights& by) {
    const auto length = std::chrono::microseconds(std::chrono::minutes(1)).count();
    events.for_each([&](instant begin, std::uint64_t n) {
      if (by.now() < by.clock().tick_of(begin)) return;
      minutes_.push_back(store::minute_totals::minute_of(begin));
      const tick end = by.clock().tick_of(instant(begin.micros + length - 1));
      sums_.push_back((sums_.empty() ? 0 : sums_.back()) + static_cast<double>(n) * by.of(end));
    });
  }

  // Of the minutes first..last.
  double in(std::int64_t first, std::int64_t last) const {
    return last < first ? 0 : upto(last) - upto(first - 1);
  }
  double upto(std::int64_t minute) const {
    const auto after = std::upper_bound(minutes_.begin(), minutes_.end(), minute);
    return after == minutes_.begin()
               ? 0
               : sums_[static_cast<std::size_t>(after - minutes_.begin() - 1)];
  }

 private:
  std::vector<std::int64_t> minutes_;
  std::vector<double> sums_;
};

// The events of all minutes in which something was seen.
double events_around(const sightings& seen, const weighted_minutes& minutes,
                     const tick_clock& clock) {
  double sum = 0;
  std::int64_t next = std::numeric_limits<std::int64_t>::min();  // minute that is not counted yet
  for (const interval& i : seen) {
    const auto first = store::minute_totals::minute_of(clock.start_of(i.first));
    const auto last = store::minute_totals::minute_of(clock.end_of(i.last));
    sum += minutes.in(std::max(first, next), last);
    next = last + 1;
  }
  return sum;
}

// Events of an item beyond one in each tick that is known, decayed from the newest tick on.
double further_events(const field_profile& field, digest id, const sightings& seen,
                      const weights& weight) {
  const auto total = field.total(id);
  if (!total) return std::numeric_limits<double>::infinity();
  const std::uint64_t ticks = count_ticks(field.past->when(id, all_ticks));
  const std::uint64_t more = total->upper - std::min(total->upper, ticks);
  return static_cast<double>(more) * weight.of(seen.back().last);
}

}  // namespace

std::vector<kept_name> kept_names_of(const field_profile& field) {
  std::vector<kept_name> names;
  std::set<std::pair<std::uint64_t, std::uint64_t>> known;
  const auto add = [&](const hot_list& list) {
    for (hot_item& h : list.top(list.listed(), any_time)) {
      if (known.emplace(h.id.lo, h.id.hi).second) {
        names.push_back({std::move(h.item), h.cut, h.id});
      }
    }
  };
  add(field.hot);
  if (field.totals) add(field.totals->largest());
  return names;
}

double wrong_ticks(const history& past, interval asked) {
  double expected = 0;
  past.for_each([&](const timeline_history& part) {
    const auto begin = static_cast<std::int64_t>(part.first());
    const std::int64_t end = begin + static_cast<std::int64_t>(part.ticks()) - 1;
    const std::int64_t from = std::max(begin, asked.first.number);
    const std::int64_t to = std::min(end, asked.last.number);
    if (from > to) return;
    expected +=
        part.current_error(static_cast<std::uint64_t>(to - from) + 1) +
        std::ldexp(static_cast<double>(part.items()), -static_cast<int>(detail::timeline_key_bits));
  });
  return std::min(expected, 1.0);
}

bool is_dropped(const history& past, interval asked, const std::optional<instant>& first_event) {
  if (!first_event || past.known_from() <= tick{0}) return false;
  return std::max(asked.first, past.clock().tick_of(*first_event)) < past.known_from();
}

past_heat hottest_at(const field_profile& field, const store::minute_totals& events,
                     std::uint64_t uncounted, instant when, std::size_t n) {
  const history& past = *field.past;
  const weights weight(past.clock(), field.hot.bucket(), when);
  const weighted_minutes minutes(events, weight);
  const interval reach = weight.reach();
  past_heat found{.error = wrong_ticks(past, all_ticks)};
  // Events whose ticks are not known any more, and those that weigh next to nothing.
  double unknown = std::ldexp(static_cast<double>(events.events()), -half_lives) +
                   static_cast<double>(uncounted);
  if (reach.first < past.known_from()) {
    const instant before(past.clock().start_of(past.known_from()).micros - 1);
    const double dropped = minutes.upto(store::minute_totals::minute_of(before));
    unknown += dropped;
    found.is_partial = dropped > 0;
  }
  const unsigned buckets = field.hot.buckets();
  for (kept_name& name : kept_names_of(field)) {
    ++found.names;
    const sightings seen = past.when(name.id, reach);
    if (seen.empty()) continue;
    estimate heat;
    for (const interval& i : seen) heat.value += weight.of(i);
    heat.lower = heat.value * (1 - rounding);
    const double around = events_around(seen, minutes, past.clock()) + unknown;
    const double further = further_events(field, name.id, seen, weight);
    heat.upper = std::max(heat.value, std::min(around, heat.value + further)) * (1 + rounding);
    const std::int64_t bucket =
        std::max<std::int64_t>(1, field.hot.bucket().count() / past.clock().resolution().count());
    const interval recent{{weight.now().number - bucket * buckets + 1}, weight.now()};
    ranked_item item{.item = std::move(name.item), .cut = name.cut, .heat = heat};
    item.recent = histogram(past.when(name.id, recent), recent, buckets);
    found.items.push_back(std::move(item));
  }
  std::stable_sort(found.items.begin(), found.items.end(),
                   [](const auto& a, const auto& b) { return a.heat.value > b.heat.value; });
  found.items.resize(std::min(n, found.items.size()));
  return found;
}

}  // namespace bloomtime::profile
