#include <bloomtime/heat/decay.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime {
namespace {

__extension__ using unsigned_wide = unsigned __int128;

constexpr std::uint64_t one = std::uint64_t{1} << decay::factor_bits;

constexpr std::uint64_t floor_root(unsigned_wide n) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    const std::uint64_t tried = root | bit;
    if (static_cast<unsigned_wide>(tried) * tried <= n) root = tried;
  }
  return root;
}

constexpr std::uint64_t ceiling_root(unsigned_wide n) {
  const std::uint64_t root = floor_root(n);
  return root + (static_cast<unsigned_wide>(root) * root != n);
}

struct bounds {
  std::uint64_t lower;
  std::uint64_t upper;
};

// roots[i] encloses 2^(2^-(i+1)): each the square root of the one before.
constexpr auto roots = [] {
  std::array<bounds, decay::fraction_bits> all{};
  bounds before{2 * one, 2 * one};
  for (bounds& b : all) {
    b = {floor_root(static_cast<unsigned_wide>(before.lower) << decay::factor_bits),
         ceiling_root(static_cast<unsigned_wide>(before.upper) << decay::factor_bits)};
    before = b;
  }
  return all;
}();

constexpr std::uint64_t floor_product(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<unsigned_wide>(a) * b) >> decay::factor_bits);
}

constexpr std::uint64_t ceiling_product(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<unsigned_wide>(a) * b + one - 1) >>
                                    decay::factor_bits);
}

// Digits of a fraction, six bits each: digits[j][d] encloses 2^(d * 2^-(6 (j + 1))).
constexpr unsigned digit_bits = 6;
constexpr auto digits = [] {
  std::array<std::array<bounds, 1 << digit_bits>, decay::fraction_bits / digit_bits> all{};
  for (unsigned j = 0; j < all.size(); ++j) {
    for (unsigned d = 0; d < all[j].size(); ++d) {
      bounds product{one, one};
      for (unsigned i = 0; i < digit_bits; ++i) {
        if ((d >> (digit_bits - 1 - i) & 1) == 0) continue;
        const bounds& root = roots[j * digit_bits + i];
        product = {floor_product(product.lower, root.lower),
                   ceiling_product(product.upper, root.upper)};
      }
      all[j][d] = product;
    }
  }
  return all;
}();
static_assert(decay::fraction_bits % digit_bits == 0);

// 2^(fraction / 2^54).
bounds power_of_two(std::uint64_t fraction) {
  bounds product{one, one};
  unsigned shift = decay::fraction_bits;
  for (const auto& powers : digits) {
    shift -= digit_bits;
    const bounds& digit = powers[fraction >> shift & ((1 << digit_bits) - 1)];
    product = {floor_product(product.lower, digit.lower),
               ceiling_product(product.upper, digit.upper)};
  }
  return product;
}

// log2(x / 2^63) in units of 2^-54 for x in [2^63, 2^64): a digit for every squaring.
std::uint64_t log2_of(std::uint64_t x) {
  std::uint64_t binary = 0;
  for (unsigned i = 0; i < decay::fraction_bits; ++i) {
    const unsigned_wide square = static_cast<unsigned_wide>(x) * x;  // in [2^126, 2^128)
    const bool above = (square >> 127) != 0;
    x = static_cast<std::uint64_t>(square >> (above ? 64 : 63));
    binary = binary << 1 | (above ? 1 : 0);
  }
  return binary;
}

}  // namespace

decay decay::by_factor(double lambda) {
  if (!(lambda >= 0 && lambda <= 1)) {
    throw error(errc::invalid_argument,
                "a decay factor lies from 0 (forget at once) to 1 (never forget), got " +
                    std::to_string(lambda));
  }
  if (lambda == 0) return decay(immediate);
  int exponent = 0;
  const double mantissa = std::frexp(lambda, &exponent);  // in [1/2, 1), exactly
  const auto x = static_cast<std::uint64_t>(std::ldexp(mantissa, 64));
  // lambda = 2^(exponent - 1) * x / 2^63
  const wide log = (static_cast<wide>(exponent) - 1) * (wide{1} << fraction_bits) + log2_of(x);
  constexpr wide most = static_cast<wide>(immediate) - 1;
  return decay(static_cast<std::uint64_t>(-log < most ? -log : most));
}

decay decay::by_half_life(std::chrono::microseconds half_life, std::chrono::microseconds epoch) {
  if (epoch.count() <= 0) {
    throw error(errc::invalid_argument,
                "an epoch lasts at least one microsecond, got " + std::to_string(epoch.count()));
  }
  if (half_life < epoch) {
    throw error(errc::invalid_argument, "a half-life is at least one epoch (" +
                                            std::to_string(epoch.count()) + " microseconds), got " +
                                            std::to_string(half_life.count()));
  }
  const wide life = half_life.count();
  const wide rate = ((wide{epoch.count()} << fraction_bits) + life / 2) / life;
  return decay(static_cast<std::uint64_t>(rate));
}

decay decay::by_rate(std::uint64_t rate) { return decay(rate); }

double decay::factor() const noexcept {
  if (forgets_at_once()) return 0;
  return std::exp2(-std::ldexp(static_cast<double>(rate_), -static_cast<int>(fraction_bits)));
}

double decay::loss() const noexcept {
  if (forgets_at_once()) return 1;
  return -std::expm1(-std::numbers::ln2 *
                     std::ldexp(static_cast<double>(rate_), -static_cast<int>(fraction_bits)));
}

double decay::half_life() const noexcept {
  if (forgets_at_once()) return 0;
  return 1 / std::ldexp(static_cast<double>(rate_), -static_cast<int>(fraction_bits));
}

double decay::sum_over(double epochs) const noexcept {
  if (forgets_at_once()) return 1;
  if (!fades()) return epochs;
  const double log = -std::numbers::ln2 / half_life();
  return std::expm1(epochs * log) / std::expm1(log);
}

decay::power decay::at(std::int64_t epoch) const noexcept {
  if (forgets_at_once()) return {wide{epoch} * 64, one, one};
  const wide exponent = wide{epoch} * rate_;
  const auto fraction =
      static_cast<std::uint64_t>(exponent) & ((std::uint64_t{1} << fraction_bits) - 1);
  const bounds factor = power_of_two(fraction);
  return {exponent >> fraction_bits, factor.lower, factor.upper};
}

}  // namespace bloomtime
