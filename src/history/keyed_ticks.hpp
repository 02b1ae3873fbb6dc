#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/detail/live_ticks.hpp>
#include <bloomtime/detail/timelines.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// Items by their keys, in order, on their way into timelines: the ticks of all in one list.
class keyed_ticks {
 public:
  void add(std::uint64_t key, std::span<const std::uint32_t> ticks, std::uint64_t later_by = 0) {
    for (const std::uint32_t t : ticks) ticks_.push_back(static_cast<std::uint32_t>(t + later_by));
    keys_.push_back(key);
    ends_.push_back(ticks_.size());
  }

  void add(const timelines& sealed, std::uint64_t later_by) {
    if (sealed.empty()) return;
    std::vector<std::uint32_t> one;
    const bool sound = sealed.view().for_each([&](std::uint64_t key, const auto& line) {
      one.clear();
      line.for_each([&](std::uint64_t t) { one.push_back(static_cast<std::uint32_t>(t)); });
      add(key, one, later_by);
    });
    if (!sound) throw error(errc::corrupt, "the timelines of this history are damaged");
  }

  void add(const live_ticks& live, std::uint64_t later_by) {
    live.for_each_item([&](digest d, std::span<const std::uint32_t> ticks) {
      add(timeline_key(d), ticks, later_by);
    });
  }

  std::size_t size() const noexcept { return keys_.size(); }
  std::uint64_t key(std::size_t i) const noexcept { return keys_[i]; }
  std::span<const std::uint32_t> ticks(std::size_t i) const noexcept {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::span(ticks_).subspan(begin, ends_[i] - begin);
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> ticks_;
};

// visit(key, ticks) for all of all lists, in the order of the keys.
template <class Visit>
void for_each_in_order(std::span<const keyed_ticks> lists, Visit&& visit) {
  std::vector<std::size_t> next(lists.size(), 0);
  for (;;) {
    std::size_t least = lists.size();
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (next[i] == lists[i].size()) continue;
      if (least == lists.size() || lists[i].key(next[i]) < lists[least].key(next[least])) least = i;
    }
    if (least == lists.size()) return;
    visit(lists[least].key(next[least]), lists[least].ticks(next[least]));
    ++next[least];
  }
}

// The timelines of all items of all lists: the same bytes however they are spread over these.
inline timelines sealed_of(std::span<const keyed_ticks> lists, std::uint64_t span) {
  std::uint64_t items = 0;
  std::uint64_t last = 0;
  for_each_in_order(lists, [&](std::uint64_t key, std::span<const std::uint32_t>) {
    if (items == 0 || key != last) ++items;
    last = key;
  });
  if (items == 0) return {};
  timelines_writer out(span, items);
  for_each_in_order(lists, [&](std::uint64_t key, std::span<const std::uint32_t> ticks) {
    out.add(key, ticks);
  });
  return out.finish();
}

}  // namespace bloomtime::detail
