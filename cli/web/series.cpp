#include "cli/web/series.hpp"

#include <algorithm>
#include <array>

namespace bloomtime::cli {
namespace {

using std::chrono::seconds;

constexpr std::int64_t micros_per_second = 1'000'000;

std::int64_t floored(std::int64_t value, std::int64_t unit) {
  const std::int64_t rest = value % unit;
  return value - (rest < 0 ? rest + unit : rest);
}

}  // namespace

steps steps_between(instant from, instant to, seconds each, std::int32_t offset) {
  const std::int64_t unit = each.count() * micros_per_second;
  const std::int64_t local = each >= std::chrono::hours(1) ? offset * micros_per_second : 0;
  const std::int64_t first = floored(from.micros + local, unit) - local;
  const auto count = to < from ? 0 : static_cast<std::size_t>((to.micros - first) / unit + 1);
  return {instant(first), each, count};
}

steps steps_between(instant from, instant to, std::size_t most, std::int32_t offset) {
  constexpr std::array<std::int64_t, 12> lengths{60,    300,   900,   1800,   3600,    10800,
                                                 21600, 43200, 86400, 604800, 2592000, 31536000};
  for (const std::int64_t length : lengths) {
    const steps found = steps_between(from, to, seconds(length), offset);
    if (found.count <= most) return found;
  }
  const std::int64_t span = (to.micros - from.micros) / micros_per_second;
  const auto least = static_cast<std::int64_t>(most) - 1;
  return steps_between(from, to, seconds(floored(span / least, 86400) + 86400), offset);
}

std::vector<std::uint64_t> sums_of(const store::minute_totals& totals, const steps& of) {
  std::vector<std::uint64_t> sums(of.count);
  const std::int64_t unit = of.each.count() * micros_per_second;
  totals.for_each([&](instant minute, std::uint64_t events) {
    const std::int64_t distance = minute.micros - of.first.micros;
    if (distance < 0) return;
    const auto step = static_cast<std::size_t>(distance / unit);
    if (step < sums.size()) sums[step] += events;
  });
  return sums;
}

ordered_json to_json(const steps& of) {
  return {{"from", of.first.micros}, {"step_seconds", of.each.count()}, {"count", of.count}};
}

}  // namespace bloomtime::cli
