#include <gtest/gtest.h>

#include <bloomtime/recency/recency_table.hpp>

#include <cstdint>
#include <vector>

#include "support/burst_streams.hpp"
#include "support/told_error.hpp"

// The measured error of a table is at most what current_error() says, and that is at most what was
// requested while no more items are alive than it was made for.
namespace bloomtime::statistical_recency_table_test {

using namespace std::chrono_literals;

using support::bursts;
using stream = support::burst_stream;
constexpr std::int64_t window = support::burst_window;
constexpr std::uint64_t items = support::burst_items;

using score = support::told_error;

void ask(score& s, const recency_table& f) {
  s.ask(f, 300, [&](std::uint64_t x) { return f.seen(x); });
}

// Asks for other items all along the last two periods.
score played(recency_table f, const stream& all) {
  score s;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(f.add(i, instant(all[i])), outcome::added);
    if (i > all.size() / 2 && i % 20 == 0) ask(s, f);
  }
  return s;
}

struct kind {
  double error;
  bool reserve;
};

class recency_table_error : public testing::TestWithParam<kind> {
 protected:
  recency_table made(std::uint64_t seed) const {
    return recency_table({.window = 10s,
                          .items = items,
                          .error = GetParam().error,
                          .reserve = GetParam().reserve,
                          .ticks = 14,
                          .seed = seed});
  }
};
INSTANTIATE_TEST_SUITE_P(kinds, recency_table_error,
                         testing::Values(kind{0.01, false}, kind{0.01, true}, kind{1e-3, false},
                                         kind{1e-3, true}));

TEST_P(recency_table_error, is_told_at_every_phase_of_every_stream) {
  constexpr std::int64_t apart = window + window / 100 + 1;
  score even;
  score all;
  std::uint64_t seed = 0;
  for (std::int64_t phase = 0; phase < window / 14; phase += window / 70) {
    const auto play = [&](std::uint64_t burst, std::int64_t period) {
      const score s = played(made(seed++), bursts(burst, period, phase));
      s.expect_at_most(s.told_each());
      all += s;
      return s;
    };
    even += play(0, apart);
    play(items / 2, apart);
    play(items, apart);
    // As one burst leaves the window the next one has come: twice the items, twice the error.
    play(items, window + 1).expect_at_most(2 * GetParam().error);
    play(items, 3 * window + 12'345).expect_at_most(GetParam().error);  // gaps
  }
  even.expect_at_most(GetParam().error);
  EXPECT_LE(even.told_each(), GetParam().error);
  all.expect_told(0.6);
}

TEST_P(recency_table_error, of_tenfold_overload_is_told) {
  score s;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    recency_table f = made(seed);
    for (std::uint64_t i = 0; i < 10 * items; ++i) {
      EXPECT_EQ(f.add(i, instant(0)), outcome::added);
      if (i > 9 * items && i % 10 == 0) ask(s, f);
    }
    EXPECT_GT(f.current_error(), 3 * GetParam().error);
    EXPECT_LT(f.current_error(), 12 * GetParam().error);
  }
  s.expect_told(0.9);
}

// A window of insertions: half of them repeat an item.
TEST_P(recency_table_error, holds_in_a_window_of_insertions) {
  score s;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    recency_table f({.last = 2 * items,
                     .items = items,
                     .error = GetParam().error,
                     .reserve = GetParam().reserve,
                     .ticks = 14,
                     .seed = seed});
    for (std::uint64_t i = 0; i < 8 * items; ++i) {
      f.add(i / 2);
      if (i > 4 * items && i % 20 == 0) ask(s, f);
    }
  }
  s.expect_at_most(GetParam().error);
  s.expect_at_most(s.told_each());
}

}  // namespace bloomtime::statistical_recency_table_test
