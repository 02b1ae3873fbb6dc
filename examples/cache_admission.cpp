// A cache that admits an item only if it is hotter than the one that would leave. A long scan then
// no longer empties the cache of what everybody wants.

#include <cstdio>
#include <list>
#include <random>
#include <unordered_map>

#include <bloomtime/bloomtime.hpp>

using namespace bloomtime;
using namespace std::chrono_literals;

struct lru_cache {
  bool by_heat;
  heat_table heat{{.half_life = 10min}};  // forgets what was hot yesterday
  std::list<std::uint64_t> order = {};
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places = {};

  bool get(std::uint64_t key, instant now) {  // true: a hit
    if (by_heat) heat.add(key, now);
    if (const auto found = places.find(key); found != places.end()) {
      order.splice(order.begin(), order, found->second);
      return true;
    }
    if (order.size() == 1000) {
      const std::uint64_t victim = order.back();
      if (by_heat && heat.at(key, now).value <= heat.at(victim, now).value) return false;
      places.erase(victim);
      order.pop_back();
    }
    order.push_front(key);
    places[key] = order.begin();
    return false;
  }
};

double hit_rate(lru_cache cache) {
  std::mt19937_64 random(1);
  int hits = 0;
  for (int i = 0; i < 300'000; ++i) {
    const instant now = instant::from_seconds(1'700'000'000 + i / 100);
    // Three of four requests are a scan: each of its keys comes once.
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    const auto popular = static_cast<std::uint64_t>(20 / (u + 1e-3));
    const std::uint64_t scanned = 1'000'000'000 + static_cast<std::uint64_t>(i);
    hits += cache.get(i % 4 == 0 ? popular : scanned, now);
  }
  return hits / 300'000.;
}

int main() {
  const double plain = hit_rate({.by_heat = false}), chosen = hit_rate({.by_heat = true});
  std::printf("hits of a cache of 1000 items: %.1f %%, and %.1f %% if it admits by heat\n",
              100 * plain, 100 * chosen);
  return chosen > plain ? 0 : 1;
}
