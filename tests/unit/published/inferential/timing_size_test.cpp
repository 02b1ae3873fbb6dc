#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/math/timing.hpp>
#include <bloomtime/published/inferential/timing_size.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "support/expect_error.hpp"
#include "support/numbers.hpp"

namespace bloomtime::published {
namespace timing_size_test {

using namespace math;
using support::expect_error;

// m, B, A, P, S of docs/math.md, Plan of a timing filter.
void expect_plan(const timing_size& s, std::uint64_t m, std::uint64_t block, std::uint32_t oldest,
                 std::uint32_t padding, std::uint64_t sweep) {
  EXPECT_EQ(s.timers, m);
  EXPECT_EQ(s.block, block);
  EXPECT_EQ(s.oldest, oldest);
  EXPECT_EQ(s.padding, padding);
  EXPECT_EQ(s.sweep, sweep);
}

TEST(timing_plan, gives_the_reference_values) {
  expect_plan(plan_timing(65536, 655360, 3, 3, 3), 218453, 24273, 3, 2, 3);
  expect_plan(plan_timing(65536, 655360, 4, 4, 4), 163840, 8192, 8, 5, 4);
  expect_plan(plan_timing(2048, 20480, 5, 5, 5), 4096, 98, 21, 8, 5);
  expect_plan(plan_timing(262144, 2621440, 6, 6, 6), 436906, 5462, 48, 13, 6);
  expect_plan(plan_timing(65536, 131072, 2, 2, 2), 65536, 65536, 1, 0, 1);
}

TEST(timing_plan, says_the_least_that_works) {
  expect_error(
      errc::invalid_argument, [] { plan_timing(65536, 16 * 65536, 1, 3, 1); },
      "the least that works is 4, or a sweep of 2");
  EXPECT_NO_THROW(plan_timing(65536, 16 * 65536, 1, 4, 1));
  EXPECT_NO_THROW(plan_timing(65536, 16 * 65536, 1, 3, 2));
  expect_error(
      errc::invalid_argument, [] { plan_timing(10, max_bits, 1, 2, 1); },
      "no number of bits works");
}

// The least block by trying all, with the conditions as the proof of 4.4 states them.
timing_size least_by_search(std::uint64_t w, std::uint64_t bits_in_all, unsigned k, unsigned bits,
                            std::uint64_t most_sweep) {
  const std::uint64_t m = bits_in_all / bits;
  const std::int64_t ages = (std::int64_t{1} << bits) - 2;
  for (std::uint64_t block = 1; block <= w; ++block) {
    const auto oldest = static_cast<std::int64_t>((w + block - 1) / block);
    const std::int64_t padding = ages - oldest - 1;
    if (padding < 0) continue;
    const std::uint64_t visits = block * static_cast<std::uint64_t>(padding + 1);
    const std::uint64_t sweep = (m + visits - 1) / visits;
    if (sweep > most_sweep) continue;
    return {w,
            m,
            bits,
            k,
            block,
            static_cast<std::uint32_t>(oldest),
            static_cast<std::uint32_t>(padding),
            sweep};
  }
  return {};
}

TEST(timing_plan, equals_an_exhaustive_search) {
  random_source random(1);
  unsigned found = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::uint64_t w = 1 + random.below(300);
    const auto bits = static_cast<unsigned>(2 + random.below(8));
    const std::uint64_t memory = bits + random.below(6000);
    const std::uint64_t sweep = 1 + random.below(9);
    const timing_size best = least_by_search(w, memory, 2, bits, sweep);
    if (best.block == 0) {
      EXPECT_THROW(plan_timing(w, memory, 2, bits, sweep), error);
    } else {
      ++found;
      ASSERT_EQ(plan_timing(w, memory, 2, bits, sweep), best)
          << w << ' ' << memory << ' ' << bits << ' ' << sweep;
    }
  }
  EXPECT_GT(found, 500u);
}

TEST(timing_plan, refuses_what_makes_no_sense) {
  expect_error(
      errc::invalid_argument, [] { plan_timing(0, 1000, 1, 4, 1); }, "window");
  expect_error(errc::invalid_argument, [] { plan_timing(support::most, 1000, 1, 4, 1); });
  expect_error(
      errc::invalid_argument, [] { plan_timing(9, 3, 1, 4, 1); }, "memory");
  expect_error(errc::invalid_argument, [] { plan_timing(9, support::most, 1, 4, 1); });
  expect_error(errc::invalid_argument, [] { plan_timing(9, 1000, 0, 4, 1); });
  expect_error(errc::invalid_argument, [] { plan_timing(9, 1000, 65, 4, 1); });
  expect_error(errc::invalid_argument, [] { plan_timing(9, 1000, 1, 1, 1); });
  expect_error(errc::invalid_argument, [] { plan_timing(9, 1000, 1, 33, 1); });
  expect_error(errc::invalid_argument, [] { plan_timing(9, 1000, 1, 4, 0); });
  expect_error(errc::invalid_argument, [] { timing_for_error(9, support::nan); });
  expect_error(errc::invalid_argument, [] { timing_for_error(9, 1); });
  expect_error(errc::too_large, [] { timing_for_error(9, 1e-9, {.k = 1, .bits = 2, .sweep = 1}); });
}

TEST(timing_size, memory_and_error_are_inverse) {
  for (const double wanted : {0.1, 0.01, 1e-4}) {
    const timing_size size = timing_for_error(10'000, wanted);
    EXPECT_LE(timing_error(size), wanted);
    const std::uint64_t bits = size.timers * size.bits;
    EXPECT_LE(timing_error(timing_for_memory(10'000, bits)), wanted);
    EXPECT_GT(timing_error(timing_for_memory(10'000, bits * 98 / 100)), wanted);
  }
}

TEST(timing_size, the_best_for_a_memory_is_the_best_of_all) {
  const timing_size best = timing_for_memory(2048, 20480);
  double least = 1;
  for (unsigned k = 1; k <= 30; ++k) {
    for (unsigned bits = 2; bits <= 16; ++bits) {
      const timing_size s = least_by_search(2048, 20480, k, bits, k);
      if (s.block != 0) least = std::min(least, timing_error(s));
    }
  }
  EXPECT_EQ(timing_error(best), least);
  // 18.2 bits per item at 10 %, with a sweep of 4 k (docs/math.md, Error of timers).
  const timing_size tenth = timing_for_error(100'000, 0.1, {.sweep = 12});
  EXPECT_NEAR(static_cast<double>(tenth.timers * tenth.bits) / 100'000, 18.2, 1);
}

TEST(stamp_evidence, blocks_have_the_ages_of_the_paper) {
  const evidence present = block_evidence(0, 3, 10, 0.5);
  EXPECT_EQ(present.a, 0);
  EXPECT_EQ(present.e, 3);
  const evidence older = block_evidence(2, 3, 10, 0.5);
  EXPECT_EQ(older.a, 13);
  EXPECT_EQ(older.e, 23);
  EXPECT_EQ(older.g, 0.5);
  EXPECT_EQ(older_than(40).a, 40);
  EXPECT_EQ(older_than(40).e, 40);
  EXPECT_EQ(window_masses(older_than(40), 40, geometric(0.3)).probability(), 0);
  // Beyond it the prior is shifted (docs/math.md, Posterior of a timing filter).
  EXPECT_DOUBLE_EQ(window_masses(older_than(40), 42, geometric(0.5)).probability(), 0.75);
}

}  // namespace timing_size_test
}  // namespace bloomtime::published
