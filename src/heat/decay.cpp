#include <bloomtime/heat/decay.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <bloomtime/error.hpp>

#include "math/expect.hpp"

namespace bloomtime {
namespace {

using unsigned_wide = decay::unsigned_wide;

constexpr std::uint64_t one = std::uint64_t{1} << decay::factor_bits;

struct bounds {
  std::uint64_t lower;
  std::uint64_t upper;
};

constexpr std::uint64_t floor_root(unsigned_wide n) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    const std::uint64_t tried = root | bit;
    if (static_cast<unsigned_wide>(tried) * tried <= n) root = tried;
  }
  return root;
}

constexpr bounds root_of(const bounds& b) {
  const unsigned_wide square = static_cast<unsigned_wide>(b.upper) << decay::factor_bits;
  const std::uint64_t upper = floor_root(square);
  return {floor_root(static_cast<unsigned_wide>(b.lower) << decay::factor_bits),
          upper + (static_cast<unsigned_wide>(upper) * upper != square)};
}

constexpr bounds product_of(const bounds& a, const bounds& b) {
  const unsigned_wide lower = static_cast<unsigned_wide>(a.lower) * b.lower;
  const unsigned_wide upper = static_cast<unsigned_wide>(a.upper) * b.upper;
  return {static_cast<std::uint64_t>(lower >> decay::factor_bits),
          static_cast<std::uint64_t>((upper + one - 1) >> decay::factor_bits)};
}

// The leading bits of a fraction whose powers are multiplied. The effect of the others is bounded.
constexpr unsigned power_bits = 60;

// roots[i] encloses 2^(2^-(i+1)): each the square root of the one before.
constexpr auto roots = [] {
  std::array<bounds, power_bits> all{};
  bounds before{2 * one, 2 * one};
  for (bounds& b : all) before = b = root_of(before);
  return all;
}();

// Digits of a fraction, six bits each: digits[j][d] encloses 2^(d * 2^-(6 (j + 1))).
constexpr unsigned digit_bits = 6;
constexpr auto digits = [] {
  std::array<std::array<bounds, 1 << digit_bits>, power_bits / digit_bits> all{};
  for (unsigned j = 0; j < all.size(); ++j) {
    for (unsigned d = 0; d < all[j].size(); ++d) {
      bounds product{one, one};
      for (unsigned i = 0; i < digit_bits; ++i) {
        if ((d >> (digit_bits - 1 - i) & 1) == 0) continue;
        product = product_of(product, roots[j * digit_bits + i]);
      }
      all[j][d] = product;
    }
  }
  return all;
}();
static_assert(power_bits % digit_bits == 0);

// 2^(fraction / 2^118).
bounds power_of_two(unsigned_wide fraction) {
  bounds product{one, one};
  unsigned shift = decay::fraction_bits;
  for (const auto& powers : digits) {
    shift -= digit_bits;
    const auto digit = static_cast<std::uint64_t>(fraction >> shift) & (powers.size() - 1);
    product = product_of(product, powers[digit]);
  }
  // The rest of the exponent is less than 2^-60. It multiplies the product, which is below 2^63, by
  // less than 1 + 2^-60 ln 2.
  constexpr std::uint64_t most_left = 6;
  const bool is_left = (fraction & ((unsigned_wide{1} << shift) - 1)) != 0;
  return {product.lower, product.upper + (is_left ? most_left : 0)};
}

struct double_wide {
  unsigned_wide high;
  unsigned_wide low;
};

double_wide square_of(unsigned_wide x) {
  const auto a = static_cast<std::uint64_t>(x >> 64);
  const auto b = static_cast<std::uint64_t>(x);
  const unsigned_wide middle = static_cast<unsigned_wide>(a) * b;  // counts twice, times 2^64
  const unsigned_wide last = static_cast<unsigned_wide>(b) * b;
  const unsigned_wide low = last + (middle << 65);
  return {static_cast<unsigned_wide>(a) * a + (middle >> 63) + (low < last ? 1 : 0), low};
}

// log2(x / 2^127) in units of 2^-118 for x in [2^127, 2^128), rounded up. Each squaring gives a
// binary digit, and each square is rounded up. The result is less than two units too large: an
// error of 2^-127 in square number i changes the logarithm by 2^-i of that.
unsigned_wide log2_above(unsigned_wide x) {
  constexpr unsigned_wide unit = unsigned_wide{1} << 127;
  unsigned_wide binary = 0;
  for (unsigned i = 0; i < decay::fraction_bits; ++i) {
    const double_wide square = square_of(x);  // in [2^254, 2^256)
    const bool above = (square.high >> 127) != 0;
    x = above ? square.high + (square.low != 0 ? 1 : 0)
              : (square.high << 1 | square.low >> 127) + ((square.low << 1) != 0 ? 1 : 0);
    binary = binary << 1 | (above ? 1 : 0);
    if (x == 0) {  // rounded up to 2^128, which is twice the unit
      x = unit;
      ++binary;
    }
  }
  return binary + (x != unit ? 1 : 0);
}

}  // namespace

decay decay::by_factor(double lambda) {
  math::expect(lambda >= 0 && lambda <= 1,
               "a decay factor lies from 0 (forget at once) to 1 (never forget)", lambda);
  if (lambda == 0) return decay(immediate);
  int exponent = 0;
  const double mantissa = std::frexp(lambda, &exponent);  // in [1/2, 1), exactly
  // lambda = x / 2^(127 + whole)
  const auto x = static_cast<unsigned_wide>(std::ldexp(mantissa, 128));
  const int whole = 1 - exponent;
  constexpr int most_whole = 1023;
  if (whole > most_whole) return decay(immediate - 1);
  return decay((static_cast<unsigned_wide>(whole) << fraction_bits) - log2_above(x));
}

decay decay::by_half_life(std::chrono::microseconds half_life, std::chrono::microseconds tick) {
  if (tick.count() <= 0) {
    throw error(errc::invalid_argument,
                "a tick lasts at least one microsecond; got " + std::to_string(tick.count()));
  }
  if (half_life < tick) {
    throw error(errc::invalid_argument, "a half-life is at least one tick (" +
                                            std::to_string(tick.count()) + " microseconds); got " +
                                            std::to_string(half_life.count()));
  }
  // tick * 2^118 / half_life in two steps, rounded down.
  const auto life = static_cast<unsigned_wide>(half_life.count());
  const unsigned_wide scaled = static_cast<unsigned_wide>(tick.count()) << 64;
  constexpr unsigned more = fraction_bits - 64;
  return decay((scaled / life << more) + (scaled % life << more) / life);
}

decay decay::by_rate(unsigned_wide rate) {
  if (rate > immediate) {
    throw error(errc::invalid_argument,
                "a decay rate is at most (2^64 - 1) 2^64, which forgets at once");
  }
  return decay(rate);
}

double decay::factor() const noexcept { return std::exp2(-halvings_per_tick()); }

double decay::loss() const noexcept {
  return -std::expm1(-std::numbers::ln2 * halvings_per_tick());
}

double decay::half_life() const noexcept { return 1 / halvings_per_tick(); }

double decay::halvings_per_tick() const noexcept {
  if (forgets_at_once()) return std::numeric_limits<double>::infinity();
  return std::ldexp(static_cast<double>(rate_), -static_cast<int>(fraction_bits));
}

double decay::sum_over(double ticks) const noexcept {
  if (!fades()) return ticks;
  const double log = -std::numbers::ln2 / half_life();
  return std::expm1(ticks * log) / std::expm1(log);
}

decay::power decay::at(std::int64_t tick) const noexcept {
  if (forgets_at_once()) return {wide{tick} * 64, one, one};
  // tick * L in units of 2^-118: high * 2^64 + low, rounded toward minus infinity.
  const wide product = wide{tick} * fine_rate();
  const wide high = wide{tick} * coarse_rate() + (product >> 64);
  const auto low = static_cast<std::uint64_t>(product);
  constexpr unsigned high_bits = fraction_bits - 64;
  const auto fraction = static_cast<unsigned_wide>(high & ((wide{1} << high_bits) - 1)) << 64 | low;
  const bounds factor = power_of_two(fraction);
  return {high >> high_bits, factor.lower, factor.upper};
}

}  // namespace bloomtime
