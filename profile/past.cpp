#include "profile/past.hpp"

#include <algorithm>
#include <chrono>

#include <bloomtime/error.hpp>
#include <bloomtime/outcome.hpp>

namespace bloomtime::profile {
namespace {

constexpr std::chrono::microseconds partition = std::chrono::hours(24);
constexpr std::chrono::microseconds before_1970 = std::chrono::seconds(100'000'000'000);

}  // namespace

history new_history(const store::profile_settings& settings, std::uint64_t seed) {
  const std::int64_t resolution = settings.resolution.count();
  const std::int64_t ticks = std::max<std::int64_t>(1, partition.count() / resolution);
  const std::int64_t length = ticks * resolution;
  return history({.partition = std::chrono::microseconds(length),
                  .ahead = {},  // the gate has decided
                  .tick = settings.resolution,
                  .origin = instant(-((before_1970.count() - 1) / length + 1) * length),
                  .seed = seed});
}

void remember(history& past, std::span<const digest> items, std::span<const instant> times) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const outcome became = past.add(items[i], times[i]);
    if (became == outcome::added || became == outcome::late) continue;
    throw error(errc::invalid_argument,
                "an event cannot be remembered (" + std::string(name_of(became)) + ")");
  }
}

}  // namespace bloomtime::profile
