#include <gtest/gtest.h>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/timing.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime::math {
namespace math_timing_test {

using support::expect_error;

// The number of written timers after one write more or less, exactly.
double exact_timers_error(std::uint64_t items, std::uint64_t timers, unsigned k) {
  const auto m = static_cast<long double>(timers);
  std::vector<long double> written(timers + 1, 0);
  written[0] = 1;
  for (std::uint64_t write = 0; write < items * k; ++write) {
    for (std::size_t x = timers; x > 0; --x) {
      const auto before = static_cast<long double>(x - 1);
      written[x] = written[x] * (before + 1) / m + written[x - 1] * (m - before) / m;
    }
    written[0] = 0;
  }
  long double sum = 0;
  for (std::size_t x = 0; x <= timers; ++x) {
    sum += written[x] * std::pow(static_cast<long double>(x) / m, static_cast<int>(k));
  }
  return static_cast<double>(sum);
}

TEST(timers_error, is_at_least_the_exact_one_and_close_to_it) {
  for (const std::uint64_t items : {1u, 2u, 5u, 10u, 40u}) {
    for (const unsigned k : {1u, 2u, 5u, 10u, 20u}) {
      for (const double load : {0.2, 0.7, 1.5}) {
        const auto timers = std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(static_cast<double>(items) * k / load));
        const double exact = exact_timers_error(items, timers, k);
        const double told = timers_error(items, timers, k);
        EXPECT_GE(told, exact * (1 - 1e-9)) << items << ' ' << k << ' ' << timers;
        EXPECT_LE(told, exact * (items >= 10 ? 1.01 : 1.8)) << items << ' ' << k << ' ' << timers;
        if (k == 1) {
          EXPECT_NEAR(told, exact, 1e-12);
        }
      }
    }
  }
  EXPECT_EQ(timers_error(0, 10, 3), 0);
  EXPECT_EQ(timers_error(1, 1, 3), 1);
  EXPECT_EQ(timers_error(std::uint64_t{1} << 40, 2, 64), 1);
}

TEST(stamp_size, keeps_the_error_with_the_fewest_cells) {
  for (const double wanted : {0.2, 0.01, 0.0099, 1e-6}) {
    for (const std::uint32_t oldest : {1u, 10u, 100u, 5000u}) {
      for (const auto kind : {layout::flat, layout::line}) {
        const stamp_load load{20'000, 3000, oldest};
        const stamp_size s = stamps_for_error(load, wanted, kind);
        EXPECT_EQ(s.layout, kind);
        EXPECT_EQ(s.oldest, oldest);
        EXPECT_LE(stamp_error(s, 23'000), wanted);
        // Not with any other k either.
        stamp_size less = s;
        less.cells -= s.layout == layout::line ? 512 / s.bits : 1;
        for (less.k = 1; less.k <= 16; ++less.k) EXPECT_GT(stamp_error(less, 23'000), wanted);
        // Room for the window and the sweep, and no more.
        EXPECT_GE((std::uint64_t{1} << s.bits) - 2, oldest + std::max(1u, oldest / 4));
        if (s.bits > 2) {
          EXPECT_LT((std::uint64_t{1} << s.bits) / 2 - 2, oldest + std::max(1u, oldest / 4));
        }
        EXPECT_GE(s.cells * s.bits, [&] {
          const stamp_size best = stamps_for_error(load, wanted);
          return best.cells * best.bits;
        }());
      }
    }
  }
}

std::uint64_t memory_of(const stamp_size& s) {
  return s.layout == layout::line ? s.cells / (512 / s.bits) * 512 : s.cells * s.bits;
}

// On a fine grid: a smaller error takes as much memory or more, and so do more items.
TEST(stamp_size, memory_has_no_cliffs) {
  for (const std::uint64_t items : {1u, 7u, 100u, 12'345u, 1'000'000u}) {
    for (const std::uint32_t oldest : {1u, 10u, 600u}) {
      std::uint64_t before = 0;
      for (double wanted = 0.9; wanted > 1e-12; wanted *= 0.93) {
        const std::uint64_t bits = memory_of(stamps_for_error({items, items, oldest}, wanted));
        EXPECT_GE(bits, before) << items << ' ' << oldest << ' ' << wanted;
        before = bits;
      }
    }
  }
  for (const double wanted : {0.3, 0.01, 1e-4}) {
    std::uint64_t before = 0;
    for (std::uint64_t items = 1; items < 10'000'000; items += 1 + items / 16) {
      const std::uint64_t bits = memory_of(stamps_for_error({items, items, 10}, wanted));
      EXPECT_GE(bits, before) << items << ' ' << wanted;
      before = bits;
    }
  }
}

TEST(stamp_size, more_memory_never_errs_more) {
  double before = 1;
  for (std::uint64_t bytes = 1; bytes < 100'000; bytes += 1 + bytes / 8) {
    const double error = stamp_error(stamps_for_memory({1000, 1000, 10}, bytes), 2000);
    EXPECT_LE(error, before * (1 + 1e-12)) << bytes;
    before = error;
  }
}

TEST(stamp_size, of_a_memory_uses_it) {
  expect_error(
      errc::too_large,
      [] {
        stamps_for_memory({1000, 4, 300}, 1);
      },
      "more memory than");
  for (const std::uint64_t bytes : {2u, 7u, 63u, 64u, 1000u, 60'000u}) {
    for (const std::uint32_t oldest : {1u, 10u, 300u}) {
      const stamp_size s = stamps_for_memory({1000, 100, oldest}, bytes);
      const std::uint64_t used =
          s.layout == layout::line ? s.cells / (512 / s.bits) * 64 : (s.cells * s.bits + 7) / 8;
      EXPECT_LE(used, bytes);
      EXPECT_GT(used + 64, bytes);
      for (const auto kind : {layout::flat, layout::line}) {
        if (bytes < 64 && kind == layout::line) continue;
        const stamp_size other = stamps_for_memory({1000, 100, oldest}, bytes, kind);
        EXPECT_LE(stamp_error(s, 1100), stamp_error(other, 1100));
      }
    }
  }
}

TEST(stamp_size, fill_tells_items_and_error) {
  for (const layout kind : {layout::flat, layout::line}) {
    const stamp_size s = stamps_for_error({5000, 500, 10}, 0.02, kind);
    const double alive = 5500;
    const double hit = kind == layout::flat
                           ? -std::expm1(alive * s.k * std::log1p(-1 / double(s.cells)))
                           : -std::expm1(alive * std::log1p(-double(s.k) / double(s.cells)));
    const auto timers = static_cast<std::uint64_t>(std::llround(hit * double(s.cells)));
    EXPECT_NEAR(alive_items(s, timers), alive, 2);
    EXPECT_NEAR(alive_error(s, timers), stamp_error(s, 5500), 2e-4);
    EXPECT_EQ(alive_error(s, 0), 0);
    EXPECT_EQ(alive_error(s, s.cells), 1);
    EXPECT_EQ(alive_items(s, s.cells), support::infinite);
  }
}

TEST(stamp_size, refuses_what_makes_no_sense) {
  expect_error(errc::invalid_argument, [] { stamps_for_error({0, 0, 10}, 0.1); });
  expect_error(errc::invalid_argument, [] { stamps_for_error({support::most, 0, 10}, 0.1); });
  expect_error(errc::invalid_argument, [] { stamps_for_error({10, 10, 10}, 0); });
  expect_error(errc::invalid_argument, [] { stamps_for_error({10, 10, 10}, support::nan); });
  expect_error(errc::invalid_argument, [] { stamps_for_error({10, 10, 0}, 0.1); });
  expect_error(errc::invalid_argument, [] { stamps_for_memory({10, 10, 10}, 0); });
  expect_error(errc::invalid_argument, [] { stamps_for_memory({10, 10, 10}, 63, layout::line); });
  expect_error(errc::too_large, [] { stamps_for_error({std::uint64_t{1} << 40, 0, 10}, 1e-9); });
}

// Two lines of four timers, of which an item writes one in each half of one line: every choice of
// three items, one by one.
TEST(stamp_evidence, timers_of_a_line_are_written_together) {
  const stamp_size size{.layout = layout::line, .bits = 128, .k = 2, .cells = 8, .oldest = 3};
  int both = 0;
  int first = 0;
  int all = 0;
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      for (int c = 0; c < 8; ++c, ++all) {
        bool low = false;
        bool high = false;
        for (const int item : {a, b, c}) {
          if (item / 4 != 0) continue;  // the other line
          low |= item % 2 == 0;
          high |= item / 2 % 2 == 0;
        }
        both += low && high;
        first += low;
      }
    }
  }
  EXPECT_NEAR(all_touched(size, 3, 2), static_cast<double>(both) / all, 1e-12);
  EXPECT_NEAR(all_touched(size, 3, 1), static_cast<double>(first) / all, 1e-12);
  EXPECT_GT(all_touched(size, 3, 2), std::pow(all_touched(size, 3, 1), 2));
  EXPECT_EQ(all_touched(size, 0, 1), 0);
  EXPECT_EQ(all_touched(size, 1e300, 2), 1);
  const stamp_size flat{.layout = layout::flat, .bits = 4, .k = 3, .cells = 100, .oldest = 3};
  EXPECT_NEAR(all_touched(flat, 7, 2), std::pow(1 - std::pow(0.99, 21), 2), 1e-12);
}

TEST(stamp_evidence, likelihoods) {
  EXPECT_DOUBLE_EQ(touched(2, 4, 3), 1 - std::pow(0.75, 6));
  EXPECT_EQ(touched(0, 1, 3), 0);
  EXPECT_EQ(touched(1, 1, 3), 1);
  EXPECT_DOUBLE_EQ(stamp_census(5, 10, 2), 5. / 10 * 4 / 9);
  EXPECT_DOUBLE_EQ(stamp_census(0, 10, 2), 2. / 10 * 1 / 9);  // its own are among them
  EXPECT_EQ(stamp_census(10, 10, 3), 1);
}

}  // namespace math_timing_test
}  // namespace bloomtime::math
