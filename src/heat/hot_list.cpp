#include <bloomtime/heat/hot_list.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "heat/forward.hpp"
#include "heat/hot_list_units.hpp"

namespace bloomtime {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

void expect_between(std::string_view what, std::uint64_t least, std::uint64_t most,
                    std::uint64_t got) {
  if (got >= least && got <= most) return;
  throw error(errc::invalid_argument, std::string(what) + " is " + std::to_string(least) + " to " +
                                          std::to_string(most) + ", got " + std::to_string(got));
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

// Twice as many each time, and never for more entries than there may be.
template <class T>
void make_room_in(std::vector<T, detail::hooked<T>>& v, std::size_t more, std::size_t most) {
  if (v.capacity() - v.size() >= more) return;
  v.reserve(std::min(std::max(2 * v.size(), v.size() + more), most));
}

std::uint64_t distance(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
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
      ahead_(forward::ticks_in(config.ahead, config.tick)) {
  expect_between("the number of entries of a hot list", 1, most_entries, entries_);
  expect_between("the number of buckets of a hot list", 1, most_buckets, buckets_);
}

// -- time --------------------------------------------------------------------------------------

hot_list::moment hot_list::moment_of(instant when) const noexcept {
  const tick own = clock_.tick_of(when);
  const tick bucket = bucket_clock_.tick_of(when);
  return {std::max(clock_.start_of(own), bucket_clock_.start_of(bucket)),
          std::min(clock_.end_of(own), bucket_clock_.end_of(bucket)),
          own.number,
          bucket.number,
          slow_.at(own.number),
          fast_.at(own.number)};
}

hot_list::moment hot_list::at_or_newest(instant when) const noexcept {
  return when <= newest_.last ? newest_ : moment_of(when);
}

const hot_list::moment& hot_list::recall(instant when) noexcept {
  if (newest_.contains(when)) return newest_;
  if (!last_.contains(when)) last_ = moment_of(when);
  return last_;
}

// Halving keeps the order of counts but makes some of them equal, and those are ordered anew.
void hot_list::go_to(const moment& next) noexcept {
  const decay::wide slow = next.slow.halvings - newest_.slow.halvings;
  const decay::wide fast = next.fast.halvings - newest_.fast.halvings;
  if (slow != 0 || fast != 0) {
    for (slot& s : slots_) {
      s.low = hot_units::faded_below(s.low, slow);
      s.fast = hot_units::faded_below(s.fast, fast);
    }
  }
  if (slow != 0) {
    for (node& n : heap_) n.cnt = hot_units::faded_above(n.cnt, slow);
    rebuild_heap();
    mass_ = forward::faded_mass(mass_, slow);
  }
  newest_ = next;
}

// -- events ------------------------------------------------------------------------------------

outcome hot_list::add_digest(digest d, std::string_view item, instant when, std::uint64_t weight) {
  if (entries_ == 0) detail::refuse_moved_from(kind.called);
  const moment then = recall(when);
  const bool first = events_ == 0;
  if (!first && then.tick > newest_.tick && distance(newest_.tick, then.tick) > ahead_) {
    return outcome::future;
  }
  if (weight == 0) return outcome::added;
  const bool later = first || then.first > newest_.last;
  const moment& now = later ? then : newest_;
  const std::optional<std::uint32_t> found = find(d);
  const std::uint64_t had = found ? heap_[slots_[*found].position].cnt : least();
  const std::uint64_t kept =
      first ? 0 : hot_units::faded_above(had, now.slow.halvings - newest_.slow.halvings);
  const unsigned_wide more = forward::units_above(weight, then.slow, now.slow, hot_units::fraction);
  if (more > largest - kept) return outcome::full;
  if (!found) {
    texts_.prepare(item.substr(0, longest_text));
    if (!full()) make_room();
  }
  // From here on nothing fails.
  if (first) {
    start_ = then.tick;
    newest_ = then;
  } else if (later) {
    go_to(then);
  }
  const std::uint32_t raised = found ? *found : full() ? replace_least(d) : enter(d, 0);
  slot& s = slots_[raised];
  s.low += static_cast<std::uint64_t>(
      forward::units_below(weight, then.slow, newest_.slow, hot_units::fraction));
  s.fast = hot_units::sum(
      s.fast, forward::units_below(weight, then.fast, newest_.fast, hot_units::fraction));
  raise(raised, static_cast<std::uint64_t>(more));
  count_recent(raised, then.bucket, weight);
  mass_ = forward::sum_of_mass(
      mass_, forward::units_above(weight, then.slow, newest_.slow, forward::mass_fraction));
  events_ += events_ != largest;
  return then.tick < newest_.tick ? outcome::late : outcome::added;
}

std::optional<std::uint32_t> hot_list::find(digest d) const noexcept {
  return index_.find(d, [&](std::uint32_t number) { return slots_[number].id == d; });
}

// No item that is not listed has more units than this.
std::uint64_t hot_list::least() const noexcept { return full() ? heap_.front().cnt : 0; }

// For one entry more.
void hot_list::make_room() {
  make_room_in(slots_, 1, entries_);
  make_room_in(heap_, 1, entries_);
  make_room_in(rings_, buckets_, entries_ * buckets_);
  index_.reserve(slots_.size() + 1);
  texts_.reserve(slots_.capacity());
}

// The text of an entry was prepared before.
std::uint32_t hot_list::enter(digest d, std::uint64_t units) noexcept {
  const auto number = static_cast<std::uint32_t>(slots_.size());
  slots_.emplace_back();
  rings_.resize(rings_.size() + buckets_);
  heap_.push_back({units, number});
  texts_.append();
  begin_entry(number, d);
  sift_up(number);
  return number;
}

std::uint32_t hot_list::replace_least(digest d) noexcept {
  const std::uint32_t number = heap_.front().slot;
  index_.erase(slots_[number].id, number);
  std::fill_n(ring_of(number), buckets_, 0);
  texts_.replace(number);
  begin_entry(number, d);
  return number;
}

void hot_list::begin_entry(std::uint32_t number, digest d) noexcept {
  slot& s = slots_[number];
  s.id = d;
  s.low = 0;
  s.fast = 0;
  s.bucket = newest_.bucket;
  s.head = 0;
  index_.insert(d, number);
}

void hot_list::raise(std::uint32_t number, std::uint64_t units) noexcept {
  const std::uint32_t position = slots_[number].position;
  heap_[position].cnt += units;
  sift_down(position);
}

// -- the heap ----------------------------------------------------------------------------------

// A total order: which entry is the least does not depend on how the heap came about.
bool hot_list::before(const node& a, const node& b) const noexcept {
  if (a.cnt != b.cnt) return a.cnt < b.cnt;
  const digest& x = slots_[a.slot].id;
  const digest& y = slots_[b.slot].id;
  return x.hi != y.hi ? x.hi < y.hi : x.lo < y.lo;
}

void hot_list::place(std::uint32_t position, node n) noexcept {
  heap_[position] = n;
  slots_[n.slot].position = position;
}

void hot_list::sift_down(std::uint32_t position) noexcept {
  const node moved = heap_[position];
  const auto size = static_cast<std::uint32_t>(heap_.size());
  for (std::uint32_t child = 2 * position + 1; child < size; child = 2 * position + 1) {
    if (child + 1 < size && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], moved)) break;
    place(position, heap_[child]);
    position = child;
  }
  place(position, moved);
}

void hot_list::sift_up(std::uint32_t position) noexcept {
  const node moved = heap_[position];
  while (position > 0 && before(moved, heap_[(position - 1) / 2])) {
    place(position, heap_[(position - 1) / 2]);
    position = (position - 1) / 2;
  }
  place(position, moved);
}

void hot_list::rebuild_heap() noexcept {
  for (auto i = static_cast<std::uint32_t>(heap_.size() / 2); i > 0; --i) sift_down(i - 1);
}

// -- recent counts -----------------------------------------------------------------------------

std::uint64_t* hot_list::ring_of(std::uint32_t number) noexcept {
  return rings_.data() + std::size_t{number} * buckets_;
}
const std::uint64_t* hot_list::ring_of(std::uint32_t number) const noexcept {
  return rings_.data() + std::size_t{number} * buckets_;
}

void hot_list::shift_ring(std::uint32_t number, std::int64_t bucket) noexcept {
  slot& s = slots_[number];
  for (std::uint64_t i = std::min<std::uint64_t>(distance(s.bucket, bucket), buckets_); i > 0;
       --i) {
    s.head = s.head + 1 == buckets_ ? 0 : s.head + 1;
    ring_of(number)[s.head] = 0;
  }
  s.bucket = bucket;
}

void hot_list::count_recent(std::uint32_t number, std::int64_t bucket,
                            std::uint64_t weight) noexcept {
  slot& s = slots_[number];
  if (bucket > s.bucket) shift_ring(number, bucket);
  const std::uint64_t age = distance(bucket, s.bucket);
  if (age >= buckets_) return;
  const std::uint64_t at = s.head >= age ? s.head - age : s.head + buckets_ - age;
  std::uint64_t& count = ring_of(number)[at];
  count = hot_units::sum(count, weight);
}

// -- answers -----------------------------------------------------------------------------------

std::vector<std::uint64_t> hot_list::recent(std::uint32_t number, std::int64_t bucket) const {
  const slot& s = slots_[number];
  const std::uint64_t behind = std::min<std::uint64_t>(distance(s.bucket, bucket), buckets_);
  std::vector<std::uint64_t> counts(buckets_);
  for (std::uint64_t i = 0; i + behind < buckets_; ++i) {
    counts[i] = ring_of(number)[(s.head + 1 + behind + i) % buckets_];
  }
  return counts;
}

estimate hot_list::bounds_of(std::uint32_t number, const moment& now) const noexcept {
  const slot& s = slots_[number];
  const double upper = hits_above(heap_[s.position].cnt, now);
  const std::uint64_t low =
      hot_units::faded_below(s.low, now.slow.halvings - newest_.slow.halvings);
  const double units = std::nextafter(static_cast<double>(low), 0);
  return {upper, forward::hits_below(units, now.slow, hot_units::fraction), upper};
}

double hot_list::hits_above(std::uint64_t units, const moment& now) const noexcept {
  if (units == 0) return 0;
  const int behind = forward::exponent(now.slow.halvings - newest_.slow.halvings);
  const double above = std::nextafter(static_cast<double>(units), forward::infinite);
  return forward::hits_above(std::ldexp(above, -behind), now.slow, hot_units::fraction);
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

// Both rates are means over the time since the stream began, weighted by age: a steady item has
// the same in both however young the stream is.
double hot_list::trend(std::uint32_t number, double heat, const moment& now) const noexcept {
  const double ticks = static_cast<double>(distance(start_, now.tick)) + 1;
  const int behind = forward::exponent(now.fast.halvings - newest_.fast.halvings);
  const double units = std::ldexp(static_cast<double>(slots_[number].fast), -behind);
  const double fast = forward::hits_below(units, now.fast, hot_units::fraction);
  if (fast == 0 || heat == 0) return 0;
  return fast / heat * (slow_.sum_over(ticks) / fast_.sum_over(ticks));
}

std::vector<hot_item> hot_list::top(std::size_t n, instant when) const {
  const moment now = at_or_newest(when);
  std::vector<bounds> all;
  all.reserve(slots_.size());
  for (std::uint32_t i = 0; i < slots_.size(); ++i) all.push_back({i, bounds_of(i, now)});
  return hottest(n, std::move(all), now);
}

std::vector<hot_item> hot_list::top(std::size_t n, instant when, const heat_filter& filter) const {
  if (filter.seed() != seed_ || filter.decay() != slow_ || filter.clock() != clock_) {
    throw error(errc::incompatible,
                "a filter tightens the bounds of a hot list if seed, decay and clock are equal, "
                "and here one of them is not");
  }
  const moment now = at_or_newest(std::max(when, filter.newest().value_or(when)));
  std::vector<bounds> all;
  all.reserve(slots_.size());
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    estimate heat = bounds_of(i, now);
    const estimate other = filter.at(slots_[i].id, now.first);
    heat.upper = std::max(heat.lower, std::min(heat.upper, other.upper));
    heat.value = std::clamp(other.value, heat.lower, heat.upper);
    all.push_back({i, heat});
  }
  return hottest(n, std::move(all), now);
}

std::vector<hot_item> hot_list::hottest(std::size_t n, std::vector<bounds> all,
                                        const moment& now) const {
  n = std::min(n, all.size());
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(n);
  const auto hotter = [&](const bounds& a, const bounds& b) {
    if (a.heat.upper != b.heat.upper) return a.heat.upper > b.heat.upper;
    return before({0, a.slot}, {0, b.slot});
  };
  std::partial_sort(all.begin(), end, all.end(), hotter);
  double others = hits_above(least(), now);
  std::for_each(end, all.end(), [&](const bounds& b) { others = std::max(others, b.heat.upper); });
  std::vector<hot_item> items;
  items.reserve(n);
  std::for_each(all.begin(), end, [&](const bounds& b) {
    const std::string_view text = texts_[b.slot];
    items.push_back({std::string(text), b.heat, b.heat.lower >= others,
                     trend(b.slot, b.heat.value, now), recent(b.slot, now.bucket),
                     text.size() == longest_text && digest_of(text, seed_) != slots_[b.slot].id});
  });
  return items;
}

std::uint64_t hot_list::memory() const noexcept {
  return detail::hooked_bytes<slot>(slots_.capacity()) +
         detail::hooked_bytes<node>(heap_.capacity()) +
         detail::hooked_bytes<std::uint64_t>(rings_.capacity()) + index_.bytes() + texts_.memory();
}

BLOOMTIME_VALUE_OF(hot_list);

}  // namespace bloomtime
