#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/math/heat.hpp>

#include "cli/plan/heat_choices.hpp"
#include "cli/plan/planner.hpp"
#include "cli/text.hpp"
#include "profile/profiler.hpp"

namespace bloomtime::cli {
namespace {

candidate candidate_of(const heat_choice& c, const plan_target& target) {
  constexpr double rarely = 0.01;
  const double share = math::heat_share({c.k, c.row}, rarely);
  const double excess = math::heat_excess(target.items, 1, {c.k, c.row});
  return {.engine = c.engine,
          .bits = 8 * static_cast<double>(c.memory),
          .error = c.error,
          .guarantee = "never too low",
          .more = {count_cell(c.cell_bits),
                   count_cell(c.k),
                   {excess, fmt::format("{} x mean", short_text(excess, 2))},
                   {share, fmt::format("{} of all", probability_text(share))}},
          .recommended = c.recommended};
}

// The best table for an error, or in a memory: prints get longer until they no longer fit.
std::optional<heat_table_size> table_size(const plan_target& target) {
  const auto size_for = [&](double error) {
    return heat_table::size_for(
        {.items = target.items, .error = error, .half_life = std::chrono::hours(1)});
  };
  if (target.error) return size_for(*target.error);
  constexpr int most_halvings = 30;
  std::optional<heat_table_size> best;
  for (int i = 1; i <= most_halvings; ++i) {
    const heat_table_size next = size_for(std::exp2(-i));
    if (next.bytes > *target.memory) break;
    best = next;
  }
  return best;
}

// An answer that is too high has the heat of another item in it.
candidate candidate_of(const heat_table_size& size) {
  constexpr double rarely = 0.01;
  return {.engine = "heat_table",
          .bits = 8 * static_cast<double>(size.bytes),
          .error = size.error,
          .guarantee = "never too low",
          .more = {count_cell(detail::print_weights::bits),
                   count_cell(1),
                   {size.error, fmt::format("{} x mean", short_text(size.error, 2))},
                   size.error < rarely ? cell{0., "0"} : nothing()},
          .recommended = true};
}

std::vector<candidate> candidates_for(const plan_target& target) {
  std::vector<candidate> all;
  const auto table = table_size(target);
  if (table) all.push_back(candidate_of(*table));
  for (const heat_choice& c : heat_choices(target)) {
    all.push_back(candidate_of(c, target));
    if (table) all.back().recommended = false;
  }
  return all;
}

std::vector<std::string> closing(const plan_target& target, const plan_options& given,
                                 std::chrono::microseconds half_life) {
  // A table drops a count that halves to 3/32 hit or less. Cells count in units of 2^-8 hits, and
  // the last unit decays to zero.
  constexpr unsigned in_a_table = 4;
  constexpr unsigned in_a_filter = 9;
  std::vector<std::string> words{fmt::format(
      "An item stays active for about {} after one hit ({} half-lives; {} in a filter), and {} "
      "longer if its hits double. --items counts items that are active at the same time, not items "
      "ever seen.",
      span_text(half_life, in_a_table), in_a_table, in_a_filter, span_text(half_life))};
  if (given.error.empty() && given.memory.empty()) {
    words.emplace_back(
        "profile needs no size: its tables start with 4 KiB and grow with the active items of each "
        "field.");
  }
  words.push_back(next_step(target));
  return words;
}

plan_options with_usual_error(plan_options given) {
  if (given.error.empty() && given.memory.empty()) given.error = "0.5%";
  return given;
}

plan make(const plan_options& given) {
  const plan_target target = target_of("heat", with_usual_error(given));
  if (target.memory) profile::expect_memory(*target.memory, 1);
  const std::chrono::microseconds half_life = parse_span("--half-life", given.half_life);
  plan what{.subject = "Heat of " + count_of(target.items, "item"),
            .target = target,
            .fields = {{"half_life_seconds", in_seconds(half_life)}},
            .columns = {cell_bits_column(),
                        k_column(),
                        {"excess", "mean excess", side::right, audience::everybody, 1},
                        {"share", "1 in 100 above", side::right, audience::everybody, 2}},
            .candidates = sized([&] { return candidates_for(target); }),
            .notes = {"memory: that of cells or blocks. With 16-bit cells an item with 128 hits or "
                      "more takes 22 to 43 bytes more for each of its k cells",
                      "heat_table: with memory reserved for all items; a table that grows with "
                      "them takes 20 % more with the right --items, and starts with 4 KiB",
                      "mean excess: in multiples of the mean heat of an item, if all items are "
                      "equally hot; less otherwise",
                      "decaying filters visit all cells at the end of each tick, and their items "
                      "are all items ever seen"},
            .closing = closing(target, given, half_life)};
  what.candidates.push_back(exact_map(target.items, {nothing(), nothing(), {0., "0"}, {0., "0"}}));
  return what;
}

}  // namespace

planner heat_planner() {
  return {
      .family = "heat",
      .summary = "size a heat table or filter (how hot is this item now?)",
      .usage = "--items N [--error E | --memory SIZE] [--half-life TIME]",
      .examples =
          "bloomtime plan heat --items 1M                    memory for an error of 0.5 %\n"
          "bloomtime plan heat --items 1M --error 1%         memory for an error\n"
          "bloomtime plan heat --items 10M --memory 64MiB    error for a memory\n"
          "bloomtime plan heat --items 1M --half-life 1d     how long items stay active",
      .items = "items active at the same time",
      .error_means = "an estimate is too high",
      .keys =
          {{"cell_bits", "bits of a cell or count; memory_bytes is that of the cells or blocks"},
           {"k", "cells and cache lines per item"},
           {"excess",
            "mean overestimate, in multiples of the mean heat of an item; an upper bound, reached "
            "if all items are equally hot"},
           {"share",
            "share of the heat of all items that the overestimate exceeds with probability 1 %"}},
      .fields = {{"half_life_seconds", "--half-life"}},
      .engines =
          "heat_table; heat_filter; decaying_filter and pooled_decaying_filter, as published: they "
          "visit all "
          "cells at the end of each tick, and their --items are all items ever seen; exact_map: an "
          "unordered_map of short items",
      .options = {memory_option(),
                  {"--half-life", &plan_options::half_life, "TIME",
                   "time in which heat halves (default 1h)"}},
      .defaults = {.half_life = "1h"},
      .make = make};
}

}  // namespace bloomtime::cli
