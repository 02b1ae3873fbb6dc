#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <bloomtime/math/random.hpp>

namespace bloomtime::math {
namespace math_random_test {

static_assert(std::uniform_random_bit_generator<random_source>);

// Published values of xoshiro256++ whose state splitmix64 filled from seed 0.
TEST(random_source, is_xoshiro256_plus_plus) {
  random_source random(0);
  for (const std::uint64_t expected :
       {5987356902031041503U, 7051070477665621255U, 6633766593972829180U, 211316841551650330U,
        9136120204379184874U, 379361710973160858U, 15813423377499357806U, 15596884590815070553U,
        5439680534584881407U, 1369371744833522710U}) {
    EXPECT_EQ(random(), expected);
  }
}

TEST(random_source, repeats_with_its_seed_and_only_then) {
  random_source one(7);
  random_source same(7);
  random_source other(8);
  unsigned equal = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t value = one();
    EXPECT_EQ(value, same());
    equal += value == other();
  }
  EXPECT_EQ(equal, 0U);
}

TEST(random_source, works_at_compile_time) {
  constexpr std::uint64_t first = random_source(0)();
  EXPECT_EQ(first, 5987356902031041503U);
}

TEST(random_source, below_stays_below) {
  random_source random(1);
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
                                (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}}) {
    for (int i = 0; i < 1'000; ++i) EXPECT_LT(random.below(n), n);
  }
}

TEST(random_source, unit_is_a_53_bit_fraction) {
  random_source random(2);
  for (int i = 0; i < 10'000; ++i) {
    const double u = random.unit();
    EXPECT_GE(u, 0);
    EXPECT_LT(u, 1);
    EXPECT_EQ(u * 0x1p53, static_cast<double>(static_cast<std::uint64_t>(u * 0x1p53)));
  }
}

}  // namespace math_random_test
}  // namespace bloomtime::math
