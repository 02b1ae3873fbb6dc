#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include <bloomtime/heat/decay.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::support {

// Every event of every item, and their weights by libm.
class oracle_heat {
 public:
  oracle_heat(const decay& fading, const tick_clock& epochs) : decay_(fading), clock_(epochs) {}

  void add(std::uint64_t item, instant when, std::uint64_t weight = 1) {
    events_[item].push_back({clock_.tick_of(when).number, weight});
  }

  long double at(std::uint64_t item, instant when) const {
    const auto found = events_.find(item);
    if (found == events_.end()) return 0;
    const std::int64_t now = clock_.tick_of(when).number;
    long double sum = 0;
    for (const auto& [epoch, weight] : found->second) {
      sum += static_cast<long double>(weight) * left_after(now - epoch);
    }
    return sum;
  }

  long double mass(instant when) const {
    long double sum = 0;
    for (const auto& [item, unused] : events_) sum += at(item, when);
    return sum;
  }

  void merge(const oracle_heat& other) {
    for (const auto& [item, events] : other.events_) {
      auto& mine = events_[item];
      mine.insert(mine.end(), events.begin(), events.end());
    }
  }

 private:
  struct event {
    std::int64_t epoch;
    std::uint64_t weight;
  };

  long double left_after(std::int64_t age) const {
    if (decay_.forgets_at_once()) return age == 0 ? 1 : 0;
    const long double rate = std::ldexp(static_cast<long double>(decay_.rate()),
                                        -static_cast<int>(decay::fraction_bits));
    return std::exp2(-rate * static_cast<long double>(age));
  }

  decay decay_;
  tick_clock clock_;
  std::map<std::uint64_t, std::vector<event>> events_;
};

}  // namespace bloomtime::support
