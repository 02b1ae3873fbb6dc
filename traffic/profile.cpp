#include "traffic/profile.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime::traffic {
namespace {

std::size_t hour_of(std::int64_t second) {
  constexpr std::int64_t day = 86'400;
  return static_cast<std::size_t>((second % day + day) % day / 3600);
}

}  // namespace

void profiler::add(const event& seen) {
  const auto now = static_cast<std::uint64_t>(seen.second) - static_cast<std::uint64_t>(origin_);
  if (seen.second < origin_ || now < now_) {
    throw error(errc::invalid_argument,
                "a profile is taken in order of time, got second " + std::to_string(seen.second) +
                    " after " + std::to_string(origin_ + static_cast<std::int64_t>(now_)));
  }
  now_ = now;
  ++so_far_.records;
  ++so_far_.hours[hour_of(seen.second)];
  sighting& item = items_[seen.item];
  if (item.records == 0) {
    ++so_far_.items;
  } else {
    ++so_far_.gaps[static_cast<std::size_t>(std::bit_width(now - item.last))];
    // At levels from the highest differing bit on, both times lie in the same bucket.
    ++changes_[static_cast<std::size_t>(std::bit_width(now ^ item.last))];
  }
  item.last = now;
  ++item.records;
}

profile profiler::result() const {
  profile whole = so_far_;
  for (std::size_t level = 0; level < profile::levels; ++level) {
    const auto changed = changes_.begin() + static_cast<std::ptrdiff_t>(level) + 1;
    whole.pairs[level] = whole.items + std::accumulate(changed, changes_.end(), std::uint64_t{0});
  }
  std::vector<std::uint64_t> counts;
  counts.reserve(items_.size());
  for (const auto& [item, seen] : items_) counts.push_back(seen.records);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  const auto top = [&](std::size_t n) {
    const auto end = counts.begin() + static_cast<std::ptrdiff_t>(std::min(n, counts.size()));
    return std::accumulate(counts.begin(), end, std::uint64_t{0});
  };
  whole.top_one = top(1);
  whole.top_ten = top(10);
  whole.top_hundredth = top((counts.size() + 99) / 100);
  return whole;
}

profile profile_of(std::vector<event> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const event& a, const event& b) { return a.second < b.second; });
  profiler of(events.empty() ? 0 : events.front().second);
  for (const event& e : events) of.add(e);
  return of.result();
}

}  // namespace bloomtime::traffic
