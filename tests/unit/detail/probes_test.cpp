#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/detail/flat_bits.hpp>
#include <bloomtime/detail/probes.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <vector>

namespace bloomtime::detail {
namespace probes_test {

digest any_digest() {
  return {*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()};
}

// Digests at the ends of their range, where a reduction would first step outside.
constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
constexpr digest extreme[] = {{0, 0}, {0, all}, {all, 0}, {all, all}, {1, 1}, {all - 1, all - 1}};

// Made by a few lines of Python with unbounded integers, from the text in docs/FORMAT.md.
constexpr digest example{0x0123456789abcdef, 0xfedcba9876543210};
static_assert(probe(example, 0) == 0x227be7f7c27a8d9d);
static_assert(probe(example, 1) == 0x4d06cc32e1924786);
static_assert(probe(example, 2) == 0x74a76d1509dfee6c);
static_assert(probe(example, 3) == 0x0ed49e5799ea6244);

static_assert(reduce(0, 10) == 0 && reduce(all, 10) == 9);
static_assert(reduce(std::uint64_t{1} << 63, 10) == 5);
static_assert(reduce((std::uint64_t{1} << 63) - 1, 10) == 4);
static_assert(reduce(all, 1) == 0 && reduce(all, all) == all - 1);

std::vector<std::uint64_t> sizes() {
  return {1, 2, 3, 7, 64, 65, 1000, (1ull << 32) - 1, (1ull << 43), all};
}

template <class Probes>
void expect_in_range(const Probes& probes, std::uint64_t cells, digest d) {
  for (unsigned i = 0; i < probes.k; ++i) {
    ASSERT_LT(probes.position(d, i), cells) << "k " << probes.k << ", probe " << i;
  }
}

TEST(probes, stay_in_range_for_every_size_and_k) {
  std::vector<digest> digests(std::begin(extreme), std::end(extreme));
  for (std::uint64_t i = 0; i < 200; ++i) digests.push_back(digest_of(i));
  for (const digest d : digests) {
    for (const unsigned k : {1u, 2u, 7u, 16u, 64u}) {
      for (const std::uint64_t size : sizes()) {
        expect_in_range(flat_probes{size, k}, size, d);
        if (size <= all / k) expect_in_range(row_probes{size, k}, size * k, d);
        for (const unsigned per_line : {k, 64u, 73u, 170u, 512u}) {
          if (per_line < k || size > all / per_line) continue;
          expect_in_range(line_probes{size, k, per_line}, size * per_line, d);
        }
      }
    }
  }
}

RC_GTEST_PROP(probes, of_rows_lie_one_in_each_row, ()) {
  const digest d = any_digest();
  const auto row = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 10),
                                   rc::gen::inRange<std::uint64_t>(1, 1ull << 50));
  const row_probes probes{row, *rc::gen::inRange(1u, 65u)};
  for (unsigned i = 0; i < probes.k; ++i) RC_ASSERT(probes.position(d, i) / row == i);
}

RC_GTEST_PROP(probes, of_a_line_are_k_different_cells_of_one_line, ()) {
  const digest d = any_digest();
  const unsigned per_line = *rc::gen::inRange(1u, 513u);
  const line_probes probes{*rc::gen::inRange<std::uint64_t>(1, 1ull << 40),
                           *rc::gen::inRange(1u, std::min(per_line, 64u) + 1), per_line};
  std::set<std::uint64_t> cells;
  for (unsigned i = 0; i < probes.k; ++i) {
    const std::uint64_t p = probes.position(d, i);
    RC_ASSERT(p / per_line == probes.line(d));
    // Sub-range i is floor(i n / k) .. floor((i + 1) n / k), so they cannot meet.
    RC_ASSERT(p % per_line >= i * per_line / probes.k);
    RC_ASSERT(p % per_line < (i + 1) * per_line / probes.k);
    cells.insert(p);
  }
  RC_ASSERT(cells.size() == probes.k);
}

// A filter built with k probes may be asked with fewer.
RC_GTEST_PROP(probes, of_flat_do_not_depend_on_k, ()) {
  const digest d = any_digest();
  const std::uint64_t cells = *rc::gen::inRange<std::uint64_t>(1, 1ull << 43);
  const flat_probes few{cells, 3};
  const flat_probes many{cells, 64};
  for (unsigned i = 0; i < few.k; ++i) RC_ASSERT(few.position(d, i) == many.position(d, i));
}

// What folding, merging and growth rely on.
RC_GTEST_PROP(probes, fold_by_division, ()) {
  const digest d = any_digest();
  const auto factor = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 10),
                                      rc::gen::inRange<std::uint64_t>(1, 1ull << 20));
  const auto small = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 10),
                                     rc::gen::inRange<std::uint64_t>(1, 1ull << 40));
  for (unsigned i = 0; i < 16; ++i) {
    RC_ASSERT((flat_probes{small * factor, 16}.position(d, i) / factor ==
               flat_probes{small, 16}.position(d, i)));
  }
  const line_probes fine{small * factor, 5, 64};
  const line_probes coarse{small, 5, 64};
  RC_ASSERT(fine.line(d) / factor == coarse.line(d));
  RC_ASSERT(fine.in_line(d, 4) == coarse.in_line(d, 4));
}

RC_GTEST_PROP(probes, fold_at_every_boundary, ()) {
  const auto small = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto factor = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto position = *rc::gen::inRange<std::uint64_t>(1, small * factor + 1);
  // The hashes just below and at the start of a cell.
  __extension__ using wide = unsigned __int128;
  const auto start =
      static_cast<std::uint64_t>(((wide{position} << 64) + small * factor - 1) / (small * factor));
  for (const std::uint64_t hash : {start - 1, start}) {
    RC_ASSERT(reduce(hash, small * factor) / factor == reduce(hash, small));
  }
}

// -- bits anywhere -----------------------------------------------------------------------------

RC_GTEST_PROP(flat_bits, insert_sets_the_probed_bits_and_counts_new_ones, ()) {
  const flat_bits bits{{*rc::gen::inRange<std::uint64_t>(1, 400), *rc::gen::inRange(1u, 65u)}};
  const auto bytes = static_cast<std::size_t>((bits.probes.cells + 7) / 8);
  std::vector<std::byte> array(bytes);
  std::vector<bool> model(bytes * 8);
  for (int n = 0; n < 20; ++n) {
    const digest d = any_digest();
    bool expected = true;
    std::set<std::uint64_t> fresh;
    std::set<std::uint64_t> positions;
    for (unsigned i = 0; i < bits.probes.k; ++i) {
      const std::uint64_t p = bits.probes.position(d, i);
      expected = expected && model[p];
      if (!model[p]) fresh.insert(p);
      positions.insert(p);
    }
    RC_ASSERT(bits.contains(array.data(), d) == expected);
    RC_ASSERT(bits.distinct(d) == positions.size());
    RC_ASSERT(bits.insert(array.data(), d) == fresh.size());
    for (const std::uint64_t p : positions) model[p] = true;
    RC_ASSERT(bits.contains(array.data(), d));
  }
  for (std::size_t p = 0; p < model.size(); ++p) {
    RC_ASSERT((std::to_integer<unsigned>(array[p / 8]) >> (p % 8) & 1) == model[p]);
  }
}

}  // namespace probes_test
}  // namespace bloomtime::detail
