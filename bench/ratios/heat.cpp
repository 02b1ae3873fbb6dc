#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <bloomtime/heat/heat_filter.hpp>

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

}  // namespace

void heat_ratios(const ratio_session& run) {
  for (const std::uint64_t bytes : sizes()) {
    if (run.quick && bytes == sizes().back()) continue;
    measure(run, bytes);
  }
}

}  // namespace bench
