#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

#include "format/golden_files.hpp"

// Random windows, sizes, jumps of the clock, late insertions and stops, next to the exact last tick
// of every item: nothing within the window is ever missed.
namespace bloomtime {
namespace age_partitioned_filter_property {

age_partitioned_config any_recent_window(bool timed) {
  const auto bytes = *rc::gen::inRange<std::uint64_t>(2000, 20'000);
  const auto items = *rc::gen::inRange<std::uint64_t>(1, 300);
  if (!timed) return {.last = items, .memory = bytes};
  const auto ticks = *rc::gen::inRange<std::int64_t>(1, 40);
  const auto resolution = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
  return {.window = std::chrono::microseconds(
              std::max(resolution, ticks * resolution - *rc::gen::inRange<std::int64_t>(0, 5))),
          .tick = std::chrono::microseconds(resolution),
          .items = items,
          .memory = bytes};
}

// A new filter, or a stored one with shared bits, as older versions have made them.
age_partitioned_filter filter_of(const age_partitioned_config& config, bool shared_bits) {
  if (!shared_bits) return age_partitioned_filter(config);
  return age_partitioned_filter::load(
      golden::path_of(config.window ? "age_partitioned_window" : "age_partitioned_last"));
}

age_partitioned_config config_of_stored(bool timed) {
  if (!timed) return {.last = 16};
  return {.window = std::chrono::minutes(1), .tick = std::chrono::seconds(10)};
}

RC_GTEST_PROP(age_partitioned_property, misses_nothing_of_the_last_insertions, ()) {
  const bool shared_bits = *rc::gen::inRange(0, 5) == 0;
  const auto config = shared_bits ? config_of_stored(false) : any_recent_window(false);
  age_partitioned_filter f = filter_of(config, shared_bits);
  math::random_source random(*rc::gen::arbitrary<std::uint64_t>());
  std::map<std::uint64_t, std::uint64_t> last;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    const std::uint64_t x = random() % 500;
    RC_ASSERT(f.add(x) == outcome::added);
    last[x] = n;
    const std::uint64_t asked = random() % 500;
    const auto found = last.find(asked);
    if (found != last.end() && n - found->second < *config.last) {
      RC_ASSERT(f.seen(asked));
      RC_ASSERT(f.posterior(asked, [](double t) { return t / (t + 50); }) > 0);
      RC_ASSERT(f.age(asked)->youngest <= n - found->second);
    }
    if (random() % 300 == 0) f = age_partitioned_filter::load(f.serialize());
  }
}

RC_GTEST_PROP(age_partitioned_property, misses_nothing_within_a_window_of_time, ()) {
  const bool shared_bits = *rc::gen::inRange(0, 5) == 0;
  const auto config = shared_bits ? config_of_stored(true) : any_recent_window(true);
  age_partitioned_filter f = filter_of(config, shared_bits);
  const std::int64_t window = config.window->count();
  math::random_source random(*rc::gen::arbitrary<std::uint64_t>());
  const bool crowded = random() % 4 == 0;      // many more than it was made for
  std::map<std::uint64_t, std::int64_t> last;  // exact instants
  std::int64_t now = static_cast<std::int64_t>(random() % 2'000'000'000) - 1'000'000'000;
  if (shared_bits) now += f.newest()->micros + 2'000'000'000;
  for (int n = 0; n < 800; ++n) {
    const auto draw = random() % 100;
    if (draw == 0) now += 3 * window;
    if (draw > (crowded ? 95U : 60U)) now += static_cast<std::int64_t>(random() % 7) * window / 40;
    const bool late = draw % 10 == 3;
    const std::int64_t at = late ? now - static_cast<std::int64_t>(random() % 3) * window / 2 : now;
    const std::uint64_t x = random() % 300;
    if (f.add(x, instant(at)) != outcome::dropped_late) {
      const auto [entry, fresh] = last.emplace(x, at);
      entry->second = std::max(entry->second, at);
    } else {
      RC_ASSERT(late && at < now - window);
    }
    const std::uint64_t asked = random() % 300;
    const std::int64_t when = now + (random() % 8 == 0 ? window / 3 : 0);
    const auto found = last.find(asked);
    if (found != last.end() && when - found->second <= window) {
      RC_ASSERT(f.seen(asked, instant(when)));
      const auto age = f.age(asked, instant(when));
      RC_ASSERT(age->youngest <= static_cast<std::uint64_t>(when - found->second));
      // What is older may look younger, by bits of others; never the other way round.
      RC_ASSERT(age->oldest >= age->youngest);
    }
    if (draw == 7) f.advance(instant(now));
    if (random() % 200 == 0) f = age_partitioned_filter::load(f.serialize());
  }
}

}  // namespace age_partitioned_filter_property
}  // namespace bloomtime
