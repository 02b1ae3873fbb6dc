#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/history/history.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

#include "support/files.hpp"
#include "support/oracle_history.hpp"

// Whatever happens to a history of partitions, it never denies what it took, and says so where it
// has forgotten.
namespace bloomtime {
namespace partitioned_history_test {

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

void expect_kept(const history& h, const support::oracle_history& taken, interval asked) {
  const tick known = h.known_from();
  for (std::uint64_t x = 0; x < part_items; ++x) {
    std::uint64_t probes = 0;
    const sighting said = h.seen(x, asked, probes);
    const interval still{std::max(asked.first, known), asked.last};
    if (taken.seen(x, still)) RC_ASSERT(said == sighting::maybe);
    if (said == sighting::no) RC_ASSERT(!taken.seen(x, asked));
    if (said == sighting::out_of_retention) RC_ASSERT(asked.first < known);
  }
}

RC_GTEST_PROP(history, never_denies_what_it_took, ()) {
  const support::temporary_directory place;
  const history_config config{.partition = seconds(*rc::gen::inRange(1, 60)),
                              .retention = *rc::gen::inRange<std::uint64_t>(0, 6),
                              .late = *rc::gen::inRange<std::uint64_t>(0, 9),
                              .ahead = any_ahead(),
                              .memory = *rc::gen::element<std::uint64_t>(0, 1, 3000)};
  history h(config);
  support::oracle_history taken;
  std::int64_t now = 0;
  const auto rounds = *rc::gen::inRange(1, 60);
  for (int i = 0; i < rounds; ++i) {
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
    switch (*rc::gen::inRange(0, 10)) {
      case 0: h.seal(); break;
      case 1: h = history::load(h.serialize()); break;
      case 2: h.retire(place.path()); break;
      case 3:
        h.save(place.path() / "all");
        h = history::map(place.path() / "all");
        break;
      default: break;
    }
    expect_kept(h, taken, {{t}, {t}});
    expect_kept(h, taken, any_time(now + 20));
  }
}

}  // namespace partitioned_history_test
}  // namespace bloomtime
