#include <gtest/gtest.h>

#include <bloomtime/bloom/detail/line_bits.hpp>
#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/flat_bits.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/bloom_chance.hpp"
#include "support/statistics.hpp"

namespace bloomtime::detail {
namespace probes_statistical {

using support::plausible;
using support::plausible_chances;
using support::plausible_uniform;

constexpr std::uint64_t many = 110'000;

// Digests as filters see them (of consecutive integers), and as they should be.
digest digest_of_number(std::uint64_t i) { return digest_of(i); }
digest random_digest(std::uint64_t i) {
  math::random_source random(i);
  return {random(), random()};
}
struct source {
  const char* name;
  digest (*at)(std::uint64_t);
};
constexpr std::array sources{source{"consecutive integers", digest_of_number},
                             source{"random digests", random_digest}};

template <class Cell>
std::vector<std::uint64_t> counts_of(source from, std::size_t cells, Cell&& cell) {
  std::vector<std::uint64_t> counts(cells);
  for (std::uint64_t i = 0; i < many; ++i) ++counts.at(cell(from.at(i)));
  return counts;
}

// -- one probe is uniform ----------------------------------------------------------------------

TEST(probe_statistics, flat_and_row_positions_are_uniform) {
  for (const source from : sources) {
    for (const unsigned i : {0u, 1u, 2u, 7u, 63u}) {
      EXPECT_TRUE(plausible_uniform(counts_of(from, 1000,
                                              [&](digest d) {
                                                return flat_probes{1000, 64}.position(d, i);
                                              })))
          << from.name << ", flat, probe " << i;
      EXPECT_TRUE(plausible_uniform(
          counts_of(from, 500,
                    [&](digest d) {
                      return row_probes{500, 64}.position(d, i) - std::uint64_t{500} * i;
                    })))
          << from.name << ", rows, probe " << i;
    }
  }
}

TEST(probe_statistics, lines_are_uniform) {
  for (const source from : sources) {
    EXPECT_TRUE(plausible_uniform(counts_of(from, 999, [](digest d) {
      return line_probes{999, 4, 64}.line(d);
    }))) << from.name;
    EXPECT_TRUE(plausible_uniform(counts_of(from, 999, [](digest d) {
      return line_bits{999, 4}.line(d);
    }))) << from.name;
  }
}

// Sixteen bits choose a cell of a sub-range, so cells differ by one in 65536 / width: the chances
// are known exactly.
TEST(probe_statistics, cells_of_a_line_have_the_chances_of_sixteen_bits) {
  constexpr unsigned per_line = 170;
  for (const source from : sources) {
    for (const unsigned k : {1u, 3u, 9u}) {
      const line_probes probes{10, k, per_line};
      for (unsigned i = 0; i < k; ++i) {
        const unsigned first = i * per_line / k;
        const unsigned width = (i + 1) * per_line / k - first;
        std::vector<double> chances(width);
        for (unsigned field = 0; field < 65536; ++field) ++chances[field * width >> 16];
        EXPECT_TRUE(plausible_chances(
            counts_of(from, width, [&](digest d) { return probes.in_line(d, i) - first; }),
            chances))
            << from.name << ", k " << k << ", probe " << i;
      }
    }
  }
}

// -- two probes are independent ----------------------------------------------------------------

// A grid of 32 x 32 cells expects 107 in each.
template <class First, class Second>
void expect_independent(source from, const std::string& what, First&& first, Second&& second) {
  EXPECT_TRUE(
      plausible_uniform(counts_of(from, 1024, [&](digest d) { return first(d) * 32 + second(d); })))
      << from.name << ": " << what;
}

TEST(probe_statistics, flat_positions_are_pairwise_independent) {
  const auto position = [](unsigned i) {
    return [i](digest d) { return flat_probes{32, 64}.position(d, i); };
  };
  for (const source from : sources) {
    for (const auto& [i, j] : {std::pair(0u, 1u), std::pair(0u, 2u), std::pair(1u, 2u),
                               std::pair(3u, 11u), std::pair(0u, 63u), std::pair(62u, 63u)}) {
      expect_independent(from, std::to_string(i) + " and " + std::to_string(j), position(i),
                         position(j));
    }
  }
}

TEST(probe_statistics, the_line_and_its_cells_are_pairwise_independent) {
  const auto line = [](digest d) { return line_probes{32, 8, 256}.line(d); };
  const auto cell = [](unsigned i) {
    return [i](digest d) { return std::uint64_t{line_probes{32, 8, 256}.in_line(d, i) - 32 * i}; };
  };
  for (const source from : sources) {
    for (unsigned i = 0; i < 8; ++i) {
      expect_independent(from, "line and " + std::to_string(i), line, cell(i));
      for (unsigned j = 0; j < i; ++j) {
        expect_independent(from, std::to_string(i) + " and " + std::to_string(j), cell(i), cell(j));
      }
    }
  }
}

TEST(probe_statistics, the_line_and_its_bits_are_pairwise_independent) {
  struct choice {
    std::string name;
    std::uint64_t (*of)(digest, unsigned word);
    unsigned word;
  };
  std::vector<choice> choices;
  choices.push_back({"line", [](digest d, unsigned) { return line_bits{32, 16}.line(d); }, 0});
  // The first word has eight values only: its neighbours in lo, which nobody uses, fill it up.
  choices.push_back({"start", [](digest d, unsigned) { return d.lo >> 59; }, 0});
  for (unsigned w = 0; w < 8; ++w) {
    choices.push_back(
        {"round 1, word " + std::to_string(w),
         [](digest d, unsigned word) { return line_bits::first_hash(d) >> (6 * word) & 31; }, w});
    choices.push_back(
        {"round 2, word " + std::to_string(w),
         [](digest d, unsigned word) { return line_bits::second_hash(d) >> (6 * word) & 31; }, w});
  }
  for (const source from : sources) {
    for (const choice& a : choices) {
      for (const choice& b : choices) {
        if (&a >= &b) continue;
        expect_independent(
            from, a.name + " and " + b.name, [&](digest d) { return a.of(d, a.word); },
            [&](digest d) { return b.of(d, b.word); });
      }
    }
  }
}

// Two positions of one item meet in one of `cells` cases: 16 probes make 120 pairs, each judged
// with its share of the tail.
TEST(probe_statistics, positions_of_one_item_meet_by_chance_only) {
  constexpr std::uint64_t cells = 64;
  constexpr unsigned k = 16;
  const double pairs = k * (k - 1) / 2;
  const math::count_range range = math::binomial_range(many, 1.0 / cells, support::tail / pairs);
  for (const source from : sources) {
    std::array<std::array<std::uint64_t, k>, k> met{};
    for (std::uint64_t n = 0; n < many; ++n) {
      std::array<std::uint64_t, k> position{};
      for (unsigned i = 0; i < k; ++i) position[i] = flat_probes{cells, k}.position(from.at(n), i);
      for (unsigned i = 0; i < k; ++i) {
        for (unsigned j = 0; j < i; ++j) met[i][j] += position[i] == position[j];
      }
    }
    for (unsigned i = 0; i < k; ++i) {
      for (unsigned j = 0; j < i; ++j) {
        EXPECT_TRUE(range.contains(met[i][j]))
            << from.name << ": probes " << i << " and " << j << " met " << met[i][j]
            << " times, expected " << range.low << " to " << range.high;
      }
    }
  }
}

// How often do the 16 probes of an item fall on no more than two of 8 cells?
template <class Hash>
std::uint64_t crowded(source from, Hash&& hash) {
  std::uint64_t found = 0;
  for (std::uint64_t n = 0; n < many; ++n) {
    unsigned cells = 0;
    for (unsigned i = 0; i < 16; ++i) cells |= 1u << reduce(hash(from.at(n), i), 8);
    found += std::popcount(cells) <= 2;
  }
  return found;
}

// By chance 28 pairs of cells get (2^16 - 2) of 8^16 ways each, and 8 cells one: 6.5e-9 of all
// items. If the i-th factor is a sum, lo + i * golden, both halves of the product are progressions
// in i, and whenever their steps are small the probes stay together.
TEST(probe_statistics, an_item_whose_probes_stay_together_is_as_rare_as_it_should_be) {
  const double chance = (28 * 65534.0 + 8) / std::pow(8.0, 16);
  const auto by_sum = [](digest d, unsigned i) { return fold(d.lo + i * golden, d.hi | 1); };
  for (const source from : sources) {
    EXPECT_TRUE(plausible(crowded(from, probe), many, chance)) << from.name;
    EXPECT_FALSE(plausible(crowded(from, by_sum), many, chance)) << from.name << ", by sums";
  }
}

// -- all together ------------------------------------------------------------------------------

struct outcome_of_filter {
  std::uint64_t wrong;
  std::uint64_t asked;
  double chance;  // of an independent k-tuple of positions, in the bits as they are
};

// A flat filter of any positions: `position(d, i)` may be right or deliberately wrong.
template <class Position>
outcome_of_filter run_flat(std::uint64_t cells, std::uint64_t items, unsigned k, std::uint64_t seed,
                           Position&& position) {
  std::vector<bool> bits(cells);
  for (std::uint64_t x = 0; x < items; ++x) {
    for (unsigned i = 0; i < k; ++i) bits[position(digest_of(x, seed), i)] = true;
  }
  constexpr std::uint64_t asked = 500'000;
  std::uint64_t wrong = 0;
  for (std::uint64_t x = items; x < items + asked; ++x) {
    const digest d = digest_of(x, seed);
    unsigned i = 0;
    while (i < k && bits[position(d, i)]) ++i;
    wrong += i == k;
  }
  const auto ones = static_cast<double>(std::count(bits.begin(), bits.end(), true));
  return {wrong, asked, std::pow(ones / static_cast<double>(cells), k)};
}

std::uint64_t right(digest d, unsigned i) { return flat_probes{1024, 64}.position(d, i); }

// Kirsch & Mitzenmacher 2006, in its two usual forms.
std::uint64_t double_hashing(digest d, unsigned i) { return (d.lo + i * d.hi) % 1024; }
std::uint64_t wide_double_hashing(digest d, unsigned i) { return reduce(d.lo + i * d.hi, 1024); }

TEST(probe_statistics, small_filters_err_like_independent_positions) {
  for (const unsigned k : {5u, 11u, 20u, 40u}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const outcome_of_filter o = run_flat(1024, 64, k, seed, right);
      EXPECT_TRUE(plausible(o.wrong, o.asked, o.chance)) << "k " << k << ", seed " << seed;
    }
  }
}

// With 16 items and k = 40, independent positions are all set with chance 5e-14. Double hashing
// cannot go below about items / cells^2 = 1.5e-5, because two 10-bit numbers decide everything.
TEST(probe_statistics, small_filters_have_no_floor_under_their_error) {
  const outcome_of_filter ours = run_flat(1024, 16, 40, 0, right);
  EXPECT_LT(ours.chance, 1e-12);
  EXPECT_TRUE(plausible(ours.wrong, ours.asked, ours.chance));

  const outcome_of_filter narrow = run_flat(1024, 16, 40, 0, double_hashing);
  EXPECT_FALSE(plausible(narrow.wrong, narrow.asked, narrow.chance)) << "the floor is gone";
  const outcome_of_filter wide = run_flat(1024, 16, 40, 0, wide_double_hashing);
  EXPECT_FALSE(plausible(wide.wrong, wide.asked, wide.chance)) << "the floor is gone";
}

TEST(probe_statistics, line_bits_err_like_independent_bits) {
  for (unsigned k = 1; k <= max_line_k; ++k) {
    const line_bits bits{50, k};
    buffer array(50 * line_bytes);
    const std::uint64_t items = 50 * 350 / k;  // about half of the bits
    for (std::uint64_t x = 0; x < items; ++x) {
      const digest d = digest_of(x);
      portable::line_insert(array.data() + bits.offset(d), bits, d);
    }
    std::uint64_t wrong = 0;
    for (std::uint64_t x = items; x < items + many; ++x) {
      const digest d = digest_of(x);
      wrong += portable::line_contains(array.data() + bits.offset(d), bits, d);
    }
    EXPECT_TRUE(plausible(wrong, many, support::chance_of_maybe(layout::line, array.bytes(), k)))
        << "k " << k;
  }
}

}  // namespace probes_statistical
}  // namespace bloomtime::detail
