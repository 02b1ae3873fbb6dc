#pragma once

#include <cstdint>
#include <vector>

namespace bloomtime::support {

// Times of different items; no window of ten seconds has more than a thousand of them.
using burst_stream = std::vector<std::int64_t>;

inline constexpr std::int64_t burst_window = 10'000'000;
inline constexpr std::uint64_t burst_items = 1000;

// `burst` items within a hundredth of a window, the rest evenly, again and again every `period`.
inline burst_stream bursts(std::uint64_t burst, std::int64_t period, std::int64_t phase) {
  burst_stream all;
  for (std::int64_t start = phase; start < phase + 4 * period; start += period) {
    for (std::uint64_t i = 0; i < burst; ++i) {
      all.push_back(start + static_cast<std::int64_t>(i) * (burst_window / 100) / burst_items);
    }
    for (std::uint64_t i = burst; i < burst_items; ++i) {
      const auto part = static_cast<double>(i - burst) / static_cast<double>(burst_items - burst);
      all.push_back(start + burst_window / 100 +
                    static_cast<std::int64_t>(part * 0.98 * burst_window));
    }
  }
  return all;
}

}  // namespace bloomtime::support
