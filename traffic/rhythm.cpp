#include "traffic/rhythm.hpp"

#include <algorithm>
#include <array>

namespace bloomtime::traffic {
namespace {

constexpr std::uint64_t hour = 3600;
constexpr std::uint64_t hours = 24;

// At the full hours.
constexpr std::array<std::uint64_t, hours> level{14, 9,  6,  5,  6,  10, 20, 38, 62, 80, 90, 94,
                                                 90, 88, 90, 92, 90, 84, 76, 70, 62, 50, 36, 22};

// Of the first `count` seconds of an hour: sum over f of here * (hour - f) + next * f.
constexpr std::uint64_t weight_within(std::uint64_t which, std::uint64_t count) {
  const std::uint64_t rising = count * (count - 1) / 2;
  return level[which] * (hour * count - rising) + level[(which + 1) % hours] * rising;
}

constexpr std::array<std::uint64_t, hours + 1> sums_before() {
  std::array<std::uint64_t, hours + 1> sums{};
  for (std::uint64_t h = 0; h < hours; ++h) sums[h + 1] = sums[h] + weight_within(h, hour);
  return sums;
}

constexpr std::array<std::uint64_t, hours + 1> before_hour = sums_before();

}  // namespace

std::uint64_t weight_at(std::uint64_t second) {
  const std::uint64_t which = second / hour % hours;
  const std::uint64_t passed = second % hour;
  return level[which] * (hour - passed) + level[(which + 1) % hours] * passed;
}

std::uint64_t weight_before(std::uint64_t second) {
  const std::uint64_t which = second / hour % hours;
  return second / (hour * hours) * before_hour[hours] + before_hour[which] +
         weight_within(which, second % hour);
}

std::uint64_t largest_weight() { return hour * *std::max_element(level.begin(), level.end()); }

}  // namespace bloomtime::traffic
