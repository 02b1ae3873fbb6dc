#include <bloomtime/heat/hot_list.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
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

constexpr std::uint64_t faded_above(std::uint64_t units, decay::wide halvings) {
  if (halvings >= 64) return units != 0 ? 1 : 0;
  return forward::halved(units, static_cast<unsigned>(halvings));
}

constexpr std::uint64_t faded_below(std::uint64_t units, decay::wide halvings) {
  return halvings >= 64 ? 0 : units >> static_cast<unsigned>(halvings);
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

// Doubles the capacity, up to `most`.
template <class T>
void make_room_in(std::vector<T, detail::hooked<T>>& v, std::size_t more, std::size_t most) {
  if (v.capacity() - v.size() >= more) return;
  v.reserve(std::min(std::max(2 * v.size(), v.size() + more), most));
}

// The bytes of a text that are allocated outside of the string object.
template <class Text>
std::uint64_t outside(const Text& t) {
  static const std::size_t inside = Text().capacity();
  return t.capacity() <= inside ? 0 : t.capacity() + 1;
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
          slow_.at(own.number),
          fast_.at(own.number)};
}

hot_list::moment hot_list::at_or_newest(instant when) const noexcept {
  return when <= newest_.last ? newest_ : moment_of(when);
}

// Halving keeps the order of counts but makes some equal, and equal counts are ordered by digest.
void hot_list::go_to(const moment& next) noexcept {
  const decay::wide slow = next.slow.halvings - newest_.slow.halvings;
  const decay::wide fast = next.fast.halvings - newest_.fast.halvings;
  if (slow != 0 || fast != 0) {
    for (slot& s : slots_) {
      s.low = faded_below(s.low, slow);
      s.fast = faded_below(s.fast, fast);
    }
  }
  if (slow != 0) {
    for (node& n : heap_) n.cnt = faded_above(n.cnt, slow);
    rebuild_heap();
    mass_ = forward::faded_mass(mass_, slow);
  }
  newest_ = next;
}

// -- events ------------------------------------------------------------------------------------

outcome hot_list::add_digest(digest d, std::string_view item, instant when, std::uint64_t weight) {
  if (entries_ == 0) detail::refuse_moved_from(kind.called);
  const moment then = moment_of(when);
  const bool first = events_ == 0;
  if (!first && then.tick > newest_.tick && math::distance(newest_.tick, then.tick) > ahead_) {
    return outcome::future;
  }
  if (weight == 0) return outcome::added;
  const bool later = first || then.first > newest_.last;
  const moment& now = later ? then : newest_;
  const std::optional<std::uint32_t> found = find(d);
  const std::uint64_t had = found ? heap_[slots_[*found].position].cnt : least();
  const std::uint64_t kept =
      first ? 0 : faded_above(had, now.slow.halvings - newest_.slow.halvings);
  const unsigned_wide more = forward::units_above(weight, then.slow, now.slow, fraction);
  if (more > largest - kept) return outcome::full;
  if (!found) {
    prepare_text(item.substr(0, longest_text));
    if (!full()) make_room();
  }
  // Nothing below can fail.
  if (first) {
    start_ = then.tick;
    newest_ = then;
  } else if (later) {
    go_to(then);
  }
  const std::uint32_t raised = found ? *found : full() ? replace_least(d) : enter(d, 0);
  slot& s = slots_[raised];
  s.low +=
      static_cast<std::uint64_t>(forward::units_below(weight, then.slow, newest_.slow, fraction));
  s.fast = sum(s.fast, forward::units_below(weight, then.fast, newest_.fast, fraction));
  heap_[s.position].cnt += static_cast<std::uint64_t>(more);
  sift_down(s.position);
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

// Reuses the memory of a replaced text unless it is much too large; otherwise allocates exactly as
// much as the text needs.
void hot_list::prepare_text(std::string_view wanted) {
  if (spare_text_.capacity() >= wanted.size() && spare_text_.capacity() <= 2 * wanted.size() + 32) {
    spare_text_.assign(wanted);
  } else {
    kept_text(wanted).swap(spare_text_);  // an assignment would keep the memory
  }
}

// Reserves memory for one more entry.
void hot_list::make_room() {
  make_room_in(slots_, 1, entries_);
  make_room_in(heap_, 1, entries_);
  make_room_in(rings_, buckets_, entries_ * buckets_);
  index_.reserve(slots_.size() + 1);
  make_room_in(texts_, 1, entries_);
}

// Needs prepare_text() and make_room().
std::uint32_t hot_list::enter(digest d, std::uint64_t units) noexcept {
  const auto number = static_cast<std::uint32_t>(slots_.size());
  slots_.emplace_back();
  rings_.resize(rings_.size() + buckets_);
  heap_.emplace_back();
  texts_.emplace_back().swap(spare_text_);
  place(number, {units, number});
  begin_entry(number, d);
  if (full()) rebuild_heap();  // a list with room needs no smallest entry
  return number;
}

std::uint32_t hot_list::replace_least(digest d) noexcept {
  const std::uint32_t number = heap_.front().slot;
  index_.erase(slots_[number].id, number);
  std::fill_n(rings_.data() + ring_of(number), buckets_, 0);
  texts_[number].swap(spare_text_);
  begin_entry(number, d);
  return number;
}

void hot_list::begin_entry(std::uint32_t number, digest d) noexcept {
  slot& s = slots_[number];
  s = {d, 0, 0, newest_.bucket, 0, s.position};
  index_.insert(d, number);
}

// -- the heap ----------------------------------------------------------------------------------

// A total order: the smallest entry does not depend on the history of the heap.
bool hot_list::before(const node& a, const node& b) const noexcept {
  const digest& x = slots_[a.slot].id;
  const digest& y = slots_[b.slot].id;
  return std::tie(a.cnt, x.hi, x.lo) < std::tie(b.cnt, y.hi, y.lo);
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

void hot_list::rebuild_heap() noexcept {
  for (auto i = static_cast<std::uint32_t>(heap_.size() / 2); i > 0; --i) sift_down(i - 1);
}

// -- recent counts -----------------------------------------------------------------------------

void hot_list::shift_ring(std::uint32_t number, std::int64_t bucket) noexcept {
  slot& s = slots_[number];
  for (std::uint64_t i = std::min<std::uint64_t>(math::distance(s.bucket, bucket), buckets_); i > 0;
       --i) {
    s.head = s.head + 1 == buckets_ ? 0 : s.head + 1;
    rings_[ring_of(number) + s.head] = 0;
  }
  s.bucket = bucket;
}

void hot_list::count_recent(std::uint32_t number, std::int64_t bucket,
                            std::uint64_t weight) noexcept {
  slot& s = slots_[number];
  if (bucket > s.bucket) shift_ring(number, bucket);
  const std::uint64_t age = math::distance(bucket, s.bucket);
  if (age >= buckets_) return;
  const std::uint64_t at = s.head >= age ? s.head - age : s.head + buckets_ - age;
  std::uint64_t& count = rings_[ring_of(number) + at];
  count = sum(count, weight);
}

// -- answers -----------------------------------------------------------------------------------

std::vector<std::uint64_t> hot_list::recent(std::uint32_t number, std::int64_t bucket) const {
  const slot& s = slots_[number];
  const std::uint64_t behind = std::min<std::uint64_t>(math::distance(s.bucket, bucket), buckets_);
  std::vector<std::uint64_t> counts(buckets_);
  for (std::uint64_t i = 0; i + behind < buckets_; ++i) {
    counts[i] = rings_[ring_of(number) + (s.head + 1 + behind + i) % buckets_];
  }
  return counts;
}

estimate hot_list::bounds_of(std::uint32_t number, const moment& now) const noexcept {
  const slot& s = slots_[number];
  const double upper = hits_above(heap_[s.position].cnt, now);
  const std::uint64_t low = faded_below(s.low, now.slow.halvings - newest_.slow.halvings);
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

std::vector<hot_item> hot_list::top(std::size_t n, instant when, const heat_filter& filter) const {
  if (filter.seed() != seed_ || filter.decay() != slow_ || filter.clock() != clock_) {
    throw error(errc::incompatible,
                "a filter tightens the bounds of a hot list if seed, decay and clock are equal; at "
                "least one of these differs");
  }
  const moment now = at_or_newest(std::max(when, filter.newest().value_or(when)));
  return hottest(n, now, [&](std::uint32_t number) {
    const estimate own = bounds_of(number, now);
    const estimate other = filter.at(slots_[number].id, now.first);
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
  std::uint64_t bytes = detail::hooked_bytes<slot>(slots_.capacity()) +
                        detail::hooked_bytes<node>(heap_.capacity()) +
                        detail::hooked_bytes<std::uint64_t>(rings_.capacity()) + index_.bytes() +
                        detail::hooked_bytes<kept_text>(texts_.capacity()) + outside(spare_text_);
  for (const kept_text& text : texts_) bytes += outside(text);
  return bytes;
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
  for (node& n : heap_) {
    const unsigned_wide product = by.above(n.cnt);
    if (product > ~std::uint64_t{0}) {
      throw error(errc::too_large, "the heat of both lists together exceeds 64 bits");
    }
    n.cnt = static_cast<std::uint64_t>(product);
  }
  rebuild_heap();
  for (slot& s : slots_) {
    s.low = sum(0, by.below(s.low));
    s.fast = sum(0, by.below(s.fast));
  }
  for (std::uint64_t& count : rings_) count = sum(0, by.above(count));
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
    for (const node& n : list.heap_) {
      const digest id = list.slots_[n.slot].id;
      const auto there = other.find(id);
      if (there && skip_common) continue;
      const std::uint64_t more =
          there ? other.heap_[other.slots_[*there].position].cnt : other.least();
      if (more > ~n.cnt) {
        throw error(errc::too_large, "the heat of both lists together exceeds 64 bits");
      }
      all.push_back({id, n.cnt + more});
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
  heap_.clear();
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
  const std::uint32_t number = here ? *here : append(j.id, from.texts_[*there], j.cnt);
  slots_[number].low += from.slots_[*there].low;
  slots_[number].fast = sum(slots_[number].fast, from.slots_[*there].fast);
  const std::vector<std::uint64_t> counts = from.recent(*there, newest_.bucket);
  for (unsigned i = 0; i < buckets_; ++i) {
    std::uint64_t& count = rings_[ring_of(number) + i];
    count = sum(count, counts[i]);
  }
}

// Adds an entry whose ring will be filled from the oldest bucket on.
std::uint32_t hot_list::append(digest d, std::string_view text, std::uint64_t cnt) {
  make_room();
  prepare_text(text);
  const std::uint32_t number = enter(d, cnt);
  slots_[number].head = buckets_ - 1;
  return number;
}

BLOOMTIME_VALUE_OF(hot_list);

}  // namespace bloomtime
