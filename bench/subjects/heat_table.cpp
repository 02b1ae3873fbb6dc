#include <fmt/format.h>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/harness/exact_map.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/named.hpp"
#include "bench/harness/parts.hpp"

// Zipf 1.0 over N items with a half-life of N arrivals: heat_table beside cells and exact maps of
// digest and decayed count. Every subject sees the same events, one per tick.
namespace bench {
namespace {

using bloomtime::digest;
using bloomtime::digest_of;
using bloomtime::heat_filter;
using bloomtime::heat_table;
using bloomtime::instant;

constexpr double least_heat = 1. / 8;  // of items that count
constexpr std::uint64_t half_lives = 8;

// A decayed count and the time of its last event, in 64 bits.
struct decayed {
  float count = 0;
  std::uint32_t at = 0;

  double now(std::uint32_t time, double half_life) const {
    return count * std::exp2(-static_cast<double>(time - at) / half_life);
  }
};

struct digest_hash {
  std::size_t operator()(digest x) const noexcept { return x.lo; }
};
using node_map = std::unordered_map<digest, std::uint64_t, digest_hash>;

// Forgets nothing.
template <class Map>
class exact_heat {
 public:
  explicit exact_heat(std::uint64_t half_life) : half_life_(static_cast<double>(half_life)) {}

  void add(digest d, instant when) {
    std::uint64_t& value = map_[d];
    const auto time = static_cast<std::uint32_t>(when.micros);
    const double before = std::bit_cast<decayed>(value).now(time, half_life_);
    value = std::bit_cast<std::uint64_t>(decayed{static_cast<float>(before + 1), time});
  }
  double at(digest d, instant when) const {
    const auto time = static_cast<std::uint32_t>(when.micros);
    if constexpr (requires { map_.bucket_count(); }) {
      const auto found = map_.find(d);
      if (found == map_.end()) return 0;
      return std::bit_cast<decayed>(found->second).now(time, half_life_);
    } else {
      const std::uint64_t* const value = map_.find(d);
      return value == nullptr ? 0 : std::bit_cast<decayed>(*value).now(time, half_life_);
    }
  }
  std::uint64_t memory() const noexcept {
    if constexpr (requires { map_.bucket_count(); }) {
      // A node has a key, a value and a link, and malloc adds 8 bytes.
      return map_.size() * (sizeof(digest) + 3 * 8) + map_.bucket_count() * 8;
    } else {
      return map_.memory();
    }
  }

 private:
  double half_life_;
  Map map_;
};

class subject : public named {
 public:
  using named::named;

  virtual void add(std::span<const digest> keys, std::int64_t first) = 0;
  virtual void ask(std::span<const digest> keys, std::int64_t now) const = 0;
  virtual double value(digest key, std::int64_t now) const = 0;
  virtual std::uint64_t memory() const = 0;
};

template <class Engine>
class subject_of final : public subject {
 public:
  subject_of(std::string name, Engine engine)
      : subject(std::move(name)), engine_(std::move(engine)) {}

  void add(std::span<const digest> keys, std::int64_t first) override {
    for (const digest& key : keys) engine_.add(key, instant(first++));
  }
  void ask(std::span<const digest> keys, std::int64_t now) const override {
    for (const digest& key : keys) keep(value(key, now));
  }
  double value(digest key, std::int64_t now) const override {
    if constexpr (requires { engine_.at(key, instant(now)).value; }) {
      return engine_.at(key, instant(now)).value;
    } else {
      return engine_.at(key, instant(now));
    }
  }
  std::uint64_t memory() const override { return engine_.memory(); }

 private:
  Engine engine_;
};

using subjects = std::vector<std::unique_ptr<subject>>;

template <class Engine>
void add_subject(subjects& all, std::string name, Engine engine) {
  all.push_back(std::make_unique<subject_of<Engine>>(std::move(name), std::move(engine)));
}

// `warm`: items with 1/8 hit or more.
subjects subjects_for(std::uint64_t items, std::uint64_t warm) {
  const std::chrono::microseconds half_life(static_cast<std::int64_t>(items));
  const std::chrono::microseconds tick(1);
  const auto table = [&](std::uint64_t hint, bool reserve) {
    return heat_table({.items = hint, .reserve = reserve, .half_life = half_life, .tick = tick});
  };
  const std::uint64_t bytes = table(warm, true).memory();
  const auto filter = [&](std::uint64_t times, unsigned bits) {
    return heat_filter(
        {.memory = times * bytes, .half_life = half_life, .tick = tick, .cell_bits = bits});
  };
  subjects all;
  add_subject(all, "heat_table, reserved", table(warm, true));
  add_subject(all, "heat_table, grown", table(warm, false));
  add_subject(all, "heat_table, no hint", table(0, false));
  add_subject(all, "heat_filter 16", filter(1, 16));
  add_subject(all, "heat_filter 32", filter(1, 32));
  add_subject(all, "heat_filter 32, 6 x", filter(6, 32));
  add_subject(all, "exact map", exact_heat<exact_map>(items));
  add_subject(all, "std::unordered_map", exact_heat<node_map>(items));
  return all;
}

// The events, and the truth at the last one.
struct stream {
  std::vector<digest> keys;
  std::vector<std::pair<digest, double>> warm;

  explicit stream(std::uint64_t items) {
    const bloomtime::math::zipf law(items, 1);
    bloomtime::math::random_source random(1);
    const std::uint64_t events = half_lives * items;
    const auto half_life = static_cast<double>(items);
    std::vector<double> heat(items);
    keys.reserve(events);
    for (std::uint64_t i = 1; i <= events; ++i) {
      const std::uint64_t item = law(random) - 1;
      keys.push_back(digest_of(item));
      heat[item] += std::exp2(static_cast<double>(i) / half_life - half_lives);
    }
    for (std::uint64_t i = 0; i < items; ++i) {
      if (heat[i] >= least_heat) warm.emplace_back(digest_of(i), heat[i]);
    }
  }
};

double mean_excess(const subject& s, const stream& events) {
  double sum = 0;
  const auto now = static_cast<std::int64_t>(events.keys.size());
  for (const auto& [key, heat] : events.warm) sum += std::max(0., s.value(key, now) - heat);
  return sum / static_cast<double>(events.warm.size());
}

struct timed_subject {
  subject& what;
  double bits = 0;
  double excess = 0;
  std::int64_t now = 0;
  std::size_t next = 0;
  std::size_t add = 0;
  std::size_t ask = 0;
};

void add_cases(schedule& cases, timed_subject& t, const stream& events, std::uint64_t operations) {
  const auto fill = [&t, &events](std::span<digest> block) {
    for (digest& key : block) key = events.keys[t.next++ % events.keys.size()];
  };
  t.add = cases.add([&t, fill, operations] {
    return time_in_blocks<digest>(operations, fill, [&](std::span<const digest> block) {
      t.what.add(block, t.now + 1);
      t.now += static_cast<std::int64_t>(block.size());
    });
  });
  t.ask = cases.add([&t, fill, operations] {
    return time_in_blocks<digest>(operations, fill,
                                  [&](std::span<const digest> block) { t.what.ask(block, t.now); });
  });
}

void print_targets(const timed_subject& table, const timed_subject& cells) {
  const auto once = [](double x) { return summary{x, x, x}; };
  fmt::print("\nTargets\n");
  print_target("heat_table, bits per item", 40, once(table.bits));
  print_target("heat_table, mean excess in hits", 0.02, once(table.excess));
  print_target("mean excess / that of 32-bit cells in 6 x the memory", 1,
               once(table.excess / cells.excess));
}

void measure(session& run, std::uint64_t items) {
  const stream events(items);
  const auto warm = events.warm.size();
  const subjects all = subjects_for(items, warm);
  schedule cases;
  std::list<timed_subject> timed;
  for (const auto& each : all) {
    timed_subject& t = timed.emplace_back(timed_subject{.what = *each});
    t.what.add(events.keys, 1);
    t.now = static_cast<std::int64_t>(events.keys.size());
    t.bits = 8 * static_cast<double>(t.what.memory()) / static_cast<double>(warm);
    t.excess = mean_excess(t.what, events);
    add_cases(cases, t, events, std::min(run.operations(), items));
  }
  cases.run(run.rounds());
  const timed_subject& exact = *std::next(timed.begin(), 6);
  fmt::print(
      "\nHeat of {} items with 1/8 hit or more: Zipf 1.0 over {} items, a half-life of as many "
      "arrivals.\nBits per item, mean excess in hits; times in ns and as multiples of the exact "
      "map's.\n\n",
      warm, items);
  bench::table shown({"subject", "bits", "excess", "add", "exact", "at", "exact"}, 1);
  for (const timed_subject& t : timed) {
    const auto time = [&](std::size_t which) {
      return fmt::format("{:.1f}", cases.time(which).median);
    };
    const auto ratio = [&](std::size_t which, std::size_t base) {
      return fmt::format("{:.2f}x", cases.ratio(which, base).median);
    };
    shown.row({t.what.name(), fmt::format("{:.1f}", t.bits), fmt::format("{:.4f}", t.excess),
               time(t.add), ratio(t.add, exact.add), time(t.ask), ratio(t.ask, exact.ask)});
    run.csv.line("heat_table", fmt::format("{} items", items), t.what.name() + "/add",
                 "multiple of the exact map", cases.ratio(t.add, exact.add));
  }
  shown.print(stdout);
  print_targets(timed.front(), *std::next(timed.begin(), 5));
}

}  // namespace

void heat_table_tables(session& run) {
  for (const std::uint64_t items : {100'000ULL, 1'000'000ULL, 10'000'000ULL}) {
    if (run.quick && items > 1'000'000) continue;
    if (run.wants(fmt::format("heat_table/{}", items))) measure(run, items);
  }
}

}  // namespace bench
