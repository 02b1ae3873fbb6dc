#include <gtest/gtest.h>

#include <bloomtime/any.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "format/golden_recipes.hpp"
#include "support/allocations.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"

// Window tables that were damaged, and such that were made to deceive: every checksum is right, and
// one thing is a lie.
namespace bloomtime::stored_window_table_test {

using support::put;
using table_bytes = std::vector<std::byte>;

constexpr std::size_t parameters = support::field::directory + 2 * support::field::entry;

TEST(stored_window_table, is_refused_wherever_it_is_cut_or_any_bit_is_wrong) {
  for (const auto make : {golden::window_table_grown, golden::window_table_wide}) {
    const table_bytes whole = golden::bytes_of(make(newest_hash));
    support::allocations watch;
    for (std::size_t kept = 0; kept < whole.size(); ++kept) {
      const auto end = whole.begin() + static_cast<std::ptrdiff_t>(kept);
      support::expect_error(errc::truncated,
                            [&] { (void)load_any(table_bytes(whole.begin(), end)); });
      table_bytes flipped = whole;
      flipped[kept] ^= static_cast<std::byte>(1u << kept % 8);
      EXPECT_THROW((void)load_any(flipped), error) << "byte " << kept;
    }
    EXPECT_EQ(watch.asked(), 0u);
  }
}

class forged_table {
 public:
  explicit forged_table(const window_table& t) : bytes_(t.serialize()) {}
  explicit forged_table(golden::maker make = golden::window_table_grown)
      : bytes_(golden::bytes_of(make(newest_hash))) {}

  std::uint64_t parameter(unsigned i) const {
    return support::get<std::uint64_t>(bytes_, parameters + 8 * i);
  }
  void set_parameter(unsigned i, std::uint64_t value) {
    put<std::uint64_t>(bytes_, parameters + 8 * i, value);
  }
  std::span<std::byte> heads() { return support::sections_of(bytes_)[0]; }
  std::span<std::byte> records() { return support::sections_of(bytes_)[1]; }

  bool loads() {
    support::seal(bytes_);
    try {
      return golden::bytes_of(load_any(bytes_)) == bytes_;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::corrupt) << e.what();
      return false;
    }
  }

 private:
  table_bytes bytes_;
};

TEST(stored_window_table, parameters_must_fit_together) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  // slots, key bits, items, reserved, limit, ahead, events, tick, level, split, next page
  const forged_table good;
  ASSERT_EQ(good.parameter(8), 1u);
  ASSERT_EQ(good.parameter(9), 1u);
  for (const auto& [i, value] :
       std::vector<std::pair<unsigned, std::uint64_t>>{{0, 0},
                                                       {0, 1024},
                                                       {0, most},
                                                       {1, 2},
                                                       {1, 4},
                                                       {1, 60},
                                                       {1, most},
                                                       {3, 2},
                                                       {4, 16383},
                                                       {4, 0},
                                                       {6, 0},
                                                       {7, 0},  // all hits are from the future
                                                       {7, good.parameter(7) - 1},  // some are
                                                       {8, 0},
                                                       {8, 2},
                                                       {8, most},
                                                       {9, 0},
                                                       {9, 2},
                                                       {9, most},
                                                       {10, 3},
                                                       {10, most}}) {
    forged_table f;
    f.set_parameter(i, value);
    EXPECT_FALSE(f.loads()) << i << ' ' << value;
  }
  // Memory for so many items would have been allocated in more pages.
  forged_table f;
  f.set_parameter(3, 1);
  EXPECT_TRUE(f.loads());
  f.set_parameter(2, 100'000);
  EXPECT_FALSE(f.loads());
}

TEST(stored_window_table, groups_end_in_order_and_where_records_end) {
  constexpr std::size_t first_end = 8;
  constexpr std::size_t last_end = 8 + 4 * 7;
  for (const auto& [at, change] :
       std::vector<std::pair<std::size_t, std::uint32_t>>{{first_end, 1},
                                                          {first_end, ~std::uint32_t{0}},
                                                          {first_end + 4, 1u << 16},
                                                          {last_end, 1},
                                                          {last_end, ~std::uint32_t{0}},
                                                          {last_end, 1u << 17},
                                                          {80 + last_end, 1},
                                                          {80 + last_end, ~std::uint32_t{0}}}) {
    forged_table f;
    put<std::uint32_t>(f.heads(), at, support::get<std::uint32_t>(f.heads(), at) + change);
    EXPECT_FALSE(f.loads()) << at << ' ' << change;
  }
}

TEST(stored_window_table, epochs_are_not_from_the_future) {
  for (const std::size_t page : {0u, 1u, 2u}) {
    forged_table f;
    put<std::uint64_t>(f.heads(), 40 * page, f.parameter(7) + 1);
    EXPECT_FALSE(f.loads());
  }
}

// The first record has one byte of length, two of its key, and one hit in one byte: the tick modulo
// 16 in the lower half.
TEST(stored_window_table, records_have_hits_of_the_past_and_are_in_order) {
  constexpr std::size_t size = 4;
  forged_table good;
  ASSERT_EQ(good.records()[0], std::byte{1});
  ASSERT_EQ(good.records()[size], std::byte{1});
  for (const int length : {0, 2, 254, 255}) {
    forged_table f;
    f.records()[0] = static_cast<std::byte>(length);
    EXPECT_FALSE(f.loads()) << length;
  }
  {
    forged_table f;  // two records of one key
    put<std::uint16_t>(f.records(), size + 1, support::get<std::uint16_t>(f.records(), 1));
    EXPECT_FALSE(f.loads());
  }
  {
    forged_table f;  // a key of too many bits
    f.records()[2] |= std::byte{0x80};
    EXPECT_FALSE(f.loads());
  }
  for (const std::uint64_t ahead : {0u, 1u, 2u}) {
    forged_table f;
    put<std::uint64_t>(f.heads(), 0, f.parameter(7));
    f.records()[3] = static_cast<std::byte>((f.parameter(7) + ahead) & 15);
    EXPECT_EQ(f.loads(), ahead == 0) << ahead;
  }
}

TEST(stored_window_table, counts_fit_into_64_bits_together) {
  window_table t({.window = std::chrono::hours(1), .items = 1 << 20, .error = 0.01});
  const std::uint64_t half = std::uint64_t{1} << 63;
  ASSERT_EQ(t.add("x", golden::day, half), outcome::added);
  ASSERT_EQ(t.add("y", golden::day, half - 1), outcome::added);
  const std::size_t more = 1 + (t.key_bits() - 3 + 7) / 8 + 1;  // the lowest bits of a large count
  forged_table f(t);
  EXPECT_TRUE(f.loads());
  f.records()[more] = static_cast<std::byte>(std::to_integer<int>(f.records()[more]) + 2);
  EXPECT_FALSE(f.loads());
}

}  // namespace bloomtime::stored_window_table_test
