#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/math/age_partitioned.hpp>
#include <bloomtime/math/timing.hpp>
#include <bloomtime/published/inferential/timing_size.hpp>
#include <bloomtime/published/inferential/touch_chain.hpp>
#include <bloomtime/recency/recency_table.hpp>

#include "cli/plan/planner.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

struct window {
  std::uint64_t items;
  double error;
  std::uint64_t ticks;
};

window window_of(const plan_options& given) {
  const window w{parse_count("--items", given.items), parse_probability("--error", given.error),
                 parse_count("--ticks", given.ticks)};
  constexpr std::uint64_t most_ticks = 4096;
  if (w.ticks <= most_ticks) return w;
  refuse("--ticks can be at most {}, got {}", most_ticks, given.ticks);
}

// -- candidates ----------------------------------------------------------------------------------

candidate candidate_of(const char* engine, std::string variant, std::uint64_t bits, double probes,
                       double error, double misses = 0) {
  return {.engine = engine,
          .variant = std::move(variant),
          .bits = static_cast<double>(bits),
          .error = error,
          .guarantee = misses == 0 ? "no false negatives" : "",
          .more = {number_cell(probes), misses == 0 ? cell{0., "none"} : probability_cell(misses)}};
}

candidate partitioned(const window& w, std::uint64_t ticks) {
  const auto size = math::age_partitioned_for_error({.items = w.items, .ticks = ticks}, w.error);
  const double read =
      std::ceil(static_cast<double>(size.bands) / static_cast<double>(math::band_stride(size.k)));
  const double written = 1 + (size.k - 1.) / math::slices_per_band;
  return candidate_of("age_partitioned_filter", ticks == 0 ? "insertions" : "time", size.bits(),
                      read + written, size.error);
}

candidate stamps(const window& w) {
  const math::stamp_load load{w.items, w.items, static_cast<std::uint32_t>(w.ticks)};
  const auto size = math::stamps_for_error(load, w.error);
  const bool line = size.layout == layout::line;
  return candidate_of("recency_filter", line ? "line" : "flat", size.cells * size.bits,
                      line ? 1. : static_cast<double>(size.k),
                      math::stamp_error(size, math::alive_at_worst(load)));
}

// It reads its second block, and moves others to make room, if the first one is full.
candidate prints(const window& w) {
  const auto size = recency_table::size_for({.last = std::max(w.items, w.ticks),
                                             .items = w.items,
                                             .error = w.error,
                                             .ticks = static_cast<std::uint32_t>(w.ticks)});
  return candidate_of("recency_table", "grows", 8 * size.bytes, 2, size.error);
}

candidate timers(const window& w) {
  const auto size = published::timing_for_error(w.items, w.error);
  return candidate_of("timing_filter", count_of(size.oldest, "block"), size.timers * size.bits,
                      static_cast<double>(size.k), published::timing_error(size));
}

// In the bits of recency_filter, with the probes that the error needs; the misses follow.
candidate generalized(const window& w, double bits) {
  const auto cells = static_cast<std::uint64_t>(bits);
  const auto k = static_cast<unsigned>(std::clamp(std::ceil(-std::log2(w.error) / 2), 1., 64.));
  const published::touch_chain chain(std::max<std::uint64_t>(cells, 2), k, k);
  const published::touch_pattern all{.r0 = k, .c0 = k, .r1 = k, .c1 = k};
  constexpr int points = 256;
  double kept = 0;
  for (int i = 0; i < points; ++i) {
    kept += chain.matches(all, (i + 0.5) / points * static_cast<double>(w.items)) / points;
  }
  return candidate_of("generalized_filter", "same bits", cells, 2. * k,
                      chain.matches(all, std::numeric_limits<double>::infinity()), 1 - kept);
}

// Fingerprints as long as the error needs, up to 32 bits.
candidate buffer(const window& w) {
  const auto items = static_cast<double>(w.items);
  const double needed = std::ceil(-std::log2(-std::expm1(std::log1p(-w.error) / items)));
  const double bits = std::clamp(needed, 1., 32.);
  return candidate_of("recent_buffer", "without its index",
                      static_cast<std::uint64_t>(bits) * w.items, 1,
                      -std::expm1(items * std::log1p(-std::exp2(-bits))));
}

std::vector<candidate> candidates_for(const window& w) {
  std::vector<candidate> all{partitioned(w, 0), partitioned(w, w.ticks), stamps(w), timers(w)};
  all.push_back(generalized(w, all[2].bits));
  all.push_back(buffer(w));
  constexpr std::uint64_t most_ticks_of_table = 1024;
  if (w.ticks > most_ticks_of_table) {
    all[1].recommended = true;
    return all;
  }
  all.insert(all.begin(), prints(w));
  all.front().recommended = true;
  return all;
}

plan make(const plan_options& given) {
  const window w = window_of(given);
  return {
      .subject = fmt::format("{} within a window of {}", count_of(w.items, "item"),
                             count_of(w.ticks, "tick")),
      .target = {.items = w.items, .error = w.error, .memory = {}},
      .fields = {{"ticks", w.ticks}},
      .columns = {probes_column(), {"misses", "missed"}},
      .candidates = sized([&] { return candidates_for(w); }),
      .notes = {"probes: cache lines (recency_table, age_partitioned_filter, line) or cells that "
                "adding a new item reads or writes",
                "recency_table: with memory reserved for all items; a table that grows takes "
                "about 15 % more",
                "--ticks matters to recency_table, to age_partitioned_filter, time, and to "
                "recency_filter"},
      .closing = {
          "Next: bloomtime dedupe --window 10m --error E uses a recency_table that grows, with "
          "600 ticks per window."}};
}

}  // namespace

planner recency_planner() {
  return {
      .family = "recency",
      .summary = "size a recency filter (was this item seen within a window?)",
      .usage = "--items N [--error E] [--ticks N]",
      .examples =
          "bloomtime plan recency --items 1M                       an error of 1e-6\n"
          "bloomtime plan recency --items 10M --error 1e-4 --ticks 600\n"
          "bloomtime plan recency --items 65536 --error 1% --json",
      .items = "different items within a window",
      .error_means = "an item not seen within the window is reported as seen",
      .keys = {{"probes",
                "cache lines (recency_table, age_partitioned_filter, line) or cells that adding a "
                "new item reads or writes"},
               {"misses", "share of items seen within the window that are reported as not seen"}},
      .fields = {{"ticks", "--ticks"}},
      .engines =
          "recency_table, up to 1024 ticks; age_partitioned_filter, for a window of insertions or "
          "of time; recency_filter, line or flat; timing_filter, with its blocks, "
          "generalized_filter and recent_buffer, as "
          "published",
      .options = {{"--ticks", &plan_options::ticks, "N", "time steps per window (default 10)"}},
      .defaults = {.error = "1e-6", .ticks = "10"},
      .make = make};
}

}  // namespace bloomtime::cli
