#include <bloomtime/heat/window_table.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/prints.hpp>

#include "detail/refuse.hpp"
#include "heat/forward.hpp"
#include "heat/merge_weight.hpp"
#include "math/expect.hpp"

namespace bloomtime {
namespace {

using detail::window_hits;
using detail::window_pages;
using std::to_string;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t events_per_refresh = 4;
constexpr std::uint64_t unknown_items = 100'000'000;

std::chrono::microseconds tick_of(const window_table_config& c) {
  if (!c.window) detail::refuse("a window table needs a window");
  const std::int64_t window = c.window->count();
  if (c.slots == 0 || c.slots > window_hits::most_slots || window <= 0 || window % c.slots != 0) {
    detail::refuse("a window has 1 to " + to_string(window_hits::most_slots) +
                   " slots of whole microseconds; got " + to_string(window) + " microseconds in " +
                   to_string(c.slots) + " slots");
  }
  return std::chrono::microseconds(window / c.slots);
}

unsigned key_bits_of(const window_table_config& c) {
  const std::uint64_t items = c.items != 0 ? c.items : unknown_items;
  return std::max(window_pages::group_bits,
                  math::key_bits_for(items, c.error, window_pages::most_key_bits));
}

}  // namespace

// -- making ------------------------------------------------------------------------------------

window_pages window_table::pages_of(const window_table_config& c) {
  if (c.memory && *c.memory < window_pages::least_limit) {
    detail::refuse("`memory` of a window table is at least " +
                   to_string(window_pages::least_limit) + " bytes; got " + to_string(*c.memory));
  }
  const unsigned key_bits = key_bits_of(c);
  if (!c.reserve) return {c.slots, key_bits, 0, c.memory};
  if (c.items == 0) detail::refuse("`reserve` needs `items`, the number of items in a window");
  const std::uint64_t bytes = window_pages::bytes_for(c.items, c.slots, key_bits);
  window_pages pages(c.slots, key_bits, bytes, c.memory);
  if (c.memory && pages.memory() > *c.memory) {
    detail::refuse("`reserve` for " + to_string(c.items) + " items takes " +
                   to_string(pages.memory()) + " bytes, and `memory` allows " +
                   to_string(*c.memory));
  }
  return pages;
}

window_table::window_table(const window_table_config& c) : items_(c.items), reserve_(c.reserve) {
  seed_ = c.seed;
  clock_ = tick_clock(tick_of(c));
  ahead_ = forward::ticks_in(c.ahead, clock_.resolution());
  pages_ = pages_of(c);
  totals_.resize(pages_.form().last_code + 1);
}

void window_table::clear() {
  expect_cells();
  pages_ = window_pages(slots(), key_bits(), pages_.reserved(), pages_.limit());
  std::fill(totals_.begin(), totals_.end(), 0);
  total_ = 0;
  events_ = 0;
  tick_ = 0;
}

std::uint64_t window_table::memory() const noexcept {
  return usable() ? pages_.memory() + detail::hooked_bytes<std::uint64_t>(totals_.capacity()) : 0;
}

// -- time --------------------------------------------------------------------------------------

// Queries never look back beyond the newest event.
std::int64_t window_table::tick_or_newest(instant when) const noexcept {
  return std::max(tick_, clock_.tick_of(when).number);
}

void window_table::go_to(std::int64_t tick) noexcept {
  const window_hits& form = pages_.form();
  const std::uint64_t passed = static_cast<std::uint64_t>(tick) - now();
  tick_ = tick;
  if (passed > slots()) {
    std::fill(totals_.begin(), totals_.end(), 0);
    total_ = 0;
    return;
  }
  for (std::uint64_t i = 0; i < passed; ++i) {
    std::uint64_t& expired = totals_[form.code(now() - slots() - 1 - i)];
    total_ -= std::exchange(expired, 0);
  }
}

void window_table::advance(instant when) noexcept {
  const std::int64_t tick = clock_.tick_of(when).number;
  if (events_ != 0 && tick > tick_) go_to(tick);
}

// The hits that count at a tick that is not before the newest.
std::uint64_t window_table::total_at(std::int64_t tick) const noexcept {
  const std::uint64_t passed = static_cast<std::uint64_t>(tick) - now();
  if (passed > slots()) return 0;
  std::uint64_t left = total_;
  for (std::uint64_t i = 0; i < passed; ++i) {
    left -= totals_[pages_.form().code(now() - slots() + i)];
  }
  return left;
}

// -- events ------------------------------------------------------------------------------------

outcome window_table::add_digest(digest d, instant when, std::uint64_t weight) {
  expect_cells();
  const std::int64_t tick = clock_.tick_of(when).number;
  const auto number = static_cast<std::uint64_t>(tick);
  const bool first = events_ == 0;
  const bool later = first || tick > tick_;
  if (too_far_ahead(tick)) return outcome::future;
  if (weight == 0) return outcome::added;
  if (!later && now() - number > slots()) return outcome::dropped_late;
  if (!first && weight > largest - total_at(std::max(tick, tick_))) return outcome::full;

  const std::uint64_t key = key_of(d);
  const bool room = pages_.make_room(key, weight);
  // Nothing below can fail.
  if (first) tick_ = tick;
  if (later) go_to(tick);
  if (!room && !pages_.find_room(key, weight, now())) return outcome::full;
  pages_.add(key, number, weight, now());
  totals_[pages_.form().code(number)] += weight;
  total_ += weight;
  add_events(1);
  if (events_ % events_per_refresh == 0) pages_.refresh_next(now());
  pages_.settle(now());
  return tick < tick_ ? outcome::late : outcome::added;
}

void window_table::prefetch_pages(const detail::digest_block& items) const noexcept {
  for (std::size_t i = 0; usable() && i < items.count; ++i) pages_.prefetch_page(key_of(items[i]));
}

void window_table::prefetch_records(const detail::digest_block& items) const noexcept {
  for (std::size_t i = 0; usable() && i < items.count; ++i) {
    pages_.prefetch_record(key_of(items[i]));
  }
}

// -- answers -----------------------------------------------------------------------------------

estimate window_table::hits_of(digest d, instant when, unsigned slots) const noexcept {
  if (events_ == 0) return {};
  const auto hits = pages_.at(key_of(d), static_cast<std::uint64_t>(tick_or_newest(when)), slots);
  const double upper = forward::above(hits.above);
  return {upper, forward::below(hits.below), upper};
}

unsigned window_table::slots_in(std::chrono::microseconds span) const {
  const std::int64_t slot = clock_.resolution().count();
  if (span.count() <= 0 || (span.count() - 1) / slot >= slots()) {
    detail::refuse("a part of the window has 1 to " + to_string(slots() * slot) +
                   " microseconds; got " + to_string(span.count()));
  }
  return static_cast<unsigned>((span.count() - 1) / slot + 1);
}

estimate window_table::rate_of(const estimate& count) const noexcept {
  const double seconds = slots() * static_cast<double>(clock_.resolution().count()) / 1e6;
  return {count.value / seconds, count.lower / seconds, count.upper / seconds};
}

double window_table::mass(instant when) const noexcept {
  return events_ == 0 ? 0 : forward::above(total_at(tick_or_newest(when)));
}

double window_table::predicted_error(std::uint64_t items) const {
  return usable() ? math::print_collision(static_cast<double>(items), key_bits()) : 1;
}

double window_table::error_of(std::uint64_t keys) const noexcept {
  return usable() ? math::key_share(keys, key_bits()) : 1;
}

double window_table::items_of(std::uint64_t keys) const noexcept {
  return usable() ? math::items_of_keys(keys, key_bits()) : 0;
}

// Keys whose hits have expired count as well.
double window_table::confidence() const noexcept { return 1 - error_of(pages_.records()); }

std::uint64_t window_table::warm_cells() const noexcept {
  const window_hits& form = pages_.form();
  std::uint64_t warm = 0;
  pages_.for_each([&](std::uint64_t, std::uint64_t epoch, std::span<const std::byte> hits) {
    const std::byte* newest = hits.data();
    warm += form.counts(form.back(form.read(newest).code, epoch), now() - epoch) ? 1 : 0;
  });
  return warm;
}

// -- merging -----------------------------------------------------------------------------------

void window_table::expect_mergeable(const window_table& other) const {
  if (usable() && other.usable() && slots() == other.slots() && key_bits() == other.key_bits() &&
      clock_ == other.clock_ && seed_ == other.seed_) {
    return;
  }
  const auto told = [](const window_table& t) {
    return to_string(t.slots()) + " slots of " + to_string(t.clock_.resolution().count()) +
           " microseconds, keys of " + to_string(t.key_bits()) + " bits, seed " +
           to_string(t.seed_);
  };
  detail::refuse_merge(
      "window tables merge if window, slots, seed and the length of keys are equal", told(*this),
      told(other));
}

void window_table::merge(const window_table& other, double weight) {
  expect_mergeable(other);
  const forward::merge_weight by(weight);
  if (!by.is_whole()) {
    throw error(errc::unsupported,
                "window tables have whole counts and merge with whole weights; got " +
                    math::text_of(weight));
  }
  if (other.events_ == 0 || by.is_zero()) return;
  window_table sum(*this);
  sum.add_table(other, static_cast<std::uint64_t>(weight));
  *this = std::move(sum);
}

void window_table::add_table(const window_table& other, std::uint64_t weight, const shard& only) {
  if (events_ == 0) tick_ = other.tick_;
  if (other.tick_ > tick_) go_to(other.tick_);
  const auto theirs = forward::unsigned_wide{other.total_at(tick_)} * weight;
  if (theirs > largest - total_) {
    throw error(errc::too_large, "the counts of both tables together exceed 64 bits");
  }
  add_events(other.events_);
  const window_hits& form = other.pages_.form();
  other.pages_.for_each(
      [&](std::uint64_t key, std::uint64_t epoch, std::span<const std::byte> hits) {
        if (!only.has(shard_of_key(key, only))) return;
        for (const std::byte* at = hits.data(); at != hits.data() + hits.size();) {
          const auto h = form.read(at);
          const std::uint64_t back = form.back(h.code, epoch);
          if (!form.counts(back, now() - epoch)) break;
          const std::uint64_t count = h.count * weight;
          if (!pages_.make_room(key, count) && !pages_.find_room(key, count, now())) {
            detail::refuse_merge("the memory limit of " + to_string(pages_.limit().value_or(0)) +
                                 " bytes leaves no room for both tables");
          }
          pages_.add(key, epoch + form.spare() - back, count, now());
          totals_[h.code] += count;
          total_ += count;
        }
        pages_.settle(now());
      });
}

BLOOMTIME_VALUE_OF(window_table);

}  // namespace bloomtime
