#include "store/offsets.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "logs/time_gate.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

bool same_offset(const offset_span& a, const offset_span& b) {
  return a.west == b.west && a.east == b.east;
}

bool before(const offset_span& a, const offset_span& b) {
  return std::tuple(a.west, a.east, a.first) < std::tuple(b.west, b.east, b.first);
}

// From the end of one span to the beginning of a later one; 0 if they overlap.
std::uint64_t gap(const offset_span& earlier, const offset_span& later) {
  return logs::micros_between(earlier.last, later.first);
}

bool touch(const offset_span& a, const offset_span& b) {
  const bool ordered = a.first <= b.first;
  return same_offset(a, b) && gap(ordered ? a : b, ordered ? b : a) <=
                                  static_cast<std::uint64_t>(offset_spans::joined.count());
}

// One span that holds the events of both.
offset_span both(const offset_span& a, const offset_span& b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last), std::min(a.west, b.west),
          std::max(a.east, b.east)};
}

bool possible(const offset_span& s) {
  return s.first <= s.last && s.west <= s.east && s.west >= -most_offset && s.east <= most_offset;
}

}  // namespace

offset_spans::offset_spans(std::vector<offset_span> spans) : spans_(std::move(spans)) {
  const bool sound = spans_.size() <= most && std::all_of(spans_.begin(), spans_.end(), possible) &&
                     std::is_sorted(spans_.begin(), spans_.end(), before) &&
                     std::adjacent_find(spans_.begin(), spans_.end(), touch) == spans_.end();
  if (!sound) text::corrupt("the UTC offset spans of the log contradict each other");
}

bool offset_spans::extends_recent(instant t, std::int32_t offset) noexcept {
  if (recent_ >= spans_.size()) return false;
  offset_span& s = spans_[recent_];
  if (s.west != offset || s.east != offset || t < s.first) return false;
  if (t <= s.last) return true;
  const offset_span now{t, t, offset, offset};
  const bool next_is_far = recent_ + 1 == spans_.size() || !touch(now, spans_[recent_ + 1]);
  if (!touch(s, now) || !next_is_far) return false;
  s.last = t;
  return true;
}

void offset_spans::insert(offset_span added) {
  auto place = std::lower_bound(spans_.begin(), spans_.end(), added, before);
  while (place != spans_.begin() && touch(*std::prev(place), added)) {
    added = both(*std::prev(place), added);
    place = spans_.erase(std::prev(place));
  }
  while (place != spans_.end() && touch(added, *place)) {
    added = both(added, *place);
    place = spans_.erase(place);
  }
  place = spans_.insert(place, added);
  recent_ = static_cast<std::size_t>(place - spans_.begin());
  if (spans_.size() > most) shrink();
}

void offset_spans::shrink() {
  std::optional<std::size_t> closest;
  for (std::size_t i = 0; i + 1 < spans_.size(); ++i) {
    if (!same_offset(spans_[i], spans_[i + 1])) continue;
    if (!closest || gap(spans_[i], spans_[i + 1]) < gap(spans_[*closest], spans_[*closest + 1])) {
      closest = i;
    }
  }
  if (closest) {
    join_closest(*closest);
    return;
  }
  offset_span all = spans_.front();
  for (const offset_span& s : spans_) all = both(all, s);
  spans_.assign(1, all);
  recent_ = 0;
}

void offset_spans::join_closest(std::size_t left) {
  spans_[left] = both(spans_[left], spans_[left + 1]);
  spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(left) + 1);
  if (recent_ > left) --recent_;
}

}  // namespace bloomtime::store
