#include <gtest/gtest.h>

#include <bloomtime/any.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "format/golden_recipes.hpp"
#include "support/allocations.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"

// Recency filters that were damaged, and such that were made to deceive: every checksum is right,
// and one thing is a lie.
namespace bloomtime {
namespace recency_test {

using namespace published;
using support::put;
using recency_bytes = std::vector<std::byte>;

constexpr std::array recency_recipes{golden::timing, golden::recency_flat, golden::recency_line,
                                     golden::recency_count};

TEST(stored_recency, is_refused_wherever_it_is_cut_or_any_bit_is_wrong) {
  for (const auto make : recency_recipes) {
    const recency_bytes whole = golden::bytes_of(make(newest_hash));
    support::allocations watch;
    for (std::size_t kept = 0; kept < whole.size(); ++kept) {
      const auto end = whole.begin() + static_cast<std::ptrdiff_t>(kept);
      support::expect_error(errc::truncated,
                            [&] { (void)load_any(recency_bytes(whole.begin(), end)); });
      recency_bytes flipped = whole;
      flipped[kept] ^= static_cast<std::byte>(1u << kept % 8);
      EXPECT_THROW((void)load_any(flipped), error) << "byte " << kept;
    }
    EXPECT_EQ(watch.asked(), 0u);
  }
}

using support::field::directory;
using support::field::entry;

// Where the parameters of a container stand.
std::size_t recency_parameter(const recency_bytes& c, std::size_t i) {
  return directory + entry * support::get<std::uint32_t>(c, support::field::sections) + 8 * i;
}

// Parameter number i of what `make` makes becomes this value, and the checksums are right again.
void expect_lie_refused(golden::maker make, unsigned i, std::uint64_t value) {
  recency_bytes c = golden::bytes_of(make(newest_hash));
  put<std::uint64_t>(c, recency_parameter(c, i), value);
  support::seal(c);
  support::expect_error(errc::corrupt, [&] { (void)load_any(c); });
}

TEST(stored_recency, parameters_must_fit_together) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  // window, timers, bits, k, block, sweep, insertions, filled, now, cursor, swept
  const auto timing = std::get<timing_filter>(golden::timing(newest_hash));
  const published::timing_size& s = timing.size();
  for (const auto& [i, value] : std::vector<std::pair<unsigned, std::uint64_t>>{{0, 0},
                                                                                {0, most},
                                                                                {0, s.block - 1},
                                                                                {1, 0},
                                                                                {1, s.timers - 9},
                                                                                {1, most},
                                                                                {2, 1},
                                                                                {2, 33},
                                                                                {2, s.bits + 1},
                                                                                {3, 0},
                                                                                {3, 65},
                                                                                {4, 0},
                                                                                {4, s.window + 1},
                                                                                {5, 0},
                                                                                {6, 0},
                                                                                {7, s.block},
                                                                                {7, most},
                                                                                {8, 7},
                                                                                {9, s.timers},
                                                                                {10, most}}) {
    expect_lie_refused(golden::timing, i, value);
  }
  // window, tick, bits, k, timers, items, flags, ahead, insertions, now, stamp, cursor, swept
  const auto flat = std::get<recency_filter>(golden::recency_flat(newest_hash));
  for (const auto& [i, value] : std::vector<std::pair<unsigned, std::uint64_t>>{
           {0, 0},
           {0, most},
           {1, 0},
           {1, flat.window() + 1},
           {1, 1'000'000},  // not that of the clock
           {2, 1},
           {2, 33},
           {3, 0},
           {3, 65},
           {4, 0},
           {4, most},
           {4, flat.size().cells + 64},
           {6, 8},
           {6, 0},  // never started, and yet there were insertions
           {8, 0},
           {8, most},
           {10, 15},
           {11, flat.size().cells},
           {12, most}}) {
    expect_lie_refused(golden::recency_flat, i, value);
  }
  expect_lie_refused(golden::recency_count, 9, most);
  expect_lie_refused(golden::recency_count, 9, 1000);  // more than insertions
  expect_lie_refused(golden::recency_line, 3, 17);
}

TEST(stored_recency, arrivals_must_grow_with_time) {
  recency_bytes c = golden::bytes_of(golden::recency_flat(newest_hash));
  const auto at = support::get<std::uint64_t>(c, directory + entry + support::field::entry_offset);
  put<std::uint64_t>(c, at + 8, ~std::uint64_t{0});
  support::seal(c);
  support::expect_error(
      errc::corrupt, [&] { (void)load_any(c); }, "before the next one");
}

}  // namespace recency_test
}  // namespace bloomtime
