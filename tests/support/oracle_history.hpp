#pragma once

#include <cstdint>
#include <map>
#include <set>

#include <bloomtime/time.hpp>

namespace bloomtime::support {

// Every tick of every item.
class oracle_history {
 public:
  void add(std::uint64_t item, std::int64_t t) { ticks_[item].insert(t); }

  bool seen(std::uint64_t item, interval asked) const {
    const auto found = ticks_.find(item);
    if (found == ticks_.end()) return false;
    const auto next = found->second.lower_bound(asked.first.number);
    return next != found->second.end() && *next <= asked.last.number;
  }

  const std::map<std::uint64_t, std::set<std::int64_t>>& items() const noexcept { return ticks_; }

 private:
  std::map<std::uint64_t, std::set<std::int64_t>> ticks_;
};

}  // namespace bloomtime::support
