#include <gtest/gtest.h>

#include <bloomtime/math/binomial.hpp>
#include <bloomtime/recency/recency_filter.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/burst_streams.hpp"
#include "support/statistics.hpp"

// The error that was asked for holds however the items of a window are spread over it: evenly, in
// bursts, with gaps, and at every phase of the ticks.
namespace bloomtime::recency_bursts_test {

using namespace std::chrono_literals;

using support::bursts;
using stream = support::burst_stream;
constexpr std::int64_t window = support::burst_window;
constexpr std::uint64_t items = support::burst_items;

std::vector<stream> streams(std::int64_t phase) {
  const auto apart = window + window / 100 + 1;
  return {bursts(0, apart, phase), bursts(items / 2, apart, phase), bursts(items, apart, phase),
          bursts(items, 3 * window + 12'345, phase)};
}

struct score {
  std::uint64_t wrong = 0;
  std::uint64_t questions = 0;
  double told = 0;  // current_error(), summed over questions

  void ask(const recency_filter& f, instant when) {
    constexpr std::uint64_t each = 60;
    for (std::uint64_t i = 0; i < each; ++i, ++questions) {
      wrong += f.seen(1'000'000'000 + questions, when);
    }
    told += each * f.current_error();
  }
};

// Asks for other items all along the last two periods.
score played(recency_filter f, const stream& all) {
  score s;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(f.add(i, instant(all[i])), outcome::added);
    if (i > all.size() / 2 && i % 20 == 0) s.ask(f, *f.newest());
  }
  return s;
}

class recency_bursts : public testing::TestWithParam<layout> {};
INSTANTIATE_TEST_SUITE_P(layouts, recency_bursts, testing::Values(layout::flat, layout::line));

TEST_P(recency_bursts, of_every_phase_keep_the_error) {
  for (const double error : {0.03, 1e-3}) {
    score worst;
    for (std::int64_t phase = 0; phase < window / 10; phase += window / 70) {
      for (const stream& all : streams(phase)) {
        const score s = played(recency_filter({.window = 10s,
                                               .items = items,
                                               .error = error,
                                               .layout = GetParam(),
                                               .seed = static_cast<std::uint64_t>(phase)}),
                               all);
        EXPECT_LE(s.wrong, math::binomial_range(s.questions, error, support::tail).high)
            << "phase " << phase << ", error " << error;
        if (s.told * static_cast<double>(worst.questions + 1) >
            worst.told * static_cast<double>(s.questions + 1)) {
          worst = s;
        }
      }
    }
    // What the filter tells is what is measured.
    EXPECT_TRUE(support::plausible(worst.wrong, worst.questions,
                                   worst.told / static_cast<double>(worst.questions)));
  }
}

// The most that can be: as one burst is about to leave the window, the next one has come. Nothing
// less would do.
TEST_P(recency_bursts, one_window_apart_are_what_it_is_sized_for) {
  for (const double error : {0.03, 1e-3}) {
    score s;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      recency_filter f(
          {.window = 10s, .items = items, .error = error, .layout = GetParam(), .seed = seed});
      for (std::uint64_t i = 0; i < items; ++i) f.add(i, instant(10));
      for (std::uint64_t i = items; i < 2 * items; ++i) f.add(i, instant(window + 11));
      for (int i = 0; i < 300; ++i) s.ask(f, *f.newest());
      EXPECT_LE(f.predicted_error(items), error);
      EXPECT_GT(f.predicted_error(items), 0.9 * error);
    }
    EXPECT_TRUE(support::plausible(s.wrong, s.questions, error, 1e-12)) << s.wrong;
  }
}

// Half of the insertions repeat an item of the block before, so that a block may have more
// different items than its share of the window's.
TEST_P(recency_bursts, of_different_items_keep_the_error_of_a_window_in_insertions) {
  for (const double error : {0.03, 1e-3}) {
    for (std::uint64_t phase = 0; phase < 400; phase += 57) {
      recency_filter f(
          {.last = 2 * items, .items = items, .error = error, .layout = GetParam(), .seed = phase});
      for (std::uint64_t i = 0; i < phase; ++i) f.add(0);
      score s;
      std::uint64_t next = 1;
      for (int turn = 0; turn < 4; ++turn) {
        for (std::uint64_t i = 0; i < items; ++i) f.add(next++);
        for (std::uint64_t i = 0; i < items; ++i) {
          f.add(next - 1);
          if (turn > 1 && i % 20 == 0) s.ask(f, {});
        }
      }
      EXPECT_LE(s.wrong, math::binomial_range(s.questions, error, support::tail).high);
    }
  }
}

TEST_P(recency_bursts, even_arrivals_need_less_memory) {
  const recency_config config{
      .window = 10s, .items = items, .error = 1e-3, .evenly = true, .layout = GetParam()};
  recency_config any = config;
  any.evenly = false;
  EXPECT_LT(10 * recency_filter(config).size().cells, 6 * recency_filter(any).size().cells);
  const score s = played(recency_filter(config), bursts(0, window + window / 100 + 1, 0));
  EXPECT_LE(s.wrong, math::binomial_range(s.questions, 1e-3, support::tail).high);
}

TEST_P(recency_bursts, tenfold_overload_is_told) {
  recency_filter f({.window = 10s, .items = items, .error = 1e-3, .layout = GetParam()});
  for (std::uint64_t i = 0; i < 20 * items; ++i) {
    f.add(i, instant(static_cast<std::int64_t>(i) * window / (10 * items)));
  }
  score s;
  for (int i = 0; i < 200; ++i) s.ask(f, *f.newest());
  const double told = f.current_error();
  EXPECT_GT(told, 0.2);
  // The census of a line is that of all lines: a few per cent of their own.
  EXPECT_NEAR(static_cast<double>(s.wrong) / static_cast<double>(s.questions), told, 0.05 * told);
  EXPECT_NEAR(f.alive_items(), 11 * items, 0.15 * 11 * items);
}

}  // namespace bloomtime::recency_bursts_test
