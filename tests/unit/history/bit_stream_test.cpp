#include <gtest/gtest.h>

#include <bloomtime/history/detail/bit_stream.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace bloomtime::detail {
namespace bit_stream_test {

buffer readable(bit_writer out) { return out.finish(); }

TEST(bit_stream, gives_back_numbers_of_any_width) {
  math::random_source random(1);
  bit_writer out;
  std::vector<std::pair<std::uint64_t, unsigned>> written;
  for (int i = 0; i < 5000; ++i) {
    const auto width = static_cast<unsigned>(random.below(65));
    const std::uint64_t value =
        width == 64 ? random.below(~std::uint64_t{0}) : random.below(std::uint64_t{1} << width);
    out.put(value, width);
    written.push_back({value, width});
  }
  const buffer bytes = readable(out);
  const bit_reader in(bytes.bytes());
  std::uint64_t at = 0;
  for (const auto& [value, width] : written) ASSERT_EQ(in.take(at, width), value) << width;
  EXPECT_EQ(at, out.size());
}

TEST(bit_stream, writes_only_the_low_bits) {
  bit_writer out;
  out.put(~std::uint64_t{0}, 3);
  out.put(0, 5);
  const buffer bytes = readable(out);
  EXPECT_EQ(bytes.size(), stream_bytes(8));
  EXPECT_EQ(load_le64(bytes.data()), 7u);
  EXPECT_TRUE(bit_reader(bytes.bytes()).ends_at(8));
  EXPECT_FALSE(bit_reader(bytes.bytes()).ends_at(2));
  EXPECT_FALSE(bit_reader(bytes.bytes()).ends_at(65));
  EXPECT_FALSE(bit_reader(bytes.bytes().first(7)).ends_at(0));
}

TEST(bit_stream, gives_back_gamma_codes) {
  bit_writer out;
  std::vector<std::uint64_t> numbers{1, 2, 3, 4, 5, 1000, 1ull << 32, ~0ull};
  for (const std::uint64_t n : numbers) out.put_gamma(n);
  const buffer bytes = readable(out);
  const bit_reader in(bytes.bytes());
  std::uint64_t at = 0;
  for (const std::uint64_t n : numbers) EXPECT_EQ(in.take_gamma(at), n);
  EXPECT_EQ(at, out.size());
  bit_writer five;
  five.put_gamma(5);
  EXPECT_EQ(five.size(), 5u);
}

TEST(bit_stream, has_zeros_beyond_its_end) {
  bit_writer out;
  out.put(~std::uint64_t{0}, 64);
  const buffer bytes = readable(out);
  const bit_reader in(bytes.bytes());
  EXPECT_EQ(in.get(60, 20), 15u);
  EXPECT_EQ(in.get(64, 57), 0u);
  EXPECT_EQ(in.get(~std::uint64_t{0}, 64), 0u);
  std::uint64_t at = 64;
  EXPECT_EQ(in.take_gamma(at), 0u);
  bit_writer nothing;
  nothing.put_zeros(200);
  const buffer zeros = readable(nothing);
  at = 0;
  EXPECT_EQ(bit_reader(zeros.bytes()).take_gamma(at), 0u);
}

TEST(bit_stream, sets_zeros) {
  bit_writer out;
  out.put(1, 1);
  out.put_zeros(130);
  out.set(100);
  const buffer bytes = readable(out);
  const bit_reader in(bytes.bytes());
  for (std::uint64_t i = 0; i < 131; ++i) EXPECT_EQ(in.get(i, 1), i == 0 || i == 100);
}

}  // namespace bit_stream_test
}  // namespace bloomtime::detail
