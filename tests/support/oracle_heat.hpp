#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <bloomtime/heat/decay.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::support {

// Every event of every item, and their weights by libm.
class oracle_heat {
 public:
  // What is left of an event after so many ticks.
  using curve = std::function<long double(std::int64_t age)>;

  oracle_heat(curve left_after, const tick_clock& ticks)
      : left_after_(std::move(left_after)), clock_(ticks) {}
  oracle_heat(const decay& fading, const tick_clock& ticks)
      : oracle_heat([fading](std::int64_t age) { return exponential(fading, age); }, ticks) {}

  void add(std::uint64_t item, instant when, std::uint64_t weight = 1) {
    events_[item].push_back({clock_.tick_of(when).number, static_cast<long double>(weight)});
  }

  long double at(std::uint64_t item, instant when) const {
    const auto found = events_.find(item);
    if (found == events_.end()) return 0;
    const std::int64_t now = clock_.tick_of(when).number;
    long double sum = 0;
    for (const auto& [tick, weight] : found->second) sum += weight * left_after_(now - tick);
    return sum;
  }

  long double mass(instant when) const {
    long double sum = 0;
    for (const auto& [item, unused] : events_) sum += at(item, when);
    return sum;
  }

  void merge(const oracle_heat& other, double weight = 1) {
    for (const auto& [item, events] : other.events_) {
      for (const event& e : events) events_[item].push_back({e.tick, e.weight * weight});
    }
  }

 private:
  struct event {
    std::int64_t tick;
    long double weight;
  };

  static long double exponential(const decay& fading, std::int64_t age) {
    if (fading.forgets_at_once()) return age == 0 ? 1 : 0;
    const long double rate = std::ldexp(static_cast<long double>(fading.rate()),
                                        -static_cast<int>(decay::fraction_bits));
    return std::exp2(-rate * static_cast<long double>(age));
  }

  curve left_after_;
  tick_clock clock_;
  std::map<std::uint64_t, std::vector<event>> events_;
};

}  // namespace bloomtime::support
