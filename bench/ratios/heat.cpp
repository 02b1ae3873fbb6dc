#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/heat_table.hpp>

#include "bench/harness/exact_map.hpp"
#include "bench/harness/faded.hpp"
#include "bench/harness/float_count_min.hpp"
#include "bench/harness/keys.hpp"
#include "bench/harness/machine.hpp"
#include "bench/ratios/ratios.hpp"

namespace bench {
namespace {

using bloomtime::instant;
using keys = std::span<const short_key>;

constexpr std::int64_t start = 1'400'000'000;
constexpr std::uint64_t half_life = 3600;  // seconds, which are the ticks

// A stream of random items over half-lives, and its clock.
class stream {
 public:
  explicit stream(std::uint64_t items) : items_(items) {}

  // Time passes with events, not with queries.
  void query(std::span<short_key> block) noexcept {
    for (short_key& key : block) key = key_of<short_key>(random_.below(items_));
  }
  void fill(std::span<short_key> block) noexcept {
    query(block);
    events_ += block.size();
  }
  std::uint32_t second() const noexcept {
    return static_cast<std::uint32_t>(half_life * events_ / items_);
  }
  instant now() const noexcept { return instant::from_seconds(start + second()); }

 private:
  std::uint64_t items_;
  random_numbers random_{7};
  std::uint64_t events_ = 0;
};

// One memory for both: cells of 16 bits for so many items, of which the reference has fewer, since
// its counters take 8 bytes.
void measure(const ratio_session& run, std::uint64_t bytes) {
  constexpr std::uint64_t bytes_per_item = 12;
  const std::uint64_t items = bytes / bytes_per_item;
  bloomtime::heat_filter heat({.memory = bytes, .half_life = std::chrono::seconds(half_life)});
  float_count_min floats(bytes, half_life);
  stream events(items);
  std::vector<short_key> block(block_size);
  for (std::uint64_t done = 0; done < 2 * items; done += block.size()) {
    events.fill(block);
    for (const short_key key : block) {
      heat.add(key, events.now());
      floats.add(key, events.second());
    }
  }
  comparison side(fmt::format("Decayed counts in {}, half-life 3600 ticks", text_of_bytes(bytes)));
  const auto timed = [&](auto prepare, auto use) {
    return
        [&run, prepare, use] { return time_in_blocks<short_key>(run.operations(), prepare, use); };
  };
  const auto queries = [&](auto use) {
    return timed([&](std::span<short_key> next) { events.query(next); }, use);
  };
  const auto additions = [&](auto use) {
    return timed([&](std::span<short_key> next) { events.fill(next); }, use);
  };
  const auto float_at = side.add("float count-min, at", queries([&](keys next) {
                                   const std::uint32_t now = events.second();
                                   float sum = 0;
                                   for (const short_key key : next) sum += floats.at(key, now);
                                   keep(sum);
                                 }));
  const auto at = side.add("heat_filter, at", queries([&](keys next) {
                             const instant now = *heat.newest();
                             double sum = 0;
                             for (const short_key key : next) sum += heat.at(key, now).upper;
                             keep(sum);
                           }));
  const auto value_at = side.add("heat_filter, value_at", queries([&](keys next) {
                                   const instant now = *heat.newest();
                                   double sum = 0;
                                   for (const short_key key : next) sum += heat.value_at(key, now);
                                   keep(sum);
                                 }));
  const auto past = side.add("heat_filter, at, a later tick", queries([&](keys next) {
                               const instant now =
                                   instant::from_seconds(start + events.second() + 10);
                               double sum = 0;
                               for (const short_key key : next) sum += heat.at(key, now).upper;
                               keep(sum);
                             }));
  const auto float_add = side.add("float count-min, add", additions([&](keys next) {
                                    const std::uint32_t now = events.second();
                                    for (const short_key key : next) floats.add(key, now);
                                  }));
  const auto add = side.add("heat_filter, add", additions([&](keys next) {
                              const instant now = events.now();
                              for (const short_key key : next) heat.add(key, now);
                            }));
  side.expect(at, float_at, 2.5);
  side.expect(value_at, float_at, 0);
  side.expect(past, float_at, 0);
  side.expect(add, float_add, 2);
  side.run(run.rounds());
  side.print();
}

// -- heat_table ----------------------------------------------------------------------------------

// A heat_table after a stream of two half-lives, and the exact counts of some of its items.
struct warm_table {
  std::uint64_t items;
  stream events{items};
  bloomtime::heat_table table{
      {.items = items, .reserve = true, .half_life = std::chrono::seconds(half_life)}};
  std::vector<short_key> keys = std::vector<short_key>(2 * items);
  std::vector<std::uint32_t> seconds = {};
  exact_map counts{items};

  explicit warm_table(std::uint64_t n) : items(n) {
    for (short_key& key : keys) {
      events.fill({&key, 1});
      table.add(key, events.now());
      add_faded(counts[bloomtime::digest_of(key)], events.now());
      seconds.push_back(events.second());
    }
  }

  // How much too high answers are on average; at(key) answers.
  template <class At>
  double mean_excess(At&& at) const {
    constexpr std::size_t sample = 50'000;
    double sum = 0;
    for (std::size_t i = 0; i < sample; ++i) {
      const short_key key = keys[keys.size() / sample * i];
      const float truth =
          faded_at(*counts.find(bloomtime::digest_of(key)), second_of(events.now()));
      sum += at(key) - truth;
    }
    return sum / sample;
  }
};

// The smallest sketch, in doublings, whose answers are as good as the table's.
float_count_min as_good_as(const warm_table& warm) {
  const double allowed =
      warm.mean_excess([&](short_key k) { return warm.table.at(k, warm.events.now()).value; });
  for (std::uint64_t bytes = warm.table.memory();; bytes *= 2) {
    float_count_min sketch(bytes, half_life);
    for (std::size_t i = 0; i < warm.keys.size(); ++i) sketch.add(warm.keys[i], warm.seconds[i]);
    const std::uint32_t now = warm.events.second();
    if (warm.mean_excess([&](short_key k) { return sketch.at(k, now); }) <= allowed) return sketch;
  }
}

void measure_table(const ratio_session& run, std::uint64_t items) {
  warm_table warm(items);
  float_count_min floats = as_good_as(warm);
  comparison side(
      fmt::format("Decayed counts of {} items: heat_table of {:.1f} MB, a float "
                  "count-min of equal mean error of {:.1f} MB",
                  items, static_cast<double>(warm.table.memory()) / 1e6,
                  static_cast<double>(floats.memory()) / 1e6));
  const auto queries = [&](auto use) {
    return [&, use] {
      return time_in_blocks<short_key>(
          run.operations(), [&](std::span<short_key> next) { warm.events.query(next); }, use);
    };
  };
  const auto additions = [&](auto use) {
    return [&, use] {
      return time_in_blocks<short_key>(
          run.operations(), [&](std::span<short_key> next) { warm.events.fill(next); }, use);
    };
  };
  const auto float_at = side.add("float count-min, at", queries([&](keys next) {
                                   const std::uint32_t now = warm.events.second();
                                   float sum = 0;
                                   for (const short_key key : next) sum += floats.at(key, now);
                                   keep(sum);
                                 }));
  const auto at = side.add("heat_table, at", queries([&](keys next) {
                             const instant now = *warm.table.newest();
                             double sum = 0;
                             for (const short_key key : next) sum += warm.table.at(key, now).upper;
                             keep(sum);
                           }));
  const auto float_add = side.add("float count-min, add", additions([&](keys next) {
                                    const std::uint32_t now = warm.events.second();
                                    for (const short_key key : next) floats.add(key, now);
                                  }));
  const auto add = side.add("heat_table, add", additions([&](keys next) {
                              const instant now = warm.events.now();
                              for (const short_key key : next) warm.table.add(key, now);
                            }));
  side.expect(at, float_at, 2.5);
  side.expect(add, float_add, 3);
  side.run(run.rounds());
  side.print();
}

}  // namespace

void heat_ratios(const ratio_session& run) {
  for (const std::uint64_t bytes : sizes()) {
    if (run.quick && bytes == sizes().back()) continue;
    measure(run, bytes);
  }
  measure_table(run, 100'000);
  if (!run.quick) measure_table(run, 1'000'000);
}

}  // namespace bench
