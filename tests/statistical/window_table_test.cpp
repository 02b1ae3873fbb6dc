#include <gtest/gtest.h>

#include <bloomtime/heat/window_table.hpp>

#include <cstdint>

#include "support/burst_streams.hpp"
#include "support/told_error.hpp"

// The measured error of a table is at most what current_error() says, and that is at most what was
// requested while no more items are in the window than it was made for.
namespace bloomtime::statistical_window_table_test {

using namespace std::chrono_literals;

using stream = support::burst_stream;
constexpr std::int64_t window = support::burst_window;
constexpr std::uint64_t items = support::burst_items;

using score = support::told_error;

void ask(score& s, const window_table& t) {
  s.ask(t, 2000, [&](std::uint64_t x) { return t.at(x, *t.newest()).upper != 0; });
}

// Items that came once, within the window.
void expect_no_undercount(const window_table& t, const stream& all, std::size_t newest) {
  for (std::size_t i = newest < items ? 0 : newest - items; i <= newest; ++i) {
    if (all[newest] - all[i] > window) continue;
    ASSERT_GE(t.at(i, *t.newest()).upper, 1) << i;
  }
}

score played(window_table t, const stream& all) {
  score s;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(t.add(i, instant(all[i])), outcome::added);
    if (i <= all.size() / 2 || i % 500 != 0) continue;
    ask(s, t);
    expect_no_undercount(t, all, i);
  }
  return s;
}

// All of the error is that of the keys, so it is neither above nor below what is told.
void expect_as_told(const score& s, double requested) {
  s.expect_told(1);
  EXPECT_LE(s.told_each(), requested);
}

class window_table_error : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(errors, window_table_error, testing::Values(0.1, 0.01, 1e-3));

TEST_P(window_table_error, is_told_under_even_bursty_and_gapped_arrivals) {
  constexpr std::int64_t apart = window + window / 40 + 1;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const window_table made(
        {.window = 10s, .slots = 40, .items = items, .error = GetParam(), .seed = seed});
    const auto phase = static_cast<std::int64_t>(seed) * window / 97;
    stream even;
    for (std::uint64_t i = 0; i < 3 * items; ++i) {
      even.push_back(static_cast<std::int64_t>(i * (window + window / 10) / items));
    }
    expect_as_told(played(made, even), GetParam());
    expect_as_told(played(made, support::bursts(1, apart, phase)), GetParam());
    expect_as_told(played(made, support::bursts(items / 2, apart, phase)), GetParam());
    expect_as_told(played(made, support::bursts(items, apart, phase)), GetParam());
    // As one burst leaves the window the next one has come: twice the items, twice the error.
    expect_as_told(played(made, support::bursts(items, window, phase)), 2 * GetParam());
    // Gaps.
    expect_as_told(played(made, support::bursts(items, 3 * window + 12'345, phase)), GetParam());
    expect_as_told(played(made, support::bursts(items / 2, 1000 * window, phase)), GetParam());
  }
}

// The error of more items than hinted grows in proportion to them, and is told.
TEST_P(window_table_error, of_ten_times_more_items_is_ten_times_as_large) {
  window_table t({.window = 1min, .items = 1000, .error = GetParam() / 10, .seed = 5});
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(t.add(i, instant{}), outcome::added);
  score s;
  for (std::uint64_t i = 0; i < 200; ++i) ask(s, t);
  expect_as_told(s, GetParam());
  EXPECT_NEAR(t.current_error(), t.predicted_error(10'000), t.predicted_error(10'000) / 50);
  EXPECT_NEAR(t.distinct(), 10'000, 100);  // although some share a key
}

}  // namespace bloomtime::statistical_window_table_test
