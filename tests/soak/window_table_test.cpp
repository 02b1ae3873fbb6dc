#include <gtest/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/heat/window_table.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "support/soaking.hpp"

// Hits within a window are never undercounted: 10^9 operations over tables of many shapes if
// BLOOMTIME_SOAK is set, else 3 * 10^6. Bursts, gaps, late events, limits, files and merges.
namespace bloomtime {
namespace window_table_soak {

std::uint64_t operations() { return support::soak_operations(1'000'000'000, 3'000'000); }

constexpr std::uint64_t items = 4096;

// The exact twin: a ring of counts per item.
class exact_rings {
 public:
  explicit exact_rings(unsigned slots) : slots_(slots), counts_(items * (slots + 1)) {}

  void go_to(std::int64_t now) {
    const std::int64_t ring = slots_ + 1;
    for (std::int64_t t = std::max(now_ + 1, now - slots_); t <= now; ++t) {
      for (std::uint64_t item = 0; item < items; ++item) cell(item, t % ring) = 0;
    }
    now_ = std::max(now_, now);
  }
  void add(std::uint64_t item, std::int64_t tick, std::uint64_t weight) {
    cell(item, tick % (slots_ + 1)) += weight;
  }
  std::uint64_t at(std::uint64_t item) const {
    const auto first = counts_.begin() + static_cast<std::int64_t>(item) * (slots_ + 1);
    std::uint64_t sum = 0;
    std::for_each(first, first + slots_ + 1, [&](std::uint64_t n) { sum += n; });
    return sum;
  }

 private:
  std::uint64_t& cell(std::uint64_t item, std::int64_t slot) {
    return counts_[item * static_cast<std::uint64_t>(slots_ + 1) +
                   static_cast<std::uint64_t>(slot)];
  }

  std::int64_t slots_;
  std::int64_t now_ = 0;
  std::vector<std::uint64_t> counts_;
};

window_table_config any_table(math::random_source& random) {
  constexpr std::array slots{1u, 5u, 31u, 60u, 63u, 64u, 200u};
  window_table_config c{.slots = slots[random.below(slots.size())],
                        .items = random.below(2) == 0 ? 0 : 1 + random.below(items),
                        .error = random.below(2) == 0 ? 0.2 : 1e-6,
                        .ahead = std::chrono::hours(24 * 365 * 1000),
                        .seed = random.below(9)};
  c.window = std::chrono::seconds(c.slots);
  c.reserve = c.items != 0 && random.below(3) == 0;
  if (!c.reserve && random.below(4) == 0) c.memory = 16 * 1024 + random.below(20'000);
  return c;
}

std::int64_t time_step(math::random_source& random, unsigned slots) {
  const std::uint64_t kind = random.below(100'000);
  if (kind < 200) return static_cast<std::int64_t>(random.below(2 + slots / 16));
  if (kind < 204) return static_cast<std::int64_t>(random.below(3 * std::uint64_t{slots}));
  if (kind < 205) return static_cast<std::int64_t>(random.below(std::uint64_t{1} << 32));
  return 0;
}

// Merges a table that has seen some items lately, unless there is no room for it.
void merge_another(window_table& t, const window_table_config& c, std::int64_t now,
                   const support::soak_items& keys, math::random_source& random,
                   exact_rings& exact) {
  window_table other(c);
  std::vector<std::uint64_t> added;
  for (std::uint64_t i = random.below(1000); i > 0; --i) {
    const std::uint64_t item = random.below(items);
    if (other.add(keys(item), instant::from_seconds(now)) == outcome::added) added.push_back(item);
  }
  try {
    t.merge(other);
  } catch (const error&) {
    return;
  }
  for (const std::uint64_t item : added) exact.add(item, now, 1);
}

std::uint64_t live(std::uint64_t life, std::uint64_t events) {
  math::random_source random(support::soak_seed(life));
  const window_table_config c = any_table(random);
  const support::soak_items keys(c.seed, life);
  window_table t(c);
  exact_rings exact(c.slots);
  std::int64_t now = 1'400'000'000;
  exact.go_to(now);
  std::uint64_t wrong = 0;
  std::uint64_t lost = 0;
  const std::uint64_t busy = 1 + random.below(items);
  for (std::uint64_t i = 0; i < events; ++i) {
    now += time_step(random, c.slots);
    exact.go_to(now);
    const std::uint64_t item = random.below(random.below(4) == 0 ? 10 : busy);
    const bool late = random.below(10) == 0;
    const auto back = late ? static_cast<std::int64_t>(random.below(c.slots + 1ULL)) : 0;
    const std::uint64_t weight = random.below(100) == 0 ? random.below(100'000) : 1;
    t.advance(instant::from_seconds(now));
    const outcome became = t.add(keys(item), instant::from_seconds(now - back), weight);
    if (became == outcome::full) {
      ++lost;
    } else {
      wrong += became != (back != 0 && weight != 0 ? outcome::late : outcome::added) && i != 0;
      exact.add(item, now - back, weight);
    }
    const std::uint64_t other = random.below(items);
    wrong +=
        t.at(keys(other), instant::from_seconds(now)).upper < static_cast<double>(exact.at(other));
    if (random.below(20'000) == 0) t = window_table::load(t.serialize());
    if (random.below(20'000) == 0) merge_another(t, c, now, keys, random, exact);
  }
  wrong += c.memory || keys.aimed() ? 0 : lost;
  return wrong;
}

TEST(window_table_soak, never_undercounts) {
  const std::uint64_t lives = support::soak_lives(operations(), 60);
  for (std::uint64_t i = 0; i < lives; ++i) {
    ASSERT_EQ(live(i, operations() / lives), 0U) << "life " << i;
  }
}

}  // namespace window_table_soak
}  // namespace bloomtime
