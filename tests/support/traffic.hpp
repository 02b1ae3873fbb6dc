#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "traffic/event.hpp"

namespace bloomtime::support {

template <class Stream>
auto collect(Stream stream) {
  std::vector<typename decltype(stream())::value_type> all;
  while (const auto next = stream()) all.push_back(*next);
  return all;
}

// Counted the slow way.
struct exact_counts {
  std::uint64_t records = 0;
  std::uint64_t items = 0;
  std::uint64_t pairs = 0;
  bool in_order = true;
  bool in_time = true;

  friend bool operator==(const exact_counts&, const exact_counts&) = default;
};

inline exact_counts count_exactly(const std::vector<traffic::event>& events,
                                  const traffic::span_of_time& when) {
  exact_counts counts;
  std::set<traffic::item_number> items;
  std::set<std::pair<traffic::item_number, std::int64_t>> pairs;
  std::int64_t last = when.start;
  for (const traffic::event& e : events) {
    counts.in_order = counts.in_order && e.second >= last;
    counts.in_time = counts.in_time && e.second >= when.start &&
                     e.second < when.start + static_cast<std::int64_t>(when.seconds);
    last = e.second;
    items.insert(e.item);
    pairs.emplace(e.item, e.second);
  }
  counts.records = events.size();
  counts.items = items.size();
  counts.pairs = pairs.size();
  return counts;
}

}  // namespace bloomtime::support
