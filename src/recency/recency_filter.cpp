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
#include "recency/window_config.hpp"

namespace bloomtime {
namespace {

using std::to_string;

constexpr const char* called = "a recency filter";

std::uint64_t tick_of(const recency_config& c) {
  constexpr std::uint32_t most_ticks = std::uint32_t{1} << 24;
  if (c.ticks == 0) detail::refuse("a window has one tick or more, got 0");
  const std::uint64_t tick = tick_length(c, called);
  if (c.window && math::ratio_up(window_length(c, called), tick) > most_ticks) {
    detail::refuse("a window of time has at most 2^24 ticks, got " + to_string(c.ticks));
  }
  return tick;
}

}  // namespace

recency_filter::recency_filter(const recency_config& config)
    : window_(window_length(config, called), tick_of(config), config.window.has_value(),
              ahead_of(config)),
      refresh_(config.refresh),
      items_(config.items),
      seed_(config.seed) {
  size_.oldest = window_.ticks();
  size_ = size_for(config);
  sweep_ = 4 * std::uint64_t{size_.k};
  cells_ = detail::stamp_cells(shape());
  audit_ = audit_of(config, window(), timed());
}

void recency_filter::expect_usable() const {
  detail::expect_not_moved_from(usable(), "recency filter");
}

// The tick that a window of time cuts can have all the items of a window, in a burst before it; one
// of insertions has no more than its insertions.
math::stamp_load recency_filter::load_of(std::uint64_t items, bool evenly) const noexcept {
  items = std::min(items, detail::recent_window::most_insertions);
  std::uint64_t cut = items;
  if (!timed()) cut = std::min(cut, static_cast<std::uint64_t>(clock().resolution().count()));
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

void recency_filter::clear() {
  expect_usable();
  cells_.clear();
  window_.clear();
  if (audit_) audit_.emplace(audit_->config());
}

std::uint64_t recency_filter::memory() const noexcept {
  return cells_.memory() + window_.memory() + (audit_ ? audit_->memory() : 0);
}

// -- events ------------------------------------------------------------------------------------

void recency_filter::advance(instant now) noexcept {
  if (usable()) cells_.advance(window_.advance(now));
}

novelty recency_filter::test_and_set_at(digest d, const places& at, instant when,
                                        const math::penalties* costs) noexcept {
  const arrival event = arrive(when);
  const moment asked = window_.moment_of(event.became == outcome::future ? when : window_.latest());
  bool duplicate = seen_at(at, asked);
  if (audit_ && event.recorded() && (costs != nullptr || audit_->samples(d))) {
    const math::penalties each = costs != nullptr ? *costs : math::penalties{1, 1};
    const opinions said = opinions_of(look_at(at), asked, {});
    if (costs != nullptr) duplicate = chosen(said, each);
    audit_->question(d, asked.at, said, each);
  }
  if (event.recorded() && (!duplicate || refresh_)) record(d, at, event);
  return {!duplicate, losses_.count(event.became)};
}

// -- ages --------------------------------------------------------------------------------------

recency_filter::sight recency_filter::look_at(const places& at) const noexcept {
  const detail::stamp_cells::sight seen = cells_.look(at);
  if (seen.age == detail::stamp_cells::expired) return {};
  return {seen.age, seen.count};
}

recency_filter::sight recency_filter::look(digest d) const noexcept {
  if (!usable()) return {};
  places at;
  cells_.find(d, at);
  return look_at(at);
}

// Different items in the tick of this age. How many there are in the latest j insertions is known
// for every j at which a tick begins, from the timers written since; as many are expected in any j
// others.
double recency_filter::different_in(std::uint32_t age) const noexcept {
  const auto since = [&](std::uint32_t tick) { return window_.insertions_since(tick); };
  const double during = since(age) - (age == 0 ? 0 : since(age - 1));
  if (during <= 1) return 1;
  const auto knot = [&](std::uint32_t tick) -> math::distinct_knot {
    const double j = since(tick);
    return {j, std::clamp(math::alive_items(size_, cells_.younger_than(tick + 1)), 1., j)};
  };
  const std::uint32_t above = timed()
                                  ? window_.arrivals().reaching(static_cast<std::uint64_t>(during))
                              : since(0) >= during ? 0
                                                   : 1;
  const bool first = above == 0 || since(above - 1) < 1;
  return math::distinct_between(first ? math::distinct_knot{1, 1} : knot(above - 1), knot(above),
                                during);
}

double recency_filter::census_g(const sight& seen) const noexcept {
  return math::stamp_census(cells_.with_age(*seen.age), cells_.at_least(*seen.age), seen.count);
}

double recency_filter::analytic_g(const sight& seen) const noexcept {
  return math::all_touched(size_, different_in(*seen.age), seen.count);
}

// -- what it says of itself --------------------------------------------------------------------

std::uint64_t recency_filter::alive_timers() const noexcept {
  if (!usable()) return 0;
  return cells_.younger_than(window_.moment_of(window_.latest()).oldest + 1);
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
  expect_usable();
  other.expect_usable();
  if (shape() != other.shape() || timed() != other.timed() || window() != other.window() ||
      clock() != other.clock() || seed_ != other.seed_) {
    const auto told = [](const recency_filter& f) {
      return to_string(f.size_.cells) + " timers of " + to_string(f.size_.bits) + " bits (" +
             std::string(name_of(f.size_.layout)) + "), " + to_string(f.size_.k) +
             " per item, a window of " + to_string(f.window()) +
             (f.timed() ? " microseconds" : " insertions") + " in ticks of " +
             to_string(f.clock().resolution().count()) + " and the seed " + to_string(f.seed_);
    };
    throw error(errc::incompatible,
                "recency filters merge if timers, window, ticks and seed are the same; here are " +
                    told(*this) + ", and " + told(other));
  }
  if (other.insertions() > detail::recent_window::most_insertions - insertions()) {
    throw error(errc::too_large, "both filters together have more than 2^62 insertions");
  }
}

void recency_filter::merge(const recency_filter& other) {
  expect_mergeable(other);
  if (!other.window_.started()) return;
  recency_filter sum(*this);
  const auto shift = sum.window_.merge(other.window_);
  sum.cells_.advance(shift.passed);
  sum.cells_.unite(other.cells_, shift.behind);
  merge_audits(sum.audit_, other.audit_, timed(), other.insertions(), sum.window_.now());
  *this = std::move(sum);
}

BLOOMTIME_VALUE_OF(recency_filter);

}  // namespace bloomtime
