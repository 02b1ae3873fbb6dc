#include "profile/ranking.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "text/usage_error.hpp"

namespace bloomtime::profile {
namespace {

ranked_item ranked_of(const field_profile& field, hot_item&& h) {
  return {.item = std::move(h.item),
          .cut = h.cut,
          .heat = h.heat,
          .total = field.total(h.id),
          .guaranteed = h.guaranteed,
          .trend = h.trend,
          .recent = std::move(h.recent),
          .first_seen = {}};
}

std::vector<ranked_item> hottest(const field_profile& field, std::size_t n, instant when) {
  std::vector<ranked_item> items;
  for (hot_item& h : field.top(n, when)) items.push_back(ranked_of(field, std::move(h)));
  return items;
}

std::vector<ranked_item> largest(const field_profile& field, std::size_t n, instant when) {
  if (!field.totals) {
    text::refuse(
        "this store was created by an older version and has no totals; use a new --store to "
        "count them, or --by heat");
  }
  std::map<std::pair<std::uint64_t, std::uint64_t>, hot_item> hot;
  for (hot_item& h : field.top(field.hot.listed(), when)) {
    hot.emplace(std::pair(h.id.lo, h.id.hi), std::move(h));
  }
  std::vector<ranked_item> items;
  for (large_item& l : field.totals->top(n)) {
    ranked_item item{.item = std::move(l.item),
                     .cut = l.cut,
                     .heat = field.at(l.id, when),
                     .total = l.total,
                     .guaranteed = l.guaranteed,
                     .trend = {},
                     .recent = {},
                     .first_seen = {}};
    if (const auto found = hot.find({l.id.lo, l.id.hi}); found != hot.end()) {
      item.trend = found->second.trend;
      item.recent = std::move(found->second.recent);
    }
    items.push_back(std::move(item));
  }
  return items;
}

// The hottest items that have enough hits to say something about.
std::vector<hot_item> hot_enough(const field_profile& field, instant when) {
  constexpr double enough = 16;
  std::vector<hot_item> items = field.top(field.hot.listed(), when);
  const double most = items.empty() ? 0 : items.front().heat.value;
  const double least = std::min(enough, most / enough);
  std::erase_if(items, [least](const hot_item& h) { return h.heat.value < least; });
  return items;
}

// In descending order of key(item), which may be missing; equal ones stay in the order of heat.
template <class Key>
std::vector<ranked_item> sorted(std::vector<ranked_item> items, std::size_t n, Key key) {
  std::stable_sort(items.begin(), items.end(),
                   [&](const ranked_item& a, const ranked_item& b) { return key(a) > key(b); });
  items.resize(std::min(n, items.size()));
  return items;
}

std::vector<ranked_item> rising(const field_profile& field, std::size_t n, instant when) {
  std::vector<ranked_item> items;
  for (hot_item& h : hot_enough(field, when)) {
    items.push_back(ranked_of(field, std::move(h)));
    items.back().guaranteed = false;
  }
  return sorted(std::move(items), n, [](const ranked_item& i) { return i.trend; });
}

std::vector<ranked_item> newest(const field_profile& field, std::size_t n, instant when) {
  if (!field.past) {
    text::refuse(
        "this store was created by an older version and has no history, which --by new needs; use "
        "a new --store to record it");
  }
  std::vector<ranked_item> items;
  for (hot_item& h : hot_enough(field, when)) {
    const digest id = h.id;
    items.push_back(ranked_of(field, std::move(h)));
    items.back().guaranteed = false;
    items.back().first_seen = first_seen(*field.past, id);
  }
  return sorted(std::move(items), n, [](const ranked_item& i) { return i.first_seen; });
}

}  // namespace

std::vector<ranked_item> ranked(const field_profile& field, order by, std::size_t n, instant when) {
  switch (by) {
    case order::total: return largest(field, n, when);
    case order::trend: return rising(field, n, when);
    case order::newest: return newest(field, n, when);
    case order::heat: break;
  }
  return hottest(field, n, when);
}

std::optional<instant> first_seen(const history& past, digest d) {
  std::optional<instant> first;
  past.for_each([&](const timeline_history& part) {
    if (first) return;
    const auto begin = static_cast<std::int64_t>(part.first());
    const auto end = begin + static_cast<std::int64_t>(part.ticks()) - 1;
    const sightings seen = part.when(d, {{begin}, {end}});
    if (!seen.empty()) first = past.clock().start_of(seen.front().first);
  });
  return first;
}

}  // namespace bloomtime::profile
