#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/recency/recency_filter.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "support/oracle.hpp"

namespace bloomtime {
namespace recency_filter_property {

// A filter and when each item was last recorded. Positions are microseconds or insertions so far.
class recency_twin {
 public:
  explicit recency_twin(const recency_config& config) : filter_(config), empty_(config) {}

  void check() const {
    for (int item = 0; item < items; ++item) {
      const auto last = last_.find(item);
      for (const std::int64_t later : {std::int64_t{0}, window() / 3, window() + tick()}) {
        const instant when(filter_.timed() && started() ? now() + later : now());
        const std::int64_t age = last == last_.end() ? -1 : age_of(last->second, when.micros);
        check_item(item, when, age);
      }
    }
    RC_ASSERT(filter_.fill() >= 0 && filter_.fill() <= 1);
  }

  void add() {
    const auto [item, when] = event();
    const bool late = filter_.timed() && started() && when.micros < now();
    const bool dropped = late && now() - when.micros > window();
    const auto became = filter_.add(item, when);
    RC_ASSERT((became == outcome::dropped_late) == dropped);
    if (!dropped) record(item, when);
  }

  void add_if_new() {
    const auto [item, when] = event();
    const std::uint64_t before = filter_.insertions();
    const auto [fresh, became] = filter_.add_if_new(item, when);
    const bool recorded = filter_.insertions() != before;
    const auto last = last_.find(item);
    if (last != last_.end() && age_of(last->second, now()) <= promised()) {
      RC_ASSERT(!fresh);
    }
    RC_ASSERT(recorded == (became != outcome::dropped_late && (fresh || filter_.refresh())));
    if (recorded) record(item, when);
  }

  void pass() {
    if (!filter_.timed() || !started()) return;
    const auto by = *rc::gen::inRange<std::int64_t>(0, 3 * window() + 2);
    filter_.advance(instant(now() + by));
  }

  void jump() {
    if (!filter_.timed() || !started()) return;
    const auto ticks = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40);
    filter_.advance(instant(now() + ticks));
  }

  void replicate() {
    filter_ = oracle::reloaded(oracle::assigned(oracle::copied(filter_), empty_));
  }

  // Another filter that saw some of the same items, earlier or later.
  void merge() {
    recency_twin other(*this, empty_);
    for (int i = *rc::gen::inRange(0, 6); i > 0; --i) other.add();
    const std::int64_t mine = now();
    const std::int64_t theirs = other.now();
    const bool none = other.filter_.insertions() == 0;
    filter_.merge(other.filter_);
    if (none) return;
    if (!filter_.timed()) {  // each keeps its ages
      position_ -= std::max<std::int64_t>(0, mine % tick() - theirs % tick());
      for (auto& [item, at] : last_) at += now() - mine;
      for (auto& [item, at] : other.last_) at += now() - theirs;
    }
    for (const auto& [item, at] : other.last_) note(item, at);
  }

 private:
  static constexpr int items = 12;

  recency_twin(const recency_twin& like, recency_filter empty)
      : filter_(empty), empty_(std::move(empty)), start_(like.now()) {}

  // The latest time, or the number of insertions; INT64_MIN before the first event.
  std::int64_t now() const {
    return filter_.timed() ? filter_.newest().value_or(instant(INT64_MIN)).micros : position_;
  }
  bool started() const { return filter_.insertions() != 0; }
  std::int64_t window() const { return static_cast<std::int64_t>(filter_.window()); }
  std::int64_t tick() const { return filter_.clock().resolution().count(); }
  // The largest age of which it must not say no.
  std::int64_t promised() const { return filter_.timed() ? window() : window() - 1; }
  std::int64_t age_of(std::int64_t at, std::int64_t now) const {
    return filter_.timed() ? now - at : now - at - 1;
  }

  void check_item(int item, instant when, std::int64_t age) const {
    const bool seen = filter_.seen(item, when);
    if (age >= 0 && age <= promised()) RC_ASSERT(seen);
    const auto bracket = filter_.age(item, when);
    RC_ASSERT(bracket.has_value() == seen);
    if (seen) {
      RC_ASSERT(bracket->youngest <= bracket->oldest);
      RC_ASSERT(bracket->youngest <= static_cast<std::uint64_t>(promised()));
      if (age >= 0) RC_ASSERT(bracket->youngest <= static_cast<std::uint64_t>(age));
    }
    const double p = filter_.posterior(item, when, age_prior::share(0.1));
    RC_ASSERT(p >= 0 && p <= 1 && (p == 0 || seen));
    if (filter_.timed()) {
      const double by_rate = filter_.posterior(item, when, event_rate{1e6 / double(window())});
      RC_ASSERT(by_rate >= 0 && by_rate <= 1 && (by_rate > 0) == seen);
    }
  }

  std::pair<int, instant> event() {
    const int item = *rc::gen::inRange(0, items);
    if (!started()) return {item, instant(start_ == INT64_MIN ? -1000 : start_)};
    const auto step = *rc::gen::inRange<std::int64_t>(-window() - 2, window() + 2);
    return {item, instant(now() + (step < 0 ? step : step / 8))};
  }

  void record(int item, instant when) { note(item, filter_.timed() ? when.micros : position_++); }
  void note(int item, std::int64_t at) {
    const auto [last, added] = last_.emplace(item, at);
    if (!added) last->second = std::max(last->second, at);
  }

  recency_filter filter_;
  recency_filter empty_;
  std::int64_t start_ = INT64_MIN;
  std::int64_t position_ = 0;
  std::map<int, std::int64_t> last_;
};

recency_config any_small_recency() {
  recency_config c{.items = *rc::gen::inRange<std::uint64_t>(1, 30),
                   .ticks = *rc::gen::inRange(1U, 20U),
                   .refresh = *rc::gen::arbitrary<bool>(),
                   .seed = *rc::gen::inRange<std::uint64_t>(0, 5)};
  const auto window = *rc::gen::inRange<std::uint64_t>(1, 200);
  if (*rc::gen::arbitrary<bool>()) {
    c.last = window;
  } else {
    c.window = std::chrono::microseconds(window);
  }
  c.memory = *rc::gen::inRange<std::uint64_t>(4, 200);
  if (*c.memory >= 64 && *rc::gen::arbitrary<bool>()) c.layout = layout::line;
  return c;
}

RC_GTEST_PROP(recency_filter, agrees_with_its_exact_twin, ()) {
  static constexpr std::array operations{
      oracle::operation<recency_twin>{"add", 6, [](recency_twin& t) { t.add(); }},
      oracle::operation<recency_twin>{"add if new", 6, [](recency_twin& t) { t.add_if_new(); }},
      oracle::operation<recency_twin>{"pass", 2, [](recency_twin& t) { t.pass(); }},
      oracle::operation<recency_twin>{"jump", 1, [](recency_twin& t) { t.jump(); }},
      oracle::operation<recency_twin>{"replicate", 1, [](recency_twin& t) { t.replicate(); }},
      oracle::operation<recency_twin>{"merge", 1, [](recency_twin& t) { t.merge(); }},
  };
  recency_twin twin(any_small_recency());
  oracle::random_walk<recency_twin>(twin, operations);
}

}  // namespace recency_filter_property
}  // namespace bloomtime
