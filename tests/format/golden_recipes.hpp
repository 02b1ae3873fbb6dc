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

inline any_filter decaying_16() {
  return with_events(
      decaying_filter({.memory = 256, .half_life = std::chrono::minutes(5), .seed = 42}));
}
inline any_filter decaying_random() {
  return with_events(decaying_filter({.items = 10,
                                      .memory = 320,
                                      .lambda = 0.75,
                                      .epoch = std::chrono::minutes(1),
                                      .rounding = rounding::random,
                                      .increase = increase::minimum,
                                      .cell_bits = 32}));
}
inline any_filter pooled() {
  return with_events(pooled_decaying_filter(
      {.memory = 512, .lambda = 0.75, .epoch = std::chrono::minutes(1), .seed = 42}));
}
inline any_filter pooled_pinned() {
  return with_events(pooled_decaying_filter(
      {.memory = 512, .lambda = 0.75, .epoch = std::chrono::minutes(1), .pool_memory = 50}));
}

inline any_filter hot_list_5() {
  return with_events(hot_list({.entries = 5,
                               .half_life = std::chrono::minutes(5),
                               .bucket = std::chrono::minutes(4),
                               .buckets = 3,
                               .seed = 42}));
}

inline any_filter ring_window() {
  return with_events(
      decay_ring({.memory = 300, .window = std::chrono::minutes(10), .slots = 10, .seed = 42}));
}
inline any_filter ring_weights() {
  return with_events(decay_ring({.items = 3,
                                 .memory = 200,
                                 .weights = {1, 0.5, 0.5, 0.125},
                                 .epoch = std::chrono::minutes(4)}));
}
inline any_filter ring_polynomial() {
  return with_events(decay_ring({.memory = 400,
                                 .polynomial = 1.5,
                                 .per_octave = 2,
                                 .reach = std::chrono::minutes(10),
                                 .epoch = std::chrono::seconds(10)}));
}

inline constexpr std::array recipes{
    recipe{"decaying_16", decaying_16},
    recipe{"decaying_random", decaying_random},
    recipe{"heat_16", heat_16},
    recipe{"heat_32", heat_32},
    recipe{"hot_list", hot_list_5},
    recipe{"pooled", pooled},
    recipe{"pooled_pinned", pooled_pinned},
    recipe{"ring_polynomial", ring_polynomial},
    recipe{"ring_weights", ring_weights},
    recipe{"ring_window", ring_window},
};

}  // namespace bloomtime::golden
