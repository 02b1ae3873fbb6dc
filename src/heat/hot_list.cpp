#include <bloomtime/heat/hot_list.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "detail/refuse.hpp"
#include "heat/forward.hpp"
#include "heat/merge_weight.hpp"
#include "math/expect.hpp"
#include "math/whole.hpp"

namespace bloomtime {
namespace {

using forward::sum;
using math::text_of;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
// A hit counts 2^16 units times the factor of its tick: rounding adds at most 1/65536 of it, and
// 64 bits hold 2^47 hits.
constexpr unsigned fraction = 16;

// Halvings that counts of 64 bits can tell apart.
constexpr unsigned most_halvings = 64;
constexpr unsigned few(decay::wide halvings) {
  return static_cast<unsigned>(std::min<decay::wide>(halvings, most_halvings));
}

constexpr std::uint64_t faded_above(std::uint64_t units, unsigned halvings) {
  if (halvings == most_halvings) return units != 0 ? 1 : 0;
  return forward::halved(units, halvings);
}

constexpr std::uint64_t faded_below(std::uint64_t units, unsigned halvings) {
  return halvings == most_halvings ? 0 : units >> halvings;
}

decay fast_decay_of(const hot_list_config& c, const decay& slow) {
  if (c.fast_half_life) {
    const decay fast = decay::by_half_life(*c.fast_half_life, c.tick);
    if (fast.rate() >= slow.rate()) return fast;
    throw error(errc::invalid_argument,
                "the fast half-life of a hot list is at most its half-life, which is " +
                    std::to_string(slow.half_life()) + " ticks, got " +
                    std::to_string(fast.half_life()));
  }
  constexpr decay::unsigned_wide per_tick = decay::unsigned_wide{1} << decay::fraction_bits;
  const decay::unsigned_wide eightfold = slow.rate() > per_tick / 8 ? per_tick : 8 * slow.rate();
  return decay::by_rate(std::max(slow.rate(), eightfold));
}

// Buckets that are `buckets` apart share a cell of every ring.
unsigned cell_of(std::int64_t bucket, unsigned buckets) {
  const std::int64_t rest = bucket % static_cast<std::int64_t>(buckets);
  return static_cast<unsigned>(rest < 0 ? rest + buckets : rest);
}

}  // namespace

hot_list::hot_list(const hot_list_config& config)
    : entries_(config.entries),
      seed_(config.seed),
      slow_(forward::decay_of(config.half_life, config.lambda, config.tick)),
      fast_(fast_decay_of(config, slow_)),
      clock_(config.tick),
      bucket_clock_(config.bucket),
      buckets_(config.buckets),
      ahead_(forward::ticks_in(config.ahead, config.tick)),
      rings_(config.buckets) {
  math::expect(config.entries >= 1 && config.entries <= most_entries,
               "a hot list has 1 to " + text_of(most_entries) + " entries", config.entries);
  math::expect(buckets_ >= 1 && buckets_ <= most_buckets,
               "a hot list has 1 to " + text_of(most_buckets) + " buckets", buckets_);
}

// -- time --------------------------------------------------------------------------------------

hot_list::moment hot_list::moment_of(instant when) const noexcept {
  if (newest_.contains(when)) return newest_;
  const tick own = clock_.tick_of(when);
  const tick bucket = bucket_clock_.tick_of(when);
  return {std::max(clock_.start_of(own), bucket_clock_.start_of(bucket)),
          std::min(clock_.end_of(own), bucket_clock_.end_of(bucket)),
          own.number,
          bucket.number,
          cell_of(bucket.number, buckets_),
          slow_.at(own.number),
          fast_.at(own.number)};
}

hot_list::moment hot_list::at_or_newest(instant when) const noexcept {
  return when <= newest_.last ? newest_ : moment_of(when);
}

// Halving keeps the order of counts but makes some equal, and equal counts are ordered by digest.
void hot_list::go_to(const moment& next) noexcept {
  const decay::wide all = next.slow.halvings - newest_.slow.halvings;
  const unsigned slow = few(all);
  const unsigned fast = few(next.fast.halvings - newest_.fast.halvings);
  const auto fade = [&](std::uint32_t number) noexcept {
    slot& s = slots_[number];
    s.low = faded_below(s.low, slow);
    s.fast = faded_below(s.fast, fast);
  };
  if (slow != 0) {
    counts_.fade(
        [&](std::uint32_t number, std::uint64_t count) noexcept {
          fade(number);
          return faded_above(count, slow);
        },
        [&](std::uint32_t number) noexcept {
          return slots_[number].low == 0 && slots_[number].fast == 0;
        },
        by_digest());
    mass_ = forward::faded_mass(mass_, all);
  } else if (fast != 0) {
    counts_.for_each_fading(fade);
  }
  set_newest(next);
}

void hot_list::set_newest(const moment& m) noexcept {
  newest_ = m;
  hit_ = arrival_of(1, m, m);
}

// What `weight` events at `then` add to the counts at `now`.
hot_list::arrival hot_list::arrival_of(std::uint64_t weight, const moment& then,
                                       const moment& now) noexcept {
  return {.upper = forward::units_above(weight, then.slow, now.slow, fraction),
          .lower = forward::units_below(weight, then.slow, now.slow, fraction),
          .fast = forward::units_below(weight, then.fast, now.fast, fraction),
          .mass = forward::units_above(weight, then.slow, now.slow, forward::mass_fraction)};
}

// -- events ------------------------------------------------------------------------------------

outcome hot_list::add_digest(digest d, std::string_view item, instant when, std::uint64_t weight) {
  if (entries_ == 0) detail::refuse_moved_from(kind.called);
  const bool newest = newest_.contains(when);
  const moment elsewhen = newest ? moment() : moment_of(when);
  const moment& then = newest ? newest_ : elsewhen;
  const bool first = events_ == 0;
  if (!first && then.tick > newest_.tick && math::distance(newest_.tick, then.tick) > ahead_) {
    return outcome::future;
  }
  if (weight == 0) return outcome::added;
  const bool later = first || then.first > newest_.last;
  const moment& now = later ? then : newest_;
  const std::optional<std::uint32_t> found = find(d);
  const std::uint64_t had = found ? counts_[*found] : least();
  const std::uint64_t kept =
      first ? 0 : faded_above(had, few(now.slow.halvings - newest_.slow.halvings));
  const arrival more = newest && weight == 1 ? hit_ : arrival_of(weight, then, now);
  if (more.upper > largest - kept) return outcome::full;
  const std::string_view text = item.substr(0, longest_text);
  if (!found) {
    make_room_for_text(text.size());
    if (!full()) make_room_for_entry();
  }
  if (found ? rings_.outgrows(*found, then.cell, weight) : weight >= rings_.escaped) {
    rings_.reserve_large(1);
  }
  // Nothing below can fail.
  if (first) {
    start_ = then.tick;
    set_newest(then);
  } else if (later) {
    go_to(then);
  }
  const std::uint64_t count = kept + static_cast<std::uint64_t>(more.upper);
  const std::uint32_t raised = found    ? *found
                               : full() ? replace_least(d, text)
                                        : enter(d, text, count);
  slot& s = slots_[raised];
  s.low += static_cast<std::uint64_t>(more.lower);
  s.fast = sum(s.fast, more.fast);
  counts_.raise(raised, count, by_digest());
  count_recent(raised, then, weight);
  mass_ = forward::sum_of_mass(mass_, more.mass);
  events_ += events_ != largest;
  if (!found && full()) prefetch_least();
  return then.tick < newest_.tick ? outcome::late : outcome::added;
}

std::optional<std::uint32_t> hot_list::find(digest d) const noexcept {
  return index_.find(d, [&](std::uint32_t number) { return slots_[number].id == d; });
}

// No item that is not listed has more units than this.
std::uint64_t hot_list::least() const noexcept { return full() ? counts_.least() : 0; }

// Reserves memory for one more text, in a new block if the texts use too little of theirs.
void hot_list::make_room_for_text(std::size_t size) {
  if (texts_.has_room_for(size)) return;
  detail::kept_texts block(texts_.words_with(size));
  for (slot& s : slots_) s.text = block.add(texts_[s.text]);
  texts_ = std::move(block);
}

// Reserves memory for one more entry. Capacities grow by a quarter. The index is at most a third
// full: most searches then read one place, which branch prediction expects.
void hot_list::make_room_for_entry() {
  const std::size_t more = slots_.size() + 1;
  const std::uint64_t grown = std::min<std::uint64_t>(more + more / 4, entries_);
  reserve_entries(slots_.capacity() >= more ? slots_.capacity() : grown);
  index_.reserve(more + more / 2);
}

void hot_list::reserve_entries(std::size_t count) {
  rings_.reserve(count);
  counts_.reserve(count);
  slots_.reserve(count);
}

// Needs room for the text and the entry.
std::uint32_t hot_list::enter(digest d, std::string_view text, std::uint64_t count) noexcept {
  const auto number = static_cast<std::uint32_t>(slots_.size());
  slots_.emplace_back().text = texts_.add(text);
  rings_.push();
  begin_entry(number, d);
  counts_.push(count, by_digest());
  return number;
}

// Needs room for the text.
std::uint32_t hot_list::replace_least(digest d, std::string_view text) noexcept {
  const std::uint32_t number = counts_.least_entry(by_digest());
  slot& s = slots_[number];
  index_.erase(s.id, number);
  rings_.set_all_to_zero(number);
  s.text = texts_.replace(s.text, text);
  begin_entry(number, d);
  return number;
}

// The next item that is not listed replaces this entry.
void hot_list::prefetch_least() const noexcept {
  const std::uint32_t number = counts_.least_entry(by_digest());
  detail::prefetch_write(reinterpret_cast<const std::byte*>(&slots_[number]));
  rings_.prefetch(number);
}

void hot_list::begin_entry(std::uint32_t number, digest d) noexcept {
  slot& s = slots_[number];
  s = {.id = d, .bucket = newest_.bucket, .text = s.text};
  index_.insert(d, number);
}

// -- recent counts -----------------------------------------------------------------------------

// Empties the cells of the buckets after the entry's newest one, up to this one.
void hot_list::shift_ring(std::uint32_t number, const moment& then) noexcept {
  slot& s = slots_[number];
  const std::uint64_t passed = math::distance(s.bucket, then.bucket);
  s.bucket = then.bucket;
  if (passed >= buckets_) {
    rings_.set_all_to_zero(number);
    return;
  }
  unsigned cell = then.cell;
  for (std::uint64_t i = passed; i > 0; --i) {
    rings_.set(number, cell, 0);
    cell = cell_before(cell);
  }
}

void hot_list::count_recent(std::uint32_t number, const moment& then,
                            std::uint64_t weight) noexcept {
  const slot& s = slots_[number];
  if (then.bucket > s.bucket) shift_ring(number, then);
  if (math::distance(then.bucket, s.bucket) < buckets_) rings_.raise(number, then.cell, weight);
  rings_.trim();
}

std::vector<std::uint32_t> hot_list::by_count() const {
  std::vector<std::uint32_t> sorted(slots_.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  const auto earlier = by_digest();
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return counts_[a] != counts_[b] ? counts_[a] < counts_[b] : earlier(a, b);
  });
  return sorted;
}

// -- answers -----------------------------------------------------------------------------------

std::vector<std::uint64_t> hot_list::recent(std::uint32_t number, const moment& now) const {
  const std::uint64_t behind = math::distance(slots_[number].bucket, now.bucket);
  std::vector<std::uint64_t> counts(buckets_);
  unsigned cell = now.cell;
  for (unsigned age = 0; age < buckets_; ++age) {
    if (age >= behind) counts[buckets_ - 1 - age] = rings_.get(number, cell);
    cell = cell_before(cell);
  }
  return counts;
}

estimate hot_list::bounds_of(std::uint32_t number, const moment& now) const noexcept {
  const slot& s = slots_[number];
  const double upper = hits_above(counts_[number], now);
  const std::uint64_t low = faded_below(s.low, few(now.slow.halvings - newest_.slow.halvings));
  const double units = std::nextafter(static_cast<double>(low), 0);
  return {upper, forward::hits_below(units, now.slow, fraction), upper};
}

double hot_list::hits_above(std::uint64_t units, const moment& now) const noexcept {
  if (units == 0) return 0;
  const int behind = forward::exponent(now.slow.halvings - newest_.slow.halvings);
  const double above = std::nextafter(static_cast<double>(units), forward::infinite);
  return forward::hits_above(std::ldexp(above, -behind), now.slow, fraction);
}

estimate hot_list::at(digest d, instant when) const noexcept {
  const moment now = at_or_newest(when);
  if (const auto found = find(d)) return bounds_of(*found, now);
  const double upper = hits_above(least(), now);
  return {upper, 0, upper};
}

double hot_list::unlisted(instant when) const noexcept {
  return hits_above(least(), at_or_newest(when));
}

estimate hot_list::rate(const estimate& heat) const noexcept {
  return forward::rate_of(heat, slow_, clock_);
}

double hot_list::mass(instant when) const noexcept {
  if (events_ == 0) return 0;
  return forward::mass_in_hits(mass_, newest_.slow, at_or_newest(when).slow);
}

std::optional<instant> hot_list::newest() const noexcept {
  if (events_ == 0) return std::nullopt;
  return clock_.start_of({newest_.tick});
}

// Both rates are means over the time since the stream began, weighted by age, so that both are
// equal for a steady item, even if the stream is young.
double hot_list::trend(std::uint32_t number, double heat, const moment& now) const noexcept {
  const double ticks = static_cast<double>(math::distance(start_, now.tick)) + 1;
  const int behind = forward::exponent(now.fast.halvings - newest_.fast.halvings);
  const double units = std::ldexp(static_cast<double>(slots_[number].fast), -behind);
  const double fast = forward::hits_below(units, now.fast, fraction);
  if (fast == 0 || heat == 0) return 0;
  return fast / heat * (slow_.sum_over(ticks) / fast_.sum_over(ticks));
}

std::vector<hot_item> hot_list::top(std::size_t n, instant when) const {
  const moment now = at_or_newest(when);
  return hottest(n, now, [&](std::uint32_t number) { return bounds_of(number, now); });
}

std::vector<hot_item> hot_list::top(std::size_t n, instant when, const tightener& by) const {
  if (by.seed != seed_ || by.decay != slow_ || by.clock != clock_) {
    throw error(errc::incompatible,
                "a filter tightens the bounds of a hot list if seed, decay and clock are equal; at "
                "least one of these differs");
  }
  const moment now = at_or_newest(std::max(when, by.newest.value_or(when)));
  return hottest(n, now, [&](std::uint32_t number) {
    const estimate own = bounds_of(number, now);
    const estimate other = by.at(by.engine, slots_[number].id, now.first);
    const double upper = std::max(own.lower, std::min(own.upper, other.upper));
    return estimate{std::clamp(other.value, own.lower, upper), own.lower, upper};
  });
}

template <class BoundsOf>
std::vector<hot_item> hot_list::hottest(std::size_t n, const moment& now,
                                        const BoundsOf& bounds_of) const {
  std::vector<bounds> all;
  all.reserve(slots_.size());
  for (std::uint32_t i = 0; i < slots_.size(); ++i) all.push_back({i, bounds_of(i)});
  n = std::min(n, all.size());
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(n);
  const auto earlier = by_digest();
  const auto hotter = [&](const bounds& a, const bounds& b) {
    if (a.heat.upper != b.heat.upper) return a.heat.upper > b.heat.upper;
    return earlier(a.slot, b.slot);
  };
  std::partial_sort(all.begin(), end, all.end(), hotter);
  double others = hits_above(least(), now);
  std::for_each(end, all.end(), [&](const bounds& b) { others = std::max(others, b.heat.upper); });
  std::vector<hot_item> items;
  items.reserve(n);
  std::for_each(all.begin(), end, [&](const bounds& b) {
    const std::string_view text = texts_[slots_[b.slot].text];
    items.push_back({std::string(text), b.heat, b.heat.lower >= others,
                     trend(b.slot, b.heat.value, now), recent(b.slot, now),
                     text.size() == longest_text && digest_of(text, seed_) != slots_[b.slot].id,
                     slots_[b.slot].id});
  });
  return items;
}

std::uint64_t hot_list::memory() const noexcept {
  return detail::hooked_bytes<slot>(slots_.capacity()) + counts_.memory() + rings_.memory() +
         index_.bytes() + texts_.memory();
}

// -- lists of several streams ------------------------------------------------------------------

// Mergeable summaries (Agarwal et al. 2012): an item that one side does not list may have had that
// side's smallest count. Items that are dropped have at most the smallest count that is kept.
void hot_list::merge(const hot_list& other, double weight) {
  const auto parameters = [](const hot_list& l) {
    return std::tuple(l.entries(), l.seed_, l.slow_, l.fast_, l.clock_, l.bucket_clock_,
                      l.buckets_);
  };
  const auto describe = [](const hot_list& l) {
    return text_of(l.entries()) + " entries, seed " + to_string(l.seed_) + ", " +
           forward::rate_text(l.slow_) + " and " + forward::rate_text(l.fast_) + ", ticks of " +
           std::to_string(l.clock_.resolution().count()) + " microseconds, " + text_of(l.buckets_) +
           " buckets of " + std::to_string(l.bucket().count());
  };
  if (parameters(*this) != parameters(other)) {
    detail::refuse_merge("hot lists merge if entries, seed, decays, clock and buckets are equal",
                         describe(*this), describe(other));
  }
  const forward::merge_weight by(weight);
  if (other.events_ == 0 || by.is_zero()) return;
  hot_list theirs(other);
  if (!by.is_one()) theirs.multiply(by);
  hot_list mine(events_ == 0 ? theirs : *this);
  mine.ahead_ = ahead_;
  mine.losses_ = losses_;
  if (events_ != 0) {
    const moment now = mine.newest_.last < theirs.newest_.last ? theirs.newest_ : mine.newest_;
    mine.go_to(now);
    theirs.go_to(now);
    mine = sum_of(mine, theirs);
  }
  *this = std::move(mine);
}

// Products keep the order of counts but may make some equal, as halvings do.
void hot_list::multiply(const forward::merge_weight& by) {
  for (std::uint32_t number = 0; number < slots_.size(); ++number) {
    if (by.above(counts_[number]) > largest) {
      throw error(errc::too_large, "the heat of both lists together exceeds 64 bits");
    }
  }
  counts_.change_all(
      [&](std::uint64_t count) { return static_cast<std::uint64_t>(by.above(count)); },
      by_digest());
  for (slot& s : slots_) {
    s.low = sum(0, by.below(s.low));
    s.fast = sum(0, by.below(s.fast));
  }
  for (std::uint32_t number = 0; number < slots_.size(); ++number) {
    for (unsigned cell = 0; cell < buckets_; ++cell) {
      rings_.put(number, cell, sum(0, by.above(rings_.get(number, cell))));
    }
  }
  mass_ = by.mass(mass_);
}

// An item of either list, with the sum of its upper bounds.
struct hot_list::joined {
  digest id;
  std::uint64_t cnt;
};

hot_list hot_list::sum_of(const hot_list& a, const hot_list& b) {
  std::vector<joined> all;
  all.reserve(a.slots_.size() + b.slots_.size());
  const auto join = [&](const hot_list& list, const hot_list& other, bool skip_common) {
    for (std::uint32_t number = 0; number < list.slots_.size(); ++number) {
      const digest id = list.slots_[number].id;
      const auto there = other.find(id);
      if (there && skip_common) continue;
      const std::uint64_t own = list.counts_[number];
      const std::uint64_t more = there ? other.counts_[*there] : other.least();
      if (more > ~own) {
        throw error(errc::too_large, "the heat of both lists together exceeds 64 bits");
      }
      all.push_back({id, own + more});
    }
  };
  join(a, b, false);
  join(b, a, true);
  std::sort(all.begin(), all.end(), [](const joined& x, const joined& y) {
    return std::tie(x.cnt, x.id.hi, x.id.lo) > std::tie(y.cnt, y.id.hi, y.id.lo);
  });
  if (all.size() > a.entries_) all.resize(a.entries_);
  hot_list total(a);
  total.forget_entries();
  for (const joined& j : all) {
    total.take(j, a);
    total.take(j, b);
  }
  total.start_ = std::min(a.start_, b.start_);
  total.events_ = sum(a.events_, b.events_);
  total.mass_ = forward::sum_of_mass(a.mass_, b.mass_);
  return total;
}

void hot_list::forget_entries() noexcept {
  slots_.clear();
  counts_.clear();
  rings_.clear();
  index_ = {};
  texts_.clear();
}

void hot_list::clear() noexcept {
  forget_entries();
  events_ = 0;
  start_ = 0;
  newest_ = {};
  mass_ = 0;
}

// Adds the counts that `from` has of an item, if it lists the item.
void hot_list::take(const joined& j, const hot_list& from) {
  const auto there = from.find(j.id);
  if (!there) return;
  const auto here = find(j.id);
  const std::uint32_t number =
      here ? *here : append(j.id, from.texts_[from.slots_[*there].text], j.cnt);
  slots_[number].low += from.slots_[*there].low;
  slots_[number].fast = sum(slots_[number].fast, from.slots_[*there].fast);
  const std::vector<std::uint64_t> counts = from.recent(*there, newest_);
  unsigned cell = newest_.cell;
  for (unsigned age = 0; age < buckets_; ++age) {
    rings_.put(number, cell, sum(rings_.get(number, cell), counts[buckets_ - 1 - age]));
    cell = cell_before(cell);
  }
}

// Adds an entry without recent counts.
std::uint32_t hot_list::append(digest d, std::string_view text, std::uint64_t cnt) {
  make_room_for_entry();
  make_room_for_text(text.size());
  return enter(d, text, cnt);
}

BLOOMTIME_VALUE_OF(hot_list);

}  // namespace bloomtime
