// What is rising right now? Not what was read most in all, but what gets hotter.

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include <bloomtime/bloomtime.hpp>

using namespace bloomtime;
using namespace std::chrono_literals;

int main() {
  hot_list stories({.entries = 500, .half_life = 1h, .fast_half_life = 10min});
  std::mt19937_64 random(1);
  for (int second = 0; second < 6 * 3600; ++second) {
    const instant now = instant::from_seconds(1'700'000'000 + second);
    // Old favourites: story 1 gets half of the hits, story 2 a sixth, story 3 a twelfth, ...
    for (int i = 0; i < 5; ++i) {
      const double u = static_cast<double>(random() >> 11) * 0x1p-53;
      stories.add("story " + std::to_string(static_cast<int>(1 / (u + 0.01))), now);
    }
    // In the last 20 minutes everybody talks about one that nobody knew.
    if (second > 6 * 3600 - 1200 && second % 2 == 0) stories.add("breaking news", now);
  }

  const instant now = instant::from_seconds(1'700'000'000 + 6 * 3600);
  auto top = stories.top(20, now);
  // Many things double from one hit to two: only what has some heat can be a trend.
  std::erase_if(top, [](const hot_item& s) { return s.heat.lower < 100; });
  std::sort(top.begin(), top.end(), [](const auto& a, const auto& b) { return a.trend > b.trend; });

  std::puts("trend   heat  story");
  for (const hot_item& s : top) {
    std::printf("%5.1f  %5.0f  %s\n", s.trend, s.heat.value, s.item.c_str());
  }
  return !top.empty() && top.front().item == "breaking news" && top.front().trend > 2 ? 0 : 1;
}
