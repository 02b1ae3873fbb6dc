#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/published/persistent/sizes.hpp>

#include "cli/plan/planner.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

using math::history_counts;
using math::history_size;
using published::level_rule;
using std::chrono::microseconds;

struct history_target {
  history_counts counts;
  microseconds resolution;
  double error;
  std::uint64_t length;  // ticks
};

constexpr microseconds usual_length = std::chrono::minutes(10);

// Rounded up.
std::uint64_t ticks_in(microseconds span, microseconds resolution) {
  return static_cast<std::uint64_t>((span.count() - 1) / resolution.count() + 1);
}

history_target target_for(const plan_options& given) {
  history_target t;
  t.resolution = parse_span("--resolution", given.resolution);
  t.counts = {.pairs = parse_count("--pairs", given.pairs),
              .items = parse_count("--items", given.items),
              .ticks = ticks_in(parse_span("--span", given.span), t.resolution)};
  t.error = parse_probability("--error", given.error);
  const microseconds length =
      given.length.empty() ? usual_length : parse_span("--length", given.length);
  t.length = ticks_in(length, t.resolution);
  if (given.length.empty()) t.length = std::min(t.length, t.counts.ticks);
  const auto [pairs, items, ticks] = t.counts;
  if (pairs < items) {
    refuse("--pairs must be at least --items ({}); got {}", count_text(items), count_text(pairs));
  }
  if ((pairs - 1) / items >= ticks) {
    refuse(
        "--pairs can be at most one per item and tick ({} in {}); got {}. Try a longer --span or "
        "fewer --pairs",
        count_of(items, "item"), count_of(ticks, "tick"), count_text(pairs));
  }
  if (t.length > ticks) {
    refuse("--length must be at most --span ({}); got {}", span_text(t.resolution, ticks),
           given.length);
  }
  return t;
}

candidate candidate_of(const char* engine, const char* variant, const history_size& size) {
  return {.engine = engine,
          .variant = variant,
          .bits = static_cast<double>(size.bits),
          .error = size.error,
          .guarantee = "no false negatives",
          .more = {number_cell(size.probes)}};
}

candidate bound(const char* variant, double bits_per_pair, double error, const history_target& t) {
  return {.engine = "bound",
          .variant = variant,
          .bits = bits_per_pair * static_cast<double>(t.counts.pairs),
          .error = error,
          .reference = true};
}

std::vector<candidate> candidates_for(const history_target& t) {
  constexpr std::uint64_t leaf_ticks = 4;  // of the published tree
  const auto levels = [&](const char* variant, level_rule rule) {
    return candidate_of("level_history", variant,
                        published::level_size(rule, t.counts, t.error, t.length));
  };
  std::vector<candidate> all{
      candidate_of("timeline_history", "with names", math::named_size(t.counts)),
      candidate_of("timeline_history", "without names",
                   math::nameless_size(t.counts, t.error, t.length)),
      candidate_of("single_history", "", published::single_size(t.counts, t.error, t.length)),
      candidate_of("tree_history", "optimal",
                   published::tree_size(t.counts, leaf_ticks, t.error, t.length)),
      levels("uniform", level_rule::uniform),
      levels("optimal", level_rule::optimal),
      levels("planned", level_rule::planned)};
  // A timeline_history keeps whichever is smaller for each item.
  all[all[0].bits <= all[1].bits ? 0 : 1].recommended = true;
  all.push_back(bound("filters", math::bound_bits_per_pair(t.error, t.length), t.error, t));
  all.push_back(bound("exact", math::timeline_entropy(t.counts), 0, t));
  return all;
}

plan make(const plan_options& given) {
  const history_target t = target_for(given);
  return {
      .subject = fmt::format("{} pairs of {} and a tick, queries of {}", count_text(t.counts.pairs),
                             count_of(t.counts.items, "item"), span_text(t.resolution, t.length)),
      .target = {.items = t.counts.items, .error = t.error, .memory = {}},
      .fields = {{"pairs", t.counts.pairs},
                 {"ticks", t.counts.ticks},
                 {"tick_seconds", in_seconds(t.resolution)},
                 {"length", t.length}},
      .columns = {probes_column()},
      .candidates =
          sized([&] { return candidates_for(t); }, "Try fewer --pairs or a larger --error"),
      .notes = {"timeline_history: if all items are seen equally often; less memory otherwise",
                "tree_history, level_history: if the number of keys falls by the same factor from "
                "level to level"},
      .closing = {"With names, a timeline_history is exact and answers when an item was seen; "
                  "without, it answers when an item with the same fingerprint was. It keeps for "
                  "each item whichever is smaller.",
                  "Next: bloomtime profile access.log records one per field; bloomtime seen and "
                  "bloomtime timeline query it."},
      .units = t.counts.pairs};
}

}  // namespace

planner history_planner() {
  return {
      .family = "history",
      .summary = "size a history (was this item seen between two times?)",
      .usage = "--pairs N --items N [--span TIME] [--length TIME] [--error E]",
      .examples =
          "bloomtime plan history --pairs 2M --items 25k                 a day of seconds\n"
          "bloomtime plan history --pairs 2127749 --items 25497 --length 128 --error 1%\n"
          "bloomtime plan history --pairs 1M --items 1M --error 1e-6     items seen once\n"
          "bloomtime plan history --pairs 50M --items 100k --span 30d --resolution 1m --length 1h",
      .items = "different items",
      .error_means = "a query that should be answered no is answered maybe",
      .keys = {{"probes", "structures read by a query that is answered no, on average"}},
      .fields = {{"pairs", "--pairs"},
                 {"ticks", "of --span"},
                 {"tick_seconds", "of a tick"},
                 {"length", "of a query, in ticks"}},
      .engines =
          "timeline_history, with or without names; single_history, tree_history and "
          "level_history, the published persistent Bloom filters, with optimal, uniform or planned "
          "bits per level; bound, filters: log2(length / error) bits per pair if items do not "
          "repeat; bound, exact: if all items are seen equally often",
      .options = {{"--pairs", &plan_options::pairs, "N", "different (item, tick) pairs: 2M, 1e6"},
                  {"--span", &plan_options::span, "TIME", "period that is kept (default 1d)"},
                  {"--resolution", &plan_options::resolution, "TIME",
                   "length of a tick (default 1s)"},
                  {"--length", &plan_options::length, "TIME",
                   "period that a query covers (default 10m)"}},
      .defaults = {.error = "1%", .span = "1d", .resolution = "1s"},
      .make = make,
      .unit = "pair"};
}

}  // namespace bloomtime::cli
