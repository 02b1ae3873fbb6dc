#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/detail/packed_cells.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace bloomtime::detail {
namespace packed_cells_property {

std::uint32_t max_of(unsigned width) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
}

// The definition, one bit at a time.
std::vector<std::byte> packed_bit_by_bit(const std::vector<std::uint32_t>& values, unsigned width) {
  std::vector<std::byte> bytes((values.size() * width + 7) / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (unsigned b = 0; b < width; ++b) {
      const std::size_t bit = i * width + b;
      if ((values[i] >> b) & 1) bytes[bit / 8] |= std::byte{1} << (bit % 8);
    }
  }
  return bytes;
}

std::vector<std::byte> vector_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

template <unsigned Bits>
std::vector<std::uint32_t> all(const packed_cells<Bits>& cells) {
  std::vector<std::uint32_t> values;
  for (std::uint64_t i = 0; i < cells.size(); ++i) values.push_back(cells.get(i));
  return values;
}

// A buffer whose bytes past the end are not zero, so that changing them would show.
buffer with_marked_tail(std::uint64_t bytes) {
  buffer marked(bytes);
  store_le64(marked.data() + bytes, 0xa5c3a5c3a5c3a5c3);
  return marked;
}

// Every write is compared with a plain vector, all cells of it, and the bytes with the definition.
template <unsigned Bits>
void expect_like_a_vector(std::uint64_t count, unsigned width, std::mt19937_64& random) {
  SCOPED_TRACE(testing::Message() << count << " cells of " << width << " bits, type " << Bits);
  packed_cells<Bits> cells(with_marked_tail(packed_cells<Bits>::bytes_for(count, width)), count,
                           width);
  std::vector<std::uint32_t> model(count);
  const std::uint32_t top = max_of(width);
  ASSERT_EQ(cells.max_value(), top);

  for (int step = 0; step < 60; ++step) {
    const bool last = step % 8 == 0;
    const std::uint64_t i = last ? count - 1 : random() % count;
    const std::uint32_t choices[] = {0, top, static_cast<std::uint32_t>(random()) & top};
    const std::uint32_t v = choices[random() % 3];
    cells.set(i, v);
    model[i] = v;
    ASSERT_EQ(all(cells), model);
  }
  EXPECT_EQ(vector_of(cells.bytes()), packed_bit_by_bit(model, width));
  EXPECT_TRUE(cells.padding_is_zero());
  EXPECT_EQ(load_le64(cells.bytes().data() + cells.bytes().size()), 0xa5c3a5c3a5c3a5c3u);

  cells.fill(top);
  EXPECT_EQ(all(cells), std::vector<std::uint32_t>(count, top));
  EXPECT_TRUE(cells.padding_is_zero());
  EXPECT_EQ(load_le64(cells.bytes().data() + cells.bytes().size()), 0xa5c3a5c3a5c3a5c3u);
}

template <unsigned... Less>
void expect_all_widths(std::integer_sequence<unsigned, Less...>) {
  std::mt19937_64 random(20170207);
  for (const std::uint64_t count : {1u, 2u, 7u, 8u, 9u, 31u, 64u, 65u}) {
    (expect_like_a_vector<Less + 1>(count, Less + 1, random), ...);
    (expect_like_a_vector<dynamic_bits>(count, Less + 1, random), ...);
  }
}

TEST(packed_cells_property, behave_like_a_vector_at_every_width) {
  expect_all_widths(std::make_integer_sequence<unsigned, max_cell_bits>{});
}

RC_GTEST_PROP(packed_cells_property, have_the_bytes_of_the_definition, ()) {
  const auto width = *rc::gen::inRange(1u, 33u);
  auto values = *rc::gen::arbitrary<std::vector<std::uint32_t>>();
  for (auto& v : values) v &= max_of(width);

  packed_cells<> cells(values.size(), width);
  // Backwards, so that no write can repair what a later cell spoilt.
  for (std::size_t i = values.size(); i-- > 0;) cells.set(i, values[i]);

  const auto expected = packed_bit_by_bit(values, width);
  RC_ASSERT(vector_of(cells.bytes()) == expected);
  RC_ASSERT(all(packed_cells<>(buffer::copy_of(expected), values.size(), width)) == values);
}

}  // namespace packed_cells_property
}  // namespace bloomtime::detail
