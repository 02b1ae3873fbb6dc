#include <bloomtime/history/timeline_history.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>
#include <bloomtime/math/history.hpp>

#include "math/expect.hpp"

namespace bloomtime {
namespace {

using detail::positions;
using detail::tick_layer;
using detail::tick_range;
using math::text_of;

void expect_config(const timeline_config& c) {
  const auto refuse = [](const std::string& why) {
    throw bloomtime::error(errc::invalid_argument, why);
  };
  if (c.ticks == 0 || c.ticks > detail::most_timeline_ticks) {
    refuse("a timeline history spans 1 to 2^32 ticks, got " + text_of(c.ticks) +
           "; use partitions or a longer tick");
  }
  if (c.first > detail::most_ticks) {
    refuse("a span begins at most 2^62 ticks after the origin, got " + text_of(c.first));
  }
  if (!(c.error > 0 && c.error < 1)) {
    refuse("the error of a timeline history must lie between 0 and 1, got " + text_of(c.error));
  }
  if (c.length == 0) refuse("the length of a query must be at least one tick, got 0");
}

}  // namespace

timeline_history::timeline_history(const timeline_config& config)
    : history_calls(tick_clock(config.tick, config.origin), config.first, config.ticks,
                    config.seed),
      error_(config.error),
      length_(config.length),
      archive_(config.ticks) {
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
  if (!live_.empty() && yes_if(live_.seen(d, *range))) return sighting::maybe;
  for (const tick_layer& layer : archive_.layers()) {
    if (yes_if(layer.seen(d, *range))) return sighting::maybe;
  }
  const std::uint64_t key = detail::timeline_key(d);
  for (const positions& p : archive_.nameless()) {
    if (yes_if(p.seen(key, *range))) return sighting::maybe;
  }
  return sighting::no;
}

void timeline_history::ask_block(const detail::digest_block& items, std::span<const interval> asked,
                                 std::span<sighting> answers) const noexcept {
  std::array<tick_range, detail::bulk_block> ranges;
  std::array<std::uint8_t, detail::bulk_block> open;  // items that are not answered yet
  std::size_t count = 0;
  tick_range all = detail::no_ticks;
  for (std::size_t i = 0; i < items.count; ++i) {
    const auto range = detail::clipped(asked[i], ticks_, first_);
    if (answers[i] == sighting::maybe || !range) continue;
    ranges[i] = *range;
    all.widen(*range);
    open[count++] = static_cast<std::uint8_t>(i);
  }
  // Asks one structure about the items that it may have.
  const auto ask_items = [&](auto&& may_have, auto&& prefetch, auto&& seen) {
    std::array<std::uint8_t, detail::bulk_block> few;
    std::size_t asked_here = 0;
    for (std::size_t n = 0; n < count; ++n) {
      few[asked_here] = open[n];
      asked_here += may_have(items[open[n]]) ? 1 : 0;
    }
    const std::span<const std::uint8_t> here(few.data(), asked_here);
    if (here.size() > 1) prefetch(here);  // a single one would wait for it at once
    bool found = false;
    for (const std::uint8_t i : here) {
      if (!seen(items[i], ranges[i])) continue;
      answers[i] = sighting::maybe;
      found = true;
    }
    if (!found) return;
    const std::size_t had = std::exchange(count, 0);
    for (std::size_t n = 0; n < had; ++n) {
      if (answers[open[n]] != sighting::maybe) open[count++] = open[n];
    }
  };
  using numbers = std::span<const std::uint8_t>;
  constexpr auto any = [](digest) { return true; };
  if (!live_.empty()) {
    ask_items(
        any,
        [&](numbers here) {
          for (const std::uint8_t i : here) live_.prefetch(items[i]);
        },
        [&](digest d, tick_range range) { return live_.seen(d, range); });
  }
  for (const tick_layer& layer : archive_.layers()) {
    if (!layer.reach().touches(all)) continue;
    ask_items([&](digest d) { return layer.may_have(d); },
              [&](numbers here) {
                for (const std::uint8_t i : here) layer.prefetch_place(items[i]);
                for (const std::uint8_t i : here) layer.prefetch_item(items[i]);
              },
              [&](digest d, tick_range range) { return layer.seen(d, range); });
  }
  for (const positions& p : archive_.nameless()) {
    ask_items(
        any, [](numbers) {},
        [&](digest d, tick_range range) { return p.seen(detail::timeline_key(d), range); });
  }
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
  live_.for_each(d, [&](std::uint64_t t) { take({t, t}); });
  for (const tick_layer& layer : archive_.layers()) layer.for_each(d, take);
  const std::uint64_t key = detail::timeline_key(d);
  for (const positions& p : archive_.nameless()) p.view().for_each(key, *range, take);
  std::sort(found.begin(), found.end(),
            [](const interval& a, const interval& b) { return a.first < b.first; });
  sightings seen;
  for (const interval& i : found) extend(seen, i);
  return seen;
}

// What was begun comes first: names are taken from what there was then.
void timeline_history::compact() { archive_.unite(live_); }

void timeline_history::seal() {
  compact();
  archive_.remove_names({error_, length_});
}

void timeline_history::begin_compact() {
  archive_.freeze(live_);
  archive_.begin(std::nullopt);
}

void timeline_history::begin_seal() {
  archive_.freeze(live_);
  archive_.begin(detail::name_limits{error_, length_});
}

std::uint64_t timeline_history::pairs() const noexcept {
  std::uint64_t pairs = live_.ticks();
  for (const tick_layer& layer : archive_.layers()) pairs += layer.ticks();
  for (const positions& p : archive_.nameless()) pairs += p.shape().count;
  return pairs;
}

std::uint64_t timeline_history::items() const noexcept {
  std::uint64_t items = live_.items();
  for (const tick_layer& layer : archive_.layers()) items += layer.items();
  return items;
}

std::uint64_t timeline_history::table_memory() const noexcept { return live_.bytes(); }

std::uint64_t timeline_history::live_memory() const noexcept {
  return live_.bytes() + archive_.table_bytes();
}

std::uint64_t timeline_history::memory() const noexcept {
  return live_memory() + sealed_bytes() + archive_.filter_bytes();
}

void timeline_history::clear() noexcept {
  live_ = {};
  archive_ = detail::tick_archive(ticks_);
  forget_events();
}

timeline_config timeline_history::config() const noexcept {
  return {.first = first_,
          .ticks = ticks_,
          .error = error_,
          .length = length_,
          .tick = clock_.resolution(),
          .origin = clock_.origin(),
          .seed = seed_};
}

double timeline_history::current_error(std::uint64_t length) const {
  double expected = 0;
  for (const positions& p : archive_.nameless()) {
    expected += math::position_error(p.shape().count, p.shape().range, length);
  }
  return std::min(expected, 1.0);
}

void timeline_history::visit_keys(const std::function<void(std::uint64_t)>& visit) const {
  const auto visit_table = [&](const detail::live_ticks& table) {
    for (std::uint32_t i = 0; i < table.items(); ++i) visit(detail::timeline_key(table.item(i)));
  };
  visit_table(live_);
  for (const tick_layer& layer : archive_.layers()) {
    if (layer.table) {
      visit_table(*layer.table);
      continue;
    }
    auto items = layer.lines->cursor(layer.keys);
    while (items.next()) visit(items.key());
    if (!items.sound())
      throw bloomtime::error(errc::corrupt,
                             "the timelines of this history are damaged; restore the file");
  }
}

BLOOMTIME_VALUE_OF(timeline_history);

}  // namespace bloomtime
