#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <bloomtime/any.hpp>
#include <bloomtime/tally/tally_engine.hpp>

// Filters of every engine that knows time: each was written once, by the recipe beside its name,
// and must be read forever.
namespace bloomtime::golden {

using namespace published;

using maker = any_filter (*)(hash_id id);

struct recipe {
  const char* name;
  maker with;
  hash_id id = hash_id::xxh3_128;

  any_filter make() const { return with(id); }
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
    f.add("item-" + std::to_string(i % 7), seconds_later(20 * i));
  }
  f.add("hot", seconds_later(800), 300);
  f.add("late", seconds_later(500));
  return f;
}

inline any_filter heat_16(hash_id id) {
  return with_events(
      heat_filter({.memory = 512, .half_life = std::chrono::minutes(5), .seed = {42, id}}));
}
// So many items, one per second and some heavy; a late one, then a jump.
inline any_filter with_warm_items(heat_table t, int items) {
  for (int i = 0; i < items; ++i) {
    const std::uint64_t weight = i % 50 == 7 ? 1000 : i % 3 == 0 ? 2 : 1;
    t.add("item-" + std::to_string(i), seconds_later(i), weight);
    t.add("item-" + std::to_string(i / 2), seconds_later(i));
  }
  t.add("late", seconds_later(items - 100));
  t.add("item-1", seconds_later(items + 30));
  return t;
}
inline any_filter heat_table_grown(hash_id id) {
  return with_warm_items(heat_table({.items = 20,
                                     .error = 1e-3,
                                     .reserve = true,
                                     .half_life = std::chrono::minutes(2),
                                     .seed = {42, id}}),
                         300);
}
inline any_filter heat_table_full(hash_id id) {
  return with_warm_items(heat_table({.items = 20,
                                     .memory = 64 + 8,
                                     .lambda = 0.99,
                                     .ahead = std::chrono::hours(1),
                                     .seed = {0, id}}),
                         200);
}
inline any_filter heat_table_stash(hash_id id) {
  heat_table t({.items = 5, .reserve = true, .lambda = 1, .seed = {273, id}});
  for (int i = 0; i < 300 && t.stashed() == 0; ++i) t.add(i, day, i % 7 == 0 ? 400 : 2);
  return t;
}
inline any_filter heat_32(hash_id id) {
  return with_events(heat_filter({.items = 10,
                                  .memory = 320,
                                  .lambda = 0.75,
                                  .tick = std::chrono::minutes(1),
                                  .cell_bits = 32,
                                  .seed = {0, id}}));
}

inline any_filter decaying_16(hash_id id) {
  return with_events(
      decaying_filter({.memory = 256, .half_life = std::chrono::minutes(5), .seed = {42, id}}));
}
inline any_filter decaying_random(hash_id id) {
  return with_events(decaying_filter({.items = 10,
                                      .memory = 320,
                                      .lambda = 0.75,
                                      .epoch = std::chrono::minutes(1),
                                      .rounding = rounding::random,
                                      .increase = increase::minimum,
                                      .cell_bits = 32,
                                      .seed = {0, id}}));
}
inline any_filter pooled(hash_id id) {
  return with_events(pooled_decaying_filter(
      {.memory = 512, .lambda = 0.75, .epoch = std::chrono::minutes(1), .seed = {42, id}}));
}
inline any_filter pooled_pinned(hash_id id) {
  return with_events(pooled_decaying_filter({.memory = 512,
                                             .lambda = 0.75,
                                             .epoch = std::chrono::minutes(1),
                                             .pool_memory = 50,
                                             .seed = {0, id}}));
}

inline any_filter hot_list_5(hash_id id) {
  return with_events(hot_list({.entries = 5,
                               .half_life = std::chrono::minutes(5),
                               .bucket = std::chrono::minutes(4),
                               .buckets = 3,
                               .seed = {42, id}}));
}

// So many items, one per second; a hot one; a late one, then a jump.
inline any_filter with_hits(window_table t, int items, int jump) {
  for (int i = 0; i < items; ++i) {
    t.add("item-" + std::to_string(i), seconds_later(i));
    t.add("hot", seconds_later(i), static_cast<std::uint64_t>(i) * i);
  }
  t.add("late", seconds_later(items / 2), 100);
  t.add("item-1", seconds_later(items + jump));
  return t;
}
inline any_filter window_table_grown(hash_id id) {
  return with_hits(window_table({.window = std::chrono::minutes(10),
                                 .slots = 10,
                                 .items = 400,
                                 .error = 0.01,
                                 .seed = {42, id}}),
                   560, 10);
}
inline any_filter window_table_wide(hash_id id) {
  return with_hits(window_table({.window = std::chrono::seconds(500),
                                 .slots = 500,
                                 .memory = 32'768,
                                 .ahead = std::chrono::hours(1),
                                 .seed = {0, id}}),
                   120, 440);
}
inline any_filter window_table_reserved(hash_id id) {
  return with_hits(window_table({.window = std::chrono::seconds(200),
                                 .slots = 200,
                                 .items = 300,
                                 .error = 1e-6,
                                 .reserve = true,
                                 .seed = {42, id}}),
                   60, 1000);
}

inline any_filter ring_window(hash_id id) {
  return with_events(decay_ring(
      {.memory = 300, .window = std::chrono::minutes(10), .slots = 10, .seed = {42, id}}));
}
inline any_filter ring_weights(hash_id id) {
  return with_events(decay_ring({.items = 3,
                                 .memory = 200,
                                 .weights = {1, 0.5, 0.5, 0.125},
                                 .tick = std::chrono::minutes(4),
                                 .seed = {0, id}}));
}
inline any_filter ring_polynomial(hash_id id) {
  return with_events(decay_ring({.memory = 400,
                                 .polynomial = 1.5,
                                 .per_octave = 2,
                                 .reach = std::chrono::minutes(10),
                                 .tick = std::chrono::seconds(10),
                                 .seed = {0, id}}));
}

// Ten items over 16 ticks from this one on, which are hours of that day.
template <class History>
History with_sightings_from(std::uint64_t first, History f) {
  for (int i = 0; i < 40; ++i) {
    const auto tick = first + static_cast<std::uint64_t>(7 * i % 16);
    f.add("item-" + std::to_string(i % 10), seconds_later(3600 * static_cast<std::int64_t>(tick)));
  }
  return f;
}
template <class History>
History with_sightings(History f) {
  return with_sightings_from(f.first(), std::move(f));
}

inline constexpr std::chrono::hours hourly{1};

inline any_filter history_single(hash_id id) {
  return with_sightings(single_history(
      {.memory = 100, .k = 4, .ticks = 16, .tick = hourly, .origin = day, .seed = {42, id}}));
}
inline any_filter history_tree(hash_id id) {
  return with_sightings(tree_history(
      {.ticks = 16,
       .granularity = 4,
       .sizes = {{{{100, 2}, {}, {64, 3}, {129, 4}}, {{}, {200, 3}}, {{300, 5}}}, {512, 4}},
       .tick = hourly,
       .origin = day,
       .seed = {0, id}}));
}
inline any_filter history_tree_grown(hash_id id) {
  tree_history f({.granularity = 2,
                  .sizes = {{{{100, 3}}}, {200, 2}},
                  .most_memory = 10'000,
                  .tick = hourly,
                  .origin = day,
                  .seed = {0, id}});
  f.add("first", seconds_later(0));
  f.add("last", seconds_later(3600 * 11));
  return f;
}
inline level_history history_level_from(std::uint64_t first, hash_id id) {
  return with_sightings(level_history({.ticks = 16,
                                       .first = first,
                                       .levels = {{256, 3}, {}, {256, 4}, {128, 3}, {128, 4}},
                                       .doubts = first == 0,
                                       .tick = hourly,
                                       .origin = day,
                                       .seed = {42, id}}));
}
inline any_filter history_level(hash_id id) { return history_level_from(16, id); }
inline any_filter history_joined(hash_id id) {
  return level_history::joined(history_level_from(0, id), history_level_from(16, id));
}
inline any_filter history_level_grown(hash_id id) {
  return with_sightings(level_history(
      {.levels = {{200, 3}}, .most_levels = 6, .tick = hourly, .origin = day, .seed = {0, id}}));
}
inline any_filter history_learning(hash_id id) {
  level_history f(
      {.levels = {{64, 2}}, .learns = true, .tick = hourly, .origin = day, .seed = {0, id}});
  for (int i = 0; i < 10; ++i) f.add(i, day);
  return f;
}

// Some with a name and some without, some sealed and some not.
inline timeline_history timelines_from(std::uint64_t first, hash_id id) {
  timeline_history f({.first = first,
                      .ticks = 400,
                      .error = 0.25,
                      .length = 1,
                      .tick = hourly,
                      .origin = day,
                      .seed = {42, id}});
  const auto hour = [&](int t) {
    return seconds_later(3600 * (static_cast<std::int64_t>(first) + t));
  };
  for (int t = 0; t < 400; ++t) f.add(t % 7 == 0 ? "often" : "mostly", hour(t));
  for (int i = 0; i < 30; ++i) f.add("item-" + std::to_string(i), hour(13 * i));
  f.seal();
  f.add("often", hour(5));
  f.add("late", hour(300));
  return f;
}
inline any_filter history_timeline(hash_id id) { return timelines_from(800, id); }
inline any_filter history_timeline_joined(hash_id id) {
  return timeline_history::joined(timelines_from(0, id), timelines_from(400, id));
}
// Given, because another default would change the files.
inline constexpr double golden_error = 1e-6;
// Eight partitions that became one, with something late in it, and others behind it.
inline any_filter history_blocks(hash_id id) {
  history h = with_sightings_from(0, history({.partition = 2 * hourly,
                                              .ahead = 8 * 6 * hourly,
                                              .error = golden_error,
                                              .tick = hourly,
                                              .origin = day,
                                              .seed = {42, id}}));
  (void)h.add("new", seconds_later(16 * 3600));
  (void)h.add("newer", seconds_later(20 * 3600));
  (void)h.add("late", seconds_later(3600));
  return h;
}
inline any_filter history_retaining(hash_id id) {
  return with_sightings_from(0, history({.partition = 3 * hourly,
                                         .retention = 2,
                                         .ahead = 8 * 3 * hourly,
                                         .memory = 1,
                                         .error = golden_error,
                                         .tick = hourly,
                                         .origin = day,
                                         .seed = {0, id}}));
}

template <class Filter>
any_filter with_insertions(Filter f) {
  for (int i = 0; i < 40; ++i) f.add("item-" + std::to_string(i % 7 + i / 10));
  return f;
}
inline any_filter recency_generalized(hash_id id) {
  return with_insertions(
      generalized_filter({.window = 20, .memory = 48, .k0 = 3, .k1 = 4, .seed = {42, id}}));
}
inline any_filter recency_buffer(hash_id id) {
  return with_insertions(recent_buffer({.window = 30, .memory = 33, .bits = 11, .seed = {42, id}}));
}
inline any_filter recency_buffer_filling(hash_id id) {
  return with_insertions(recent_buffer({.window = 100, .memory = 200, .bits = 9, .seed = {0, id}}));
}

// Forty sightings of ten items, two of them late, then a jump.
inline any_filter with_recent(recency_filter f) {
  for (int i = 0; i < 40; ++i) {
    (void)f.add_if_new("item-" + std::to_string(i % 10), seconds_later(3 * i));
  }
  f.add("late", seconds_later(90));
  f.add("item-1", seconds_later(200));
  return f;
}
// The sizes of the stored files, whatever a planner would choose today.
inline math::stamp_size stamps(layout kind, unsigned k, std::uint64_t cells, unsigned bits,
                               std::uint32_t oldest) {
  return {.layout = kind, .bits = bits, .k = k, .cells = cells, .oldest = oldest};
}
inline any_filter recency_flat(hash_id id) {
  return with_recent(recency_filter({.window = std::chrono::minutes(2),
                                     .items = 20,
                                     .size = stamps(layout::flat, 10, 320, 4, 10),
                                     .refresh = false,
                                     .ahead = std::chrono::hours(1),
                                     .seed = {42, id}}));
}
inline any_filter recency_line(hash_id id) {
  return with_recent(recency_filter({.window = std::chrono::seconds(77),
                                     .items = 20,
                                     .size = stamps(layout::line, 7, 306, 5, 20),
                                     .ticks = 20,
                                     .seed = {0, id}}));
}
inline any_filter recency_count(hash_id id) {
  return with_recent(recency_filter(
      {.last = 25, .items = 20, .size = stamps(layout::flat, 12, 384, 4, 9), .seed = {42, id}}));
}
// So many items, one per second; one late, then a jump.
inline any_filter with_prints(recency_table f, int items) {
  for (int i = 0; i < items; ++i) {
    (void)f.add_if_new("item-" + std::to_string(i), seconds_later(i));
  }
  f.add("late", seconds_later(items - 20));
  f.add("item-1", seconds_later(items + 30));
  return f;
}
inline any_filter recency_table_grown(hash_id id) {
  return with_prints(recency_table({.window = std::chrono::minutes(3),
                                    .items = 20,
                                    .error = 1e-3,
                                    .reserve = true,
                                    .ticks = 12,
                                    .seed = {42, id}}),
                     300);
}
inline any_filter recency_table_last(hash_id id) {
  recency_table f({.last = 25,
                   .items = 20,
                   .error = 0.01,
                   .memory = 512,
                   .ticks = 5,
                   .audit = audit_config{.entries = 64},
                   .seed = {0, id}});
  for (int i = 0; i < 100; ++i) (void)f.add_if_new("item-" + std::to_string(i * i % 13));
  return f;
}
inline any_filter recency_table_stash(hash_id id) {
  return with_prints(recency_table({.window = std::chrono::minutes(2),
                                    .items = 20,
                                    .error = 1e-3,
                                    .memory = 64,
                                    .forget_oldest = true,
                                    .ticks = 12,
                                    .refresh = false,
                                    .ahead = std::chrono::hours(1),
                                    .seed = {0, id}}),
                     40);
}
inline any_filter timing(hash_id id) {
  timing_filter f({.window = 25, .memory = 100, .k = 3, .bits = 3, .seed = {42, id}});
  for (int i = 0; i < 100; ++i) f.add("item-" + std::to_string(i % 40));
  return f;
}

// Ten items, the first of which comes often, and some of which go again.
template <class Tally>
Tally with_counts(Tally f) {
  for (int i = 0; i < 40; ++i) {
    const std::string item = "item-" + std::to_string(i % 10);
    f.add(item, i % 10 == 0 ? 300 : 3);
    if constexpr (removing_tally_engine<Tally>) {
      if (i % 7 == 0) (void)f.remove(item, 2);
    }
  }
  return f;
}
// Most items have small counts, some large and a few enormous ones; every fifth goes again.
inline any_filter with_prints(tally_table f, int items) {
  for (int i = 0; i < items; ++i) {
    const std::string item = "item-" + std::to_string(i);
    const std::uint64_t count = i % 11 == 0 ? 20 + static_cast<std::uint64_t>(i) : 1 + i % 4;
    f.add(item, i % 50 == 7 ? std::uint64_t{1} << (i % 60) : count);
    if (i % 5 == 0) (void)f.remove(item, i % 11 == 0 ? 7 : 1 + i % 4);
  }
  return f;
}
inline any_filter tally_table_grown(hash_id id) {
  return with_prints(
      tally_table({.items = 40, .error = 1e-3, .reserve = true, .total = 400, .seed = {42, id}}),
      300);
}
inline any_filter tally_table_stash(hash_id id) {
  return with_prints(tally_table({.items = 20, .error = 0.01, .memory = 64, .seed = {0, id}}), 60);
}
inline any_filter tally_counting(hash_id id) {
  return with_counts(counting_filter({.memory = 40, .k = 3, .cell_bits = 12, .seed = {42, id}}));
}
inline any_filter tally_counting_stuck(hash_id id) {
  return with_counts(counting_filter({.memory = 20, .k = 2, .cell_bits = 4, .seed = {0, id}}));
}
constexpr spectral_config small_spectral(hash_id id) {
  return {.items = 10, .error = 0.1, .k = 3, .counters_per_slack = 4, .seed = {42, id}};
}
inline any_filter tally_spectral(hash_id id) {
  return with_counts(spectral_filter(small_spectral(id)));
}
inline any_filter tally_spectral_rising(hash_id id) {
  return with_counts(rising_spectral_filter(small_spectral(id)));
}
inline any_filter tally_spectral_recurring(hash_id id) {
  return with_counts(recurring_spectral_filter(small_spectral(id)));
}
inline any_filter tally_dynamic(hash_id id) {
  return with_counts(
      dynamic_count_filter({.items = 10, .error = 0.1, .k = 3, .base_bits = 3, .seed = {42, id}}));
}
inline any_filter tally_dynamic_bounded(hash_id id) {
  return with_counts(dynamic_count_filter({.items = 10,
                                           .error = 0.1,
                                           .memory = 40,
                                           .k = 3,
                                           .base_bits = 3,
                                           .threshold = 0.5,
                                           .shrinking = shrinking::published,
                                           .seed = {0, id}}));
}
constexpr tally_config small_tally(hash_id id) {
  return {.items = 10,
          .memory = 128,
          .cell_bits = 4,
          .large_memory = tally_config::no_limit,
          .seed = {42, id}};
}
inline any_filter tally_4(hash_id id) { return with_counts(tally_filter(small_tally(id))); }
inline any_filter tally_8(hash_id id) {
  return with_counts(tally_filter(
      {.items = 10, .memory = 192, .cell_bits = 8, .large_memory = 4096, .seed = {0, id}}));
}
inline any_filter tally_rising(hash_id id) { return with_counts(rising_tally(small_tally(id))); }

// More generations than there are places, some of them full, one insertion late.
inline any_filter with_generations(age_partitioned_filter f) {
  for (int i = 0; i < 60; ++i) f.add("item-" + std::to_string(i), seconds_later(i * i / 9));
  f.add("late", seconds_later(380));
  return f;
}
inline any_filter age_partitioned_last(hash_id id) {
  return with_generations(age_partitioned_filter({.last = 16, .memory = 512, .seed = {42, id}}));
}
inline any_filter age_partitioned_window(hash_id id) {
  return with_generations(age_partitioned_filter({.window = std::chrono::minutes(1),
                                                  .tick = std::chrono::seconds(10),
                                                  .items = 12,
                                                  .memory = 512,
                                                  .seed = {0, id}}));
}

// Written when decay rates had 54 fraction bits; no recipe makes them any more.
inline constexpr std::array coarse_decays{
    "decaying_16", "decaying_random", "heat_16", "heat_32", "hot_list", "pooled", "pooled_pinned"};

// Written when generations shared bits; no recipe makes them any more.
inline constexpr std::array shared_bits{"age_partitioned_last", "age_partitioned_window"};

// Written when old partitions were joined only to save memory; no recipe makes them any more.
inline constexpr std::array apart{"history_forgetting", "history_partitions"};

// Written when tables of prints removed expired prints later; no recipe makes them any more.
inline constexpr std::array removed_later{"recency_table_grown", "recency_table_last"};

inline constexpr std::array recipes{
    recipe{"age_partitioned_own_last", age_partitioned_last},
    recipe{"age_partitioned_own_window", age_partitioned_window},
    recipe{"decaying_16_fine", decaying_16},
    recipe{"decaying_random_fine", decaying_random},
    recipe{"heat_table_full", heat_table_full},
    recipe{"heat_table_grown", heat_table_grown},
    recipe{"heat_table_stash", heat_table_stash},
    recipe{"heat_16_fine", heat_16},
    recipe{"heat_32_fine", heat_32},
    recipe{"history_blocks", history_blocks},
    recipe{"history_joined", history_joined},
    recipe{"history_learning", history_learning},
    recipe{"history_level", history_level},
    recipe{"history_level_grown", history_level_grown},
    recipe{"history_retaining", history_retaining},
    recipe{"history_single", history_single},
    recipe{"history_timeline", history_timeline},
    recipe{"history_timeline_joined", history_timeline_joined},
    recipe{"history_tree", history_tree},
    recipe{"history_tree_grown", history_tree_grown},
    recipe{"hot_list_fine", hot_list_5},
    recipe{"pooled_fine", pooled},
    recipe{"pooled_pinned_fine", pooled_pinned},
    recipe{"recency_buffer", recency_buffer},
    recipe{"recency_buffer_filling", recency_buffer_filling},
    recipe{"recency_count", recency_count},
    recipe{"recency_flat", recency_flat},
    recipe{"recency_generalized", recency_generalized},
    recipe{"recency_line", recency_line},
    recipe{"recency_table_insertions", recency_table_last},
    recipe{"recency_table_split", recency_table_grown},
    recipe{"recency_table_stash", recency_table_stash},
    recipe{"ring_polynomial", ring_polynomial},
    recipe{"ring_weights", ring_weights},
    recipe{"ring_window", ring_window},
    recipe{"tally_4", tally_4},
    recipe{"tally_8", tally_8},
    recipe{"tally_counting", tally_counting},
    recipe{"tally_counting_stuck", tally_counting_stuck},
    recipe{"tally_dynamic", tally_dynamic},
    recipe{"tally_dynamic_bounded", tally_dynamic_bounded},
    recipe{"tally_rising", tally_rising},
    recipe{"tally_spectral", tally_spectral},
    recipe{"tally_spectral_recurring", tally_spectral_recurring},
    recipe{"tally_spectral_rising", tally_spectral_rising},
    recipe{"tally_table_grown", tally_table_grown},
    recipe{"tally_table_stash", tally_table_stash},
    recipe{"timing", timing},
    recipe{"window_table_grown", window_table_grown},
    recipe{"window_table_reserved", window_table_reserved},
    recipe{"window_table_wide", window_table_wide},
    recipe{"short_age_partitioned", age_partitioned_window, hash_id::short_128},
    recipe{"short_heat", heat_16, hash_id::short_128},
    recipe{"short_history", history_blocks, hash_id::short_128},
    recipe{"short_hot_list", hot_list_5, hash_id::short_128},
    recipe{"short_recency", recency_line, hash_id::short_128},
    recipe{"short_tally", tally_4, hash_id::short_128},
    recipe{"short_timeline", history_timeline, hash_id::short_128},
};

}  // namespace bloomtime::golden
