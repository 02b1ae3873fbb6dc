#pragma once

#include <cstdint>

// Arithmetic on whole numbers.
namespace bloomtime::math {

constexpr std::uint64_t ratio_up(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + (a % b != 0);
}

// Needs from <= to. The difference may exceed the range of a signed number.
constexpr std::uint64_t distance(std::int64_t from, std::int64_t to) noexcept {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

}  // namespace bloomtime::math
