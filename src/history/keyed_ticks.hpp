#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/detail/live_ticks.hpp>
#include <bloomtime/detail/timelines.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// visit(key, ticks, head) for all items in the order of their keys. Throws error(corrupt) before it
// hands out what is not in order: it may come from a file that was never checked.
template <class Visit>
void for_each_sound(const timelines& sealed, Visit&& visit) {
  const auto expect = [](bool sound) {
    if (!sound) throw error(errc::corrupt, "the timelines of this history are damaged");
  };
  std::vector<std::uint32_t> ticks;
  std::uint64_t least = 0;                       // key that may come next
  std::uint64_t to_come = sealed.shape().ticks;  // lest a few bits ask for much memory
  expect(sealed.view().for_each([&](std::uint64_t key, const auto& line) {
    expect(key >= least && line.head().count <= to_come);
    least = key + 1;
    to_come -= line.head().count;
    ticks.clear();
    expect(line.for_each([&](std::uint64_t t) { ticks.push_back(static_cast<std::uint32_t>(t)); }));
    visit(key, std::span<const std::uint32_t>(ticks), line.head());
  }));
}

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
    for_each_sound(sealed, [&](std::uint64_t key, std::span<const std::uint32_t> ticks,
                               const auto&) { add(key, ticks, later_by); });
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
  for_each_in_order(
      lists, [&](std::uint64_t key, std::span<const std::uint32_t> ticks) { out.add(key, ticks); });
  return out.finish();
}

}  // namespace bloomtime::detail
