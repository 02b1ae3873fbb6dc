#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/detail/bytes.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime::detail {
namespace bytes_test {

using support::expect_error;

std::vector<std::uint8_t> numbers(std::span<const std::byte> bytes) {
  std::vector<std::uint8_t> out;
  for (const std::byte b : bytes) out.push_back(std::to_integer<std::uint8_t>(b));
  return out;
}

static_assert(swap_bytes(std::uint8_t{0x12}) == 0x12);
static_assert(swap_bytes(std::uint16_t{0x1234}) == 0x3412);
static_assert(swap_bytes(std::uint32_t{0x12345678}) == 0x78563412);
static_assert(swap_bytes(std::uint64_t{0x0123456789abcdef}) == 0xefcdab8967452301);

TEST(bytes, are_little_endian) {
  byte_writer out;
  out.u8(0x01);
  out.u16(0x0302);
  out.u32(0x07060504);
  out.u64(0x0f0e0d0c0b0a0908);
  out.i64(-2);
  out.f64(1.0);
  const std::vector<std::uint8_t> expected{
      1,    2,    3,    4,    5,    6,    7,    8, 9, 10, 11, 12, 13, 14,   15,  0xfe,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0,  0,  0,  0,  0xf0, 0x3f};
  EXPECT_EQ(numbers(out.written()), expected);
}

TEST(bytes, count_their_ones_up_to_the_last) {
  std::vector<std::byte> bytes;
  for (std::uint64_t i = 0; i < 30; ++i) {
    EXPECT_EQ(count_ones(bytes), 3 * i);
    bytes.push_back(std::byte{0x91});
  }
}

TEST(bytes, load_and_store_at_any_address) {
  std::vector<std::byte> memory(32);
  for (std::size_t at = 0; at < 16; ++at) {
    store_le64(memory.data() + at, 0x8877665544332211);
    EXPECT_EQ(std::to_integer<int>(memory[at]), 0x11);
    EXPECT_EQ(std::to_integer<int>(memory[at + 7]), 0x88);
    EXPECT_EQ(load_le64(memory.data() + at), 0x8877665544332211);
    EXPECT_EQ(load_le32(memory.data() + at + 1), 0x55443322u);
    EXPECT_EQ(load_le16(memory.data() + at + 1), 0x3322u);
    store_le32(memory.data() + at, 0xddccbbaa);
    store_le16(memory.data() + at + 4, 0xffee);
    EXPECT_EQ(load_le64(memory.data() + at), 0x8877ffeeddccbbaa);
  }
}

// -- round trip --------------------------------------------------------------------------------

using value = std::variant<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int64_t,
                           double, std::vector<std::uint8_t>>;

template <class T>
rc::Gen<value> any() {
  return rc::gen::map(rc::gen::arbitrary<T>(), [](const T& x) { return value(x); });
}

rc::Gen<std::vector<value>> any_values() {
  return rc::gen::container<std::vector<value>>(rc::gen::oneOf(
      any<std::uint8_t>(), any<std::uint16_t>(), any<std::uint32_t>(), any<std::uint64_t>(),
      any<std::int64_t>(), any<double>(), any<std::vector<std::uint8_t>>()));
}

struct write_into {
  byte_writer& out;

  void operator()(std::uint8_t v) const { out.u8(v); }
  void operator()(std::uint16_t v) const { out.u16(v); }
  void operator()(std::uint32_t v) const { out.u32(v); }
  void operator()(std::uint64_t v) const { out.u64(v); }
  void operator()(std::int64_t v) const { out.i64(v); }
  void operator()(double v) const { out.f64(v); }
  void operator()(const std::vector<std::uint8_t>& v) const {
    out.bytes(std::as_bytes(std::span(v)));
  }
};

struct reads_back_from {
  byte_reader& in;

  bool operator()(std::uint8_t v) const { return in.u8() == v; }
  bool operator()(std::uint16_t v) const { return in.u16() == v; }
  bool operator()(std::uint32_t v) const { return in.u32() == v; }
  bool operator()(std::uint64_t v) const { return in.u64() == v; }
  bool operator()(std::int64_t v) const { return in.i64() == v; }
  bool operator()(double v) const {
    return std::bit_cast<std::uint64_t>(in.f64()) == std::bit_cast<std::uint64_t>(v);
  }
  bool operator()(const std::vector<std::uint8_t>& v) const {
    return numbers(in.bytes(v.size())) == v;
  }
};

RC_GTEST_PROP(bytes, come_back_as_they_were_written, ()) {
  const std::vector<value> values = *any_values();
  byte_writer out;
  for (const value& v : values) std::visit(write_into{out}, v);
  byte_reader in(out.written());
  for (const value& v : values) RC_ASSERT(std::visit(reads_back_from{in}, v));
  RC_ASSERT(in.remaining() == 0u);
  in.expect_end();
}

RC_GTEST_PROP(bytes, cut_short_are_an_error_and_never_read_past, ()) {
  const std::vector<value> values = *rc::gen::nonEmpty(any_values());
  byte_writer out;
  for (const value& v : values) std::visit(write_into{out}, v);
  const std::size_t size = out.written().size();
  RC_PRE(size > 0u);
  const std::size_t kept = *rc::gen::inRange<std::size_t>(0, size);
  // A copy of its own, so that the address sanitizer sees a byte too many.
  const std::vector<std::byte> cut(out.written().begin(),
                                   out.written().begin() + static_cast<std::ptrdiff_t>(kept));
  byte_reader in(cut);
  try {
    for (const value& v : values) RC_ASSERT(std::visit(reads_back_from{in}, v));
    RC_FAIL("read more than was there");
  } catch (const error& e) {
    RC_ASSERT(e.code() == errc::truncated);
  }
}

TEST(bytes, a_reader_that_failed_has_consumed_nothing) {
  const std::vector<std::byte> three(3, std::byte{7});
  byte_reader in(three);
  expect_error(
      errc::truncated, [&] { in.u32(); }, "expected 4 more bytes, found 3");
  expect_error(errc::truncated, [&] { in.bytes(std::numeric_limits<std::size_t>::max()); });
  EXPECT_EQ(in.remaining(), 3u);
  EXPECT_EQ(in.u16(), 0x0707u);
  EXPECT_EQ(in.u8(), 7u);
  expect_error(errc::truncated, [&] { in.u8(); });
  EXPECT_TRUE(in.bytes(0).empty());
}

TEST(bytes, left_over_are_an_error) {
  const std::vector<std::byte> three(3);
  byte_reader in(three);
  in.u8();
  expect_error(
      errc::corrupt, [&] { in.expect_end(); }, "found 2 more");
  in.u16();
  EXPECT_NO_THROW(in.expect_end());
}

TEST(bytes, every_kind_of_double_survives) {
  using limits = std::numeric_limits<double>;
  for (const double v : {0.0, -0.0, limits::infinity(), -limits::infinity(), limits::denorm_min(),
                         limits::max(), limits::quiet_NaN()}) {
    byte_writer out;
    out.f64(v);
    byte_reader in(out.written());
    EXPECT_EQ(std::bit_cast<std::uint64_t>(in.f64()), std::bit_cast<std::uint64_t>(v)) << v;
  }
}

}  // namespace bytes_test
}  // namespace bloomtime::detail
