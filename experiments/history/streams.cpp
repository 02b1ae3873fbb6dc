#include "streams.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <bloomtime/digest.hpp>
#include <bloomtime/math/random.hpp>

namespace experiments {
namespace {

using namespace bloomtime;

class record_set {
 public:
  explicit record_set(std::uint64_t most) : slots_(std::bit_ceil(2 * most)) {}

  bool insert(record r) {
    const std::uint64_t key = (std::uint64_t{r.item} << 32 | r.tick) + 1;  // 0: free
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t i = detail::mix(key) & mask;
    for (; slots_[i] != 0; i = (i + 1) & mask) {
      if (slots_[i] == key) return false;
    }
    slots_[i] = key;
    return true;
  }

 private:
  std::vector<std::uint64_t> slots_;
};

// Those of a tick stay in the order they came in, which is none.
std::vector<record> by_time(const std::vector<record>& records, std::uint32_t ticks) {
  std::vector<std::uint64_t> starts(ticks + std::size_t{1});
  for (const record& r : records) ++starts[r.tick + std::size_t{1}];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<record> sorted(records.size());
  for (const record& r : records) sorted[starts[r.tick]++] = r;
  return sorted;
}

class generator {
 public:
  generator(const generated& g, std::uint64_t seed)
      : counts_(g.of), when_(g.when), random_(seed), seen_(g.of.pairs) {}

  std::vector<record> pairs() {
    for (std::uint32_t item = 0; item < counts_.items; ++item) add({item, any_tick()});
    while (pairs_.size() < counts_.pairs) add_run(any_item());
    return std::move(pairs_);
  }

  // Any of the pairs once more, until there are as many as wanted.
  std::vector<record> with_repeats(std::vector<record> pairs) {
    const std::uint64_t different = pairs.size();
    while (pairs.size() < counts_.records) pairs.push_back(pairs[random_.below(different)]);
    return pairs;
  }

 private:
  void add(record r) {
    if (pairs_.size() < counts_.pairs && seen_.insert(r)) pairs_.push_back(r);
  }

  // The item of rank r has a weight of 1 / (r + 10).
  std::uint32_t any_item() {
    const double all = counts_.items;
    const auto item = static_cast<std::uint32_t>(10 * std::pow(all / 10 + 1, random_.unit()) - 10);
    return std::min(item, counts_.items - 1);
  }

  std::uint32_t any_tick() {
    for (;;) {
      const auto t = static_cast<std::uint32_t>(random_.below(counts_.ticks));
      if (when_ != times::diurnal || random_.unit() < business(24.0 * t / counts_.ticks)) return t;
    }
  }

  // A quiet night, a busy day that fades in the evening.
  static double business(double hour) {
    const double night = 0.1;
    if (hour < 6) return night;
    if (hour < 9) return night + (1 - night) * (hour - 6) / 3;
    if (hour < 18) return 1;
    return 1 - (1 - night) * (hour - 18) / 6;
  }

  void add_run(std::uint32_t item) {
    const std::uint32_t start = any_tick();
    if (when_ == times::uniform) return add({item, start});
    const double mean = when_ == times::dense ? 3000 : 300;
    const double density = when_ == times::dense ? 0.95 : 0.5;
    const double length = 1 - mean * std::log1p(-random_.unit());
    const auto end =
        std::min<std::uint64_t>(start + static_cast<std::uint64_t>(length), counts_.ticks);
    for (std::uint32_t t = start; t < end; ++t) {
      if (random_.unit() < density) add({item, t});
    }
  }

  counts counts_;
  times when_;
  math::random_source random_;
  record_set seen_;
  std::vector<record> pairs_;
};

}  // namespace

std::string name_of(const generated& g) {
  constexpr const char* names[] = {"dense", "bursty", "uniform", "diurnal"};
  return std::string(g.of.name) + " " + names[static_cast<std::size_t>(g.when)];
}

trace trace_of(const generated& g, std::uint64_t seed) {
  generator draws(g, seed);
  const std::vector<record> pairs = draws.pairs();
  return {name_of(g), by_time(draws.with_repeats(pairs), g.of.ticks), by_time(pairs, g.of.ticks),
          g.of.items, g.of.ticks};
}

void without_repeats(trace& t) {
  record_set seen(t.records.size());
  t.pairs.clear();
  for (const record& r : t.records) {
    if (seen.insert(r)) t.pairs.push_back(r);
  }
}

trace part_of(const trace& t, std::uint32_t first, std::uint32_t ticks) {
  const auto part = [&](const std::vector<record>& all) {
    std::vector<record> inside;
    for (const record& r : all) {
      if (r.tick >= first && r.tick - first < ticks) inside.push_back({r.item, r.tick - first});
    }
    return inside;
  };
  return {t.name, part(t.records), part(t.pairs), t.items, ticks};
}

}  // namespace experiments
