#include <gtest/gtest.h>

#include <bloomtime/detail/hyperloglog.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

// All tolerances are 5 standard deviations of a nearly normal quantity, two-sided: a fresh seed
// would break one comparison in 1.7 million. The standard deviation is that of Flajolet et al.
// 2007, 1.04 / sqrt(registers), not what the class says of itself.
namespace bloomtime::detail {
namespace hyperloglog_statistical {

constexpr double sigmas = 5;

double registers_of(unsigned precision) { return std::exp2(precision); }
double deviation_of(unsigned precision) { return 1.04 / std::sqrt(registers_of(precision)); }

// alpha_infinity is used for every size; Flajolet's alpha_m is alpha_infinity / (1 + 1.079 / m).
double bias_of(unsigned precision) { return 1.08 / registers_of(precision); }

struct moments {
  double mean = 0;
  double rms = 0;
};

// Relative errors of `runs` estimates; make(run) gives an estimate of `truth`.
template <class Make>
moments errors_of(int runs, double truth, Make&& make) {
  moments m;
  for (int run = 0; run < runs; ++run) {
    const double e = make(run) / truth - 1;
    m.mean += e / runs;
    m.rms += e * e / runs;
  }
  m.rms = std::sqrt(m.rms);
  return m;
}

double occupied(const hyperloglog& h) {
  const packed_cells<6> cells(buffer::copy_of(h.registers()), std::uint64_t{1} << h.precision());
  double count = 0;
  for (std::uint64_t i = 0; i < cells.size(); ++i) count += cells.get(i) != 0;
  return count;
}

TEST(hyperloglog_statistics, standard_error_is_the_proven_one) {
  for (unsigned p = 4; p <= 16; ++p) {
    EXPECT_NEAR(hyperloglog(p).standard_error() / deviation_of(p), 1, 0.002);
  }
}

// Fewer than 200 comparisons: fresh seeds would fail once in 8000 runs.
TEST(hyperloglog_statistics, one_stream_is_counted_well_at_every_moment) {
  for (const unsigned p : {10u, 12u, 14u, 16u}) {
    std::mt19937_64 random(p);
    hyperloglog h(p);
    std::uint64_t next = 1;
    for (std::uint64_t n = 1; n <= 1000000; ++n) {
      h.add({random(), random()});
      if (n < next) continue;
      next = std::max(n + 1, n * 4 / 3);
      const double count = static_cast<double>(n);
      EXPECT_NEAR(h.estimate() / count, 1, sigmas * deviation_of(p) + bias_of(p))
          << n << " items, precision " << p;
    }
  }
}

// While few of the m registers are occupied, the estimate is that of linear counting, up to the
// ripple of alpha (1e-5) and the ranks of the c occupied ones, which add between 0 and c / 2 to a
// sum of m^2 / (2 ln 2) / n. Items get lost only by sharing a register: at n = 50 and m = 4096
// these are Poisson with mean 0.3, more than 6 of them in one stream of 30 million.
TEST(hyperloglog_statistics, few_items_are_counted_almost_exactly) {
  constexpr double m = 4096;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    hyperloglog h(12);
    for (int n = 1; n <= 50; ++n) {
      h.add({random(), random()});
      const double c = occupied(h);
      EXPECT_LE(n - c, 6);
      const double linear = -m * std::log1p(-c / m);
      EXPECT_NEAR(h.estimate(), linear, linear * (1e-5 + std::log(2.0) * n * c / (m * m)));
      if (c == n) {
        EXPECT_EQ(std::round(h.estimate()), n);
      }
    }
  }
}

// Where plain HyperLogLog changes from one formula to another, and is several percent off.
TEST(hyperloglog_statistics, there_is_no_bias_at_any_fill) {
  constexpr unsigned p = 10;
  constexpr int runs = 300;
  std::mt19937_64 random(1702);
  for (const double fill : {0.1, 0.5, 1.0, 2.0, 2.5, 3.0, 5.0}) {
    const double n = std::round(fill * registers_of(p));
    const moments e = errors_of(runs, n, [&](int) {
      hyperloglog h(p);
      for (double i = 0; i < n; ++i) h.add({random(), random()});
      return h.estimate();
    });
    EXPECT_NEAR(e.mean, 0, bias_of(p) + sigmas * deviation_of(p) / std::sqrt(runs)) << fill;
    EXPECT_LE(e.rms, deviation_of(p) * (1 + sigmas / std::sqrt(2 * runs))) << fill;
  }
}

// With all registers in use the error is neither more nor less than promised. The variance of a
// variance estimated from r normal values is 2 / r, so the rms varies by 1 / sqrt(2 r) of itself.
TEST(hyperloglog_statistics, the_error_is_the_promised_one) {
  constexpr int runs = 400;
  std::mt19937_64 random(2007);
  for (const unsigned p : {7u, 9u}) {
    const double n = 30 * registers_of(p);
    const moments e = errors_of(runs, n, [&](int) {
      hyperloglog h(p);
      for (double i = 0; i < n; ++i) h.add({random(), random()});
      return h.estimate();
    });
    EXPECT_NEAR(e.mean, bias_of(p), sigmas * deviation_of(p) / std::sqrt(runs));
    EXPECT_NEAR(e.rms / deviation_of(p), 1, sigmas / std::sqrt(2 * runs));
  }
}

// Registers as a stream of about 2^exponent items leaves them (Ertl's Poisson model: a register is
// at most r with probability exp(-items / (m 2^r))), for streams nobody could wait for.
TEST(hyperloglog_statistics, the_range_ends_only_with_the_hash) {
  constexpr unsigned p = 10;
  constexpr int runs = 200;
  const double m = registers_of(p);
  std::mt19937_64 random(128);
  for (const int exponent : {12, 20, 32, 40, 54, 58, 60, 62}) {
    const double items = std::exp2(exponent);
    const moments e = errors_of(runs, items, [&](int) {
      packed_cells<6> ranks(std::uint64_t{1} << p);
      for (std::uint64_t i = 0; i < ranks.size(); ++i) {
        const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
        const double rank = std::ceil(std::log2(items / m / -std::log(u)));
        ranks.set(i, static_cast<std::uint32_t>(std::clamp(rank, 0.0, 65.0 - p)));
      }
      return hyperloglog(p, ranks.bytes()).estimate();
    });
    EXPECT_NEAR(e.mean, bias_of(p), bias_of(p) + sigmas * deviation_of(p) / std::sqrt(runs));
    EXPECT_NEAR(e.rms / deviation_of(p), 1, sigmas / std::sqrt(2 * runs)) << exponent;
  }
}

// The digests filters really feed it with: their two halves need not be independent.
template <class Digest>
void expect_counted(const std::string& what, Digest&& digest_in_run) {
  constexpr unsigned p = 8;
  constexpr int runs = 100;
  constexpr std::uint64_t n = 5000;
  const moments e = errors_of(runs, static_cast<double>(n), [&](int run) {
    hyperloglog h(p);
    for (std::uint64_t i = 0; i < n; ++i) h.add(digest_in_run(static_cast<std::uint64_t>(run), i));
    return h.estimate();
  });
  const double tolerance = sigmas * deviation_of(p) / std::sqrt(runs);
  EXPECT_NEAR(e.mean, bias_of(p), tolerance) << what;
  EXPECT_NEAR(e.rms / deviation_of(p), 1, sigmas / std::sqrt(2 * runs)) << what;
}

TEST(hyperloglog_statistics, every_kind_of_digest_is_counted) {
  expect_counted("integers", [](auto run, auto i) { return digest_of(i, run); });
  expect_counted("integers, far apart", [](auto run, auto i) { return digest_of(i << 40, run); });
  expect_counted("texts", [](auto run, auto i) { return digest_of(std::to_string(i), run); });
  expect_counted("ticks of one item",
                 [](auto run, auto i) { return derive(digest_of(std::uint64_t{7}, run), i); });
  expect_counted("items of one tick",
                 [](auto run, auto i) { return derive(digest_of(i, run), 1234); });
}

// The n-th digest of a seed among those for which keep() holds.
template <class Keep>
void expect_shard_counted(const std::string& what, Keep&& keep) {
  std::uint64_t at = 0;
  expect_counted(what, [&](std::uint64_t run, std::uint64_t i) {
    if (i == 0) at = 0;
    for (;;) {
      const digest d = digest_of(at++, run);
      if (keep(d)) return d;
    }
  });
}

TEST(hyperloglog_statistics, shards_of_the_digest_are_counted) {
  expect_shard_counted("an eighth by hi", [](digest d) { return d.hi >> 61 == 5; });
  expect_shard_counted("an eighth by lo", [](digest d) { return d.lo >> 61 == 2; });
  expect_shard_counted("an eighth by the end of lo", [](digest d) { return d.lo % 8 == 7; });
}

}  // namespace hyperloglog_statistical
}  // namespace bloomtime::detail
