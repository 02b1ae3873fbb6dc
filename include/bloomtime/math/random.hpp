#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

#include <bloomtime/digest.hpp>

namespace bloomtime::math {

// Pseudo-random numbers for tests, benchmarks and generated streams: xoshiro256++ (Blackman &
// Vigna 2019), its state filled by splitmix64. The same seed gives the same numbers everywhere.
// Satisfies std::uniform_random_bit_generator.
class random_source {
 public:
  using result_type = std::uint64_t;

  explicit constexpr random_source(std::uint64_t seed) noexcept {
    for (std::uint64_t& word : state_) word = detail::mix(seed += detail::golden);
  }

  static constexpr std::uint64_t min() noexcept { return 0; }
  static constexpr std::uint64_t max() noexcept { return ~std::uint64_t{0}; }

  constexpr std::uint64_t operator()() noexcept {
    auto& [a, b, c, d] = state_;
    const std::uint64_t result = std::rotl(a + d, 23) + a;
    const std::uint64_t shifted = b << 17;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = std::rotl(d, 45);
    return result;
  }

  // Uniform in [0, n), without bias (Lemire 2019). n must not be 0.
  constexpr std::uint64_t below(std::uint64_t n) noexcept {
    assert(n != 0);
    detail::product p = detail::multiply((*this)(), n);
    if (p.low < n) {
      const std::uint64_t surplus = (0 - n) % n;  // 2^64 mod n
      while (p.low < surplus) p = detail::multiply((*this)(), n);
    }
    return p.high;
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  constexpr double unit() noexcept { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_[4] = {};
};

}  // namespace bloomtime::math
