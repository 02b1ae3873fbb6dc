#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

// Bounds for an answer that is the least of k cells, one in each of k independent rows
// (docs/math.md, Error of a heat filter).
namespace bloomtime::math {

// By Markov's inequality, a cell of a row of `row` cells holds more than this share of the mass of
// all other items with probability at most 1/e.
inline double row_share(std::uint64_t row) noexcept {
  return std::numbers::e / static_cast<double>(row);
}

// The probability that at least one of k rows keeps that bound: 1 - e^-k.
inline double rows_confidence(unsigned k) noexcept { return -std::expm1(-static_cast<double>(k)); }

}  // namespace bloomtime::math
