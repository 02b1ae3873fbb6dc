#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace bloomtime::support {

// Every hit of every item, by tick: the exact twin of a table of windows.
class oracle_window {
 public:
  explicit oracle_window(unsigned slots) : slots_(slots) {}

  void add(std::uint64_t item, std::int64_t tick, std::uint64_t count) {
    if (count != 0) hits_[item][tick] += count;
  }
  void merge(const oracle_window& other, std::uint64_t weight) {
    for (const auto& [item, ticks] : other.hits_) {
      for (const auto& [tick, count] : ticks) add(item, tick, count * weight);
    }
  }

  // The hits of the last `slots` ticks and of the one that `now` is in; without the oldest of them,
  // what certainly is within the window.
  std::uint64_t at(std::uint64_t item, std::int64_t now) const { return sum(item, now - slots_); }
  std::uint64_t within(std::uint64_t item, std::int64_t now) const {
    return sum(item, now - slots_ + 1);
  }
  std::uint64_t mass(std::int64_t now) const {
    std::uint64_t all = 0;
    for (const auto& [item, unused] : hits_) all += at(item, now);
    return all;
  }
  std::uint64_t items(std::int64_t now) const {
    return static_cast<std::uint64_t>(std::count_if(
        hits_.begin(), hits_.end(), [&](const auto& e) { return at(e.first, now) != 0; }));
  }
  // Forgets what is older than every window from `now` on.
  void trim(std::int64_t now) {
    for (auto& [item, ticks] : hits_) ticks.erase(ticks.begin(), ticks.lower_bound(now - slots_));
    std::erase_if(hits_, [](const auto& e) { return e.second.empty(); });
  }

 private:
  std::uint64_t sum(std::uint64_t item, std::int64_t from) const {
    const auto found = hits_.find(item);
    if (found == hits_.end()) return 0;
    std::uint64_t all = 0;
    for (auto t = found->second.lower_bound(from); t != found->second.end(); ++t) all += t->second;
    return all;
  }

  std::int64_t slots_;
  std::map<std::uint64_t, std::map<std::int64_t, std::uint64_t>> hits_;
};

}  // namespace bloomtime::support
