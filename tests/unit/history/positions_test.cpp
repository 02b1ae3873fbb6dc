#include <gtest/gtest.h>

#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/positions.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace bloomtime::detail {
namespace positions_test {

using pairs = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // key and tick

positions sealed(const pairs& seen, positions_shape shape) {
  std::set<std::uint64_t> sorted;
  for (const auto& [key, t] : seen) sorted.insert(shape.position(key, t));
  return positions::of(shape, std::vector<std::uint64_t>(sorted.begin(), sorted.end()));
}

TEST(positions, never_deny_what_was_seen) {
  math::random_source random(1);
  for (const std::uint64_t range : {200ull, 256ull, 20'000ull, 1ull << 40}) {
    pairs seen;
    for (int i = 0; i < 150; ++i) seen.insert({random.below(1000), 50 + random.below(200)});
    const positions all = sealed(seen, {.first = 50, .span = 200, .range = range});
    all.verify();
    for (const auto& [key, t] : seen) {
      EXPECT_TRUE(all.view().seen(key, {t, t}));
      const std::uint64_t before = std::min<std::uint64_t>(t, random.below(100));
      EXPECT_TRUE(all.view().seen(key, {t - before, t + random.below(100)}));
    }
  }
}

// One item alone cannot be mistaken for another, wherever its positions wrap around.
TEST(positions, answer_exactly_for_a_single_item) {
  math::random_source random(2);
  int wrapped = 0;
  for (std::uint64_t key = 0; key < 300; ++key) {
    const positions_shape shape{.first = 1000, .span = 64, .range = 70};
    pairs seen;
    for (int i = 0; i < 9; ++i) seen.insert({key, 1000 + random.below(64)});
    wrapped += shape.start(key) + 63 >= shape.range;
    const positions all = sealed(seen, shape);
    for (std::uint64_t s = 1000; s < 1064; ++s) {
      for (std::uint64_t e = s; e < 1064; ++e) {
        const auto next = seen.lower_bound({key, s});
        const bool truth = next != seen.end() && next->second <= e;
        ASSERT_EQ(all.view().seen(key, {s, e}), truth) << key << ' ' << s << ' ' << e;
      }
    }
    std::vector<std::uint64_t> ticks;
    all.view().for_each(key, {0, 5000}, [&](tick_range found) {
      for (std::uint64_t t = found.first; t <= found.last; ++t) ticks.push_back(t);
      return true;
    });
    std::sort(ticks.begin(), ticks.end());
    ASSERT_EQ(ticks.size(), seen.size());
    for (const std::uint64_t t : ticks) EXPECT_TRUE(seen.contains({key, t}));
  }
  EXPECT_GT(wrapped, 200);
}

// Also where positions wrap around, in cells of one place, over many cells, and later than they
// were made.
TEST(positions, answer_the_same_with_a_filter) {
  math::random_source random(3);
  for (const std::uint64_t range : {200ull, 5000ull, 1ull << 20, 1ull << 30, 1ull << 45}) {
    pairs seen;
    for (int i = 0; i < 150; ++i) seen.insert({random.below(100), 50 + random.below(200)});
    positions plain = sealed(seen, {.first = 50, .span = 200, .range = range});
    positions filtered = plain;
    filtered.make_filter();
    ASSERT_FALSE(filtered.filter().empty());
    EXPECT_EQ(filtered.bytes(), plain.bytes() + (plain.shape().count + 7) / 8 * 8);
    plain.delay(7);
    filtered.delay(7);
    for (int i = 0; i < 100'000; ++i) {
      const std::uint64_t key = random.below(1000);
      const std::uint64_t from = random.below(300);
      const tick_range asked{from, from + random.below(1 << (i % 8))};
      ASSERT_EQ(filtered.seen(key, asked), plain.seen(key, asked)) << range << ' ' << key;
    }
    for (const auto& [key, t] : seen) ASSERT_TRUE(filtered.seen(key, {t + 7, t + 7}));
  }
}

// With an error of 1e-9 for 128 ticks, such a question about an item that is not there, or not at
// that time, reads the list once in 27 times. 127 of 8192 questions lie in two cells. The tolerance
// is that of key_filter_test.cpp.
TEST(positions, are_rarely_read_if_they_have_a_filter) {
  constexpr std::uint64_t count = std::uint64_t{1} << 16;
  const positions_shape shape{
      .first = 0, .span = 86'400, .range = count * 128'000'000'000, .count = count};
  positions_writer with_filter(shape, true);
  std::set<std::uint64_t> sorted;
  for (std::uint64_t key = 0; sorted.size() < count; ++key) sorted.insert(shape.position(key, 9));
  for (const std::uint64_t p : sorted) with_filter.put(p);
  const positions all = with_filter.finish();
  all.verify();
  const auto passed = [&](std::uint64_t from_key, std::uint64_t keys) {
    std::uint64_t passing = 0;
    for (std::uint64_t key = from_key; key < from_key + keys; ++key) {
      passing += all.may_have(key, {50'000, 50'127});
    }
    return static_cast<double>(passing) / static_cast<double>(keys);
  };
  constexpr double expected = 0.0369 * (1 + 127 / 8192.);
  EXPECT_NEAR(passed(count, 1'000'000), expected, 0.0022);
  EXPECT_NEAR(passed(0, count), expected, 6 * 0.0008);  // of 65,536 questions
}

// At most 2.3 bits beyond log2 of the places per position: 1 for each position, 1 to 2 for the high
// parts and an eighth of that for the marks, less what the places are beyond a power of two.
TEST(positions, take_few_bits) {
  for (const double per : {1024., 1500., 2047., 1e5}) {
    const std::uint64_t count = 100'000;
    const positions_shape shape{
        .first = 0, .span = 1, .range = static_cast<std::uint64_t>(per * 1e5), .count = count};
    const double bytes =
        static_cast<double>(positions::list_bytes(shape) + positions::marks_bytes(shape));
    EXPECT_LE(8 * bytes / 1e5, std::log2(per) + 2.3) << per;
  }
}

TEST(positions, survive_damaged_bits) {
  math::random_source random(4);
  pairs seen;
  for (int i = 0; i < 400; ++i) seen.insert({random.below(400), random.below(100)});
  const positions good = sealed(seen, {.first = 0, .span = 100, .range = 1 << 20});
  for (std::uint64_t byte = 0; byte < good.bytes(); ++byte) {
    buffer marks(good.marks());
    buffer list(good.list());
    buffer& bad = byte < list.size() ? list : marks;
    bad.data()[byte < list.size() ? byte : byte - list.size()] ^= std::byte{0x41};
    const positions damaged(good.shape(), marks, list);
    for (std::uint64_t key = 0; key < 30; ++key) (void)damaged.view().seen(key, {10, 90});
    try {
      damaged.verify();
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::corrupt);
    }
  }
}

}  // namespace positions_test
}  // namespace bloomtime::detail
