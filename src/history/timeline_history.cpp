#include <bloomtime/history/timeline_history.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <bloomtime/error.hpp>
#include <bloomtime/math/history.hpp>

#include "../math/expect.hpp"
#include "keyed_ticks.hpp"

namespace bloomtime {
namespace {

using detail::keyed_ticks;
using detail::positions;
using detail::positions_shape;
using detail::timeline_head;
using detail::timelines;
using math::text_of;

void expect_config(const timeline_config& c) {
  const auto refuse = [](const std::string& why) {
    throw bloomtime::error(errc::invalid_argument, why);
  };
  if (c.ticks == 0 || c.ticks > detail::most_timeline_ticks) {
    refuse("a timeline history spans 1 to 2^32 ticks, asked for " + text_of(c.ticks) +
           "; use partitions or a coarser resolution");
  }
  if (c.first > detail::most_ticks) {
    refuse("a span begins at most 2^62 ticks after the origin, asked for " + text_of(c.first));
  }
  if (!(c.error > 0 && c.error < 1)) {
    refuse("a timeline history's error must lie between 0 and 1, got " + text_of(c.error));
  }
  if (c.length == 0) refuse("a question is about at least one tick, got a length of 0");
}

// Bits that a sighting without a name takes, if there are many.
double position_bits(double error, std::uint64_t length) {
  constexpr std::uint64_t many = 1 << 16;
  const positions_shape shape{
      .first = 0, .span = 1, .range = math::position_range(many, error, length), .count = many};
  return 8.0 * static_cast<double>(positions::list_bytes(shape) + positions::marks_bytes(shape)) /
         many;
}

}  // namespace

timeline_history::timeline_history(const timeline_config& config)
    : history_calls(tick_clock(config.resolution, config.origin), config.first, config.ticks,
                    config.seed),
      error_(config.error),
      length_(config.length) {
  expect_config(config);
}

outcome timeline_history::add_at(digest d, tick t) {
  const outcome where = detail::placed(t, ticks_, first_);
  if (where != outcome::added) return where;
  live_.add(d, static_cast<std::uint32_t>(position_of(t)));
  count(1);
  return where;
}

sighting timeline_history::ask(digest d, interval asked, std::uint64_t& probes) const noexcept {
  const auto range = detail::clipped(asked, ticks_, first_);
  if (!range) return sighting::no;
  const auto yes_if = [&](bool seen) {
    ++probes;
    return seen;
  };
  const std::uint64_t key = detail::timeline_key(d);
  if (!live_.empty() && yes_if(live_.seen(d, *range))) return sighting::maybe;
  if (!named_.empty()) {
    const auto line = named_.view().find(key);
    if (yes_if(line && line->seen(*range))) return sighting::maybe;
  }
  for (const positions& p : nameless_) {
    if (yes_if(p.view().seen(key, *range))) return sighting::maybe;
  }
  return sighting::no;
}

sightings timeline_history::list(digest d, interval asked) const {
  const auto range = detail::clipped(asked, ticks_, first_);
  if (!range) return {};
  sightings found;  // of each part of it in order
  const auto take_all = [&](std::uint64_t from, std::uint64_t to) {
    const tick first{static_cast<std::int64_t>(first_ + std::max(from, range->first))};
    const tick last{static_cast<std::int64_t>(first_ + std::min(to, range->last))};
    if (first > last) return;
    if (!found.empty() && found.back().last.number + 1 == first.number) {
      found.back().last = last;
    } else {
      found.push_back({first, last});
    }
  };
  const auto take = [&](std::uint64_t t) {
    take_all(t, t);
    return true;
  };
  const std::uint64_t key = detail::timeline_key(d);
  live_.for_each(d, take);
  if (!named_.empty()) {
    const auto line = named_.view().find(key);
    if (line && line->head().is_run()) {
      take_all(line->head().first, line->head().last);
    } else if (line) {
      line->for_each(take);
    }
  }
  for (const positions& p : nameless_) p.view().for_each(key, *range, take);
  std::sort(found.begin(), found.end(),
            [](const interval& a, const interval& b) { return a.first < b.first; });
  sightings seen;
  for (const interval& i : found) extend(seen, i);
  return seen;
}

void timeline_history::compact() {
  if (live_.empty()) return;
  std::vector<keyed_ticks> lists(2);
  lists[0].add(named_, 0);
  lists[1].add(live_, 0);
  named_ = detail::sealed_of(lists, ticks_);
  live_ = {};
}

void timeline_history::seal() {
  compact();
  if (!sealed_) take_names();
  sealed_ = true;
}

// What costs less without a name than with one, if all of it together does.
void timeline_history::take_names() {
  if (named_.empty()) return;
  const double each = position_bits(error_, length_);
  const auto bits_with_name = [&](const timeline_head& head) {
    return named_.shape().rest_bits() + detail::head_bits(head, ticks_) + head.body;
  };
  const auto leaves = [&](const timeline_head& head) {
    return static_cast<double>(head.count) * each < static_cast<double>(bits_with_name(head));
  };
  std::uint64_t count = 0;
  std::uint64_t saved = 0;
  named_.view().for_each([&](std::uint64_t, const auto& line) {
    if (!leaves(line.head())) return;
    count += line.head().count;
    saved += bits_with_name(line.head());
  });
  positions_shape shape{.first = 0, .span = ticks_, .range = 0, .count = count};
  shape.range = std::max(ticks_, math::position_range(count, error_, length_));
  if (count == 0 || 8 * (positions::list_bytes(shape) + positions::marks_bytes(shape)) >= saved) {
    return;
  }
  std::vector<std::uint64_t> places;
  std::vector<keyed_ticks> kept(1);
  places.reserve(std::min(count, named_.shape().ticks));
  detail::for_each_sound(named_, [&](std::uint64_t key, std::span<const std::uint32_t> ticks,
                                     const timeline_head& head) {
    if (!leaves(head)) return kept[0].add(key, ticks);
    for (const std::uint32_t t : ticks) places.push_back(shape.position(key, t));
  });
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  timelines named = detail::sealed_of(kept, ticks_);
  nameless_.push_back(positions::of(shape, places));
  named_ = std::move(named);
}

std::uint64_t timeline_history::pairs() const noexcept {
  std::uint64_t pairs = live_.ticks() + named_.shape().ticks;
  for (const positions& p : nameless_) pairs += p.shape().count;
  return pairs;
}

std::uint64_t timeline_history::items() const noexcept {
  return live_.items() + named_.shape().items;
}

double timeline_history::error(std::uint64_t length) const {
  double expected = 0;
  for (const positions& p : nameless_) {
    expected += math::position_error(p.shape().count, p.shape().range, length);
  }
  return std::min(expected, 1.0);
}

std::uint64_t timeline_history::sealed_bytes() const noexcept {
  std::uint64_t bytes = named_.bytes();
  for (const positions& p : nameless_) bytes += p.bytes();
  return bytes;
}

}  // namespace bloomtime
