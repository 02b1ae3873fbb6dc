#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/detail/arrival_counts.hpp>
#include <bloomtime/recency/detail/stamp_cells.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime::detail {
namespace stamp_cells_test {

using math::random_source;

// When every timer was really written. A timer may be decoded as its true age, or as expired if
// that is beyond `oldest`.
class absolute_stamps {
 public:
  explicit absolute_stamps(const stamp_shape& shape) : shape_(shape), at_(shape.cells) {}

  void write(std::uint64_t cell, std::uint64_t age) {
    if (!at_[cell] || *at_[cell] < now_ - age) at_[cell] = now_ - age;
  }
  void pass(std::uint64_t ticks) { now_ += ticks; }

  bool agrees(const stamp_cells& cells) const {
    std::vector<std::uint64_t> by_age(shape_.cycle());
    std::uint64_t right = 0;
    for (std::uint64_t i = 0; i < shape_.cells; ++i) {
      const std::uint32_t code = cells.code_at(i);
      if (code != shape_.cycle()) ++by_age[cells.age_of(code)];
      const std::uint64_t truth = at_[i] ? now_ - *at_[i] : std::numeric_limits<uint64_t>::max();
      const std::uint32_t age = cells.age_of(code);
      right += truth <= shape_.oldest ? age == truth : age > shape_.oldest;
    }
    std::uint64_t younger = 0;
    for (std::uint32_t age = 0; age < shape_.cycle(); ++age) {
      right -= cells.with_age(age) != by_age[age] || cells.younger_than(age) != younger;
      younger += by_age[age];
    }
    return right == shape_.cells && cells.younger_than(stamp_cells::expired) == younger;
  }

 private:
  stamp_shape shape_;
  std::vector<std::optional<std::uint64_t>> at_;
  std::uint64_t now_ = 1000;
};

stamp_shape any_shape(random_source& random) {
  stamp_shape s;
  s.bits = static_cast<unsigned>(2 + random.below(5));
  s.layout = random.below(3) == 0 ? layout::line : layout::flat;
  s.k = static_cast<unsigned>(1 + random.below(s.layout == layout::line ? 8 : 12));
  s.cells = s.layout == layout::line ? s.per_line() * (1 + random.below(2)) : 1 + random.below(70);
  s.oldest = static_cast<std::uint32_t>(1 + random.below(s.cycle() - 2));
  return s;
}

std::vector<std::uint64_t> timers_of(const stamp_shape& s, digest d) {
  std::vector<std::uint64_t> all;
  for (unsigned i = 0; i < s.k; ++i) {
    all.push_back(s.layout == layout::flat
                      ? flat_probes{s.cells, s.k}.position(d, i)
                      : line_probes{s.cells / s.per_line(), s.k, s.per_line()}.position(d, i));
  }
  return all;
}

TEST(stamp_cells, age_as_their_absolute_stamps_do) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    random_source random(seed);
    const stamp_shape shape = any_shape(random);
    stamp_cells cells(shape);
    absolute_stamps exact(shape);
    for (int step = 0; step < 150; ++step) {
      const digest d = digest_of(random.below(30), 0);
      stamp_cells::places at;
      cells.find(d, at);
      const std::uint64_t kind = random.below(10);
      if (kind < 5) {
        cells.stamp(at);
        for (const std::uint64_t i : timers_of(shape, d)) exact.write(i, 0);
      } else if (kind < 6) {
        const auto back = static_cast<std::uint32_t>(random.below(shape.oldest + 1));
        cells.stamp_back(at, back);
        for (const std::uint64_t i : timers_of(shape, d)) exact.write(i, back);
      } else if (kind < 7) {
        cells.sweep_some(random.below(20));
      } else {
        const std::uint64_t ticks = random.below(kind == 9 ? 3 * shape.cycle() : 3);
        cells.advance(ticks);
        exact.pass(ticks);
      }
      ASSERT_TRUE(exact.agrees(cells)) << "seed " << seed << ", step " << step;
    }
  }
}

// What the paper does: S timers after every insertion, blocks of B. Says whether some stamp was
// ever decoded wrongly with `fewer` timers per sweep.
bool sweep_breaks(const stamp_shape& shape, std::uint64_t block, std::uint64_t fewer,
                  random_source& random) {
  stamp_cells cells(shape);
  absolute_stamps exact(shape);
  const std::uint64_t ticks = shape.padding() + std::uint64_t{1};
  const std::uint64_t sweep = (shape.cells - 1) / (block * ticks) + 1;
  for (std::uint64_t i = 1; i <= 400; ++i) {
    const digest d = digest_of(random.below(40), 1);
    stamp_cells::places at;
    cells.find(d, at);
    cells.stamp(at);
    for (const std::uint64_t c : timers_of(shape, d)) exact.write(c, 0);
    if (i % block == 0) {
      cells.step();
      exact.pass(1);
    }
    cells.sweep(sweep - fewer);
    if (!exact.agrees(cells)) return true;
  }
  return false;
}

TEST(stamp_cells, the_sweep_of_the_paper_is_just_enough) {
  unsigned breaks = 0;
  unsigned tried = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    random_source random(seed);
    stamp_shape shape = any_shape(random);
    shape.bits = 2 + shape.bits % 3;
    shape.layout = layout::flat;
    shape.oldest = static_cast<std::uint32_t>(1 + random.below(shape.cycle() - 2));
    const std::uint64_t block = 1 + random.below(6);
    ASSERT_FALSE(sweep_breaks(shape, block, 0, random)) << seed;
    if (shape.cells > block * (shape.padding() + 1)) {  // a sweep of more than one timer
      ++tried;
      breaks += sweep_breaks(shape, block, 1, random);
    }
  }
  EXPECT_GT(tried, 50u);
  EXPECT_GT(breaks, tried / 4);
}

TEST(stamp_cells, answers_do_not_depend_on_the_cursor) {
  random_source random(3);
  const stamp_shape shape{layout::flat, 3, 2, 40, 3};
  stamp_cells cells(shape);
  for (int i = 0; i < 60; ++i) {
    stamp_cells::places at;
    cells.find(digest_of(random.below(50), 0), at);
    cells.stamp(at);
    if (i % 5 == 4) {
      cells.sweep_some(shape.quota());
      cells.step();
    }
  }
  cells.sweep(shape.cells);  // what is due is done: then it is all the same where the next begins
  for (std::uint64_t cursor = 0; cursor < shape.cells; ++cursor) {
    stamp_cells moved = stamp_cells::read(shape, cells.codes(), cells.now(), cursor, 0);
    for (int tick = 0; tick < 12; ++tick) {
      moved.advance(1);
      stamp_cells fixed = cells;
      fixed.advance(static_cast<std::uint64_t>(tick) + 1);
      for (std::uint64_t item = 0; item < 50; ++item) {
        stamp_cells::places at;
        cells.find(digest_of(item, 0), at);
        const std::uint32_t age = fixed.age(at);
        ASSERT_EQ(std::min(moved.age(at), shape.oldest + 1), std::min(age, shape.oldest + 1));
        ASSERT_EQ(moved.younger(at, shape.oldest), age <= shape.oldest);
      }
    }
  }
}

TEST(stamp_cells, look_counts_different_timers_of_the_oldest_age) {
  // Three timers for twelve probes: most coincide.
  const stamp_shape shape{layout::flat, 4, 12, 3, 9};
  stamp_cells cells(shape);
  stamp_cells::places at;
  cells.find(digest_of(std::uint64_t{1}, 0), at);
  std::vector<std::uint64_t> mine = timers_of(shape, digest_of(std::uint64_t{1}, 0));
  std::sort(mine.begin(), mine.end());
  mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  EXPECT_EQ(cells.look(at).age, stamp_cells::expired);
  EXPECT_EQ(cells.look(at).count, mine.size());
  cells.stamp(at);
  cells.advance(2);
  EXPECT_EQ(cells.look(at).age, 2u);
  EXPECT_EQ(cells.look(at).count, mine.size());
  EXPECT_EQ(cells.with_age(2), mine.size());
}

TEST(stamp_cells, wide_stamps_are_counted_by_groups) {
  const stamp_shape shape{layout::flat, 20, 3, 1000, 1'000'000};
  stamp_cells cells(shape);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    stamp_cells::places at;
    cells.find(digest_of(i, 0), at);
    cells.stamp(at);
    cells.advance(150);
  }
  EXPECT_LT(cells.memory(), 2500 + 4100 * 8);
  // Written evenly in time, so what groups say is nearly the truth.
  for (const std::uint32_t age : {1000u, 30'000u, 77'777u, 300'000u}) {
    std::uint64_t younger = 0;
    for (std::uint64_t i = 0; i < shape.cells; ++i) {
      younger += cells.age_of(cells.code_at(i)) < age;
    }
    EXPECT_NEAR(static_cast<double>(cells.younger_than(age)), static_cast<double>(younger), 5);
    EXPECT_EQ(cells.at_least(age) + cells.younger_than(age), shape.cells);
  }
  EXPECT_EQ(cells.younger_than(stamp_cells::expired), 1000u);
}

TEST(stamp_cells, jumps_of_any_length_leave_nothing_behind) {
  for (const std::uint64_t ticks :
       {std::uint64_t{4}, std::uint64_t{15}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    const stamp_shape shape{layout::flat, 3, 2, 50, 3};
    stamp_cells cells(shape);
    stamp_cells::places at;
    cells.find(digest_of(std::uint64_t{1}, 0), at);
    cells.stamp(at);
    cells.advance(ticks);
    EXPECT_GT(cells.age(at), shape.oldest);
    for (std::uint64_t later = 0; later < 20; ++later) {
      cells.advance(1);
      EXPECT_GT(cells.age(at), shape.oldest) << ticks << " and " << later;
    }
  }
}

TEST(stamp_cells, refuse_what_cannot_be) {
  using support::expect_error;
  const auto bad = [](stamp_shape s) {
    expect_error(errc::invalid_argument, [&] { stamp_cells cells(s); });
  };
  bad({layout::rows, 4, 3, 64, 5});
  bad({layout::flat, 1, 3, 64, 1});
  bad({layout::flat, 33, 3, 64, 1});
  bad({layout::flat, 4, 0, 64, 5});
  bad({layout::flat, 4, 65, 64, 5});
  bad({layout::line, 4, 17, 128, 5});
  bad({layout::line, 4, 3, 64, 5});  // half a line
  bad({layout::flat, 4, 3, 0, 5});
  bad({layout::flat, 4, 3, std::uint64_t{1} << 60, 5});
  bad({layout::flat, 4, 3, 64, 0});
  bad({layout::flat, 4, 3, 64, 14});
  EXPECT_NO_THROW(stamp_cells({layout::flat, 2, 64, 1, 1}));
}

TEST(stamp_cells, read_checks_what_it_is_given) {
  using support::expect_error;
  const stamp_shape shape{layout::flat, 3, 2, 5, 3};  // 15 bits: one belongs to no timer
  const stamp_cells cells(shape);
  const std::vector<std::byte> codes(cells.codes().begin(), cells.codes().end());
  EXPECT_NO_THROW(stamp_cells::read(shape, codes, 6, 4, 2));
  const auto bad = [&](std::vector<std::byte> bytes, std::uint64_t now, std::uint64_t cursor,
                       std::uint64_t swept) {
    expect_error(errc::corrupt, [&] { stamp_cells::read(shape, bytes, now, cursor, swept); });
  };
  bad(codes, 7, 0, 0);
  bad(codes, 0, 5, 0);
  bad(codes, 0, 0, 3);
  bad({codes[0]}, 0, 0, 0);
  bad({codes[0], std::byte{0x7f}}, 0, 0, 0);
  const stamp_shape lines{layout::line, 3, 2, 170, 3};  // 2 bits of 512
  std::vector<std::byte> line(64, std::byte{0xff});
  EXPECT_NO_THROW(stamp_cells::read(lines, line, 0, 0, 0));
  line[63] = std::byte{0xbf};
  expect_error(errc::corrupt, [&] { stamp_cells::read(lines, line, 0, 0, 0); });
}

// Ages 0 to 3 matter, 4 to 6 are swept in time: two of the five timers in each tick.
TEST(stamp_cells, read_refuses_stamps_that_would_come_to_life_again) {
  using support::expect_error;
  const stamp_shape shape{layout::flat, 3, 2, 5, 3};
  ASSERT_EQ(shape.quota(), 2u);
  for (unsigned timer = 0; timer < 5; ++timer) {
    for (unsigned code = 0; code < 7; ++code) {
      for (std::uint64_t cursor = 0; cursor < 5; ++cursor) {
        for (std::uint64_t swept = 0; swept <= 2; ++swept) {
          const unsigned bits = (0xffffU & ~(7U << 3 * timer)) | code << 3 * timer;
          const std::vector<std::byte> codes{static_cast<std::byte>(bits & 0xff),
                                             static_cast<std::byte>(bits >> 8)};
          // Now is 6, so the age is 6 - code. Let ticks pass and see whether it is young again.
          bool again = false;
          stamp_cells cells(shape);
          try {
            cells = stamp_cells::read(shape, codes, 6, cursor, swept);
          } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::corrupt);
            again = true;
          }
          std::uint64_t left = 2 - swept;
          std::uint64_t at = cursor;
          unsigned age = 6 - code;
          bool alive = true;
          for (int tick = 0; tick < 8 && alive && age < 7; ++tick, ++age, left = 2) {
            for (; left != 0; --left, at = (at + 1) % 5) alive &= at != timer || age <= 3;
          }
          EXPECT_EQ(again, alive) << timer << ' ' << code << ' ' << cursor << ' ' << swept;
        }
      }
    }
  }
}

TEST(stamp_cells, united_hold_the_younger_stamp) {
  random_source random(5);
  for (int round = 0; round < 40; ++round) {
    const stamp_shape shape = any_shape(random);
    stamp_cells one(shape);
    stamp_cells two(shape);
    const auto live = [&](stamp_cells& cells) {
      for (int i = 0; i < 30; ++i) {
        stamp_cells::places at;
        cells.find(digest_of(random.below(40), 0), at);
        cells.stamp(at);
        cells.advance(random.below(3));
      }
    };
    live(one);
    live(two);
    const std::uint64_t behind = random.below(5);
    stamp_cells both = one;
    both.unite(two, behind);
    for (std::uint64_t i = 0; i < shape.cells; ++i) {
      const auto age = [&](const stamp_cells& c) { return std::uint64_t{c.age_of(c.code_at(i))}; };
      std::uint64_t expected = std::min(age(one), age(two) + behind);
      if (expected > shape.oldest) expected = age(one);  // whatever it was, it is too old
      ASSERT_EQ(age(both), expected);
    }
  }
}

TEST(arrival_counts, count_by_ages) {
  arrival_counts counts(3);
  counts.add(0);
  counts.add(0);
  counts.advance(1);
  counts.add(0);
  counts.add(1);  // late
  EXPECT_EQ(counts.total(), 4u);
  EXPECT_EQ(counts.during(0), 1u);
  EXPECT_EQ(counts.during(1), 3u);
  EXPECT_EQ(counts.after(1), 1u);
  EXPECT_EQ(counts.before(1), 0u);
  const arrival_counts again(counts.values(), counts.total());
  EXPECT_EQ(again.values(), counts.values());
  arrival_counts both = counts;
  both.advance(2);
  both.add(counts, 2);
  EXPECT_EQ(both.total(), 8u);
  EXPECT_EQ(both.during(2), 2u);
  EXPECT_EQ(both.during(3), 6u);
  EXPECT_EQ(both.after(2), 0u);
  both.advance(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(both.during(3), 0u);
  EXPECT_EQ(both.before(3), 8u);
}

}  // namespace stamp_cells_test
}  // namespace bloomtime::detail
