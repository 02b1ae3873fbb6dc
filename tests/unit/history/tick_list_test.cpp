#include <gtest/gtest.h>

#include <bloomtime/history/detail/tick_list.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace bloomtime::detail {
namespace tick_list_test {

using numbers = std::vector<std::uint32_t>;

struct coded {
  buffer bytes;
  list_place place;

  bit_reader bits() const { return bit_reader(bytes.bytes()); }
};

// Behind some other bits.
coded written(const numbers& list, std::uint64_t places) {
  bit_writer out;
  out.put(5, 3);
  put_list(out, list.size(), places, [&](auto&& visit) {
    for (const std::uint32_t n : list) visit(n);
  });
  EXPECT_EQ(out.size(), 3 + list_code::of(list.size(), places).bits);
  return {out.finish(), {3, list.size(), places}};
}

numbers numbers_of(list_cursor<bit_reader>& cursor) {
  numbers all;
  while (const auto run = cursor.next()) {
    for (std::uint64_t n = run->first; n <= run->last; ++n) {
      all.push_back(static_cast<std::uint32_t>(n));
    }
  }
  return all;
}

void expect_same(const numbers& list, std::uint64_t places, std::uint64_t step = 1) {
  const coded c = written(list, places);
  list_cursor<bit_reader> all(c.bits(), c.place);
  ASSERT_EQ(numbers_of(all), list);
  EXPECT_TRUE(all.sound());
  for (std::uint64_t from = 0; from < places; from += step) {
    const auto next = std::lower_bound(list.begin(), list.end(), from);
    const auto want = next == list.end() ? std::nullopt : std::optional<std::uint64_t>(*next);
    ASSERT_EQ(next_in_list(c.bits(), c.place, from), want) << from << " of " << places;
    if (places > 1000 && from / step % 64 != 0) continue;
    list_cursor<bit_reader> rest(c.bits(), c.place, from);
    ASSERT_EQ(numbers_of(rest), numbers(next, list.end())) << from << " of " << places;
  }
}

TEST(tick_list, gives_back_every_set_of_up_to_ten_places) {
  for (std::uint64_t places = 1; places <= 10; ++places) {
    for (std::uint64_t set = 0; set < std::uint64_t{1} << places; ++set) {
      numbers list;
      for (std::uint32_t n = 0; n < places; ++n) {
        if ((set >> n & 1) != 0) list.push_back(n);
      }
      expect_same(list, places);
    }
  }
}

numbers any_list(math::random_source& random, std::size_t count, std::uint64_t places) {
  std::set<std::uint32_t> list;
  while (list.size() < count) list.insert(static_cast<std::uint32_t>(random.below(places)));
  return {list.begin(), list.end()};
}

TEST(tick_list, gives_back_lists_of_every_density) {
  math::random_source random(1);
  for (const std::uint64_t places : {100ull, 5000ull, 86400ull, 1ull << 32}) {
    for (const std::size_t count : {1u, 3u, 50u, 90u, 254u}) {
      if (count > places) continue;
      expect_same(any_list(random, count, places), places, places / 1000 + 1);
    }
  }
}

TEST(tick_list, gives_back_numbers_that_share_their_high_part) {
  math::random_source random(2);
  for (int i = 0; i < 20; ++i) {
    numbers list = any_list(random, 100, 200);
    for (std::uint32_t& n : list) n += 70'000;
    expect_same(list, 86'400, 7);
  }
}

TEST(tick_list, is_never_longer_than_a_bitmap_and_close_to_the_least) {
  EXPECT_EQ(list_code::of(0, 100).bits, 0u);
  EXPECT_EQ(list_code::of(100, 100).bits, 0u);
  EXPECT_EQ(list_code::of(50, 100).bits, 100u);
  // 10 low bits, one bit for each number and one for each high part but the first.
  EXPECT_EQ(list_code::of(81, 85'000).bits, 81u * 11 + (84'999u >> 10));
}

TEST(tick_list, tells_bits_that_are_no_list) {
  const numbers list{3, 70, 71, 500, 900};
  const coded good = written(list, 1000);
  const list_code code = list_code::of(list.size(), 1000);
  int noticed = 0;
  for (std::uint64_t bit = 3; bit < 3 + code.bits; ++bit) {
    buffer bad(good.bytes);
    bad.data()[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    list_cursor<bit_reader> cursor(bit_reader(bad.bytes()), good.place);
    const numbers back = numbers_of(cursor);
    const bool sound = cursor.sound();
    EXPECT_LE(back.size(), list.size());
    if (!sound) ++noticed;
    if (!sound) continue;
    EXPECT_TRUE(std::is_sorted(back.begin(), back.end()));
    EXPECT_EQ(back.size(), list.size());
    EXPECT_LT(back.back(), 1000u);
  }
  EXPECT_GE(noticed, static_cast<int>(code.high));  // another number of ones is always noticed
}

}  // namespace tick_list_test
}  // namespace bloomtime::detail
