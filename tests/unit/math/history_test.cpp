#include <gtest/gtest.h>

#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/math/history.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <set>

#include "support/expect_error.hpp"

namespace bloomtime::math {
namespace math_history_test {

using support::expect_error;

constexpr history_counts edgar{.pairs = 2'127'749, .items = 25'497, .ticks = 86'400};

double bits_per_pair(const history_size& size, const history_counts& counts) {
  return static_cast<double>(size.bits) / static_cast<double>(counts.pairs);
}

// All items with as many ticks, anywhere, as they would be sealed.
TEST(history_size, of_timelines_is_what_they_take) {
  for (const history_counts counts :
       {history_counts{2000, 2000, 86'400}, history_counts{5000, 2000, 86'400},
        history_counts{100'000, 1500, 86'400}, history_counts{90'000, 150, 4096},
        history_counts{8000, 2000, 4}}) {
    timeline_history built({.ticks = counts.ticks, .error = 0.5});
    random_source random(1);
    for (std::uint64_t item = 0; item < counts.items; ++item) {
      const std::uint64_t ticks =
          (item + 1) * counts.pairs / counts.items - item * counts.pairs / counts.items;
      std::set<std::uint64_t> some;
      while (some.size() < ticks) some.insert(random.below(counts.ticks));
      for (const std::uint64_t t : some) {
        ASSERT_EQ(built.add(item, instant::from_seconds(static_cast<std::int64_t>(t))),
                  outcome::added);
      }
    }
    built.compact();
    const auto bits = static_cast<double>(8 * built.sealed_bytes());
    const auto size = static_cast<double>(named_size(counts).bits);
    EXPECT_NEAR(size / bits, 1, 0.06) << counts.pairs << " " << counts.items;
    EXPECT_GT(bits / static_cast<double>(counts.pairs), timeline_entropy(counts));
  }
  // docs/math.md, Cost of a timeline.
  EXPECT_NEAR(timeline_entropy(edgar), 11.45, 0.05);
  EXPECT_LT(bits_per_pair(named_size(edgar), edgar), 11.5 + 1.8);
}

TEST(history_size, of_positions_stays_near_the_bound) {
  constexpr history_counts once{.pairs = 2'127'749, .items = 2'127'749, .ticks = 86'400};
  for (const double error : {0.01, 1e-6}) {
    for (const std::uint64_t length : {1, 128, 8192}) {
      const auto size = nameless_size(once, error, length);
      EXPECT_LE(size.error, error * (1 + 1e-9));
      EXPECT_LT(bits_per_pair(size, once), bound_bits_per_pair(error, length) + 2.5);
      EXPECT_GT(bits_per_pair(size, once), bound_bits_per_pair(error, length));
    }
  }
}

TEST(history_size, of_timelines_refuses_nonsense) {
  const auto refused = [](const history_counts& counts, const char* mention) {
    expect_error(
        errc::invalid_argument, [&] { (void)named_size(counts); }, mention);
  };
  EXPECT_GT(named_size({.pairs = 1, .items = 1, .ticks = 1}).bits, 48U);
  refused({.pairs = 1, .items = 2, .ticks = 9}, "at least one of the pairs");
  refused({.pairs = 9, .items = 2, .ticks = 4}, "one pair per tick");
  refused({.pairs = 9, .items = 0, .ticks = 9}, "at least one item");
  refused({.pairs = 9, .items = 9, .ticks = 0}, "1 to 2^62 ticks");
}

// As many as there are places for, and no more: at 10^8 sightings and an error of 1e-9 there are
// too few.
TEST(math_history, positions_err_no_more_than_they_may) {
  const std::uint64_t places = std::uint64_t{1} << 62;
  for (const double error : {1e-3, 1e-6, 1e-9, 3e-12, 1e-15}) {
    for (const std::uint64_t length : {1ull, 7ull, 128ull, 86'400ull}) {
      const std::uint64_t most = most_positions(error, length);
      EXPECT_LE(position_error(most, places, length), error);
      EXPECT_GT(position_error(most + most / 1000 + 1, places, length), error);
      for (std::uint64_t count = 1; count <= most && count < places / 16; count = count * 5 + 3) {
        EXPECT_LE(position_error(count, position_range(count, error, length), length), error)
            << count << ' ' << error << ' ' << length;
      }
    }
  }
  EXPECT_EQ(most_positions(1e-9, 128), 36'028'797u);
  EXPECT_GT(position_error(100'000'000, position_range(100'000'000, 1e-9, 128), 128), 2.7e-9);
}

}  // namespace math_history_test
}  // namespace bloomtime::math
