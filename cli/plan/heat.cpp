#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/error.hpp>
#include <bloomtime/math/heat.hpp>

#include "cli/command.hpp"
#include "cli/plan/heat_choices.hpp"
#include "profile/exact_size.hpp"
#include "profile/profiler.hpp"
#include "text/number.hpp"
#include "text/quantity.hpp"
#include "text/time_text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

struct typed {
  std::string items;
  std::string error;
  std::string memory;
  std::string half_life = "1h";
};

// The chance with which the share of all heat in the table is exceeded.
constexpr double rarely = 0.01;

plan_target target_of(const typed& given) {
  if (given.items.empty()) {
    throw usage_error(
        "plan heat needs --items, the number of different items that are warm at the same time. "
        "Try bloomtime plan heat --items 1M");
  }
  if (!given.error.empty() && !given.memory.empty()) {
    throw usage_error(
        "plan heat takes --error or --memory, and what profile takes without any; give one of "
        "them");
  }
  plan_target target;
  target.items = parse_count("--items", given.items);
  if (!given.error.empty()) {
    target.error = parse_chance("--error", given.error);
  } else {
    target.memory = given.memory.empty() ? default_memory_per_field : parse_memory(given.memory);
    expect_memory(*target.memory, 1);
  }
  return target;
}

std::vector<heat_choice> choices_for(const plan_target& target) {
  try {
    return heat_choices(target);
  } catch (const error& e) {
    if (e.code() != errc::too_large) throw;
    throw usage_error(std::string(e.what()) + ". Try fewer items or a larger --error");
  }
}

// -- the table -----------------------------------------------------------------------------------

table empty_table() {
  using enum audience;
  return {.key = "choices",
          .columns = {{"engine", "", side::left, programs},
                      {"", "  engine", side::left, people},
                      {"estimated", "", side::left, programs},
                      {"recommended", "", side::left, programs},
                      {"cell_bits", "", side::right, programs},
                      {"memory_bytes", "memory"},
                      {"bytes_per_item", "bytes/item", side::right, everybody, 3},
                      {"k", "k", side::right, everybody, 5},
                      {"error", "too high"},
                      {"excess", "by, on average", side::right, everybody, 1},
                      {"share", "1 in 100 by", side::right, everybody, 2}},
          .rows = {},
          .as_list = false};
}

row row_of(const heat_choice& c, const plan_target& target) {
  const double share = math::heat_share({c.k, c.row}, rarely);
  const double excess = math::heat_excess(target.items, 1, {c.k, c.row});
  return {{text_cell(c.engine),
           {{}, fmt::format("{}{}, {} bits", c.recommended ? "▸ " : "  ", c.engine, c.cell_bits)},
           yes_no_cell(false),
           yes_no_cell(c.recommended),
           {std::uint64_t{c.cell_bits}, ""},
           bytes_cell(c.memory),
           {per_item(c.memory, target), short_text(per_item(c.memory, target))},
           count_cell(c.k),
           chance_cell(c.error),
           {excess, fmt::format("{} x mean", short_text(excess, 2))},
           {share, fmt::format("{} of all", chance_text(share))}},
          c.recommended ? look::strong : look::plain};
}

row exact_row(const plan_target& target) {
  const std::uint64_t bytes = exact_bytes_per_item(0);
  const std::uint64_t memory = exact_map_bytes(target.items);
  return {{text_cell("exact_map"),
           {{}, "  exact map"},
           yes_no_cell(true),
           yes_no_cell(false),
           nothing(),
           {memory, fmt::format("~{}", bytes_text(memory))},
           {static_cast<double>(bytes), fmt::format("~{}", bytes)},
           nothing(),
           chance_cell(0),
           {0., "0"},
           {0., "0"}},
          look::faint};
}

// -- in words ------------------------------------------------------------------------------------

// Cells count in units of 2^-8 hits, and a unit that is left alone is forgotten.
constexpr unsigned half_lives_of_one_hit = 9;

std::vector<std::string> closing(const plan_target& target, const typed& given,
                                 std::chrono::microseconds half_life) {
  std::vector<std::string> words{fmt::format(
      "An item is warm for about {} after a hit ({} half-lives), twice as many hits make it {} "
      "more: --items are those seen in that time, not those ever seen.",
      span_text(half_life, half_lives_of_one_hit), half_lives_of_one_hit, span_text(half_life))};
  if (given.error.empty() && given.memory.empty()) {
    words.push_back(
        fmt::format("{} is what profile takes for each field: a million warm items of two hits "
                    "each on average are answered at most half a hit too high on average.",
                    bytes_text(default_memory_per_field)));
  }
  words.push_back(target.error ? "Next: --memory 1MB starts from a budget."
                               : "Next: --error 1% starts from a promise.");
  return words;
}

std::string title(const plan_target& target) {
  const std::string what =
      fmt::format("Heat of {} warm item{}", count_text(target.items), target.items == 1 ? "" : "s");
  return target.error
             ? fmt::format("{}, {} of the answers too high", what, brief_chance_text(*target.error))
             : fmt::format("{} in {}", what, bytes_text(*target.memory));
}

exit_status plan(const typed& given, const printer& out) {
  const plan_target target = target_of(given);
  const std::chrono::microseconds half_life = parse_span("--half-life", given.half_life);
  table t = empty_table();
  for (const heat_choice& c : choices_for(target)) t.rows.push_back(row_of(c, target));
  t.rows.push_back(exact_row(target));
  out.print({.command = "plan heat",
             .title = title(target),
             .fields = {{"items", target.items},
                        {"target_error", or_nothing(target.error)},
                        {"target_memory_bytes", or_nothing(target.memory)},
                        {"half_life_seconds", static_cast<double>(half_life.count()) / 1e6}},
             .tables = {std::move(t)},
             .notes = {"memory is that of the cells; in a heat_filter of 16 bits an item with 128 "
                       "hits or more takes 22 to 43 bytes more in each of k rows",
                       "x mean: times the mean heat of an item, if all are equally warm; less if "
                       "not",
                       "decaying filters go through all cells when an epoch ends, and count items "
                       "ever seen, not warm ones",
                       fmt::format("exact map: estimated for short items, {} bytes each",
                                   exact_bytes_per_item(0))},
             .closing = closing(target, given, half_life)});
  return yes;
}

constexpr const char* examples =
    "bloomtime plan heat --items 1M                    what profile takes, and how accurate it is\n"
    "bloomtime plan heat --items 1M --error 1%         memory for an accuracy\n"
    "bloomtime plan heat --items 10M --memory 64MiB    accuracy for a memory\n"
    "bloomtime plan heat --items 1M --half-life 1d     how long items stay warm";

constexpr const char* details =
    "One row per choice, for programs with these keys (empty or null where there is nothing):\n"
    "engine            heat_filter; decaying_filter and pooled_decaying_filter, the published\n"
    "                  ones, which go through all cells at the end of each epoch and whose cells\n"
    "                  never empty, so that items are all ever seen; exact_map: an unordered_map "
    "of\n"
    "                  all items, estimated\n"
    "estimated         true where memory is not computed but estimated\n"
    "recommended       true for one of them: cells of 16 bits, as large counts are kept aside\n"
    "cell_bits, memory_bytes, bytes_per_item, k (cells and cache lines per item)\n"
    "error             the chance that an answer is more than exact; it is never less\n"
    "excess            by how much on average, in multiples of the mean heat of an item: exact\n"
    "                  for plain counters and equal heat, an upper bound here\n"
    "share             of the heat of all items together: exceeded by one answer in 100 at most\n"
    "JSON: {\"schema\": 1, \"command\": \"plan heat\", \"items\", \"target_error\", "
    "\"target_memory_bytes\",\n"
    "       \"half_life_seconds\", \"choices\": [one object per row]}";

}  // namespace

void add_plan_heat(command& family, output_options& asked) {
  command& self = family.add("heat", "size a heat filter (how hot is this item now?)");
  self.usage = "--items N [--error E | --memory SIZE] [--half-life TIME]";
  self.examples = examples;
  self.details = details;
  const auto given = std::make_shared<typed>();
  self.text("--items", given->items, "N", "items that are warm at the same time: 1M, 2.5k, 1e6");
  self.text("--error", given->error, "E", "chance that an answer is too high: 1%, 0.01");
  self.text("--memory", given->memory, "SIZE", "16MiB = 16M = 2^24 bytes, 16MB = 16,000,000");
  self.text("--half-life", given->half_life, "TIME", "in which heat halves: 1h unless given");
  self.output(asked);
  self.act = [given](const printer& out) { return plan(*given, out); };
}

}  // namespace bloomtime::cli
