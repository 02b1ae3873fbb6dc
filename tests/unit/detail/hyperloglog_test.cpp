#include <gtest/gtest.h>

#include <bloomtime/detail/hyperloglog.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime::detail {
namespace hyperloglog_test {

using support::expect_error;

std::vector<std::byte> bytes_of(const hyperloglog& h) {
  return {h.registers().begin(), h.registers().end()};
}

std::vector<std::uint32_t> ranks_of(const hyperloglog& h) {
  const packed_cells<6> cells(buffer::copy_of(h.registers()), std::uint64_t{1} << h.precision());
  std::vector<std::uint32_t> ranks;
  for (std::uint64_t i = 0; i < cells.size(); ++i) ranks.push_back(cells.get(i));
  return ranks;
}

hyperloglog from_ranks(unsigned precision, const std::vector<std::uint32_t>& ranks) {
  packed_cells<6> cells(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) cells.set(i, ranks[i]);
  return hyperloglog(precision, cells.bytes());
}

TEST(hyperloglog, starts_empty) {
  const hyperloglog h;
  EXPECT_EQ(h.precision(), 12u);
  EXPECT_EQ(h.registers().size(), 3072u);
  EXPECT_EQ(h.estimate(), 0.0);
  EXPECT_NEAR(h.standard_error(), 1.04 / 64, 1e-4);
}

TEST(hyperloglog, refuses_a_precision_outside_4_to_16) {
  expect_error(errc::invalid_argument, [] { hyperloglog h(3); });
  expect_error(errc::invalid_argument, [] { hyperloglog h(17); });
  expect_error(errc::invalid_argument, [] { hyperloglog h(64, {}); });
  for (unsigned p = 4; p <= 16; ++p) {
    EXPECT_EQ(hyperloglog(p).registers().size(), (std::size_t{1} << p) * 6 / 8);
  }
}

// hash = lo ^ hi; the top 4 bits are the index, then leading zeros among the other 60, plus one.
TEST(hyperloglog, takes_index_and_rank_from_the_digest) {
  hyperloglog h(4);
  std::vector<std::uint32_t> expected(16);

  h.add({0, 0});
  expected[0] = 61;
  h.add({0, 0x8000000000000000});
  expected[8] = 61;
  h.add({0xf000000000000001, 0});
  expected[15] = 60;
  h.add({0x1800000000000000, 0});
  expected[1] = 1;
  h.add({0x1234567890abcdef, 0x3234567890abcdef});
  expected[2] = 61;
  h.add({0x5400000000000000, 0x0000000000000001});
  expected[5] = 2;
  EXPECT_EQ(ranks_of(h), expected);

  h.add({0x5800000000000000, 0});  // a smaller rank does not replace a larger one
  EXPECT_EQ(ranks_of(h), expected);
  h.add({0x5100000000000000, 0});
  expected[5] = 4;
  EXPECT_EQ(ranks_of(h), expected);
}

TEST(hyperloglog, ignores_duplicates) {
  hyperloglog h;
  for (std::uint64_t i = 0; i < 1000; ++i) h.add(digest_of(i));
  const auto once = bytes_of(h);
  for (std::uint64_t i = 0; i < 1000; ++i) h.add(digest_of(i));
  EXPECT_EQ(bytes_of(h), once);
}

TEST(hyperloglog, can_be_cleared) {
  hyperloglog h(6);
  for (std::uint64_t i = 0; i < 1000; ++i) h.add(digest_of(i));
  h.clear();
  EXPECT_EQ(bytes_of(h), bytes_of(hyperloglog(6)));
  EXPECT_EQ(h.estimate(), 0.0);
}

TEST(hyperloglog, comes_back_from_its_registers) {
  hyperloglog h(9);
  for (std::uint64_t i = 0; i < 1000; ++i) h.add(digest_of(i));
  const hyperloglog back(9, h.registers());
  EXPECT_EQ(bytes_of(back), bytes_of(h));
  EXPECT_EQ(back.estimate(), h.estimate());
}

TEST(hyperloglog, refuses_registers_of_another_size) {
  const std::vector<std::byte> bytes(3073);
  const std::span all(bytes);
  expect_error(errc::corrupt, [&] { hyperloglog(12, all.first(3071)); });
  expect_error(errc::corrupt, [&] { hyperloglog(12, all.first(3073)); });
  expect_error(errc::corrupt, [&] { hyperloglog(12, {}); });
  EXPECT_EQ(hyperloglog(12, all.first(3072)).estimate(), 0.0);
}

TEST(hyperloglog, refuses_impossible_ranks) {
  for (unsigned p = 4; p <= 16; ++p) {
    const std::size_t count = std::size_t{1} << p;
    for (const std::size_t at : {std::size_t{0}, count / 2, count - 1}) {
      std::vector<std::uint32_t> ranks(count);
      ranks[at] = 65 - p;
      EXPECT_EQ(ranks_of(from_ranks(p, ranks)), ranks);
      ranks[at] = 66 - p;
      expect_error(errc::corrupt, [&] { (void)from_ranks(p, ranks); });
    }
  }
}

TEST(hyperloglog, refuses_to_merge_another_precision) {
  hyperloglog h(12);
  h.add(digest_of(1));
  const auto before = bytes_of(h);
  expect_error(errc::incompatible, [&] { h.merge(hyperloglog(11)); });
  expect_error(errc::incompatible, [&] { h.merge(hyperloglog(13)); });
  EXPECT_EQ(bytes_of(h), before);
}

TEST(hyperloglog, merging_itself_changes_nothing) {
  hyperloglog h(5);
  for (std::uint64_t i = 0; i < 100; ++i) h.add(digest_of(i));
  const auto before = bytes_of(h);
  h.merge(h);
  EXPECT_EQ(bytes_of(h), before);
}

TEST(hyperloglog, answers_a_finite_number_when_all_registers_are_full) {
  for (unsigned p = 4; p <= 16; ++p) {
    const std::vector<std::uint32_t> full(std::size_t{1} << p, 65 - p);
    EXPECT_EQ(from_ranks(p, full).estimate(), 0x1p64);
  }
}

// Ertl's estimator as it is defined, by sums of powers in long double.
long double defined_estimate(unsigned precision, const std::vector<std::uint32_t>& ranks) {
  const unsigned q = 64 - precision;
  const auto m = static_cast<long double>(ranks.size());
  long double empty = 0;
  long double full = 0;
  long double z = 0;
  for (const std::uint32_t r : ranks) {
    if (r == 0) {
      empty += 1 / m;
    } else if (r == q + 1) {
      full += 1 / m;
    } else {
      z += std::exp2(-static_cast<long double>(r));
    }
  }
  long double sigma = empty;
  for (int k = 1; k < 60; ++k) sigma += std::pow(empty, std::exp2(k)) * std::exp2(k - 1);
  const long double x = 1 - full;
  long double tau = 1 - x;
  for (int k = 1; k < 60; ++k) {
    const long double gap = 1 - std::pow(x, std::exp2(static_cast<long double>(-k)));
    tau -= gap * gap * std::exp2(static_cast<long double>(-k));
  }
  z += m * sigma + m * tau / 3 * std::exp2(-static_cast<long double>(q));
  return m * m / (2 * std::log(2.0L) * z);
}

// Squaring 1 - 1/m until it vanishes takes about log2(m) steps, each of which doubles the relative
// error before it: m * 2^-52 in all, with a factor of 4 for everything else.
TEST(hyperloglog, estimates_by_the_formula_of_the_paper) {
  std::mt19937_64 random(64);
  for (unsigned p = 4; p <= 16; p += 3) {
    const std::size_t m = std::size_t{1} << p;
    for (const double empty : {0.0, 0.01, 0.5, 0.999}) {
      for (const double full : {0.0, 0.01, 0.3, 0.5, 0.999}) {
        if (empty + full > 1) continue;
        // Small ranks outweigh full registers by far: without empty ones there are only large ones.
        const std::uint32_t least = empty > 0 ? 1 : 64 - p - 3;
        std::vector<std::uint32_t> ranks(m);
        for (auto& r : ranks) {
          const double u = static_cast<double>(random() >> 11) * 0x1p-53;
          const auto between = least + static_cast<std::uint32_t>(random() % (65 - p - least));
          r = u < empty ? 0 : u < empty + full ? 65 - p : between;
        }
        ranks[0] = least;  // neither all empty nor all full
        const double expected = std::min(static_cast<double>(defined_estimate(p, ranks)), 0x1p64);
        EXPECT_NEAR(from_ranks(p, ranks).estimate() / expected, 1,
                    4 * static_cast<double>(m) * 0x1p-52)
            << "precision " << p << ", empty " << empty << ", full " << full;
      }
    }
  }
}

}  // namespace hyperloglog_test
}  // namespace bloomtime::detail
