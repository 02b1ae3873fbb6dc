#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/history/timeline_history.hpp>

#include <cstdint>
#include <utility>

#include "support/oracle_history.hpp"

// A history whose tables are set aside, merged and sealed at any time, in steps of any size,
// answers like one that has everything in a table, and becomes the same bytes.
namespace bloomtime::tick_archive_test {

constexpr std::uint64_t span = 5000;
constexpr std::uint64_t items = 12;

void step(timeline_history& h, timeline_history& at_once) {
  std::uint64_t work = *rc::gen::inRange<std::uint64_t>(1, 60);
  switch (*rc::gen::inRange(0, 12)) {
    case 0: h.begin_compact(); break;
    case 1:
      if (*rc::gen::inRange(0, 4) != 0) break;
      h.begin_seal();  // names are taken from what there is now, whenever that is done
      at_once.seal();
      break;
    case 2: h.compact(); break;
    case 3: h = timeline_history(h); break;
    case 4:
      for (work = 1'000'000; !h.upkeep(work); work = 1'000'000) {
      }
      h = timeline_history::load(h.serialize());
      break;
    case 5: h.set_table_aside(); break;
    default: (void)h.upkeep(work);
  }
}

RC_GTEST_PROP(tick_archive, answers_as_one_table_would, ()) {
  timeline_history h({.ticks = span, .error = 0.01, .length = 4});
  timeline_history at_once({.ticks = span, .error = 0.01, .length = 4});
  support::oracle_history taken;
  const auto rounds = *rc::gen::inRange(1, 40);
  for (int i = 0; i < rounds; ++i) {
    const auto adds = *rc::gen::inRange(0, 20);
    for (int j = 0; j < adds; ++j) {
      const auto x = *rc::gen::inRange<std::uint64_t>(0, items);
      const auto t = *rc::gen::inRange<std::int64_t>(0, x % 3 == 0 ? 40 : span);
      RC_ASSERT(h.add(x, instant::from_seconds(t)) == outcome::added);
      RC_ASSERT(at_once.add(x, instant::from_seconds(t)) == outcome::added);
      taken.add(x, t);
    }
    step(h, at_once);
    for (std::uint64_t x = 0; x < items; ++x) {
      const auto from = *rc::gen::inRange<std::int64_t>(0, span);
      const interval asked{{from}, {from + *rc::gen::inRange<std::int64_t>(0, 50)}};
      std::uint64_t probes = 0;
      const sighting said = h.seen(x, asked, probes);
      if (taken.seen(x, asked)) RC_ASSERT(said == sighting::maybe);
      if (h.nameless().empty()) RC_ASSERT((said == sighting::maybe) == taken.seen(x, asked));
    }
  }
  h.compact();
  at_once.compact();
  RC_ASSERT(h.records() == at_once.records());
  RC_ASSERT(h.serialize() == at_once.serialize());
}

}  // namespace bloomtime::tick_archive_test
