#include <bloomtime/history/timeline_history.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <bloomtime/detail/name_removal.hpp>
#include <bloomtime/detail/timelines_merge.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/history.hpp>

#include "../math/expect.hpp"

namespace bloomtime {
namespace {

using detail::positions;
using detail::tick_range;
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
  const auto take = [&](tick_range ticks) {
    const tick first{static_cast<std::int64_t>(first_ + std::max(ticks.first, range->first))};
    const tick last{static_cast<std::int64_t>(first_ + std::min(ticks.last, range->last))};
    if (first > last) return true;
    if (!found.empty() && found.back().last.number + 1 == first.number) {
      found.back().last = last;
    } else {
      found.push_back({first, last});
    }
    return true;
  };
  const std::uint64_t key = detail::timeline_key(d);
  live_.for_each(d, [&](std::uint64_t t) { take({t, t}); });
  if (!named_.empty()) {
    if (const auto line = named_.view().find(key)) {
      detail::timeline_cursor ticks(*line);
      while (const std::optional<tick_range> run = ticks.next()) take(*run);
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
  detail::tick_sources sources;
  detail::add_sources(sources, named_, live_);
  named_ = detail::timelines_merge(ticks_, std::move(sources)).finish();
  live_ = {};
}

void timeline_history::seal() {
  compact();
  if (!sealed_) take_names();
  sealed_ = true;
}

// What costs less without a name than with one, if all of it together does.
void timeline_history::take_names() {
  detail::name_removal removal(named_, error_, length_);
  for (std::uint64_t work = std::numeric_limits<std::uint64_t>::max(); !removal.step(work);) {
  }
  if (!removal.is_worth_it()) return;
  nameless_.push_back(std::move(removal.nameless()));
  named_ = std::move(removal.named());
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
