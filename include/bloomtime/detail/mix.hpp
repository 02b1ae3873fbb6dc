#pragma once

#include <cstdint>

// The multiplications and bijections that digests, probes and random numbers are made of.
namespace bloomtime::detail {

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd

struct product {
  std::uint64_t low;
  std::uint64_t high;
};

constexpr product multiply(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide p = static_cast<wide>(a) * b;
  return {static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(p >> 64)};
}

// The xor of both halves of a product: every bit of either factor affects the top bits.
constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide p = static_cast<wide>(a) * b;  // not multiply(): g++ 12 would send it through memory
  return static_cast<std::uint64_t>(p ^ (p >> 64));
}

// A bijection of 64 bits in two steps. Every input bit flips every output bit with probability near
// 1/2 (constants: D. Stafford's Mix13).
constexpr std::uint64_t premix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return x ^ (x >> 27);
}
constexpr std::uint64_t postmix(std::uint64_t x) noexcept {
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
constexpr std::uint64_t mix(std::uint64_t x) noexcept { return postmix(premix(x)); }

// An alternative second step. Its factor is chosen together with that of postmix: before the shifts
// the points (postmix(x), other_postmix(x)) are a lattice whose shortest vector has 91 % of the
// longest possible length. The shifts differ, so that the low bits are not correlated either.
constexpr std::uint64_t other_postmix(std::uint64_t x) noexcept {
  x *= 0xe7037ed1a0b428db;
  return x ^ (x >> 32);
}

}  // namespace bloomtime::detail
