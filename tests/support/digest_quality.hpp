#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/math/binomial.hpp>

#include "support/statistics.hpp"

// What is expected of every hash, whatever the keys look like.
namespace bloomtime::support {

// -- every input bit reaches every output bit --------------------------------------------------

using bit_flips = std::array<std::uint64_t, 128>;  // of each bit of a digest

inline void count_flips(bit_flips& counts, digest before, digest after) {
  const digest changed{before.lo ^ after.lo, before.hi ^ after.hi};
  for (unsigned bit = 0; bit < 64; ++bit) {
    counts[bit] += changed.lo >> bit & 1;
    counts[64 + bit] += changed.hi >> bit & 1;
  }
}

// Each count is binomial with chance 1/2 for a perfect hash. With the tail of one count divided by
// their number, one of them lies outside by chance in at most 2e-9 of all cases.
inline void expect_avalanche(const std::vector<bit_flips>& counts, std::uint64_t trials,
                             const std::string& of) {
  const double each = tail / static_cast<double>(counts.size() * 128);
  const math::count_range range = math::binomial_range(trials, 0.5, each);
  for (std::size_t in = 0; in < counts.size(); ++in) {
    for (std::size_t out = 0; out < 128; ++out) {
      ASSERT_TRUE(range.contains(counts[in][out]))
          << of << " bit " << in << " flips digest bit " << out << ' ' << counts[in][out]
          << " times, expected " << range.low << " to " << range.high;
    }
  }
}

// -- no bucket is favoured ---------------------------------------------------------------------

// Twelve bits at a time: the top bits choose a cell or a line, six-bit fields of lo choose bits.
struct digest_part {
  const char* name;
  std::uint64_t (*of)(digest);
};
inline constexpr std::array digest_parts{
    digest_part{"lo, top", [](digest d) { return d.lo >> 52; }},
    digest_part{"lo, bits 0-11", [](digest d) { return d.lo & 0xfff; }},
    digest_part{"lo, bits 24-35", [](digest d) { return d.lo >> 24 & 0xfff; }},
    digest_part{"lo, bits 36-47", [](digest d) { return d.lo >> 36 & 0xfff; }},
    digest_part{"hi, top", [](digest d) { return d.hi >> 52; }},
    digest_part{"hi, bottom", [](digest d) { return d.hi & 0xfff; }},
    digest_part{"hi, top 6, and lo, bottom 6",
                [](digest d) { return d.hi >> 58 << 6 | (d.lo & 63); }},
    digest_part{"hi, top 6, and lo, top 6", [](digest d) { return d.hi >> 58 << 6 | d.lo >> 58; }},
    digest_part{"hi, bottom 6, and lo, bottom 6",
                [](digest d) { return (d.hi & 63) << 6 | (d.lo & 63); }},
};

inline constexpr std::uint64_t many_digests = 100 << 12;  // 100 per bucket

// `key(i)` gives the digest of the i-th key; keys must be different.
template <class Key>
void expect_even(const std::string& keys, std::uint64_t count, Key&& key) {
  std::array<std::vector<std::uint64_t>, digest_parts.size()> counts;
  counts.fill(std::vector<std::uint64_t>(1 << 12));
  for (std::uint64_t i = 0; i < count; ++i) {
    const digest d = key(i);
    for (std::size_t p = 0; p < digest_parts.size(); ++p) ++counts[p][digest_parts[p].of(d)];
  }
  for (std::size_t p = 0; p < digest_parts.size(); ++p) {
    EXPECT_TRUE(plausible_uniform(counts[p])) << keys << ": " << digest_parts[p].name;
  }
}

// -- no two keys are alike ---------------------------------------------------------------------

template <class Part>
std::uint64_t repeats_in(const std::vector<digest>& digests, Part&& of) {
  std::vector<std::uint64_t> keys;
  keys.reserve(digests.size());
  for (const digest d : digests) keys.push_back(of(d));
  return repeats(std::move(keys));
}

// If neither half ever repeats, the whole does not either. In 32 bits random keys do repeat, and
// must not repeat less often than that, too.
inline void expect_repeats_of_random_numbers(const std::string& keys,
                                             const std::vector<digest>& digests) {
  const auto expect = [&](const char* part, unsigned bits, auto of) {
    EXPECT_TRUE(plausible_repeats(repeats_in(digests, of), digests.size(), bits))
        << keys << ": " << part;
  };
  expect("lo", 64, [](digest d) { return d.lo; });
  expect("hi", 64, [](digest d) { return d.hi; });
  expect("lo, top", 32, [](digest d) { return d.lo >> 32; });
  expect("hi, top", 32, [](digest d) { return d.hi >> 32; });
  expect("lo, low", 32, [](digest d) { return d.lo << 32; });
  expect("hi, low", 32, [](digest d) { return d.hi << 32; });
}

}  // namespace bloomtime::support
