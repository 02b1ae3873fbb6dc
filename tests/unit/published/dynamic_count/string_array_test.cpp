#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/published/dynamic_count/detail/field_vector.hpp>
#include <bloomtime/published/dynamic_count/detail/string_array.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/without_memory.hpp"

namespace bloomtime::detail {
namespace string_array_test {

TEST(field_vector, keeps_fields_of_every_width_apart) {
  for (unsigned width = 1; width <= 64; ++width) {
    field_vector fields(19, width);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - width);
    for (std::uint64_t i = 0; i < 19; ++i) fields.set(i, ones);
    for (std::uint64_t i = 0; i < 19; i += 2) fields.set(i, i & ones);
    for (std::uint64_t i = 0; i < 19; ++i) {
      ASSERT_EQ(fields.get(i), i % 2 == 0 ? i & ones : ones) << width << ' ' << i;
    }
    EXPECT_TRUE(fields.padding_is_zero());
  }
}

TEST(field_vector, changes_its_width_and_nothing_else) {
  for (const bool reserved : {false, true}) {
    auto fields = reserved ? field_vector::reserved(37, 64) : field_vector(37, 0);
    for (const unsigned width : {5U, 6U, 64U, 31U, 5U, 17U, 5U}) {
      fields.change_width(width);
      EXPECT_EQ(fields.width(), width);
      EXPECT_TRUE(fields.padding_is_zero());
      for (std::uint64_t i = 0; i < 37 && width != 5; ++i) ASSERT_EQ(fields.get(i), i % 32);
      for (std::uint64_t i = 0; i < 37; ++i) fields.set(i, i % 32);
    }
    for (std::uint64_t i = 0; i < 37; ++i) fields.set(i, 0);
    fields.change_width(0);
    EXPECT_EQ(fields.get(36), 0U);
    EXPECT_EQ(fields.memory(), reserved ? 37U * 8 : 0U);
  }
}

class string_array_of : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(slack, string_array_of, ::testing::Values(1U, 2U, 7U, 64U));

// Every counter, at every step, whatever became longer before it.
TEST_P(string_array_of, holds_what_it_is_given) {
  math::random_source draw(3);
  for (const std::uint64_t size : {1U, 2U, 5U, 16U, 17U, 300U}) {
    string_array a(size, GetParam());
    std::vector<std::uint64_t> exact(size);
    std::uint64_t bits = size;
    for (int step = 0; step < 600; ++step) {
      const std::uint64_t i = draw() % size;
      const std::uint64_t value = draw() % 4 == 0 ? draw() >> (draw() % 64) : exact[i] + draw() % 3;
      bits = bits + string_array::length_of(value) - string_array::length_of(exact[i]);
      exact[i] = value;
      a.set(i, value);
      if (size <= 17 || step % 50 == 49) {
        for (std::uint64_t c = 0; c < size; ++c) ASSERT_EQ(a.get(c), exact[c]) << size << ' ' << c;
      }
    }
    EXPECT_EQ(a.counter_bits(), bits);
    EXPECT_GE(a.string_bits(), bits);
    EXPECT_GT(a.done().lengthened, 0U);
    const string_array again(exact, GetParam());
    for (std::uint64_t c = 0; c < size; ++c) ASSERT_EQ(again.get(c), exact[c]);
  }
}

// Counting up by one needs few bits at a time: mostly the slack of the group or of those behind it.
TEST_P(string_array_of, lays_all_out_anew_only_when_slack_has_gone) {
  string_array a(2000, GetParam());
  math::random_source draw(5);
  for (int step = 0; step < 60'000; ++step) {
    const std::uint64_t i = draw() % 2000;
    a.set(i, a.get(i) + 1);
  }
  EXPECT_GT(a.done().pushed, 0U);
  EXPECT_GT(a.done().laid_out, 0U);
  // Half of the spare bits of a layout are used before the next one, or 20 of them.
  const std::uint64_t used = std::min<std::uint64_t>(20, 2000 / GetParam() / 2);
  EXPECT_LT(a.done().laid_out, a.done().lengthened / used);
}

TEST(string_array, has_as_many_spare_bits_as_asked_for) {
  for (const std::uint64_t size : {1U, 5U, 63U, 64U, 500U, 5000U}) {
    std::vector<std::uint64_t> values(size);
    for (std::uint64_t c = 0; c < size; ++c) values[c] = c % 7 == 0 ? c * c : c % 2;
    for (unsigned per_slack = 1; per_slack <= 64; ++per_slack) {
      const string_array empty(size, per_slack);
      ASSERT_EQ(empty.string_bits() - empty.counter_bits(), size / per_slack);
      const string_array full(values, per_slack);
      ASSERT_EQ(full.string_bits() - full.counter_bits(), size / per_slack);
    }
  }
}

// Fewer spare bits, more counters moved.
TEST(string_array, counts_the_counters_it_shifts) {
  string_array none(500, 2);
  none.set(499, 1000);  // nothing is behind it
  EXPECT_EQ(none.done().shifted, 0U);
  string_array::work last;
  for (const unsigned per_slack : {2U, 8U, 32U}) {
    string_array a(2000, per_slack);
    math::random_source draw(5);
    for (int step = 0; step < 20'000; ++step) {
      const std::uint64_t i = draw() % 2000;
      a.set(i, a.get(i) + 1);
    }
    EXPECT_GT(a.done().shifted, 0U);
    EXPECT_GT(a.done().pushed + a.done().laid_out, last.pushed + last.laid_out);
    last = a.done();
  }
}

TEST(string_array, is_unchanged_if_memory_is_out) {
  struct as_bytes {
    string_array array = string_array(50, 64);
    std::vector<std::byte> serialize() const {
      byte_writer out;
      for (std::uint64_t i = 0; i < array.size(); ++i) out.u64(array.get(i));
      return out.written();
    }
  } subject;
  support::expect_no_change_without_memory(subject,
                                           [&] { subject.array.set(7, ~std::uint64_t{0}); });
  EXPECT_EQ(subject.array.get(7), ~std::uint64_t{0});
}

}  // namespace string_array_test
}  // namespace bloomtime::detail
