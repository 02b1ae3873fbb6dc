#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/history/history.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "support/files.hpp"
#include "support/oracle_history.hpp"

// Whatever happens to a history of partitions, it never denies what it took, and says so where it
// has forgotten.
namespace bloomtime {
namespace partitioned_history_property {

using std::chrono::seconds;

constexpr std::uint64_t part_items = 5;

interval any_time(std::int64_t upto) {
  const auto s = *rc::gen::inRange<std::int64_t>(-3, upto);
  return {{s}, {*rc::gen::inRange<std::int64_t>(s, upto + 20)}};
}

std::optional<std::chrono::microseconds> any_ahead() {
  if (*rc::gen::inRange(0, 2) == 0) return std::nullopt;
  return seconds(*rc::gen::inRange(0, 200));
}

// Every answer of a bulk call is that of a single one: 40 items are several blocks.
void expect_same_in_bulk(const history& h, interval asked) {
  std::vector<std::uint64_t> items(40);
  std::vector<interval> periods(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = i % (2 * part_items);
    periods[i] = {{asked.first.number + static_cast<std::int64_t>(i) - 20}, asked.last};
  }
  std::vector<sighting> each(items.size());
  std::vector<sighting> all(items.size());
  h.seen_bulk(items, periods, each);
  h.seen_bulk(items, asked, all);
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::uint64_t probes = 0;
    RC_ASSERT(each[i] == h.seen(items[i], periods[i], probes));
    RC_ASSERT(all[i] == h.seen(items[i], asked, probes));
  }
}

void expect_kept(const history& h, const support::oracle_history& taken, interval asked) {
  const tick known = h.known_from();
  for (std::uint64_t x = 0; x < part_items; ++x) {
    std::uint64_t probes = 0;
    const sighting said = h.seen(x, asked, probes);
    const interval still{std::max(asked.first, known), asked.last};
    if (taken.seen(x, still)) RC_ASSERT(said == sighting::maybe);
    if (said == sighting::no) RC_ASSERT(!taken.seen(x, asked));
    if (said == sighting::out_of_retention) RC_ASSERT(std::max(asked.first, tick{0}) < known);
  }
  expect_same_in_bulk(h, asked);
}

history_config any_config(std::chrono::microseconds partition) {
  return {.partition = partition,
          .retention = *rc::gen::inRange<std::uint64_t>(0, 6),
          .late = *rc::gen::inRange<std::uint64_t>(0, 9),
          .ahead = any_ahead(),
          .memory = *rc::gen::element<std::uint64_t>(0, 1, 3000)};
}

// Adds something at any time around `now`, then perhaps seals, stores, retires or trims.
void change(history& h, support::oracle_history& taken, std::int64_t& now,
            const std::filesystem::path& place) {
  const auto item = *rc::gen::inRange<std::uint64_t>(0, part_items);
  const auto step = *rc::gen::inRange<std::int64_t>(-100, 150);
  const std::int64_t t = std::max<std::int64_t>(now + step, -1);
  const outcome became = h.add(item, instant::from_seconds(t));
  RC_ASSERT(became == outcome::added || became == outcome::future ||
            became == outcome::dropped_late);
  if (became == outcome::added) {
    taken.add(item, t);
    now = std::max(now, t);
  }
  switch (*rc::gen::inRange(0, 12)) {
    case 0: h.seal(); break;
    case 1: h = history::load(h.serialize()); break;
    case 2: h.retire(place); break;
    case 3:
      h.save(place / "all");
      h = history(*history::map(place / "all"));
      break;
    case 4: h.trim(instant::from_seconds(*rc::gen::inRange<std::int64_t>(-10, now / 2 + 1))); break;
    default: break;
  }
  expect_kept(h, taken, {{t}, {t}});
}

RC_GTEST_PROP(history, never_denies_what_it_took, ()) {
  const support::temporary_directory place;
  history h(any_config(seconds(*rc::gen::inRange(1, 60))));
  support::oracle_history taken;
  std::int64_t now = 0;
  const auto rounds = *rc::gen::inRange(1, 60);
  for (int i = 0; i < rounds; ++i) {
    change(h, taken, now, place.path());
    expect_kept(h, taken, any_time(now + 20));
  }
}

// Both have partitions of the same time, joined or not, sealed or not, and go on afterwards.
RC_GTEST_PROP(history, covers_both_streams_after_a_merge, ()) {
  const support::temporary_directory place;
  const support::temporary_directory other_place;
  const seconds partition(*rc::gen::inRange(1, 20));
  history h(any_config(partition));
  history other(any_config(partition));
  support::oracle_history taken;
  support::oracle_history theirs;
  std::int64_t now = 0;
  std::int64_t other_now = *rc::gen::inRange(0, 200);
  const auto merge = [&] {
    const tick known = std::max(h.known_from(), other.known_from());
    h.merge(other);
    RC_ASSERT(h.known_from() >= known);
    for (const auto& [item, ticks] : theirs.items()) {
      for (const std::int64_t t : ticks) taken.add(item, t);
    }
    now = std::max(now, other_now);
    expect_kept(h, taken, any_time(now + 20));
  };
  const auto rounds = *rc::gen::inRange(1, 40);
  for (int i = 0; i < rounds; ++i) {
    change(h, taken, now, place.path());
    change(other, theirs, other_now, other_place.path());
    if (*rc::gen::inRange(0, 8) == 0) merge();
  }
  merge();
  expect_kept(h, taken, {{0}, {now + 1000}});
  for (int i = 0; i < 10; ++i) expect_kept(h, taken, any_time(now + 20));
  for (int i = 0; i < 10; ++i) change(h, taken, now, place.path());
}

}  // namespace partitioned_history_property
}  // namespace bloomtime
