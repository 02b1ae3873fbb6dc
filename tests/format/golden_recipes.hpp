#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include <bloomtime/any.hpp>

// Filters of every engine that knows time: each was written once, by the recipe beside its name,
// and must be read forever.
namespace bloomtime::golden {

struct recipe {
  const char* name;
  any_filter (*make)();
};

inline std::vector<std::byte> bytes_of(const any_filter& f) {
  return std::visit([](const auto& filter) { return filter.serialize(); }, f);
}

inline constexpr instant day = instant::from_seconds(1'388'534'400);  // 2014-01-01

inline instant seconds_later(std::int64_t s) { return instant(day.micros + 1'000'000 * s); }

// Some items, one of them hot, one late.
template <class Filter>
any_filter with_events(Filter f) {
  for (int i = 0; i < 40; ++i) {
    (void)f.add("item-" + std::to_string(i % 7), seconds_later(20 * i));
  }
  (void)f.add("hot", seconds_later(800), 300);
  (void)f.add("late", seconds_later(500));
  return f;
}

inline any_filter heat_16() {
  return with_events(
      heat_filter({.memory = 512, .half_life = std::chrono::minutes(5), .seed = 42}));
}
inline any_filter heat_32() {
  return with_events(heat_filter({.items = 10,
                                  .memory = 320,
                                  .lambda = 0.75,
                                  .epoch = std::chrono::minutes(1),
                                  .cell_bits = 32}));
}

inline any_filter hot_list_5() {
  return with_events(hot_list({.entries = 5,
                               .half_life = std::chrono::minutes(5),
                               .bucket = std::chrono::minutes(4),
                               .buckets = 3,
                               .seed = 42}));
}

inline constexpr std::array recipes{
    recipe{"heat_16", heat_16},
    recipe{"heat_32", heat_32},
    recipe{"hot_list", hot_list_5},
};

}  // namespace bloomtime::golden
