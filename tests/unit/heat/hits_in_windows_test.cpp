#include <gtest/gtest.h>

#include <bloomtime/heat/decay_ring.hpp>
#include <bloomtime/heat/window_table.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/moments.hpp"

// What both engines that count the hits of a window do alike.
namespace bloomtime {
namespace hits_in_windows_test {

using namespace std::chrono_literals;
using support::after;
using support::first_micro;
using support::last_micro;
using support::midnight;
using duration = std::chrono::microseconds;

struct ring_kind {
  using engine = decay_ring;
  static engine of(duration window, unsigned slots, duration ahead) {
    return engine({.memory = 1 << 17, .window = window, .slots = slots, .ahead = ahead});
  }
};

struct table_kind {
  using engine = window_table;
  static engine of(duration window, unsigned slots, duration ahead) {
    return engine({.window = window, .slots = slots, .items = 1000, .error = 1e-6, .ahead = ahead});
  }
};

template <class Kind>
class hits_in_windows : public testing::Test {
 protected:
  using engine = typename Kind::engine;

  engine made(duration window, unsigned slots, duration ahead = 24h) {
    return Kind::of(window, slots, ahead);
  }
  engine last_hour() { return made(1h, 60); }

  static void expect_kept(const engine& e) {
    EXPECT_TRUE(engine::load(e.serialize()).serialize() == e.serialize());
  }
};

using kinds = testing::Types<ring_kind, table_kind>;
TYPED_TEST_SUITE(hits_in_windows, kinds);

TYPED_TEST(hits_in_windows, are_those_of_the_last_hour) {
  auto e = this->last_hour();
  EXPECT_EQ(e.clock().resolution(), 1min);
  EXPECT_EQ(e.at("/", midnight), estimate{});
  EXPECT_EQ(e.add("/", midnight, 3), outcome::added);
  EXPECT_EQ(e.add("/", after(30min), 4), outcome::added);
  EXPECT_EQ(e.at("/", after(30min)).value, 7);
  EXPECT_EQ(e.at("/", after(1h - 1us)).value, 7);
  EXPECT_EQ(e.at("/", after(1h)).value, 7);  // up to a slot too old
  EXPECT_EQ(e.at("/", after(1h + 1min)).value, 4);
  EXPECT_EQ(e.at("/", after(91min)).value, 0);
  EXPECT_EQ(e.mass(after(30min)), 7);
  EXPECT_NEAR(e.rate("/", after(30min)).value, 7.0 / 3600, 1e-15);
}

TYPED_TEST(hits_in_windows, refuse_the_far_future_and_drop_what_is_too_old) {
  auto e = this->last_hour();
  ASSERT_EQ(e.add("x", midnight, 8), outcome::added);
  EXPECT_EQ(e.add("x", after(24h + 1min)), outcome::future);
  EXPECT_EQ(e.add("x", instant(last_micro)), outcome::future);
  EXPECT_EQ(e.add("x", after(-1h), 2), outcome::late);
  EXPECT_EQ(e.at("x", midnight).value, 10);
  const std::vector<std::byte> before = e.serialize();
  EXPECT_EQ(e.add("x", after(-1h - 1us)), outcome::dropped_late);
  EXPECT_EQ(e.add("x", instant(first_micro)), outcome::dropped_late);
  EXPECT_TRUE(e.serialize() == before);
  EXPECT_EQ(e.losses(), (losses{.dropped_late = 2, .future = 2}));
  EXPECT_EQ(e.add("x", after(24h)), outcome::added);
}

TYPED_TEST(hits_in_windows, are_answered_from_the_newest_event_on) {
  auto e = this->last_hour();
  ASSERT_EQ(e.add("x", midnight), outcome::added);
  EXPECT_EQ(e.at("x", after(-5h)), e.at("x", midnight));
  e.advance(after(2h));
  e.advance(midnight);
  EXPECT_EQ(e.at("x", midnight).value, 0);
  EXPECT_EQ(e.mass(midnight), 0);
}

TYPED_TEST(hits_in_windows, have_weights_of_any_size) {
  auto e = this->made(10s, 10);
  EXPECT_EQ(e.add("x", midnight, 0), outcome::added);
  this->expect_kept(e);
  const std::uint64_t heavy = std::uint64_t{1} << 63;
  EXPECT_EQ(e.add("x", midnight, heavy), outcome::added);
  EXPECT_EQ(e.add("y", after(1s), 5), outcome::added);
  const std::vector<std::byte> before = e.serialize();
  EXPECT_EQ(e.add("z", after(2s), heavy), outcome::full);
  EXPECT_TRUE(e.serialize() == before);
  EXPECT_GE(e.at("x", after(1s)).upper, 0x1p63);
  EXPECT_EQ(e.at("y", after(1s)).upper, 5);
  EXPECT_EQ(e.add("z", after(11s), heavy), outcome::added);  // there is room again
  EXPECT_EQ(e.losses().full, 1u);
  this->expect_kept(e);
}

TYPED_TEST(hits_in_windows, are_counted_from_the_first_to_the_last_instant) {
  auto e = this->made(10us, 10, duration(last_micro));
  ASSERT_EQ(e.add("x", instant(first_micro)), outcome::added);
  ASSERT_EQ(e.add("x", instant(last_micro)), outcome::future);
  ASSERT_EQ(e.add("x", instant(-1)), outcome::added);
  ASSERT_EQ(e.add("x", instant(last_micro - 1)), outcome::added);
  ASSERT_EQ(e.add("x", instant(last_micro)), outcome::added);
  EXPECT_EQ(e.add("x", instant(first_micro)), outcome::dropped_late);
  EXPECT_EQ(e.at("x", instant(first_micro)).upper, 2);
  this->expect_kept(e);
}

}  // namespace hits_in_windows_test
}  // namespace bloomtime
